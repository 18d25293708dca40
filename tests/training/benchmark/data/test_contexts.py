"""No metric gets a story's beginning twice, and a metric that needs a context gets one."""

from typing import Any

import pytest

from openmeva.training.benchmark.data.contexts import contexts_of, rows_for_metric
from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.data.sets import TEST_SETS

RUBER = MetricEntry("r", "R", {"roc": "roc"}, ("contexts",), needs_contexts=True)
UNION = MetricEntry("u", "U", {"roc": "roc"}, ("contexts",), joins_context=True)
SENTAVG = MetricEntry("s", "S", {"roc": "roc", "wp": "roc"}, ("contexts",), joins_context=True)
COHERENCE = MetricEntry("c", "C", {"roc": "mix", "wp": "mix"}, ("contexts",), joins_context=True)
PPL = MetricEntry("p", "P", {"roc": "roc"}, ("contexts",))
WHOLE = {"context": "Ann ran.", "story": "Ann ran. She fell. She cried."}
APART = {"prompt": "Ann ran.", "story": "She fell."}
PROMPTED = {"context": "A girl who runs", "story": "Ann ran. She fell."}


def seen(entry: MetricEntry, name: str, row: dict[str, Any]) -> tuple[Any, Any] | None:
    rows = rows_for_metric(entry, TEST_SETS[name], [row])
    if rows is None:
        return None
    return rows[0].get("prompt") or rows[0].get("context"), rows[0]["story"]


@pytest.mark.parametrize(
    ("entry", "name", "row", "expected"),
    [
        (RUBER, "autos_roc_discrimination", WHOLE, ("Ann ran.", "She fell. She cried.")),
        (UNION, "autos_roc_discrimination", WHOLE, (None, WHOLE["story"])),
        (PPL, "autos_roc_discrimination", WHOLE, (None, WHOLE["story"])),
        (RUBER, "autos_wp_invariance", PROMPTED, ("A girl who runs", PROMPTED["story"])),
        (UNION, "autos_wp_invariance", PROMPTED, (None, PROMPTED["story"])),
        (PPL, "autos_wp_invariance", PROMPTED, ("A girl who runs", PROMPTED["story"])),
        (RUBER, "mans_roc", APART, ("Ann ran.", "She fell.")),
        (PPL, "mans_roc", APART, ("Ann ran.", "She fell.")),
        (RUBER, "plot_guided_roc", {"story": "Ann ran. She fell."}, ("Ann ran.", "She fell.")),
        (RUBER, "plot_guided_roc", {"story": "Ann ran far away"}, ("Ann ran", "far away")),
        (PPL, "plot_guided_roc", {"story": "Ann ran. She fell."}, (None, "Ann ran. She fell.")),
        (RUBER, "mans_wp", {"story": "Ann ran. She fell."}, None),
        (UNION, "mans_roc", APART, ("Ann ran.", "She fell.")),
        (UNION, "mans_roc", WHOLE, ("", WHOLE["story"])),
        (PPL, "mans_wp", WHOLE, ("", WHOLE["story"])),
        (RUBER, "mans_roc", WHOLE, ("Ann ran.", WHOLE["story"])),
        (SENTAVG, "mans_roc", APART, ("Ann ran.", "She fell.")),
        (SENTAVG, "mans_wp", PROMPTED, (None, PROMPTED["story"])),
        (SENTAVG, "hanna", PROMPTED, (None, PROMPTED["story"])),
        (COHERENCE, "mans_wp", PROMPTED, ("A girl who runs", PROMPTED["story"])),
    ],
)
def test_contexts_and_stories_passed_to_a_metric(
    entry: MetricEntry, name: str, row: dict[str, Any], expected: Any
) -> None:
    assert seen(entry, name, row) == expected


def test_judged_stories_get_missing_contexts() -> None:
    """As in `openmeva score`: an empty context if the story contains it, and no contexts if all stories do."""
    rows = [{**row, "score": 1} for row in (WHOLE, APART)]
    contextual_rows = rows_for_metric(UNION, TEST_SETS["mans_roc"], rows)
    assert contextual_rows is not None
    assert contexts_of(contextual_rows) == ["", "Ann ran."]
    assert contexts_of(contextual_rows[:1]) is None
    assert contexts_of([*rows, {"story": "x"}]) is None


def test_story_without_a_context_leaves_the_others_theirs() -> None:
    rows = [APART, {"prompt": "", "story": "Ben sat. He slept."}, {"story": "Mia sang. She won."}]
    joined, paired = (rows_for_metric(entry, TEST_SETS["mans_roc"], rows) for entry in (UNION, RUBER))
    assert joined is not None
    assert contexts_of(joined) == ["Ann ran.", "", ""]
    assert [row["story"] for row in joined] == [row["story"] for row in rows]
    assert paired is not None
    assert contexts_of(paired) == ["Ann ran.", "Ben sat.", "Mia sang."]
    assert [row["story"] for row in paired] == ["She fell.", "He slept.", "She won."]
    assert rows_for_metric(RUBER, TEST_SETS["mans_wp"], rows) is None


def test_weights_of_the_other_corpus_get_whole_stories() -> None:
    rows = [APART, WHOLE, {"story": "Mia sang."}]
    whole = rows_for_metric(UNION, TEST_SETS["mans_roc"], rows, weights="wp")
    assert whole is not None
    assert [row["story"] for row in whole] == ["Ann ran. She fell.", WHOLE["story"], "Mia sang."]
    assert contexts_of(whole) is None
    assert rows_for_metric(UNION, TEST_SETS["mans_roc"], [APART], weights="roc") == [APART]
