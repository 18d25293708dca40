"""Ablation of UNION, one component at a time, in the layout of the paper's Table 7: `make ablation DATA=folder`.

Each row is trained from the same initial weights on the same number of stories, a small budget by default. Its scores are
correlated (Pearson) with the judgments of UNION's 400 ROC stories: of all stories, and of the 19 that all seven raters
call reasonable together with those of one error type. A finished row is not trained again. Where the authors' released
scores are available, they are the first row. They reproduce the paper's result for all stories, but not those for the error
types, so no row of this table can be compared exactly with the paper's there.

`--seeds 3` trains each row three times, with the seed of its configuration and the next two, and prints mean and
standard deviation. Each seed also samples other negatives. Differences within the standard deviation mean nothing.

`--variants` trains other rows: the released code's negative samples, keywords by ConceptNet only (which must have been
downloaded), reconstruction by position, the loss per story, and all four.
"""

import argparse
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import pearsonr

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.openmeva.error_types import story_error_types
from openmeva.metrics.union.scoring import UnionScorer
from openmeva.training.benchmark.data.released import released_scores
from openmeva.training.benchmark.tables.number_format import format_number
from openmeva.training.common.checkpoint import matching_manifest
from openmeva.training.common.command import check_data, exit_on_bad_input
from openmeva.training.common.config import as_mapping, config_file, read_config
from openmeva.training.corpora.splits import data_checksums
from openmeva.training.judged.union import read_union_judgments
from openmeva.training.negatives import UnionSampling
from openmeva.training.paths import CACHE, RUNS
from openmeva.training.union.config import UnionConfig
from openmeva.training.union.trainer import train

ROWS: dict[str, dict[str, Any]] = {
    "UNION": {},
    "- Reconstruction": {"reconstruction_weight": 0.0},
    "- Repetition": {"without": ("repetition",)},
    "- Substitution": {"without": ("substitution",)},
    "- Reordering": {"without": ("reordering",)},
    "- Negation Alteration": {"without": ("negation",)},
}
VARIANTS: dict[
    str, dict[str, Any]
] = {  # settings of the paper or of its released code that `roc_first` does not use
    "Released negatives": {"recipe": "released"},
    "ConceptNet's keywords": {"lexicon": "conceptnet"},
    "Targets by position": {"targets": "position"},
    "Loss per story": {"reconstruction_mean": "stories"},
    "All four": {
        "recipe": "released",
        "lexicon": "conceptnet",
        "targets": "position",
        "reconstruction_mean": "stories",
    },
}
SAMPLING = {field.name for field in fields(UnionSampling)}
TYPES = ("repeated", "incoherent", "conflicting", "chaotic")
PUBLISHED = {  # Table 7, Pearson: all samples, then by error type; without reconstruction: Table 5
    "UNION": (0.3687, 0.6943, 0.5144, 0.4571, 0.6744),
    "- Reconstruction": (0.3101, None, None, None, None),
    "- Repetition": (0.3167, 0.4743, 0.5308, 0.4316, 0.6561),
    "- Substitution": (0.3118, 0.7034, 0.4185, 0.4468, 0.5850),
    "- Reordering": (0.2302, 0.6546, 0.5077, 0.3507, 0.5393),
    "- Negation Alteration": (0.3304, 0.6665, 0.4987, 0.3946, 0.5176),
}


def correlations(scores: Sequence[float], rows: Sequence[Any]) -> list[float]:
    """Pearson's r of scores (one per story) with the judgments: all stories, then reasonable ones with each error type.

    A story is reasonable if all raters call it so, and has an error type if three raters name it. It counts for each
    of its types (24, 38, 61 and 23 stories in addition to the 19 reasonable ones, as in the paper's Table 7).
    """
    ratings = np.array([row["score"] for row in rows])
    values = np.asarray(scores)
    types = story_error_types([row["error_types"] for row in rows], one_error_only=False)
    reasonable = ratings == 1
    results = [float(pearsonr(values, ratings)[0])]
    for name in TYPES:
        chosen = reasonable | np.array([name in story_types for story_types in types])
        results.append(float(pearsonr(values[chosen], ratings[chosen])[0]))
    return results


