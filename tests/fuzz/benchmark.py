"""The benchmark's module for a user's own judged stories, and for AUTOS."""

import json
import math
import re
from pathlib import Path
from typing import Any

import evaluate
from hypothesis import strategies as st

from openmeva.training.paths import ROOT
from tests.fuzz.inputs import WRONG_OPTIONS, texts, weighted, wrong_values
from tests.fuzz.outcome import SCORED, Checked, refused

_NAMED = re.compile(
    r"^(predictions|references|column|correlation|draws|seed|others|reasonable_above|one_error_only)"
)
COLUMNS = ("story_id", "story", "ratings", "score", "prompt", "source_model", "raters", "error_types")


def judged_rows(longest: int) -> st.SearchStrategy[dict[str, Any]]:
    """Scores and judged stories, sometimes with one invalid value or option."""

    def build(
        size: int, seed: int, story: str, columns: set[str], corrupted: str, wrong: Any
    ) -> dict[str, Any]:
        rows = [{name: _row(number, seed, story)[name] for name in columns} for number in range(size)]
        given: dict[str, Any] = {"predictions": [math.sin(seed * n) for n in range(size)], "references": rows}
        if corrupted in given:
            given[corrupted] = wrong
        elif corrupted == "prediction":
            given["predictions"][size // 2] = wrong
        elif corrupted == "row":
            rows[size // 2] = wrong
        elif corrupted:
            rows[size // 2][corrupted] = wrong
        return given

    mean_only = {"story", "score"}  # slow parts, agreement and ceiling, are not computed from these
    columns = weighted(
        (4, st.just(mean_only)),
        (4, st.sets(st.sampled_from(["prompt", "source_model", "story_id"])).map(mean_only.union)),
        (1, st.just(set(COLUMNS) - {"score"})),
        (1, st.sets(st.sampled_from(COLUMNS)).map({"story", "ratings"}.union)),
    )
    corrupted_parts = weighted(
        (7, st.just("")), (3, st.sampled_from(["predictions", "references", "prediction", "row", *COLUMNS]))
    )
    sizes = weighted((1, st.integers(1, 3)), (9, st.integers(4, 15)))
    # seeds for which the judgments are not all equal
    valid = st.builds(
        build,
        sizes,
        st.sampled_from([1, 2, 3, 4, 6, 7, 8, 9]),
        texts(longest),
        columns,
        corrupted_parts,
        wrong_values(),
    )
    options = ("draws", "seed", "others", "reasonable_above", "one_error_only")
    option = st.sampled_from([(name, value) for name in options for value in WRONG_OPTIONS[name]])
    plain = st.builds(
        build, st.just(8), st.integers(1, 4), st.just("a"), st.just(mean_only), st.just(""), st.none()
    )
    wrong = st.builds(lambda given, pair: {**given, pair[0]: pair[1]}, plain, option)
    return weighted((8, valid), (1, wrong))


def _row(number: int, seed: int, story: str) -> dict[str, Any]:
    ratings = [1 + (number * seed) % 5, 1 + (number + seed) % 5]
    return {
        "story_id": f"s{number}",
        "story": f"{story} {number}",
        "ratings": ratings,
        "score": sum(ratings) / 2,
        "prompt": f"p{number % 3}",
        "source_model": "ab"[number % 2],
        "raters": ["one", "two"],
        "error_types": [["chaotic"] if number % 4 == 0 else [], []],
    }


def check_benchmark(module: Any, given: dict[str, Any]) -> Checked:
    """Reproducible tables of finite numbers; or a ValueError, and no state is kept."""
    given = {"draws": 100, **given}
    try:
        result = module.compute(**given)
    except ValueError as error:
        return refused(str(error), bool(_NAMED.match(str(error))))
    finally:
        assert (module._scores, module._rows) == ([], [])
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert module.compute(**given) == result
    return Checked(SCORED, json.dumps(result))


def load_benchmark(folder: Path) -> Any:
    """The benchmark's module for a user's own judged stories."""
    return evaluate.load(str(ROOT / "metrics" / "openmeva"), "judgments", cache_dir=str(folder))
