"""Common behaviour of all modules: threads, copies, and input that is rejected before scoring."""

import copy
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import evaluate
import numpy as np
import pyarrow as pa
import pytest

from openmeva.metrics.core.inputs import (
    RowError,
    as_list,
    check_options,
    check_reference_lists,
    check_texts,
    chosen_names,
)
from openmeva.metrics.core.lock import ModuleLock
from openmeva.metrics.core.module import StoryInputs, progress_bar

THREADS, CALLS = 8, 6


class Lengths(StoryInputs, evaluate.Metric):
    """A slow module that returns the number of characters."""

    required = ("contexts",)
    optional = ("references",)
    several_references = True

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=self.feature_choices()
        )

    def signature(self) -> str:
        return "lengths"

    def _compute(
        self,
        predictions: list[str],
        contexts: list[str],
        references: list[list[str]] | None = None,
        batch_size: int = 1,
        explain: bool = False,
    ) -> dict[str, Any]:
        time.sleep(0.001)
        return {"scores": [len(text) for text in predictions]}


@pytest.fixture
def lengths(tmp_path: Any) -> Lengths:
    return Lengths(cache_dir=str(tmp_path))


def test_threads_sharing_a_module_get_their_own_scores(lengths: Lengths) -> None:
    def call(thread: int) -> list[list[int]]:
        stories = ["x" * (thread + 1)] * (thread + 1)
        return [lengths.compute(predictions=stories, contexts=stories)["scores"] for _ in range(CALLS)]

    with ThreadPoolExecutor(THREADS) as pool:
        result = list(pool.map(call, range(THREADS)))
    assert result == [[[thread + 1] * (thread + 1)] * CALLS for thread in range(THREADS)]


def test_threads_add_whole_batches(lengths: Lengths) -> None:
    def add(thread: int) -> None:
        for _ in range(CALLS):
            lengths.add_batch(predictions=["x" * (thread + 1)] * 3, contexts=["c"] * 3)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(add, range(THREADS)))
    scores = lengths.compute()["scores"]
    assert sorted(scores) == sorted([thread + 1 for thread in range(THREADS)] * 3 * CALLS)


def test_copied_lock_is_independent() -> None:
    with ModuleLock() as lock, ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: copy.deepcopy(lock).__enter__()).result() is not lock


COLUMNS = [
    list,
    dict,
    np.array("x"),
    np.array([[["x"]]]),  # two dimensions are references
    {"a": 1},
    {"a"},
    b"a",
    3,
    2.5,
    object(),
    "a",
    range(2),
]


@pytest.mark.parametrize("wrong", COLUMNS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("column", ["predictions", "contexts", "references"])
def test_value_that_is_not_a_list_of_texts_is_rejected_by_name(
    lengths: Lengths, column: str, wrong: Any
) -> None:
    given = {"predictions": ["a"], "contexts": ["b"], "references": [["c"]], column: wrong}
    with pytest.raises(ValueError, match=rf"^{column}.*expected a (list of strings|string).*, got "):
        lengths.compute(**given)
    if column == "references":
        with pytest.raises(ValueError, match=r"^references, row 0: expected a (list of )?string"):
            lengths.compute(**{**given, column: [wrong if wrong != "a" else 3]})
    assert lengths.compute(predictions=["abc"], contexts=["b"])["scores"] == [3]


def test_iterables_are_accepted_as_lists(lengths: Lengths) -> None:
    for stories in (("ab", "c"), np.array(["ab", "c"]), iter(["ab", "c"])):
        assert lengths.compute(predictions=stories, contexts=["x", "y"])["scores"] == [2, 1]
    assert as_list((n for n in (1, 2)), "scores", "numbers") == [1, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": "3"}, "batch_size: expected a whole number above 0, got '3'"),
        ({"batch_size": True}, "batch_size: expected a whole number above 0, got True"),
        ({"batch_size": 2.0}, "batch_size: expected a whole number above 0, got 2.0"),
        ({"explain": "no"}, "explain: expected True or False, got 'no'"),
    ],
)
def test_options_of_wrong_type_are_rejected(lengths: Lengths, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lengths.compute(predictions=["a"], contexts=["b"], **options)
    lengths.add(prediction="ab", context="c")
    with pytest.raises(ValueError, match=message):
        lengths.compute(**options)
    assert lengths.compute()["scores"] == [2]


def test_result_has_a_warning_or_none_per_story(lengths: Lengths, tmp_path: Any) -> None:
    stories = ["Ann was hungry. She made a sandwich. She ate it. Then she slept.", "Hello", "😀"]
    expected = [None, "too short: 1 word, a story has at least 10", "no words: only digits and symbols"]
    assert lengths.compute(predictions=stories, contexts=stories)["warnings"] == expected
    for story in stories:
        lengths.add(prediction=story, context=story)
    assert lengths.compute() == {"scores": [64, 5, 1], "warnings": expected}
    combined = evaluate.combine({"one": lengths, "two": Lengths(cache_dir=str(tmp_path / "two"))})
    result = combined.compute(predictions=stories, contexts=stories)
    assert result["one_warnings"] == result["two_warnings"] == expected
    for story in stories:
        combined.add(prediction=story, contexts=story)
    assert combined.compute()["one_warnings"] == expected


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("batch_size", (1, np.int64(7)), (0, True, 2.5, None, "3")),
        ("layer", (1, None), (0, "last")),
        ("repeated_ngram", (4, None), (0, False)),
        ("explain", (True, False), (None, 1)),
        ("context_is_part_of_story", (True, None), ("no", 0)),
        ("dtype", ("auto",), (32, None)),
        ("draws", (100,), (99, None)),
        ("seed", (0, None), (-1, 0.0)),
        ("reasonable_above", (4, 2.5, None), ("4", True)),
        ("an_option_of_one_module", ("anything", None), ()),
    ],
)
def test_types_of_shared_options_are_checked(
    name: str, good: tuple[object, ...], bad: tuple[object, ...]
) -> None:
    for value in good:
        check_options({name: value})
    for value in bad:
        with pytest.raises(ValueError, match=f"^{name}: expected .*, got {value!r}"):
            check_options({name: value})


