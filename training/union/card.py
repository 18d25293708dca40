"""Cards of UNION's weights, generated from a run's manifest."""

from pathlib import Path
from typing import Any

from openmeva.training.common.model_card import (
    OWN,
    base_of,
    begun_with,
    corpora_of,
    source_of,
    write_model_card,
)

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, union]
---

# UNION, `{config[name]}`

Scores a story, 0 to 1, higher is better: the probability that a person wrote it, rather than that it was
damaged by repetition, substitution, reordering or negation (Guan and Huang, EMNLP 2020).

## Use

```python
import evaluate

union = evaluate.load("metrics/union", "{place}")
union.compute(predictions=["Ann was hungry. She made a sandwich. She ate it."])
```

## Training

{kind} Of {stories[train]:,} stories of {corpus}, {config[pairs]:,} were drawn, each beside one negative sample
({techniques}). {steps:,} steps of {batch} stories, learning rate {config[learning_rate]:g}, λ = {config[reconstruction_weight]:g}, {seed};
{last}{minutes:g} minutes{all} on {machine} with torch {torch}.{taught}{note}

| file | SHA-256 |
|---|---|
{data}

## Results

On {judged:,} held-out stories and as many negative samples: accuracy {validation[accuracy]:.3f},
area under the ROC curve {validation[auc]:.3f}{before_the_mean}. Correlations with human judgments are printed by
`make benchmark`, and stand in the metric's card.

## Limits

Trained on {read}; it knows the damage that the rules make, which is not all that goes wrong
in a story. It judges a whole story: scores of texts of other kinds and lengths mean little. It should not
decide on people's writing.

## Data and licence

The weights are Apache-2.0. {source} The stories are not part of this repository.

## Citation

```bibtex
@inproceedings{{guan-huang-2020-union,
    title = "{{UNION}}: An Unreferenced Metric for Evaluating Open-ended Story Generation",
    author = "Guan, Jian and Huang, Minlie",
    booktitle = "Proceedings of EMNLP 2020",
    year = "2020",
    pages = "9157--9166",
}}
```
"""


def _begun(manifest: dict[str, Any]) -> str:
    """What an adapter began with, if with another one, and where that is described."""
    config = manifest["config"]
    if not config.get("start"):
        return ""
    source = config.get("first") or config["start"]
    return f", begun with that of `{source}`{begun_with(manifest)} (its stories are not counted below)"


def _averaged(config: dict[str, Any]) -> str:
    """That the weights are a mean, as a sentence; nothing where they are not."""
    share, seeds = config.get("start_share"), config.get("seeds")
    if not share and not seeds:
        return ""
    of = (
        "this training's"
        if not seeds
        else f"those of {len(seeds)} trainings, with seeds {', '.join(map(str, seeds))},"
    )
    began = f" and, with {share:.0%}, of what it began with" if share else ""
    return f" The adapter is the mean of {of}{began}."


def _before_the_mean(config: dict[str, Any]) -> str:
    """Of which adapters the results are, where the weights are a mean."""
    if config.get("seeds"):
        return " (means over the trainings, of each one's own adapter)"
    return " (of the training alone, before the mean)" if config.get("start_share") else ""


def _techniques(sampling: dict[str, Any], lexicon: dict[str, str]) -> str:
    """How the negative samples were made."""
    left_out = sampling.get("without", ())
    told = ["all four techniques" if not left_out else f"without {', '.join(left_out)}"]
    if sampling.get("recipe", "paper") == "released":
        told.append("as the paper's released code does them")
    if sampling.get("lexicon", "wordnet") == "conceptnet":
        told.append("keywords and antonyms of ConceptNet")
    elif "conceptnet" not in lexicon:
        told.append("keywords and antonyms of WordNet alone")
    return ", ".join(told)


def _taught(manifest: dict[str, Any]) -> str:
    """Of whose judgments it learned, as a paragraph; nothing where there is no teacher."""
    config = manifest["config"]
    teacher = config.get("teacher")
    if not teacher:
        return ""
    others = (
        f", and of {manifest['others']:,} stories more that no label was learned of"
        if "others" in manifest
        else ""
    )
    states = (
        f" and the distance from its hidden states ({config['states_weight']:g})"
        if config["states_weight"]
        else ""
    )
    released = (config.get("others") or {}).get("released")
    authors = (
        " Among them are stories that the plot-guided paper's authors released, but none that was judged."
        if released
        else ""
    )
    return (
        f"\n\nIt is taught by a larger UNION (`{teacher.get('config') or teacher['weights']}`): the loss is that of equation 6, "
        f"with {config['label_weight']:g} times the cross-entropy, and the distance from what the larger one thinks of "
        f"these stories{others} ({config['distillation_weight']:g}){states}; {config['passes']} pass(es).{authors}"
    )


def write_union_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` beside UNION's weights."""
    config = manifest["config"]
    seeds = config.get("seeds")
    corpus = " and ".join(corpora_of(config["corpus"]["train"]))
    read = corpus if corpus.startswith(OWN) else f"English {corpus}"
    more = any(key in manifest for key in ("start", "teacher", "others"))
    base = base_of(config)
    write_model_card(
        folder,
        _CARD,
        manifest,
        kind=(
            f"An adapter of rank {config['adapter']['rank']} on {base}{_begun(manifest)}.{_averaged(config)}"
            if config["adapter"]
            else f"All weights of {base}."
        ),
        corpus=corpus,
        read=f"{read}, and on what else is named above" if more else f"{read} alone",
        source=source_of(manifest),
        techniques=_techniques(config["sampling"], manifest.get("lexicon", {})),
        batch=2 * config["batch_pairs"],
        taught=_taught(manifest),
        note=f"\n\n{config['note']}" if config.get("note") else "",
        seed="each with its seed" if seeds else f"seed {config['seed']}",
        all=" in all" if seeds else "",
        before_the_mean=_before_the_mean(config),
        judged=min(config.get("validation_pairs", 1000), manifest["stories"]["validation"]),
    )
