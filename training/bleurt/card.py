"""Model cards of BLEURT, generated from a run's manifest."""

from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import (
    base_model_text,
    citation_of,
    corpus_terms,
    terms_by_corpus,
    write_model_card,
)

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, bleurt]
---

# BLEURT, `{config[name]}`

Scores how well a story matches its reference: higher is better. **It was not trained on human ratings**: the score is
the mean of its standardised signals, in standard deviations. `python -m training.bleurt.ratings` fits it to your own
ratings.

## Use

```python
import evaluate

bleurt = evaluate.load("metrics/bleurt", "{place}")
bleurt.compute(predictions=["Ann made a sandwich."], references=["Ann was hungry. She made a sandwich."])
```

## Training

A LoRA adapter of rank {config[adapter][rank]} on {base}. {count:,} synthetic pairs of a story from {corpus} and a
modified copy; {steps:,} steps with batches of {config[batch]}, learning rate {config[learning_rate]:g}, seed {config[seed]}; {last}{minutes[pairs]:g} minutes for the
pairs and {minutes[training]:g} for training on {machine} with torch {torch}.

Mean of each signal, by modification:

| modification | pairs | {signals} |
|---|---|{rules}|
{ways}

| file | SHA-256 |
|---|---|
{data}

## Results

On {validation[pairs]:,} held-out pairs, the score has a Pearson correlation of {validation[pearson]:.3f} with its target.
Correlations with human judgments are printed by `make benchmark`.

## Limits

The metric needs a reference: a good story that differs from its reference scores low. Pairs longer than the maximum
length are truncated, the longer text first. English only.

## Data and licence

The weights are Apache-2.0. {source} The stories are not part of this repository.

## Citation

```bibtex
{citation}
```
"""


def write_bleurt_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` into the folder of BLEURT's weights."""
    names, ways = list(manifest["signals"]), manifest["pairs"]["train"]
    write_model_card(
        folder,
        _CARD,
        manifest,
        citation=citation_of("bleurt"),
        base=base_model_text(manifest["config"]),
        corpus=" and ".join(terms_by_corpus(manifest["config"]["corpus"]["train"])),
        source=corpus_terms(manifest),
        count=sum(way["pairs"] for way in ways.values()),
        signals=" | ".join(names),
        rules="---|" * (len(names) - 1) + "---",
        ways="\n".join(
            f"| {name} | {way['pairs']:,} | " + " | ".join(f"{way[signal]:.2f}" for signal in names) + " |"
            for name, way in ways.items()
        ),
    )
