"""Model cards of RUBER-BERT, generated from a run's manifest: `python -m training.ruber_bert.card FOLDER`."""

from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import base_model_text, card_command, corpus_terms, write_model_card

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, ruber]
---

# RUBER-BERT, `{config[name]}`

Scores whether a story fits its context, 0 to 1, higher is better (Tao et al. 2018; Ghazarian et al. 2019). Also holds the
calibration that blends this score with the similarity to a reference.

## Use

```python
import evaluate

ruber = evaluate.load("metrics/ruber_bert", "{place}")
ruber.compute(predictions=["She made a sandwich. She ate it."], contexts=["Ann was hungry."])
```

## Training

{kind} {pairs[train]:,} pairs of a context and its story, {config[epochs]:g} epochs, {steps:,} steps with batches of {config[batch]}, learning
rate {config[learning_rate]:g}, seed {config[seed]}; {loss}. Negatives: {config[in_batch]} stories of the same batch and {config[sampled]} sampled one{nearest};
{last}{minutes:g} minutes on {machine} with torch {torch}.

| file | SHA-256 |
|---|---|
{data}

## Results

On {pairs[validation]:,} held-out pairs, the true story scores above a random one in {validation[accuracy]:.1%} of cases{near}.
Correlations with human judgments are in the metric's card; `make benchmark` prints them.

## Limits

For English stories like those of its corpus. It compares the topics of story and context. It does not detect that a story
on the topic contradicts or repeats itself. It should not be used to make decisions about people's writing.

## Data and licence

The weights are Apache-2.0. {source} The stories are not part of this repository.

## Citation

```bibtex
@inproceedings{{ghazarian-etal-2019-better,
    title = "Better Automatic Evaluation of Open-Domain Dialogue Systems with Contextualized Embeddings",
    author = "Ghazarian, Sarik and Wei, Johnny and Galstyan, Aram and Peng, Nanyun",
    booktitle = "Proceedings of the Workshop on Methods for Optimizing and Evaluating Neural Language Generation",
    year = "2019",
    pages = "82--89",
}}
```
"""


def write_ruber_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` into the folder of the weights."""
    config = manifest["config"]
    initialisation = (
        f" with a rank-{config['adapter']['rank']} approximation of the adapter of `{config['start']}`"
        if config.get("start")
        else ""
    )
    base = base_model_text(config)
    kinds = {
        "rnn": f"A recurrent network over the word vectors of {base}, with a scoring head.",
        "adapted": f"A LoRA adapter on {base}{initialisation and f', initialised{initialisation}'}, with a scoring head.",
        "frozen": f"A scoring head on {base}{initialisation}, which stayed frozen; {config['pooling']} pooling of the states.",
    }
    kind = "rnn" if config["encoder"] == "rnn" else "frozen" if config.get("frozen", True) else "adapted"
    near = manifest["validation"].get("accuracy_nearest")
    write_model_card(
        folder,
        _CARD,
        manifest,
        kind=kinds[kind],
        loss=f"margin ranking, margin {config['margin']:g}"
        if config["loss"] == "margin"
        else "cross-entropy",
        nearest=f" (from the {config['nearest']} with the most similar contexts)"
        if config["nearest"]
        else "",
        near=f",\nand above one with a similar context in {near:.1%}" if near is not None else "",
        source=corpus_terms(manifest),
    )


if __name__ == "__main__":
    card_command(write_ruber_card, __doc__)
