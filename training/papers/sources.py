"""Plot coherence by source of negative samples: `python -m training.papers.sources --data DIR [--config NAME]`.

A classifier is trained on each source of a configuration separately (`graded`, `released`, `files`), and on all together:
from labels only, initialised from the backbone, on the same number of groups. A row shows its agreement with human judgments
on each available judged set (Pearson; Spearman on the plot-guided sets). `--distilled N …` adds the student's learning curve:
the configuration itself, distilled from its teacher on N stories. Its column `teacher` is the Spearman correlation of the
student's and the teacher's scores on held-out groups. A finished row is not trained again. Sources whose files are missing
are listed below the table.
"""

import argparse
import json
import re
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table
from scipy.stats import pearsonr, spearmanr

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.metrics.core.repetition import RepetitionCost
from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.classifier.config import Teacher
from openmeva.training.classifier.distillation import teacher_digests, with_teacher_logits
from openmeva.training.classifier.live_teacher import prepare_distillation
from openmeva.training.classifier.rows import load_rows, sample_groups
from openmeva.training.classifier.trainer import matching_classifier, train_classifier
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.common.config import config_file, read_config
from openmeva.training.files import write_text
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.papers.plot_cells import result_key, scores_and_ratings
from openmeva.training.paths import CACHE, RUNS, resolve_path
from openmeva.training.plot_coherence.config import PlotCoherenceConfig

NUMBER = re.compile(r"(?<=[-:])\d+(?=-|$)")  # the number of a group within its source, in its name
SETS = ("mans_roc", "mans_wp", "union_roc", "union_wp", "plot_guided_roc", "plot_guided_wp")


def single_source_configs(config: PlotCoherenceConfig) -> dict[str, PlotCoherenceConfig]:
    """Configurations with one source each, by the source's name, and one with all; training from labels only.

    A single source gives all its groups, even if the configuration takes fewer of them among others.
    """
    plain = replace(
        config,
        teacher=None,
        start=None,
        first=None,
        seeds=(),
        start_share=0.0,
        distillation_weight=0.0,
        label_weight=1.0,
        rank_weight=1.0,
        token_weight=0.5 if config.token_weight else 0.0,
        states_weight=0.0,
        repetition_weight=0.0,
        epochs=1,
        training_sets=None,
    )
    without_sources = replace(plain, graded=None, released=None, files=None)
    configs = {
        entry["name"]: replace(without_sources, graded=({**entry, "groups": None},))
        for entry in config.graded or ()
    }
    if config.released:
        configs["released"] = replace(without_sources, released=replace(config.released, groups=None))
    stems = [Path(entry.path).stem for entry in config.files or ()]
    for entry, stem in zip(config.files or (), stems, strict=True):
        name = stem if stems.count(stem) == 1 else Path(entry.path).parent.name  # stages name files alike
        configs[name] = replace(without_sources, files=(replace(entry, groups=None),))
    return {**configs, "all": plain}


def select_sources(
    sources: dict[str, PlotCoherenceConfig], names: Sequence[str] | None
) -> dict[str, PlotCoherenceConfig]:
    """The sources with these names; all for None.

    Raises:
        ValueError: a name is not that of a source.
    """
    unknown = sorted(set(names or ()) - set(sources))
    if unknown:
        raise ValueError(f"sources: expected any of {', '.join(sources)}, got {', '.join(unknown)}")
    return {name: config for name, config in sources.items() if names is None or name in names}


def without_missing_files(config: PlotCoherenceConfig) -> tuple[PlotCoherenceConfig, list[str]]:
    """The configuration without files of rows that are missing, and the paths of these."""
    missing = [file.path for file in config.files or () if not resolve_path(file.path).is_file()]
    return replace(config, files=tuple(f for f in config.files or () if f.path not in missing)), missing


def student_config(
    config: PlotCoherenceConfig, teacher: Path | None, start: Path | None, from_backbone: bool = False
) -> PlotCoherenceConfig:
    """The configuration with another teacher and other initial weights, if given; one training, no weight average.

    Args:
        config: of the student.
        teacher: folder of the teacher's weights; None: the configuration's.
        start: initial weights; None: the configuration's.
        from_backbone: whether the student is initialised from the backbone only.
    """
    if teacher:
        before = config.teacher or Teacher(weights="")
        config = replace(config, teacher=replace(before, weights=str(teacher.resolve()), config=None))
    if start or from_backbone:
        config = replace(config, start=str(start.resolve()) if start else None, first=None)
    return replace(config, seeds=(), start_share=0.0)


