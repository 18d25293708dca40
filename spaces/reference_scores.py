"""Computes the reference distributions of scores that the story scorer shows for every metric, as JSON.

    python -m spaces.reference_scores --data DATA
    python -m spaces.reference_scores --data DATA --metrics union --again
    python -m spaces.reference_scores --data DATA --tier base

A further run computes only the metrics whose weights have changed. Human stories are those of the validation splits.
Machine-generated stories come from a file (`--generated`), or are written by this project's generator, where it is on this
machine, from the plots of the human stories. Otherwise the human stories are damaged by UNION's rules and labelled so.
Metrics with a reference compare each machine-generated story with the human story that has the same plot, and each human
story with another one. Only quantiles of scores are written.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.spaces.catalogue import BASE, CORPORA, SMALL, TIERS, CatalogueEntry, read_catalogue
from openmeva.spaces.distributions import FOLDER, quantiles
from openmeva.spaces.reference_stories import (
    corrupted_stories,
    generated_stories,
    has_generator,
    human_stories,
    read_generated,
)
from openmeva.spaces.scorer import Scorer
from openmeva.spaces.texts import Text
from openmeva.training.common.command import check_data, exit_on_bad_input
from openmeva.training.files import write_text
from openmeva.training.paths import ROOT

LABELS = {
    "human": "human stories",
    "unrelated": "human stories about something else",
    "generated": "machine-made stories",
    "retold": "machine-made stories on the reference's plot",
    "damaged": "damaged stories",
}
_MIN_STORIES = 30  # stories of a distribution; fewer say nothing
_BATCH = 50


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    options = _parse(arguments)
    scorer = Scorer(read_catalogue(tier=options.tier))
    with exit_on_bad_input():  # before metrics are loaded, which takes minutes
        if unknown := sorted(set(options.metrics or ()) - scorer.catalogue.keys()):
            raise ValueError(f"unknown metrics {', '.join(unknown)}")
        for corpus in options.corpora:
            check_data(options.data / corpus)
        generated = {corpus: read_generated(path, options.count) for corpus, path in options.generated}
    if options.tier == BASE:
        options.metrics = [DEFAULT_METRIC]
    status = 0
    for corpus in options.corpora:
        waiting = []
        for name, entry in scorer.catalogue.items():
            if (options.metrics and name not in options.metrics) or corpus not in entry.call.configs:
                continue
            checkpoint = scorer.checkpoint(name, corpus)
            if checkpoint is None:
                print(f"{name}, {corpus}: not available", file=sys.stderr)
                status = 1
            elif options.again or checkpoint != written_checkpoint(
                reference_file(corpus, name, options.tier)
            ):
                waiting.append((entry, checkpoint))
            else:
                print(f"{name}, {corpus}: up to date ({checkpoint})")
        if not waiting:
            continue
        with exit_on_bad_input():
            human = human_stories(corpus, options.data, options.count)
        kind, compared = comparison_stories(corpus, human, generated.get(corpus), options.seed)
        print(f"{corpus}: {len(human)} human stories, {len(compared)} {LABELS[kind]}")
        for entry, checkpoint in waiting:
            groups = measure(scorer, entry, corpus, human, compared, kind)
            if not groups:
                print(f"{entry.name}, {corpus}: no scores", file=sys.stderr)
                status = 1
                continue
            path = reference_file(corpus, entry.name, options.tier)
            write_text(path, json.dumps({"checkpoint": checkpoint, "groups": groups}) + "\n")
            print(
                f"{path.relative_to(ROOT)}: "
                + ", ".join(f"{g['label']} {g['count']}" for g in groups.values())
            )
    return status


def reference_file(corpus: str, name: str, tier: str = SMALL) -> Path:
    """The file of a metric's distributions."""
    return FOLDER / corpus / f"{name}{'' if tier == SMALL else f'_{tier}'}.json"


def written_checkpoint(path: Path) -> str | None:
    """The checkpoint of the scores in a file of distributions; `None` where there is no file."""
    return str(json.loads(path.read_text(encoding="utf-8"))["checkpoint"]) if path.is_file() else None


def comparison_stories(
    corpus: str, human: Sequence[Text], generated: list[Text] | None, seed: int
) -> tuple[str, list[Text]]:
    """The group's name and its stories: the given ones, if any, or from the generator, or damaged."""
    if generated is not None:
        return "generated", generated
    if has_generator(corpus):
        return "generated", generated_stories(human, corpus, seed)
    return "damaged", corrupted_stories(human, corpus, seed)


def measure(
    scorer: Scorer,
    entry: CatalogueEntry,
    corpus: str,
    human: Sequence[Text],
    compared: Sequence[Text],
    kind: str,
) -> dict[str, Any]:
    """The groups of one metric: quantiles of each of its numbers.

    Metrics with a reference have no group of damaged stories, which would be damaged copies of the reference itself.
    """
    groups: dict[str, Sequence[Text]] = {
        "human": human,
        kind: [replace(text, reference="") for text in compared],
    }
    if entry.referenced:
        shifted = [*human[1:], *human[:1]]
        groups = {
            "unrelated": [replace(a, reference=b.story) for a, b in zip(human, shifted, strict=True)],
            "retold": [text for text in compared if text.reference],
        }
    distributions = {}
    for name, texts in groups.items():
        if len(texts) < _MIN_STORIES:
            continue
        columns: dict[str, list[float]] = {}
        for start in tqdm(range(0, len(texts), _BATCH), desc=f"{entry.name}, {corpus}, {name}"):
            for row in scorer.score(texts[start : start + _BATCH], corpus, only=[entry.name]):
                for score in row:
                    if score.value is not None:
                        columns.setdefault(score.number.key, []).append(score.value)
        columns = {key: values for key, values in columns.items() if len(values) >= _MIN_STORIES}
        if columns:
            distributions[name] = {
                "label": LABELS[name],
                "count": min(map(len, columns.values())),
                "quantiles": {key: quantiles(values) for key, values in columns.items()},
            }
    return distributions


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m spaces.reference_scores",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora (roc/, wp/)")
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(CORPORA))
    parser.add_argument("--metrics", nargs="+", help="names in the catalogue; default: all")
    parser.add_argument(
        "--tier",
        choices=TIERS,
        default=SMALL,
        help="base: only the recommended metric, on its larger encoder",
    )
    parser.add_argument("--again", action="store_true", help="also metrics whose weights have not changed")
    parser.add_argument("--count", type=int, default=400, help="maximum number of stories per group")
    parser.add_argument(
        "--generated",
        type=_corpus_and_file,
        nargs="*",
        default=[],
        metavar="CORPUS=FILE",
        help="machine-generated stories, Parquet or JSONL",
    )
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


def _corpus_and_file(text: str) -> tuple[str, Path]:
    corpus, _, file = text.partition("=")
    if corpus not in CORPORA or not file:
        raise argparse.ArgumentTypeError(
            f"expected {' or '.join(f'{c}=FILE' for c in CORPORA)}, got {text!r}"
        )
    return corpus, Path(file)


if __name__ == "__main__":
    sys.exit(main())
