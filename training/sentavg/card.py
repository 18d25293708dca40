"""Card of SENTAVG's weights, from a run's manifest: `python -m training.sentavg.card FOLDER`."""

from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import card_command, citation_of, source_of, write_model_card

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, sentavg]
---

# SENTAVG, `{config[name]}`

The probability that a person wrote a story, 0 to 1, higher is better, by an LSTM over the word vectors of each
sentence and a hidden layer over their mean (Lai and Tetreault 2018).

## Use

```python
import evaluate

sentavg = evaluate.load("metrics/sentavg", "{place}")
sentavg.compute(predictions=["Ann was hungry. She made a sandwich. She ate it."])
```

## Training

{stories[train]:,} stories, human ones beside worse ones (see `manifest.json`), {config[settings][epochs]} times; batches of {config[settings][batch]}, learning rate
{config[settings][learning_rate]:g}, seed {config[seed]}; {minutes:g} minutes on {machine} with torch {torch}. Word vectors are {vectors} and stay as they are; {config[settings][hidden]} hidden units.

| file | SHA-256 |
|---|---|
{data}

## Results

On {stories[validation]:,} held-out stories the area under the ROC curve of human against other ones is {validation[auc]:.3f}.
Correlations with human judgments are printed by `make benchmark`.

## Limits

A baseline. It sees sentences one by one and cannot tell their order. English stories as in its corpus. It should not
decide on people's writing.

## Data and licence

The weights are Apache-2.0. {source} The stories are not part of this repository.

## Citation

```bibtex
{citation}
```
"""


def write_sentavg_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` beside the weights."""
    vectors = manifest.get("vectors", "the story\nencoder's")
    write_model_card(
        folder, _CARD, manifest, vectors=vectors, source=source_of(manifest), citation=citation_of("sentavg")
    )


if __name__ == "__main__":
    card_command(write_sentavg_card, __doc__)
