"""The model card of the grammaticality classifier, generated from a run's manifest."""

from typing import Any

from openmeva.training.common.model_card import lineage

_CARD = """---
license: apache-2.0
language: en
tags: [grammaticality]
---

# Grammaticality of sentences

Scores a sentence, 0 to 1; higher is more grammatical. AUTOS keeps a perturbed story if each changed sentence scores at
least .5 (OpenMEVA, appendix B.2); stories perturbed with typos are exempt.

## Use

```python
from openmeva.training.grammar.model import GrammarScorer

GrammarScorer.load()(["She ate an apple.", "She ate apple an."])
```

## Training

A LoRA adapter and a linear layer on the shared story encoder, trained on CoLA ({settings}; {minutes} minutes).

## Results

| development set of CoLA | Matthews correlation | accuracy |
|---|---|---|
{results}
{human}
## Limits

Lower case only: it ignores capitalisation. It was trained on examples by linguists, which are shorter and more unusual
than sentences of stories.

## Data and licence

The weights are Apache-2.0. CoLA (Warstadt, Singh and Bowman, TACL 2019) is a corpus of sentences from published
works, which its authors distribute for research; it is not part of this repository.

{lineage}

## Citation

```bibtex
@article{{warstadt-etal-2019-neural,
    title = "Neural Network Acceptability Judgments",
    author = "Warstadt, Alex and Singh, Amanpreet and Bowman, Samuel R.",
    journal = "Transactions of the Association for Computational Linguistics",
    volume = "7",
    year = "2019",
    pages = "625--641",
}}
```
"""


_HUMAN = """
OpenMEVA's classifier, based on BERT, has an accuracy of .829 on the test set of CoLA.

| share of human-written stories that score at least .5 | each sentence of a story | single sentences | a story as one text | the paper's classifier |
|---|---|---|---|---|
{rows}

The stories are held out and evenly spaced in the corpus; WP stories are cut into passages as in AUTOS. As one text, a
story is truncated to 126 wordpieces. AUTOS filters only perturbed stories, by sentence; the paper seems to filter
human-written stories, too (label 1), by its counts.
"""
_PAPER = {"roc": ".965", "wp": ".657"}  # appendix B.2, all stories of its test sets


def card(manifest: dict[str, Any]) -> str:
    """The model card, from a run's manifest."""
    lines = [
        f"| {name.replace('_', ' ')} | {result['mcc']:.3f} | {result['accuracy']:.3f} |"
        for name, result in manifest["results"].items()
    ]
    rows = [
        f"| {name.upper()}: {rates['stories']} stories, {rates['sentences']:,} sentences | {rates['each_sentence']:.3f} | "
        f"{rates['single']:.3f} | {rates['whole']:.3f} | {_PAPER.get(name, '')} |"
        for name, rates in manifest.get("human", {}).items()
    ]
    settings = ", ".join(f"{name} {value}" for name, value in manifest["settings"].items())
    return _CARD.format(
        results="\n".join(lines),
        human=_HUMAN.format(rows="\n".join(rows)) if rows else "",
        settings=settings,
        minutes=manifest["minutes"],
        lineage=lineage(manifest),
    )
