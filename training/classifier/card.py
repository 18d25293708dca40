"""Cards of story classifiers' weights, generated from a run's manifest."""

from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import (
    base_of,
    begun_with,
    citation_of,
    source_of,
    write_model_card,
)

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, {config[metric]}]
---

# {config[metric]}, `{config[name]}`

Scores a story, 0 to 1, higher is better: {meaning}.

## Use

```python
import evaluate

metric = evaluate.load("metrics/{config[metric]}", "{place}")
metric.compute(predictions=["Ann was hungry. She made a sandwich. She ate it."])
```

## Training

{kind} {groups[train]:,} groups of a human story and worse ones, {stories[train]:,} stories in all, {config[passes]}
pass(es), at most {config[group_size]} stories of a group at a time; {steps:,} steps, learning rate {config[learning_rate]:g}, {seed};
{last}{minutes:g} minutes{all} on {machine} with torch {torch}.
The loss adds cross-entropy of human against other (weight {config[label_weight]:g}), ranking within a group ({config[rank_weight]:g}), kinds of
error ({config[kind_weight]:g}) and words that do not belong ({config[token_weight]:g}){teacher_logit}.
{note}
| file | SHA-256 |
|---|---|
{data}

## Results

On {groups[validation]:,} held-out groups{each}, by what was done to a story: how often a human story scores above it
(area under the ROC curve), and how often its own does. Their human stories may stand in groups that were trained on.
Correlations with human judgments are printed by `make benchmark`, and stand in the metric's card.

| source | area under the curve | own human story higher | stories |
|---|---|---|---|
{results}

## Limits

English stories as in its corpora; it knows the faults that it was shown. Scores of texts of other kinds and lengths
mean little. It should not decide on people's writing.

## Data and licence

The weights are Apache-2.0. {source} The stories are not part of this repository.

## Citation

```bibtex
{citation}
```
"""


def write_classifier_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` beside a classifier's weights."""
    config = manifest["config"]
    write_model_card(
        folder,
        _CARD,
        manifest,
        kind=_kind(manifest),
        citation=citation_of(config["metric"]),
        meaning=_meaning(config.get("temperature", 1.0)),
        all=" in all" if config.get("seeds") else "",
        seed="each with its seed" if config.get("seeds") else f"seed {config['seed']}",
        teacher_logit=(
            f"; and the distance from what a larger model, {_teacher(config['teacher'])}, thinks of each "
            f"story ({config['distillation_weight']:g})"
            + (f" and from its hidden states ({weight:g})" if (weight := config.get("states_weight")) else "")
            if config.get("teacher")
            else ""
        ),
        note=f"\n{config['note']}\n" if config.get("note") else "",
        source=source_of(manifest),
        each=" of each training" if len(config.get("seeds") or ()) > 1 else "",
        results="\n".join(
            f"| {source.replace('_', ' ')} | {r['auc']:.3f} | {r['ranked']:.3f} | {r['stories']:,} |"
            for source, r in manifest["validation"].items()
            if r["auc"] is not None
        ),
    )


def _meaning(temperature: float) -> str:
    """What a score is."""
    if temperature == 1:
        return "the probability that it is a story as people write them"
    return (
        f"how much it is like a story as people write them. It is no probability: logits are divided by {temperature:g}, "
        "so few scores come near 0 or 1"
    )


def _teacher(teacher: dict[str, Any]) -> str:
    """The larger model: the configuration by which it is trained, or where its weights lie."""
    return f"trained by `{teacher['config']}`" if teacher.get("config") else f"`{teacher['weights']}`"


def _kind(manifest: dict[str, Any]) -> str:
    """What was trained, as a sentence."""
    config = manifest["config"]
    base = base_of(config)
    if not config["adapter"]:
        return f"All weights of {base}."
    begun = (
        f", begun with that of `{config.get('first') or config['start']}`{begun_with(manifest)}"
        if config["start"]
        else ""
    )
    return f"An adapter of rank {config['adapter']['rank']} on {base}{begun}.{_mean(config)}"


def _mean(config: dict[str, Any]) -> str:
    """Of which adapters it is the mean, as a sentence; nothing where it is of one training."""
    seeds = config.get("seeds")
    if not seeds:
        return ""
    share = config.get("start_share")
    with_start = f", and, with {share:.0%} of the mean, of what they go on from" if share else ""
    trainings = (
        f"the adapters of {len(seeds)} trainings, with seeds {', '.join(map(str, seeds))}"
        if len(seeds) > 1
        else f"the adapter of one training, with seed {seeds[0]}"
    )
    counts = "; the counts are those of the first training:" if len(seeds) > 1 else ":"
    return f" It is the mean of {trainings}{with_start}{counts}"
