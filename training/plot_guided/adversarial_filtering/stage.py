"""Adversarial filtering as a stage: each round is saved, so an interrupted run resumes with the next one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich.progress import track

from openmeva.metrics.core.backbone import weights_checksum
from openmeva.metrics.core.files import FULL_MODEL
from openmeva.training.common.checkpoint import weights_file
from openmeva.training.files import checksum, write_table
from openmeva.training.paths import ENCODER, resolve_path
from openmeva.training.plot_guided.adversarial_filtering.committee import Committee
from openmeva.training.plot_guided.adversarial_filtering.curve import draw_curve
from openmeva.training.plot_guided.adversarial_filtering.filtering import (
    AdversarialFilter,
    CandidatePool,
    Round,
    has_converged,
)
from openmeva.training.plot_guided.generator.text import TextForm, as_generated
from openmeva.training.plot_guided.manipulations import manipulation_shares
from openmeva.training.plot_guided.negatives import SCHEMA, generated_form, unmanipulated_row
from openmeva.training.plot_guided.plots.corpus import PlotCorpus, plot_inputs
from openmeva.training.stages import Stage, read_stage


def filter_negatives(
    config: dict[str, Any], corpus: Callable[[], PlotCorpus], data: Path, negatives: Path, out: Path
) -> Path:
    """The stage AF_MANPLTS: `out/filtered.parquet`, each human story followed by its kept negatives.

    Args:
        config: a configuration.
        corpus: reads the human stories; called only if there is work to do.
        data: the folder of the corpus, whose files' checksums identify these stories.
        negatives: the file of the previous stage.
        out: the folder to write to; `filtered.png` plots the rounds.

    Raises:
        ValueError: a configuration without `filtering`, or no story has enough different negatives.
    """
    settings = config.get("filtering")
    if not settings:
        raise ValueError(f"filtering: expected settings such as kept and members, {config['name']} has none")
    generator = resolve_path(config["generator"])
    made_from = {
        "generator": checksum(weights_file(generator)),
        **plot_inputs(config, data),
        "filtering": settings,
        "negatives": checksum(negatives),
        "encoder": weights_checksum(ENCODER / FULL_MODEL),
    }
    stage = Stage(out, "filtered", made_from)
    if stage.is_done():
        return stage.result
    rows = human_and_candidates(corpus(), read_stage(negatives), generated_form(config), settings["kept"])
    pool = build_pool(rows)
    filtering: AdversarialFilter | None = None
    assigned: np.ndarray | None = None
    rounds: list[Round] = []
    for number in track(range(1, settings["rounds"] + 1), "rounds of adversarial filtering"):
        file = stage.parts / f"round-{number:03d}.parquet"
        if not file.is_file():
            if filtering is None:
                committee = Committee.of(settings["members"], [r["story"] for r in rows])
                filtering = AdversarialFilter(
                    pool, committee, settings["kept"], config["seed"], settings["margin"]
                )
                assigned = filtering.start() if assigned is None else assigned
            assert assigned is not None  # for the type checker: set with `filtering` at the latest
            _save(file, filtering.round(assigned, number))
        rounds.append(_load(file))
        assigned = rounds[-1].assigned
        if has_converged([r.accuracy for r in rounds], settings["patience"]):
            break
    assert assigned is not None
    accuracies, replaced = [r.accuracy for r in rounds], [r.replaced for r in rounds]
    out.mkdir(parents=True, exist_ok=True)
    draw_curve(accuracies, replaced, out / "filtered.png")
    kept = [
        rows[index]
        for human, candidates, chosen in zip(pool.humans, pool.candidates, assigned, strict=True)
        for index in (human, *candidates[chosen])
    ]
    table = pa.Table.from_pylist(kept, schema=SCHEMA)
    shares = manipulation_shares(r["manipulations"] for r in kept if not r["label"])
    return stage.finish(table, {"accuracy": accuracies, "replaced": replaced, "shares": shares})


def human_and_candidates(
    corpus: PlotCorpus, negatives: list[dict[str, Any]], form: TextForm, kept: int
) -> list[dict[str, Any]]:
    """The human row and the negatives of each story with at least `kept` different negatives.

    A negative that is empty or longer than any human story is excluded, since it is trivial to detect. Human stories
    are written in the form of the generator's (`as_generated`).

    Raises:
        ValueError: no story has that many negatives.
    """
    stories = {story.group: story for story in corpus.metrics}
    longest = max((len(story.story.flat_words()) for story in corpus.metrics), default=0)
    groups: dict[str, dict[str, dict[str, Any]]] = {}
    for negative in negatives:
        if 0 < len(negative["story"].split()) <= longest:
            groups.setdefault(negative["group"], {}).setdefault(negative["story"], negative)
    rows: list[dict[str, Any]] = []
    for group, candidates in groups.items():
        if len(candidates) < kept:
            continue
        human = as_generated(form, stories[group].story.words)
        rows.append(unmanipulated_row(stories[group], "human", human, candidate=-1))
        rows.extend(candidates.values())
    if not rows:
        raise ValueError(f"no story has {kept} different negatives that are no longer than human stories")
    return rows


def build_pool(rows: list[dict[str, Any]]) -> CandidatePool:
    """Row indices of the human stories and of the candidates, which follow their human story in `rows`."""
    humans = np.array([index for index, r in enumerate(rows) if r["label"] == 1])
    counts = np.diff([*humans, len(rows)]) - 1
    columns = np.arange(counts.max())[None]
    return CandidatePool(humans, np.where(columns < counts[:, None], humans[:, None] + 1 + columns, -1))


def _save(path: Path, result: Round) -> None:
    table = pa.table({"assigned": result.assigned.tolist()})
    figures = {"accuracy": repr(result.accuracy), "replaced": repr(result.replaced)}
    write_table(path, table.replace_schema_metadata(figures))


def _load(path: Path) -> Round:
    table = pq.read_table(path)
    figures = table.schema.metadata
    return Round(
        np.array(table["assigned"].to_pylist()), float(figures[b"accuracy"]), float(figures[b"replaced"])
    )
