"""The command `score` for any file, by a tiny SENTAVG, and the benchmark's module for any rows."""

import json
import math
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest import mock

import evaluate
from hypothesis import strategies as st
from typer.testing import CliRunner

from openmeva.metrics.core.rows import read_rows
from openmeva.metrics.core.writing import json_line
from openmeva.training.cli.app import app
from openmeva.training.paths import ROOT
from tests.fuzz.inputs import WRONG_OPTIONS, texts, weighted, with_words, wrong_values
from tests.fuzz.modules import REFUSED, SCORED
from tests.tiny_sentavg import write_sentavg

BAD_INPUT = 2


def story_files(longest: int) -> st.SearchStrategy[tuple[list[dict[str, Any]], str]]:
    """Rows with a story, an id and a context, and the ending of the file to write."""
    readable = with_words(texts(longest))
    story = weighted((16, readable), (1, texts(longest)), (1, st.sampled_from([None, 3, [], {}, True])))
    row = st.fixed_dictionaries({"id": texts(9), "story": story, "context": readable})
    return st.tuples(st.lists(row, min_size=0, max_size=4), st.sampled_from(["jsonl", "csv", "txt"]))


def score_checker(folder: Path) -> Callable[[tuple[list[dict[str, Any]], str]], str]:
    """A check of `score`, for which the metric is loaded once."""
    load = lru_cache(maxsize=None)(evaluate.load)
    config = str(write_sentavg(folder / "checkpoint"))
    work = folder / "work"
    work.mkdir()
    stories = work / "stories.jsonl"

    def check(given: tuple[list[dict[str, Any]], str]) -> str:
        rows, ending = given
        for path in work.iterdir():
            path.unlink()
        out = work / f"scores.{ending}"
        stories.write_bytes(b"".join(map(json_line, rows)))
        with mock.patch("evaluate.load", load):
            done = CliRunner().invoke(
                app, ["score", str(stories), str(out), "--metric", "sentavg", "--config", config]
            )
        if done.exit_code == BAD_INPUT:
            assert done.stderr.startswith("error: "), done.stderr
            assert "Traceback" not in done.stderr
            assert not out.exists()
            return REFUSED
        assert done.exit_code == 0, repr(done.exception)
        assert sorted(path.name for path in work.iterdir()) == sorted([stories.name, out.name])
        if ending == "txt":
            assert len(out.read_bytes().split(b"\n")) == len(rows) + 1
            return SCORED
        found = [row.values for row in read_rows(out)]
        assert len(found) == len(rows)
        for row, scored in zip(rows, found, strict=True):
            assert 0 <= float(scored["score"]) <= 1
            written = json.loads(json_line(row))  # halves of a character that meet become one
            if ending == "csv":  # holds texts alone
                written = {
                    name: one.encode(errors="replace").decode()
                    for name, one in written.items()
                    if isinstance(one, str)
                }
            assert {name: scored[name] for name in written} == written
        return SCORED

    return check


def judged_rows(longest: int) -> st.SearchStrategy[dict[str, Any]]:
    """Scores and judged stories, at times with a wrong value in one place, or a wrong option."""

    def build(size: int, seed: int, story: str, spoil: str, wrong: Any) -> dict[str, Any]:
        rows: list[dict[str, Any]] = [
            {
                "story_id": f"s{number}",
                "story": f"{story} {number}",
                "ratings": [1 + (number * seed) % 5, 1 + (number + seed) % 5],
                "prompt": f"p{number % 3}",
                "source_model": "ab"[number % 2],
                "raters": ["one", "two"],
                "error_types": [["chaotic"] if number % 4 == 0 else [], []],
            }
            for number in range(size)
        ]
        given: dict[str, Any] = {"predictions": [math.sin(seed * n) for n in range(size)], "references": rows}
        if spoil in given:
            given[spoil] = wrong
        elif spoil == "prediction":
            given["predictions"][size // 2] = wrong
        elif spoil == "row":
            rows[size // 2] = wrong
        elif spoil:
            rows[size // 2][spoil] = wrong
        return given

    columns = ("story_id", "story", "ratings", "prompt", "source_model", "raters", "error_types")
    spoils = st.sampled_from([*[""] * 11, "predictions", "references", "prediction", "row", *columns])
    right = st.builds(
        build,
        st.sampled_from([1, 3, 9, 12, 12, 15]),
        st.integers(1, 99),
        texts(longest),
        spoils,
        wrong_values(),
    )
    options = ("draws", "seed", "others", "reasonable_above", "one_error_only")
    option = st.sampled_from([(name, value) for name in options for value in WRONG_OPTIONS[name]])
    plain = st.builds(build, st.just(8), st.integers(1, 9), st.just("a"), st.just(""), st.none())
    wrong = st.builds(lambda given, pair: {**given, pair[0]: pair[1]}, plain, option)
    return weighted((5, right), (1, wrong))


def check_benchmark(module: Any, given: dict[str, Any]) -> str:
    """Tables of finite numbers, the same again; or a ValueError, and nothing kept."""
    given = {"draws": 100, **given}
    try:
        result = module.compute(**given)
    except ValueError:
        return REFUSED
    finally:
        assert (module._scores, module._rows) == ([], [])
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert module.compute(**given) == result
    return SCORED


def load_benchmark(folder: Path) -> Any:
    """The benchmark's module for judged stories of one's own."""
    return evaluate.load(str(ROOT / "metrics" / "openmeva"), "judgments", cache_dir=str(folder))
