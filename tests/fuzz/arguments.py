"""The argument checks of modules, for any value: columns, reference lists, names and options."""

from typing import Any

from hypothesis import strategies as st

from openmeva.metrics.core.inputs import (
    as_list,
    check_options,
    check_reference_lists,
    check_texts,
    chosen_names,
)
from tests.fuzz.inputs import WRONG_OPTIONS, texts, weighted, wrong_values
from tests.fuzz.outcome import REFUSED, SCORED, Checked, refused

KNOWN = ("bleu", "rouge1", "rougeL")


def values(longest: int) -> st.SearchStrategy[tuple[str, Any]]:
    """The name of a check, and its arguments."""
    text = texts(longest)
    column = st.lists(weighted((12, text), (1, wrong_values())), max_size=5)
    nested = st.lists(weighted((6, st.lists(text, max_size=3)), (3, text), (1, wrong_values())), max_size=4)
    containers = st.sampled_from([list, tuple, iter, lambda rows: dict.fromkeys(map(str, rows)), dict])
    column = weighted(
        (5, column), (2, st.builds(lambda kind, rows: _in_container(kind, rows), containers, column))
    )
    names = st.lists(st.one_of(st.sampled_from(KNOWN), text), max_size=3)
    options = st.dictionaries(
        st.one_of(st.sampled_from(sorted(WRONG_OPTIONS)), text),
        st.one_of(wrong_values(), st.integers(), st.booleans(), text),
        max_size=3,
    )
    wrong = st.tuples(st.sampled_from(["texts", "lists", "names", "options", "list"]), wrong_values())
    return weighted(
        (4, st.tuples(st.sampled_from(["texts", "list"]), column)),
        (3, st.tuples(st.just("lists"), nested)),
        (2, st.tuples(st.just("names"), names)),
        (2, st.tuples(st.just("options"), options)),
        (2, wrong),
    )


def _in_container(kind: Any, rows: list[Any]) -> Any:
    try:
        return kind(rows)
    except (TypeError, ValueError):
        return rows


def check(given: tuple[str, Any]) -> Checked:
    """Returns texts that Arrow can store, or raises a ValueError with the expected and the given value."""
    check_name, value = given
    try:
        if check_name == "list":
            found: Any = as_list(value, check_name)
        elif check_name == "texts":
            found = check_texts(value, check_name)
            assert all(text.strip() for text in found)
            assert "".join(found).encode() or not found
            assert check_texts(found, check_name) == found
        elif check_name == "lists":
            found = check_reference_lists(value)
            assert check_reference_lists(found) == found
        elif check_name == "names":
            found = chosen_names(value, KNOWN)
            assert set(found) <= set(KNOWN)
        else:
            if not isinstance(value, dict):
                return Checked(REFUSED, "no options")
            found = check_options(value)
    except ValueError as error:
        return refused(str(error), ": expected " in str(error), 300)
    return Checked(SCORED, repr(found)[:10_000])
