"""Model card of embedding_similarity, generated from a run's manifest: `python -m training.embedding_similarity.card FOLDER`."""

from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import (
    base_model_text,
    card_command,
    corpus_terms,
    hub_id,
    lineage,
    write_model_card,
)

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, embeddings]
---

# Embedding similarity, `{config[name]}`

Word embeddings for the metric `embedding_similarity`: a LoRA adapter of rank {config[adapter][rank]} on {base}, {what}

## Use

```python
import evaluate

similarity = evaluate.load("metrics/embedding_similarity", "{place}")
similarity.compute(predictions=["He employed a lawyer."], references=["He hired an attorney."])
```

## Training

{initialisation} The adapter was then trained on {texts[train]:,} texts of {lengths} words. The loss is the squared
error of each token's state against that of {teacher}.
{steps:,} steps with batches of {config[batch]}, learning rate {config[learning_rate]:g}, seed {config[seed]}; {last}{minutes:g} minutes on {machine} with torch
{torch}. No human ratings were used.

| file | SHA-256 |
|---|---|
{data}

## Results

On {texts[validation]:,} held-out texts, compared with {teacher}:

| | relative squared error of the states | mean cosine | Pearson with its BERTScore F1, pairs with similar beginnings |
|---|---|---|---|
| {base} without an adapter | {validation[encoder][error]:.3f} | {validation[encoder][cosine]:.3f} | {validation[encoder][bertscore_pearson]:.3f} |
| with the decomposition | {validation[decomposition][error]:.3f} | {validation[decomposition][cosine]:.3f} | {validation[decomposition][bertscore_pearson]:.3f} |
| with the trained adapter | {validation[trained][error]:.3f} | {validation[trained][cosine]:.3f} | {validation[trained][bertscore_pearson]:.3f} |

`baseline` in `config.json` holds, for each layer, the mean BERTScore of two unrelated held-out stories
({config[baseline_pairs]} random pairs); `rescale_with_baseline=True` rescales it to 0. Correlations with human judgments are printed by
`make benchmark`.

## Limits

Word order counts only as far as the embeddings encode it. Texts longer than 512 tokens are split into overlapping
windows. English only.

## Data and licence

The weights are Apache-2.0. {source} The texts are not part of this repository.

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
    """Writes `README.md` into the folder of the weights."""
    config = manifest["config"]
    # in earlier manifests the teacher is the base
    teacher_id = hub_id(config.get("teacher", config.get("base")))
    teacher = teacher_id.rpartition("/")[2]
    if config.get("teacher") == config.get("base"):
        description = "which is its own teacher, so the adapter changes nothing."
        initialisation = "The factors are zero."
    else:
        description = f"trained to reproduce the states of {teacher}."
        initialisation = "The factors are initialised with the truncated singular value decomposition of the difference to the weights of\n"
        initialisation += f"{teacher}; norms and biases are those of {teacher}."
    if f"initialised from `{teacher_id}`" in lineage(manifest):
        description = "trained\nto bring it back towards the sentence encoder that it was initialised from. (Masked-language-model training made its\n"
        description += "last layer represent meaning less well.)"
    write_model_card(
        folder,
        _CARD,
        manifest,
        lengths=" or ".join(f"about {words}" for words in config["block_words"]),
        base=base_model_text(config),
        what=description,
        initialisation=initialisation,
        teacher=teacher,
        source=corpus_terms(manifest),
    )


if __name__ == "__main__":
    card_command(write_similarity_card, __doc__)
