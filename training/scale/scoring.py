"""Scores a corpus of any size: files, a `datasets.Dataset` (also streaming), a Ray Dataset, or an iterator of rows."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from openmeva.metrics.core.description import DEFAULT_METRIC, read_metrics
from openmeva.training.scale.engines import Engine
from openmeva.training.scale.parts import Size
from openmeva.training.scale.run import Report, run
from openmeva.training.scale.sources import dataset_source, files_source
from openmeva.training.scoring.columns import check_fields, required_fields
from openmeva.training.scoring.loading import check_no_batch_options, check_settings
from openmeva.training.scoring.scorer import Scorer


@dataclass(frozen=True)
class Scoring:
    """Settings for scoring a corpus; see `Scorer`.

    Attributes:
        judge: the settings file or model that an environment variable names for `llm_judge`; None if it has no effect.
    """

    of_stories: ClassVar[bool] = False

    metrics: Sequence[str] = (DEFAULT_METRIC,)
    config: str | None = None
    explain: bool = False
    context_in_story: bool | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    judge: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if "llm_judge" in self.metrics and self.config is None:
            object.__setattr__(self, "judge", _judge_of_environment())
        if self.config is None or not Path(self.config).exists():
            return
        described = read_metrics()
        if not any(
            self.config in described[name].configurations for name in self.metrics if name in described
        ):
            object.__setattr__(self, "config", str(Path(self.config).resolve()))  # for workers elsewhere

    def check(self, here: bool) -> None:
        """Checks metrics and options, and the device if it is on this machine."""
        check_settings(self.metrics, self.config, {**self.options, "explain": self.explain or None}, here)
        check_no_batch_options(self.metrics, self.options)

    def start(self, fields: Sequence[str], in_story: bool) -> Scorer:
        """The scorer with loaded weights, after a trial of its settings on one story.

        Raises:
            ValueError: settings that a metric refuses, or a column that it requires and no row has.
        """
        check_fields(self.metrics, fields)
        context_in_story = in_story if self.context_in_story is None else self.context_in_story
        required = required_fields(self.metrics, fields)
        scorer = Scorer(self.metrics, self.config, self.explain, context_in_story, required, **self.options)
        scorer.try_out(fields)
        return scorer


def _judge_of_environment() -> str | None:
    """What the environment variable names, a file by its absolute path, so that a run records its content."""
    from openmeva.metrics.llm_judge.llm_judge import SETTINGS_VARIABLE

    named = os.environ.get(SETTINGS_VARIABLE)
    return str(Path(named).resolve()) if named and Path(named).exists() else named


def score_dataset(
    dataset: str | Iterable[Mapping[str, Any]] | Any,
    metrics: str | Sequence[str] = DEFAULT_METRIC,
    *,
    out: str | Path,
    config: str | None = None,
    explain: bool = False,
    context_in_story: bool | None = None,
    engine: str | Engine = "ray",
    actors: int | None = None,
    bad: str = "stop",
    size: Size | None = None,
    **options: Any,
) -> Report:
    """Scores any number of stories into a folder of Parquet files; resumes an interrupted run.

    Scores are those of `openmeva score`, up to rounding, for any engine and number of actors. With the same `cpus` per
    actor, the files are byte-identical.

    Args:
        dataset: rows with `story` and optionally `context` and `reference`: a `datasets.Dataset` or `IterableDataset`, a Ray
            Dataset, an iterable of mappings; or a path, glob or URL of files.
        metrics: one or several names.
        out: a new folder, or that of an interrupted run with the same settings; `load_dataset("parquet",
            data_files=f"{out}/*.parquet")` reads it.
        config: a configuration of the metric, a folder or a Hub id.
        explain: add the metric's explanation to each row.
        context_in_story: whether all stories include their context; None: those that begin with it do.
        engine: `ray`, `plain` (a loop in this process), or an `Engine`.
        actors: number of Ray actors; default: one per core.
        bad: `stop` at the first row that cannot be scored, or `keep` such rows in `bad.jsonl`.
        size: maximum size of each file.
        options: options of the metric's `compute`, such as `batch_size`, `device` and `dtype`.

    Raises:
        ModuleNotFoundError: engine `ray` without Ray.
        ValueError: see `run`.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    scoring = Scoring(names, config, explain, context_in_story, options)
    source = files_source(str(dataset)) if isinstance(dataset, str | Path) else dataset_source(dataset)
    chosen_engine = Engine(engine, actors=actors) if isinstance(engine, str) else engine
    return run(source, out, scoring, chosen_engine, bad, size)
