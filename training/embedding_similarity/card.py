"""Card of embedding_similarity's weights, from a run's manifest: `python -m training.embedding_similarity.card FOLDER`."""

from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import card_command, write_model_card

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, embeddings]
---

# Embedding similarity, `{config[name]}`

Word embeddings for the metric `embedding_similarity`: an adapter on the project's story encoder (rank {config[adapter][rank]}), which it
brings back towards the sentence encoder that the story encoder began as. (Training on masked words bent its last
layer away from meaning.)

## Use

```python
import evaluate

similarity = evaluate.load("metrics/embedding_similarity", "{config[name]}")
similarity.compute(predictions=["He employed a lawyer."], references=["He hired an attorney."])
```

## Training

The factors begin as the truncated singular value decomposition of the difference to the weights of all-MiniLM-L6-v2;
norms and biases are its own. Then, on {texts[train]:,} texts of {lengths} words: the squared error of each token's
state, that of all-MiniLM-L6-v2 wanted.
{steps:,} steps of {config[batch]}, learning rate {config[learning_rate]:g}, seed {config[seed]}; {minutes:g} minutes on {machine} with torch
{torch}. No rating was seen.

| file | SHA-256 |
|---|---|
{data}

## Results

On {texts[validation]:,} held-out texts, against the base:

| | relative squared error of the states | mean cosine | BERTScore F1, Pearson over pairs that begin alike |
|---|---|---|---|
| the story encoder as it is | {validation[encoder][error]:.3f} | {validation[encoder][cosine]:.3f} | {validation[encoder][bertscore_pearson]:.3f} |
| with the decomposition | {validation[decomposition][error]:.3f} | {validation[decomposition][cosine]:.3f} | {validation[decomposition][bertscore_pearson]:.3f} |
| with the trained adapter | {validation[trained][error]:.3f} | {validation[trained][cosine]:.3f} | {validation[trained][bertscore_pearson]:.3f} |

`baseline` in `config.json` holds, for each layer, what BERTScore gives on average to two unrelated held-out stories
({config[baseline_pairs]} random pairs); `rescale_with_baseline=True` makes it 0. Correlations with human judgments are printed by
`make benchmark`.

## Limits

Word order counts only as far as the embeddings carry it. Texts beyond 512 tokens are read in windows. English.

## Data and licence

The weights are Apache-2.0, as is all-MiniLM-L6-v2. The texts are of ROCStories, which its authors distribute on
request, and of WritingPrompts, which is text of Reddit's users; they are not part of this repository.

## Citation

```bibtex
@inproceedings{{zhao-etal-2019-moverscore,
    title = "{{M}}over{{S}}core: Text Generation Evaluating with Contextualized Embeddings and Earth Mover Distance",
    author = "Zhao, Wei and Peyrard, Maxime and Liu, Fei and Gao, Yang and Meyer, Christian M. and Eger, Steffen",
    booktitle = "Proceedings of EMNLP-IJCNLP 2019",
    year = "2019",
    pages = "563--578",
}}
```
"""


def write_similarity_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` beside the weights."""
    lengths = " or ".join(f"about {words}" for words in manifest["config"]["block_words"])
    write_model_card(folder, _CARD, manifest, lengths=lengths)


if __name__ == "__main__":
    card_command(write_similarity_card, __doc__)
