"""The command `score` for any file, with a tiny SENTAVG."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import evaluate
from hypothesis import strategies as st

from openmeva.metrics.core.rows import read_rows
from openmeva.metrics.core.writing import json_line
from tests.fuzz.commands import BAD_INPUT, invoke
from tests.fuzz.inputs import texts, weighted, with_words
from tests.fuzz.outcome import REFUSED, SCORED, Checked
from tests.tiny.sentavg import write_sentavg


def story_files(longest: int) -> st.SearchStrategy[tuple[list[dict[str, Any]], str]]:
    """Rows with a story, an id and a context, and the file extension."""
    readable = with_words(texts(longest))
    story = weighted((16, readable), (1, texts(longest)), (1, st.sampled_from([None, 3, [], {}, True])))
    row = st.fixed_dictionaries({"id": texts(9), "story": story, "context": readable})
    return st.tuples(st.lists(row, min_size=0, max_size=4), st.sampled_from(["jsonl", "csv", "txt"]))


def score_checker(folder: Path) -> Callable[[tuple[list[dict[str, Any]], str]], Checked]:
    """A check of `score`, for which the metric is loaded once."""
    load = cache(evaluate.load)
    config = str(write_sentavg(folder / "checkpoint"))
    work = folder / "work"
    work.mkdir()
    stories = work / "stories.jsonl"

    def check(given: tuple[list[dict[str, Any]], str]) -> Checked:
        rows, ending = given
        for path in work.iterdir():
            path.unlink()
        out = work / f"scores.{ending}"
        stories.write_bytes(b"".join(map(json_line, rows)))
        with mock.patch("evaluate.load", load):
            done = invoke(["score", str(stories), str(out), "--metric", "sentavg", "--config", config])
        if done.exit_code == BAD_INPUT:
            assert done.stderr.startswith("error: "), done.stderr
            assert "Traceback" not in done.stderr
            assert not out.exists()
            return Checked(REFUSED, done.stderr.replace(str(work), ""))
        assert done.exit_code == 0, repr(done.exception)
        assert sorted(path.name for path in work.iterdir()) == sorted([stories.name, out.name])
        if ending == "txt":
            assert len(out.read_bytes().split(b"\n")) == len(rows) + 1
            return Checked(SCORED, out.read_text(encoding="utf-8"))
        found = [row.values for row in read_rows(out)]
        assert len(found) == len(rows)
        for row, scored in zip(rows, found, strict=True):
            assert 0 <= float(scored["score"]) <= 1
            written = json.loads(json_line(row))  # adjacent surrogates become one character
            if ending == "csv":  # holds only texts
                written = {
                    name: value.encode(errors="replace").decode()
                    for name, value in written.items()
                    if isinstance(value, str)
                }
            assert {name: scored[name] for name in written} == written
        return Checked(SCORED, repr(found))

    return check
