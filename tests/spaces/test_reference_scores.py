"""Stories and groups of the reference distributions, without a corpus and without a model."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openmeva.metrics.core.checkpoint import weights_checksum
from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.metrics.core.files import ADAPTER
from openmeva.spaces.catalogue import BASE, CORPORA, CatalogueEntry, Number, read_catalogue
from openmeva.spaces.distributions import POINTS
from openmeva.spaces.reference_scores import measure, reference_file, written_checkpoint
from openmeva.spaces.reference_stories import read_generated
from openmeva.spaces.scorer import Score
from openmeva.spaces.texts import Text


class LengthScorer:
    """Scores a story by its length, or by how much longer than its reference it is."""

    def __init__(self, number: Number) -> None:
        self.number = number

    def score(self, texts: Sequence[Text], corpus: str, only: Sequence[str]) -> list[list[Score]]:
        return [[Score(only[0], self.number, float(len(t.story) - len(t.reference)))] for t in texts]


def entry(name: str) -> CatalogueEntry:
    return read_catalogue()[name]


def groups(name: str, made: list[Text], kind: str) -> dict[str, Any]:
    human = [Text("x" * (i + 1), "Once .") for i in range(40)]
    metric = entry(name)
    return measure(LengthScorer(metric.numbers[0]), metric, "roc", human, made, kind)  # type: ignore[arg-type]


def test_base_tier_changes_only_the_recommended_metric() -> None:
    small, base = read_catalogue(), read_catalogue(tier=BASE)
    assert list(small) == list(base)
    assert [name for name in small if small[name].call != base[name].call] == [DEFAULT_METRIC]
    assert base[DEFAULT_METRIC].call.configs == {"roc": "base", "wp": "base"}
    titles = [
        (old.title, new.title)
        for old, new in zip(small[DEFAULT_METRIC].numbers, base[DEFAULT_METRIC].numbers, strict=True)
    ]
    # a page names the tier wherever it names the number
    assert all(new == f"{old} (base)" for old, new in titles)
    assert reference_file("roc", DEFAULT_METRIC, BASE) != reference_file("roc", DEFAULT_METRIC)
    with pytest.raises(ValueError, match="tier: expected one of small, base, got 'large'"):
        read_catalogue(tier="large")


def test_metrics_without_reference_input_get_none() -> None:
    distributions = groups("union", [Text("y" * 10, "Once .", "z" * 5)] * 40, "generated")
    assert set(distributions) == {"human", "generated"}
    assert set(distributions["generated"]["quantiles"]["scores"]) == {10.0}
    expected = np.percentile(np.arange(1, 41), POINTS)
    assert distributions["human"]["quantiles"]["scores"] == pytest.approx(expected, rel=1e-4)


def test_reference_metrics_compare_generated_with_original_story() -> None:
    distributions = groups("bleurt", [Text("y" * 10, "Once .", "z" * 4)] * 40, "generated")
    assert set(distributions) == {"unrelated", "retold"}
    assert set(distributions["retold"]["quantiles"]["scores"]) == {6.0}
    assert (
        distributions["unrelated"]["quantiles"]["scores"][0] == -1.0
    )  # each with the next one as its reference


def test_damaged_copies_and_small_groups_are_excluded() -> None:
    assert set(groups("bleurt", [Text("y", "Once .")] * 40, "damaged")) == {"unrelated"}
    assert set(groups("union", [Text("y", "Once .")] * 29, "damaged")) == {"human"}


def test_generated_stories_are_read_from_files(tmp_path: Path) -> None:
    rows = [{"story": f"Ann ran . She fell {i} .", "context": "Ann ran ."} for i in range(5)]
    lines, table = tmp_path / "a.jsonl", tmp_path / "a.parquet"
    lines.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(rows), table)
    assert read_generated(lines, 3) == read_generated(table, 3)
    assert read_generated(lines, 3)[1] == Text("She fell 2 .", "Ann ran .")
    for content, message in (("", "got none"), ('{"story": " "}', "row 1")):
        lines.write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            read_generated(lines, 3)


def shipped_checkpoint(found: CatalogueEntry, corpus: str) -> str:
    """Name of a metric's shipped checkpoint; the metric's name where it has none."""
    config = found.call.configs[corpus]
    weights = found.call.folder / "weights" / config / ADAPTER
    return f"{config}@{weights_checksum(weights)[:12]}" if weights.exists() else found.name


@pytest.mark.parametrize("corpus", CORPORA)
def test_distributions_match_shipped_weights(corpus: str) -> None:
    catalogue = read_catalogue()
    written = {name: written_checkpoint(reference_file(corpus, name)) for name in catalogue}
    assert written == {name: shipped_checkpoint(metric, corpus) for name, metric in catalogue.items()}
    base = read_catalogue(tier=BASE)[DEFAULT_METRIC]
    assert written_checkpoint(reference_file(corpus, DEFAULT_METRIC, BASE)) == shipped_checkpoint(
        base, corpus
    )