def test_reference_lists_are_checked_row_by_row() -> None:
    assert check_reference_lists(["a", ["b", "c\ud800"], ("d",)]) == [["a"], ["b", "c "], ["d"]]
    assert check_reference_lists(np.array([["a", "b"], ["c", "d"]])) == [["a", "b"], ["c", "d"]]
    for rows, message in (
        ([["a"], []], "references, row 1: expected at least one reference, got none"),
        ([["a", " \n"]], "references, row 0: expected a text, got a blank one"),
        (["a", [None]], r"references, row 1: expected a string or a list of strings, got NoneType \(None\)"),
    ):
        with pytest.raises(ValueError, match=message):
            check_reference_lists(rows)


def test_error_of_a_row_names_its_place(lengths: Lengths) -> None:
    for columns, place in (
        ({"predictions": ["He ran.", " "]}, ("predictions", 1)),
        ({"predictions": ["He ran.", "He fell."], "contexts": [3, "He sat."]}, ("contexts", 0)),
    ):
        with pytest.raises(RowError) as caught:
            lengths.compute(**columns)
        for error in (caught.value, copy.copy(caught.value)):  # copied as between processes
            assert (error.column, error.row) == place
            assert str(error) == f"{place[0]}, row {place[1]}: {error.reason}"


def test_score_names_are_chosen_from_those_available() -> None:
    available = ("bleu", "rouge")
    assert chosen_names(None, available) == ["bleu", "rouge"]
    assert chosen_names("rouge", available) == ["rouge"]
    assert chosen_names(("rouge", "bleu"), available) == ["rouge", "bleu"]
    for wrong in ("bleuer", [], ["bleu", "x"], ["bleu", 3]):
        with pytest.raises(ValueError, match="scores: expected some of bleu, rouge, got "):
            chosen_names(wrong, available)


def test_every_batch_has_the_same_columns(lengths: Lengths) -> None:
    lengths.add_batch(predictions=["ab"], contexts=["c"], references=["d"])
    with pytest.raises(ValueError, match=r"^references: expected with every batch or with none"):
        lengths.add_batch(predictions=["abc"], contexts=["c"])
    assert lengths.compute()["scores"] == [2]


def test_columns_without_stories_are_rejected(lengths: Lengths) -> None:
    lengths.add_batch(predictions=["a b ."], contexts=["c ."])
    for column in ({"contexts": ["c ."]}, {"references": [["d ."]]}):
        with pytest.raises(ValueError, match=f"predictions: expected with {next(iter(column))}, got none"):
            lengths.compute(**column)
    assert lengths.compute()["warnings"] == [mock.ANY]


def test_failed_call_leaves_no_file_and_no_row(lengths: Lengths, tmp_path: Path) -> None:
    lengths.add(prediction="abc", context="b")
    with pytest.raises(ValueError, match="predictions, row 1: expected a string"):
        lengths.add_batch(predictions=["a", 3], contexts=["b", "b"])
    for wrong, error in ({"batch_size": 0}, ValueError), ({"an_option": "x"}, TypeError):
        with pytest.raises(error, match=next(iter(wrong))):
            lengths.compute(**wrong)
    assert lengths.compute()["scores"] == [3], "rejected before anything was done: added rows are kept"
    lengths.add(prediction="abc", context="b")
    with mock.patch.object(lengths, "_compute", side_effect=RuntimeError), pytest.raises(RuntimeError):
        lengths.compute()
    assert [path for path in tmp_path.rglob("*") if path.suffix == ".arrow"] == []
    assert lengths.compute(predictions=["abcd"], contexts=["b"])["scores"] == [4]


def test_added_rows_are_stored_in_the_cache_folder_of_evaluate(tmp_path: Path) -> None:
    module = Lengths(config_name="../my folder/weights.", cache_dir=str(tmp_path))
    assert Path(module.data_dir).name == "my-folder-weights"
    assert tmp_path in Path(module.data_dir).parents
    first, second = (Lengths(f"{name}/{'long' * 75}", cache_dir=str(tmp_path)) for name in ("one", "other"))
    assert first.data_dir != second.data_dir
    assert first.compute(predictions=["abc"], contexts=["b"])["scores"] == [3]


def test_progress_bar_names_the_metric_and_its_texts(capsys: pytest.CaptureFixture[str]) -> None:
    for show in (False, True):
        shown = progress_bar("union", show)([[1], [2]], 2)
        assert (shown.disable, list(shown)) == (not show, [[1], [2]])  # type: ignore[attr-defined]
        assert not show or (shown.desc, shown.delay) == ("union, 2 texts", 5)  # type: ignore[attr-defined]
    assert capsys.readouterr().err == ""


def test_arrow_columns_are_accepted_as_lists() -> None:
    for column in (
        pa.array(["He ran."]),
        pa.chunked_array([["He ran."]]),
        pa.table({"story": ["He ran."]})["story"],
    ):
        assert check_texts(column, "predictions") == ["He ran."]
