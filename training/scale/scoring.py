"""Scores for a corpus of any size: files, a `datasets.Dataset` (streaming, too), a Ray Dataset, an iterator of rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from openmeva.metrics.core.description import RECOMMENDED
from openmeva.training.scale.engines import Engine
from openmeva.training.scale.parts import Size
from openmeva.training.scale.run import Report, run
from openmeva.training.scale.scorer import Scorer, check_settings
from openmeva.training.scale.sources import dataset_source, files_source


@dataclass(frozen=True)
class Scoring:
    """How a corpus is scored; see `Scorer`."""

    of_stories: ClassVar[bool] = False

    metrics: Sequence[str] = (RECOMMENDED,)
    config: str | None = None
    explain: bool = False
    context_in_story: bool | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.config is not None and "/" in self.config and Path(self.config).is_dir():
            object.__setattr__(self, "config", str(Path(self.config).resolve()))  # workers stand elsewhere

    def check(self, here: bool) -> None:
        """Metrics and options, and the device, where it is here."""
        check_settings(self.metrics, self.config, {**self.options, "explain": self.explain or None}, here)

    def start(self, fields: Sequence[str], in_story: bool) -> Scorer:
        """The scorer, its weights loaded, that has tried its settings on a story."""
        held = in_story if self.context_in_story is None else self.context_in_story
        scorer = Scorer(self.metrics, self.config, self.explain, held, **self.options)
        scorer.try_out(fields)
        return scorer


def score_dataset(
    dataset: str | Iterable[Mapping[str, Any]] | Any,
    metrics: str | Sequence[str] = RECOMMENDED,
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
    """Scores stories of any number into a folder of Parquet files, and goes on where it was interrupted.

    Scores are those of `openmeva score`, to rounding, whatever the engine and the number of actors; with the same
    `cpus` an actor they are the same bytes.

    Args:
        dataset: rows with `story`, perhaps `context` and `reference`: a `datasets.Dataset` or `IterableDataset`, a Ray
            Dataset, an iterable of mappings; or a path, glob or URL of files.
        metrics: names; one or several.
        out: a new folder, or that of an interrupted run of the same settings; `load_dataset("parquet",
            data_files=f"{out}/*.parquet")` reads what it holds.
        config: a configuration of the metric, a folder or a Hub id.
        explain: add the metric's reasons to each row.
        context_in_story: whether all stories hold their context; None: those that begin with it do.
        engine: `ray`, `plain` (a loop in this process), or an `Engine`.
        actors: of Ray; one a core unless given.
        bad: `stop` at the first row that cannot be scored, or `keep` those in `bad.jsonl`.
        size: of the files.
        options: of the metric's `compute`, as `batch_size`, `device` and `dtype`.

    Raises:
        ModuleNotFoundError: engine `ray` without Ray.
        ValueError: as `run`.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    how = Scoring(names, config, explain, context_in_story, options)
    source = files_source(str(dataset)) if isinstance(dataset, str | Path) else dataset_source(dataset)
    chosen = Engine(engine, actors=actors) if isinstance(engine, str) else engine
    return run(source, out, how, chosen, bad, size)