def limit_groups(rows: Sequence[GroupRow], groups: int, seed: int) -> list[GroupRow]:
    """The rows of at most `groups` groups, sampled evenly from the sources if there are several."""
    if len({row.group for row in rows}) <= groups:
        return list(rows)
    by_source: dict[str, list[GroupRow]] = {}
    for row in rows:
        by_source.setdefault(NUMBER.sub("", row.group), []).append(row)
    share = max(1, groups // len(by_source))
    return sample_groups(
        [row for source_rows in by_source.values() for row in sample_groups(source_rows, share, seed)],
        groups,
        seed,
    )


class SourceRows:
    """Trains the rows of the table and evaluates them on the available judged sets.

    Args:
        data: folder of the corpora and judged sets.
        run: folder of the graded groups and a teacher's scores.
        out: folder of finished rows.
    """

    def __init__(self, data: Path, run: Path, out: Path) -> None:
        self.data, self.run, self.out = data, run, out
        self.sets = [name for name in SETS if TEST_SETS[name].is_available(data)]

    def __call__(
        self, name: str, config: PlotCoherenceConfig, groups: int, teacher_groups: int | None = None
    ) -> dict[str, float]:
        """The number of training `stories`, the coefficient on each set and, on held-out groups, with the `teacher`.

        Args:
            name: of the row.
            config: of the training.
            groups: maximum number of groups to train on.
            teacher_groups: number of groups that a teacher scores, which include those; None: all.

        Raises:
            ValueError: a file of the configuration is missing, or there are no rows to train on.
        """
        rows, validation, provenance = load_rows(config, self.data, self.run, CACHE / "tags")
        if config.teacher and teacher_groups:
            rows = limit_groups(rows, teacher_groups, config.seed)
        distilled_rows, live = prepare_distillation(rows, config, self.run)
        rows = limit_groups(distilled_rows, groups, config.seed)
        folder = self.out / name
        inputs = {**provenance, "groups_of_all": groups, "groups_judged": teacher_groups}
        if config.teacher:
            inputs |= teacher_digests(resolve_path(config.teacher.weights))
        if not matching_classifier(config, inputs, folder):
            (folder / "agreement.json").unlink(missing_ok=True)
            train_classifier(config, rows, validation, folder, folder / "run", inputs, teacher=live)
        return {"stories": len(rows), **self._agreement(folder, config, validation)}

    def _agreement(
        self, folder: Path, config: PlotCoherenceConfig, validation: Sequence[GroupRow]
    ) -> dict[str, float]:
        """The coefficients of a finished row, which are saved next to its weights."""
        file = folder / "agreement.json"
        results: dict[str, float] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        names = [*(["teacher"] if config.teacher else []), *self.sets]
        keys = {name: name if name == "teacher" else result_key(name, self.data) for name in names}
        missing = {name: key for name, key in keys.items() if key not in results}
        if missing:
            scorer = ClassifierScorer(load_checkpoint(folder, config.metric))
        for name, key in missing.items():
            if config.teacher and name == "teacher":
                results[key] = self._correlation_with_teacher(scorer, config.teacher, validation)
            else:
                scores, ratings = scores_and_ratings(lambda texts: scorer.score(texts)[0], name, self.data)
                coefficient = spearmanr if name.startswith("plot_guided") else pearsonr
                results[key] = float(coefficient(scores, ratings)[0])
            write_text(file, json.dumps(results, indent=2) + "\n")
        return {name: results[key] for name, key in keys.items()}

    def _correlation_with_teacher(
        self, scorer: ClassifierScorer, teacher: Teacher, rows: Sequence[GroupRow]
    ) -> float:
        """Spearman correlation of a student's scores with its teacher's, both without the cost of repetition."""
        distilled = with_teacher_logits(
            rows, resolve_path(teacher.weights), "plot_coherence", self.run / "held_out"
        )
        plain = copy(scorer)
        plain.repetition = RepetitionCost()
        scores = plain.score([row.story for row in rows])[0]
        return float(spearmanr(scores, [row.teacher_logit for row in distilled])[0])


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    parser = argparse.ArgumentParser(
        prog="python -m training.papers.sources",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of corpora and judged sets")
    parser.add_argument("--config", default="mix", help="configuration of plot coherence (default: mix)")
    parser.add_argument(
        "--groups", type=int, default=300, help="groups to train on in each row (default: 300)"
    )
    parser.add_argument(
        "--sources",
        nargs="*",
        metavar="NAME",
        help="rows to train; `all` for all sources together (default: every row)",
    )
    parser.add_argument(
        "--distilled", type=int, nargs="*", default=[], metavar="N", help="stories that the teacher scores"
    )
    parser.add_argument(
        "--teacher", type=Path, help="folder of the teacher's weights (default: the configuration's)"
    )
    initialisation = parser.add_mutually_exclusive_group()
    initialisation.add_argument(
        "--start", type=Path, help="initial weights of the students (default: the configuration's)"
    )
    initialisation.add_argument(
        "--from-backbone", action="store_true", help="students are initialised from the backbone only"
    )
    parser.add_argument("--run", type=Path, help="folder of the groups (default: runs/plot_coherence-NAME)")
    parser.add_argument("--out", type=Path, default=RUNS / "sources")
    args = parser.parse_args(arguments)
    with exit_on_bad_input():
        full_config = read_config(PlotCoherenceConfig, config_file("plot_coherence", args.config))
        config, missing = without_missing_files(full_config)
        rows = SourceRows(
            args.data, args.run or RUNS / f"plot_coherence-{config.name}", args.out / config.name
        )
        sources = select_sources(single_source_configs(config), args.sources)
        results = {name: rows(name, source, args.groups) for name, source in sources.items()}
        for stories in args.distilled:
            results[f"distilled, {stories:,} stories"] = rows(
                f"taught-{stories}",
                student_config(config, args.teacher, args.start, args.from_backbone),
                max(1, stories // config.group_size),
                max(1, max(args.distilled) // config.group_size),
            )
    size = f", {args.groups} groups each" if sources else ""
    columns = [*(["teacher"] if args.distilled else []), *rows.sets]
    title = f"Sources of {config.name} against judged sets{size}"
    table = Table("source", "stories", *columns, title=title)
    for name, values in results.items():
        table.add_row(
            name, f"{values['stories']:,.0f}", *(f"{values[c]:.3f}" if c in values else "" for c in columns)
        )
    Console(width=160).print(table)
    for path in missing:
        print(f"missing, so not trained on: {path}")


if __name__ == "__main__":
    main()
