"""Model cards of story classifiers, generated from a run's manifest."""

from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import (
    base_model_text,
    citation_of,
    corpus_terms,
    start_digest_note,
    write_model_card,
)

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, {config[metric]}]
---

# {config[metric]}, `{config[name]}`

Scores a story, 0 to 1, higher is better: {meaning}.{repetition}

## Use

```python
import evaluate

metric = evaluate.load("metrics/{config[metric]}", "{place}")
metric.compute(predictions=["Ann was hungry. She made a sandwich. She ate it."])
```

## Training

{kind}

Data: {groups[train]:,} groups, each a human-written story with its negative samples; {stories[train]:,} stories in total.
Training: {config[epochs]} epoch(s), each with at most {config[group_size]} stories per group; {steps:,} steps, learning rate {config[learning_rate]:g}, {seed};
{last}{minutes:g} minutes{all} on {machine} with torch {torch}.
Loss: cross-entropy of human-written against negative (weight {config[label_weight]:g}), ranking within a group ({config[rank_weight]:g}), error
types ({config[error_type_weight]:g}), detection of corrupted tokens ({config[token_weight]:g}){teacher_logit}.
{note}
| file | SHA-256 |
|---|---|
{data}

## Results

On {groups[validation]:,} held-out groups{each}, by source of the negative samples: the area under the ROC curve (AUC) against the
human-written stories of these groups, and how often the human-written story of the same group scores higher. The
human-written stories may also be in training groups.
Correlations with human judgments are in the metric's card; `make benchmark` prints them.

| source of negative samples | AUC | own human story scores higher | negative samples |
|---|---|---|---|
{results}

## Limits

For English stories like those of its corpora. It detects only faults like those in its training data. Scores of texts
of other kinds or lengths mean little. It should not be used to make decisions about people's writing.

## Data and licence

The weights are Apache-2.0. {source} The stories are not part of this repository.

## Citation

```bibtex
{citation}
```
"""


def write_classifier_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` into the folder of a classifier's weights."""
    config = manifest["config"]
    write_model_card(
        folder,
        _CARD,
        manifest,
        kind=_kind(manifest),
        citation=citation_of(config["metric"]),
        meaning=_meaning(config.get("temperature", 1.0)),
        repetition=(
            " A story that repeats itself more than people do scores lower"
            f" ({config['repetition_weight']:g} off the logit per unit of the share of repeated 4-grams)."
            if config.get("repetition_weight")
            else ""
        ),
        all=" in total" if config.get("seeds") else "",
        seed="one seed per run" if config.get("seeds") else f"seed {config['seed']}",
        teacher_logit=(
            f"; knowledge distillation from a larger model, {_teacher(config['teacher'])}: squared error against its logits "
            f"({config['distillation_weight']:g})"
            + (f" and its hidden states ({weight:g})" if (weight := config.get("states_weight")) else "")
            if config.get("teacher")
            else ""
        ),
        note=f"\n{config['note']}\n" if config.get("note") else "",
        source=corpus_terms(manifest),
        each=" of each run" if len(config.get("seeds") or ()) > 1 else "",
        results="\n".join(
            f"| {source.replace('_', ' ')} | {r['auc']:.3f} | {r['ranked']:.3f} | {r['stories']:,} |"
            for source, r in manifest["validation"].items()
            if r["auc"] is not None
        ),
    )


def _meaning(temperature: float) -> str:
    """What a score means."""
    if temperature == 1:
        return "the probability that the story is human-written and not a negative sample"
    return (
        f"how much it resembles human-written stories. This is not a probability: logits are divided by {temperature:g}, "
        "so few scores are near 0 or 1"
    )


def _teacher(teacher: dict[str, Any]) -> str:
    """The teacher: the configuration that trains it, or the path of its weights."""
    return f"trained by `{teacher['config']}`" if teacher.get("config") else f"`{teacher['weights']}`"


def _kind(manifest: dict[str, Any]) -> str:
    """What was trained, as one or two sentences."""
    config = manifest["config"]
    base = base_model_text(config)
    if not config["adapter"]:
        return f"All weights of {base}."
    initialisation = (
        f", initialised from that of `{config.get('first') or config['start']}`{start_digest_note(manifest)}"
        if config["start"]
        else ""
    )
    return f"A LoRA adapter of rank {config['adapter']['rank']} on {base}{initialisation}.{_mean(config)}"


def _mean(config: dict[str, Any]) -> str:
    """Which adapters were averaged, as a sentence; empty without `seeds`."""
    seeds = config.get("seeds")
    if not seeds:
        return ""
    counts = " The counts are those of the first run." if len(seeds) > 1 else ""
    return f" It is {averaged_adapters(config)}.{counts}"


def averaged_adapters(config: dict[str, Any]) -> str:
    """Which adapters were averaged, as a phrase: those of the runs with `seeds`, if any, and the initial one."""
    share, seeds = config.get("start_share"), config.get("seeds") or ()
    runs = (
        f"the weight average of {len(seeds)} runs with seeds {', '.join(map(str, seeds))}"
        if len(seeds) > 1
        else f"the result of one run with seed {seeds[0]}"
        if seeds
        else "the result of this run"
    )
    again = " again" if len(seeds) > 1 else ""
    return f"{runs}, averaged{again} with the initial weights (their share: {share:.0%})" if share else runs
