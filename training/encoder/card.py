"""The model card of the shared story encoder, from the manifest of its training."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import (
    LICENCES,
    corpus_terms,
    hardware_text,
    hub_id,
    load_argument,
    terms_by_corpus,
    training_files,
    write_model_card,
)
from openmeva.training.paths import ENCODER

_CARD = """---
license: apache-2.0
language: en
library_name: transformers
pipeline_tag: fill-mask
base_model: {base}
tags: [story-generation, evaluation, bert]
---

# Story encoder

A BERT encoder for short stories, {shape[num_hidden_layers]} layers with hidden size {shape[hidden_size]}, shared by the project's metrics: each is a small
adapter on these weights. It was initialised from `{base}`. Its vocabulary was reduced to {config[vocabulary_size]:,}
wordpieces, and it was further pretrained on stories as a masked language model.

## Use

```python
from transformers import AutoModelForMaskedLM, AutoTokenizer

encoder = AutoModelForMaskedLM.from_pretrained("{where}")
tokenizer = AutoTokenizer.from_pretrained("{where}")
```

Text must be normalised as in training: lower case, Penn Treebank tokens, names as `[MALE]`, `[FEMALE]`, `[NEUTRAL]`
(`Normalizer` in `metrics/core/text.py`, with the lists of `names.json`).

## Training

{config[epochs]:g} passes over {blocks:,} blocks of stories ({tokens:,} tokens), {steps:,} steps of about {config[batch_tokens]:,} tokens, {config[mask_probability]:.0%} of them masked,
learning rate {config[learning_rate]:g}, seed {config[seed]}{machine}, torch {torch}.
{note}
| file | SHA-256 |
|---|---|
{data}

## Results

Cross-entropy on masked tokens of held-out stories, in nats: {masked_loss_before:.2f} with the reduced vocabulary before
training, {masked_loss_after:.2f} after it. Results of the metrics based on it are in their cards.

## Limits

English stories only{mostly}. Half precision. It is meant to be
adapted: its own embeddings represent topic better than coherence.

## Data and licence

The weights are Apache-2.0{licence}. {source} The stories are not part of this repository.
The name lists have their own terms: `NAMES.md`.

## Citation

```bibtex
@inproceedings{{wang-etal-2020-minilm,
    title = "{{MiniLM}}: Deep Self-Attention Distillation for Task-Agnostic Compression of Pre-Trained Transformers",
    author = "Wang, Wenhui and Wei, Furu and Dong, Li and Bao, Hangbo and Yang, Nan and Zhou, Ming",
    booktitle = "Advances in Neural Information Processing Systems",
    year = "2020",
}}
```
"""


def write_encoder_card(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Writes `README.md` into the folder of the encoder's weights."""
    note = f"{manifest['note']}\n" if "note" in manifest else ""
    base = hub_id(manifest["config"]["base"])
    read = terms_by_corpus(training_files(manifest))
    write_model_card(
        folder,
        _CARD,
        manifest,
        note=note,
        base=base,
        shape=json.loads((folder / "config.json").read_text(encoding="utf-8")),
        where="openmeva/story-encoder" if folder.resolve() == ENCODER else load_argument(folder, None),
        machine=f", on {hardware_text(manifest)}" if "threads" in manifest else "",
        mostly=", mostly of five sentences and about everyday life" if "ROCStories" in read else "",
        licence=", like those of the initial model" if base in LICENCES else "",
        source=corpus_terms(manifest),
    )
