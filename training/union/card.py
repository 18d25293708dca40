"""Model cards of UNION, generated from a run's manifest."""

from pathlib import Path
from typing import Any

from openmeva.training.classifier.card import averaged_adapters
from openmeva.training.common.model_card import (
    OTHER_CORPUS,
    base_model_text,
    corpus_terms,
    start_digest_note,
    terms_by_corpus,
    write_model_card,
)

_CARD = """---
license: apache-2.0
language: en
library_name: evaluate
tags: [story-generation, evaluation, union]
---

# UNION, `{config[name]}`

Scores a story, 0 to 1, higher is better: the probability that it is human-written and not a negative sample made by
repetition, substitution, reordering or negation (Guan and Huang, EMNLP 2020).

## Use

```python
import evaluate

union = evaluate.load("metrics/union", "{place}")
union.compute(predictions=["Ann was hungry. She made a sandwich. She ate it."])
```

## Training

{kind} {used}
({techniques}). {steps:,} steps of {batch} stories, learning rate {config[learning_rate]:g}, λ = {config[reconstruction_weight]:g}, {seed};
{last}{minutes:g} minutes{all} on {machine} with torch {torch}.{distillation}{note}

| file | SHA-256 |
|---|---|
{data}

## Results

On {judged:,} held-out stories and as many negative samples: accuracy {validation[accuracy]:.3f},
area under the ROC curve {validation[auc]:.3f}{before_the_mean}.
Correlations with human judgments are in the metric's card; `make benchmark` prints them.

## Limits

Trained on {read}. It detects errors like those of its rule-based negative samples; stories have
other faults, too. It is for whole stories: scores of texts of other kinds or lengths mean little. It should not be used
to make decisions about people's writing.

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


def _initialisation(manifest: dict[str, Any]) -> str:
    """The adapter that the training was initialised from, and the configuration that describes it; else empty."""
    config = manifest["config"]
    if not config.get("start"):
        return ""
    source = config.get("first") or config["start"]
    return f", initialised from that of `{source}`{start_digest_note(manifest)}, whose training stories are not counted below"


def _averaged(config: dict[str, Any]) -> str:
    """Which weights were averaged, as a sentence; else empty."""
    averaged = config.get("start_share") or config.get("seeds")
    return f" The adapter is {averaged_adapters(config)}." if averaged else ""


def _before_the_mean(config: dict[str, Any]) -> str:
    """Which adapters the results belong to if the weights are an average; else empty."""
    if config.get("seeds"):
        return " (means over the runs, each with its own adapter before averaging)"
    return " (of the trained adapter before averaging)" if config.get("start_share") else ""


def _techniques(sampling: dict[str, Any], lexicon: dict[str, str]) -> str:
    """How the negative samples were made."""
    left_out = sampling.get("without", ())
    phrases = ["all four techniques" if not left_out else f"without {', '.join(left_out)}"]
    if sampling.get("recipe", "paper") == "released":
        phrases.append("as in the paper's released code")
    if sampling.get("lexicon", "wordnet") == "conceptnet":
        phrases.append("keywords and antonyms from ConceptNet")
    elif "conceptnet" not in lexicon:
        phrases.append("keywords and antonyms from WordNet only")
    return ", ".join(phrases)


def _distillation_text(manifest: dict[str, Any]) -> str:
    """How the model was distilled, as a paragraph; empty without a teacher."""
    config = manifest["config"]
    teacher = config.get("teacher")
    if not teacher:
        return ""
    others = (
        f" and on {manifest['others']:,} further stories used without labels" if "others" in manifest else ""
    )
    states = f" and hidden states ({config['states_weight']:g})" if config["states_weight"] else ""
    released = (config.get("others") or {}).get("released")
    authors = (
        " The further stories include some released by the plot-guided paper's authors, but no human-judged ones."
        if released
        else ""
    )
    return (
        f"\n\nIt is distilled from a larger UNION (`{teacher.get('config') or teacher['weights']}`). The loss is that of "
        f"equation 6, with a weight of {config['label_weight']:g} for the cross-entropy, plus the squared error against the teacher's "
        f"logits ({config['distillation_weight']:g}){states} on these stories{others}; {config['epochs']} epoch(s).{authors}"
    )


def write_union_card(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes `README.md` into the folder of UNION's weights."""
    config = manifest["config"]
    seeds = config.get("seeds")
    corpus = " and ".join(terms_by_corpus(config["corpus"]["train"]))
    read = corpus if corpus.startswith(OTHER_CORPUS) else f"English {corpus}"
    more = any(key in manifest for key in ("start", "teacher", "others"))
    pairs, stories = config["pairs"], manifest["stories"]["train"]
    base = base_model_text(config)
    write_model_card(
        folder,
        _CARD,
        manifest,
        kind=(
            f"A LoRA adapter of rank {config['adapter']['rank']} on {base}{_initialisation(manifest)}.{_averaged(config)}"
            if config["adapter"]
            else f"All weights of {base}."
        ),
        used=(
            f"{pairs:,} of the {stories:,} stories of {corpus} were used, each paired with one negative sample"
            if pairs <= stories
            else f"{pairs:,} pairs of a human story and a negative sample were made from {stories:,} stories of {corpus}"
        ),
        read=f"{read}, and on the other data named above" if more else f"{read} only",
        source=corpus_terms(manifest),
        techniques=_techniques(config["sampling"], manifest.get("lexicon", {})),
        batch=2 * config["batch_pairs"],
        distillation=_distillation_text(manifest),
        note=f"\n\n{config['note']}" if config.get("note") else "",
        seed="one seed per run" if seeds else f"seed {config['seed']}",
        all=" in total" if seeds else "",
        before_the_mean=_before_the_mean(config),
        judged=min(config.get("validation_pairs", 1000), manifest["stories"]["validation"]),
    )
