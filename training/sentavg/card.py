"""Model card of SENTAVG, generated from a run's manifest: `python -m training.sentavg.card FOLDER`."""

from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import (
    card_command,
    citation_of,
    terms_by_corpus,
    training_files,
    write_model_card,
)

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, sentavg]
---

# SENTAVG, `{config[name]}`

Scores a story, 0 to 1, higher is better: the probability that it is human-written. An LSTM encodes the word vectors of
each sentence; a hidden layer classifies the mean of the sentence vectors (Lai and Tetreault 2018).

## Use

```python
import evaluate

sentavg = evaluate.load("metrics/sentavg", "{place}")
sentavg.compute(predictions=["Ann was hungry. She made a sandwich. She ate it."])
```

## Training

{stories[train]:,} human-written stories and negative samples (see `manifest.json`), {config[settings][epochs]} epochs; batches of {config[settings][batch]}, learning rate
{config[settings][learning_rate]:g}, seed {config[seed]}; {minutes:g} minutes on {machine} with torch {torch}. {config[settings][hidden]} hidden units. The frozen word vectors are {vectors}.

| file | SHA-256 |
|---|---|
{data}

## Results

On {stories[validation]:,} held-out stories, the area under the ROC curve of human-written stories against negative samples is {validation[auc]:.3f}.
Correlations with human judgments are printed by `make benchmark`.

## Limits

A baseline. It encodes sentences one by one and ignores their order. For English stories like those of its corpus. It
should not be used to make decisions about people's writing.

## Data and licence

The weights are Apache-2.0. {source} The stories are not part of this repository.

## Citation

```bibtex
{citation}
```
"""


def write_sentavg_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` into the folder of the weights."""
    vectors = manifest.get("vectors", "those of the story encoder")
    glove = Path(manifest["config"].get("glove") or "").name  # word vectors, no stories
    stories = [file for file in training_files(manifest) if file != glove]
    write_model_card(
        folder,
        _CARD,
        manifest,
        vectors=vectors,
        source=" ".join(terms_by_corpus(stories).values()),
        citation=citation_of("sentavg"),
    )


if __name__ == "__main__":
    card_command(write_sentavg_card, __doc__)