def row_config(
    name: str, changes: dict[str, Any], base: UnionConfig, pairs: int, seed_offset: int = 0
) -> UnionConfig:
    """The configuration of a row: the common one with the changes of `ROWS` or `VARIANTS`.

    Args:
        seed_offset: is added to the seed of `base`.
    """
    sampled = {key: value for key, value in changes.items() if key in SAMPLING}
    return replace(
        base,
        pairs=pairs,
        corpus=replace(base.corpus, max_stories=pairs),  # no story is seen twice in so short a run
        name="ablation"
        + "".join(c if c.isalpha() else "-" for c in name.lower())
        + (f"-seed-{base.seed + seed_offset}" if seed_offset else ""),
        seed=base.seed + seed_offset,
        sampling=replace(base.sampling, **sampled),
        **{key: value for key, value in changes.items() if key not in SAMPLING},
    )


def run_row(config: UnionConfig, data: Path, out: Path) -> Path:
    """Trains one row with one seed if it is not finished; returns its checkpoint.

    Raises:
        ValueError: the row was started with another configuration or data (each difference is named).
    """
    folder = out / config.name
    made_from = {"config": as_mapping(config), "data": data_checksums(config.corpus, data)}
    if not matching_manifest(folder, UnionConfig, made_from):
        train(config, data, folder, folder / "run", CACHE / "tags", resume=True)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        help="folder with roc/, union/ROCStories/ant_data and plot_guided/",
    )
    parser.add_argument("--config", default="roc_first", help="a file, or a name in training/configs/union")
    parser.add_argument(
        "--pairs", type=int, default=4000, help="stories per row, each with a negative sample"
    )
    parser.add_argument(
        "--seeds",
        type=int,
        choices=range(1, 10),
        default=1,
        metavar="N",
        help="trainings per row, each with another seed (default: 1)",
    )
    parser.add_argument("--rows", nargs="*", choices=[*ROWS, *VARIANTS], default=list(ROWS))
    parser.add_argument(
        "--variants",
        action="store_true",
        help="UNION, and one row per setting of the paper or its released code, instead of --rows",
    )
    parser.add_argument("--out", type=Path, default=RUNS / "ablation")
    arguments = parser.parse_args()
    with exit_on_bad_input():
        check_data(arguments.data)
        base = read_config(UnionConfig, config_file("union", arguments.config))
        judged = list(read_union_judgments(arguments.data / "union" / "ROCStories" / "ant_data"))
        title = f"Pearson on UNION's 400 ROC stories, {arguments.pairs:,} stories per row (paper's result; by error type, the authors' scores do not give it)"
        table = Table("", "all", *TYPES, title=title)
        released = released_scores("union_roc", [dict(row) for row in judged], arguments.data)
        if "UNION" in released:
            table.add_row("the authors' UNION", *_cells([correlations(released["UNION"], judged)], "UNION"))
        settings = {**ROWS, **VARIANTS}
        for name in ["UNION", *VARIANTS] if arguments.variants else arguments.rows:
            results = []
            for seed_offset in range(arguments.seeds):
                config = row_config(name, settings[name], base, arguments.pairs, seed_offset)
                checkpoint = load_checkpoint(run_row(config, arguments.data, arguments.out), "union")
                scores, _ = UnionScorer(checkpoint).score(
                    [row["story"] for row in judged], [row["prompt"] for row in judged]
                )
                results.append(correlations(scores, judged))
            table.add_row(name, *_cells(results, name))
    Console(width=160).print(table)


def _cells(results: Sequence[Sequence[float]], name: str) -> list[str]:
    """Cells of a row from one list per seed: the mean, with several seeds the standard deviation, the paper's in brackets.

    >>> _cells([[0.2] * 5, [0.3] * 5], "- Reconstruction")[:2]
    ['.250 ± .071 (.310)', '.250 ± .071']
    """
    cells = []
    columns = zip(*results, strict=True)
    for values, paper in zip(columns, PUBLISHED.get(name, (None,) * len(results[0])), strict=True):
        deviation = f" ± {format_number(stdev(values))}" if len(values) > 1 else ""
        cells.append(
            format_number(fmean(values))
            + deviation
            + (f" ({format_number(paper)})" if paper is not None else "")
        )
    return cells


if __name__ == "__main__":
    main()
