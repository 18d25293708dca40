"""Cards of RUBER-BERT's weights, generated from a run's manifest: `python -m training.ruber_bert.card FOLDER`."""

from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import base_of, card_command, source_of, write_model_card

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, ruber]
---

# RUBER-BERT, `{config[name]}`

Whether a story belongs to its context, 0 to 1, higher is better (Tao et al. 2018; Ghazarian et al. 2019), and the
calibration that blends it with the likeness to a reference.

## Use

```python
import evaluate

ruber = evaluate.load("metrics/ruber_bert", "{place}")
ruber.compute(predictions=["She made a sandwich. She ate it."], contexts=["Ann was hungry."])
```

## Training

{kind} {pairs[train]:,} pairs of a context and its story, {config[passes]:g} passes in {steps:,} steps of {config[batch]}, learning
rate {config[learning_rate]:g}, seed {config[seed]}; {loss}; {config[in_batch]} stories of the same batch and {config[sampled]} drawn one{nearest} as negatives;
{last}{minutes:g} minutes on {machine} with torch {torch}.

| file | SHA-256 |
|---|---|
{data}

## Results

On {pairs[validation]:,} held-out pairs the true story scores above a random one in {validation[accuracy]:.1%} of cases{near}.
Correlations with human judgments are printed by `make benchmark`, and stand in the metric's card.

## Limits

English stories as in its corpus. It looks at what story and context are about: a story on the subject that
contradicts or repeats itself goes unseen. It should not decide on people's writing.

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
    """Writes `README.md` beside the weights."""
    config = manifest["config"]
    begun = f" with the adapter of `{config['start']}`" if config.get("start") else ""
    base = base_of(config)
    kinds = {
        "rnn": f"A recurrent network over the word vectors of {base}, and a head.",
        "adapted": f"An adapter on {base}, and a head.",
        "frozen": f"A head on {base}{begun}, which stayed frozen; states pooled by {config['pooling']}.",
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
        nearest=f" (of the {config['nearest']} whose contexts are most alike)" if config["nearest"] else "",
        near=f",\nand above one whose context is alike in {near:.1%}" if near is not None else "",
        source=source_of(manifest),
    )


if __name__ == "__main__":
    card_command(write_ruber_card, __doc__)
