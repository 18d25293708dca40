"""Cards of BLEURT's weights, generated from a run's manifest."""

from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import base_of, citation_of, corpora_of, source_of, write_model_card

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, bleurt]
---

# BLEURT, `{config[name]}`

Scores a story by how good a stand-in for its reference it is: higher is better. **It has seen no human rating**:
the score is the mean of its standardised signals, in standard deviations. `python -m training.bleurt.ratings` fits
it to ratings of yours.

## Use

```python
import evaluate

bleurt = evaluate.load("metrics/bleurt", "{place}")
bleurt.compute(predictions=["Ann made a sandwich."], references=["Ann was hungry. She made a sandwich."])
```

## Training

An adapter of rank {config[adapter][rank]} on {base}. {count:,} synthetic pairs of a story of {corpus} and a
changed copy; {steps:,} steps of {config[batch]}, learning rate {config[learning_rate]:g}, seed {config[seed]}; {last}{minutes[pairs]:g} minutes for the pairs
and {minutes[training]:g} for training on {machine} with torch {torch}.

| way | pairs | {signals} |
|---|---|{rules}|
{ways}

| file | SHA-256 |
|---|---|
{data}

## Results

On {validation[pairs]:,} held-out pairs the score's Pearson correlation with its target is {validation[pearson]:.3f}.
Correlations with human judgments are printed by `make benchmark`.

## Limits

Referenced: a good story that goes elsewhere than its reference scores low. Pairs beyond the maximum length are cut,
the longer text first. English.

## Data and licence

The weights are Apache-2.0. {source} The stories are not part of this repository.

## Citation

```bibtex
{citation}
```
"""


def write_bleurt_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` beside BLEURT's weights."""
    names, ways = list(manifest["signals"]), manifest["pairs"]["train"]
    write_model_card(
        folder,
        _CARD,
        manifest,
        citation=citation_of("bleurt"),
        base=base_of(manifest["config"]),
        corpus=" and ".join(corpora_of(manifest["config"]["corpus"]["train"])),
        source=source_of(manifest),
        count=sum(way["pairs"] for way in ways.values()),
        signals=" | ".join(names),
        rules="---|" * (len(names) - 1) + "---",
        ways="\n".join(
            f"| {name} | {way['pairs']:,} | " + " | ".join(f"{way[one]:.2f}" for one in names) + " |"
            for name, way in ways.items()
        ),
    )
