"""The model card of the tagger."""

from collections.abc import Mapping
from typing import Any

import nltk
import numpy as np

from openmeva.training.files import checksum

CARD = """\
---
license: cc-by-sa-4.0
language: en
library_name: nltk
tags: [part-of-speech, averaged-perceptron]
---
# Part-of-speech tagger for stories

Weights of NLTK's averaged perceptron tagger, as `nltk.pos_tag` reads them. Penn Treebank tags for text as
written or lower-cased, with `[MALE]`, `[FEMALE]` and `[NEUTRAL]` in place of names.

## Use
Put the files in `taggers/averaged_perceptron_tagger_eng` under a folder on `nltk.data.path`, and
`nltk.pos_tag(["She", "ran", "."])` uses them.

## Training
Universal Dependencies English EWT, training split: every sentence as written and lower-cased, and again with isolated
proper nouns replaced by the placeholders. Weights with an absolute value below {threshold} are dropped, the others
rounded to multiples of 1/{steps}.

    python -m training.text.tagger.trainer --data DIR/ewt --iterations {iterations} --seed {seed} \\
        --threshold {threshold}

| file | SHA-256 |
|---|---|
{checksums}

NLTK {nltk}, NumPy {numpy}.

## Results
Accuracy per token on the test split of EWT.

| text | accuracy |
|---|---|
{results}

## Limitations
Trained on web text up to 2012; tags of headings, code and dialect are unreliable. Confidences
(`return_conf`) mean little after rounding.

## Licence and citation
The treebank and these weights, which derive from it: [CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/).
Silveira, N., Dozat, T., de Marneffe, M.-C., Bowman, S., Connor, M., Bauer, J., Manning, C. D. (2014). A Gold Standard
Dependency Corpus for English. LREC.
"""


def card(run: Mapping[str, Any], results: Mapping[str, float]) -> str:
    """The model card of the weights, as Markdown.

    Args:
        run: settings of the training: `data` (folder of the treebank), `threshold`, `steps`, `iterations` and `seed`.
        results: accuracy, 0 to 1, by form of the text.
    """
    files = [run["data"] / "train.jsonl.gz", run["data"] / "test.jsonl.gz"]
    return CARD.format(
        **{name: run[name] for name in ("threshold", "steps", "iterations", "seed")},
        checksums="\n".join(f"| `{file.name}` | `{checksum(file)}` |" for file in files),
        nltk=nltk.__version__,
        numpy=np.__version__,
        results="\n".join(f"| {form} | {value:.4f} |" for form, value in results.items()),
    )
