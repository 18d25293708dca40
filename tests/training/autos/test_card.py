"""The card of AUTOS is consistent: the shares named in its text are those of its tables."""

import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from openmeva.training.autos.shortcuts import shortcuts_table
from openmeva.training.common.cards import read_card
from openmeva.training.text.story import parse

AUTOS = Path(__file__).parents[3] / "datasets" / "autos"
CARD = (AUTOS / "README.md").read_text(encoding="utf-8")
# `mini`, and the configurations that `make autos` has built from stories outside the repository
BUILT = sorted(path.parent.name for path in AUTOS.glob("*/discrimination.parquet"))


def shares(section: str) -> dict[str, list[float]]:
    """Aspect to the shares here (coherent, perturbed) and the paper's, from a section's table of counts."""
    table = CARD.partition(f"## {section}")[2].partition("\n## ")[0]
    rows = re.findall(
        r"^\| (\w+) \| \d+ \| \d+ \| ([\d.*]+) / ([\d.*]+) \| ([\d.]+) / ([\d.]+) \|$", table, re.M
    )
    return {name: [float(cell.strip("*")) for cell in cells] for name, *cells in rows}


@pytest.mark.parametrize(
    ("stated", "aspect", "column"),
    [
        ("Character behavior, perturbed", "character_behavior", 1),
        ("common sense, perturbed", "common_sense", 1),
        ("Consistency, coherent", "consistency", 0),
        ("Punctuation, perturbed incoherent stories", "punctuation", 1),
    ],
)
def test_shares_in_the_text_match_the_table(stated: str, aspect: str, column: int) -> None:
    ours, paper = re.search(rf"\*\*{stated}\*\* \((\.\d+), (?:paper )?(\.\d+)\)", CARD).groups()  # type: ignore[union-attr]
    table_shares = shares("Counts for ROCStories")[aspect]
    assert float(ours) == pytest.approx(table_shares[column], abs=0.0051)
    assert float(paper) == pytest.approx(table_shares[2 + column], abs=0.0051)


@pytest.mark.parametrize("section", ["Counts for ROCStories", "Counts for WritingPrompts"])
def test_shares_off_by_more_than_a_factor_of_two_are_starred(section: str) -> None:
    table = CARD.partition(f"## {section}")[2].partition("\n## ")[0]
    assert len(shares(section)) == 13
    for name, (*ours, first, second) in shares(section).items():
        row = next(line for line in table.splitlines() if line.startswith(f"| {name} |"))
        stars = [cell.strip().endswith("*") for cell in row.split("|")[4].split("/")]
        assert stars == [not 0.5 <= a / b <= 2 for a, b in zip(ours, (first, second), strict=True)], name


def test_share_of_semantic_repetition_in_long_stories() -> None:
    (stated,) = re.findall(r"Semantic repetition applies to (\.\d+) of the\sstories", CARD)
    assert float(stated) == pytest.approx(
        shares("Counts for WritingPrompts")["semantic_repetition"][1], abs=0.0051
    )


@pytest.mark.parametrize(
    ("stated", "aspect", "technique"),
    [
        (r"the (\d+) rows of\s+`neighbor_substitution`", "common_sense", "neighbor_substitution"),
        (r"the (\d+) coherent examples of common sense", "common_sense", None),
        (r"the (\d+) rows of `synonym_substitution`", "synonym", "synonym_substitution"),
        (r"the (\d+) rows of `antonym_substitution`", "consistency", "antonym_substitution"),
    ],
)
def test_card_counts_the_rows_of_mini_from_lexical_resources(
    stated: str, aspect: str, technique: str | None
) -> None:
    text = CARD.partition("## Licence of the source data")[2]
    assert "[CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/)" in text
    (count,) = re.findall(stated, text)
    rows = [row for path in (AUTOS / "mini").glob("*.parquet") for row in pq.read_table(path).to_pylist()]
    assert int(count) == sum((row["aspect"], row["technique"]) == (aspect, technique) for row in rows)


def discrimination(name: str) -> list[dict[str, Any]]:
    """The rows of a configuration's discrimination test."""
    return table_rows(name, "discrimination")


def table_rows(name: str, test: str) -> list[dict[str, Any]]:
    """The rows of one of a configuration's tests."""
    rows: list[dict[str, Any]] = pq.read_table(AUTOS / name / f"{test}.parquet").to_pylist()
    return rows


def cells_by_aspect(section: str) -> dict[str, list[str]]:
    """Aspect to the other cells of its row, from the first table of a section."""
    lines = CARD.partition(f"\n## {section}\n")[2].partition("\n| aspect |")[2].splitlines()[2:]
    table = lines[: next(number for number, line in enumerate(lines) if not line.startswith("|"))]
    rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table)
    return {name: cells for name, *cells in rows}


COUNTED = {"mini": "Counts of `mini`", "roc": "Counts for ROCStories", "wp": "Counts for WritingPrompts"}


@pytest.mark.parametrize("name", BUILT)
def test_card_counts_the_rows_of_each_aspect(name: str) -> None:
    stated = {aspect: list(map(int, cells[:2])) for aspect, cells in cells_by_aspect(COUNTED[name]).items()}
    counts: dict[str, list[int]] = {}
    for row in discrimination(name):
        counts.setdefault(row["aspect"], [0, 0])[1 - row["label"]] += 1
    for row in table_rows(name, "invariance"):
        if row["label"] == 0:
            counts.setdefault(row["aspect"], [0, 0])[row["origin"] != "human"] += 1
    assert stated == counts


def test_card_gives_the_lexical_shortcuts_of_mini() -> None:
    stated = cells_by_aspect("Lexical shortcuts")
    found: dict[str, list[str]] = {}
    for test in ("discrimination", "invariance"):
        for line in shortcuts_table(table_rows("mini", test)).splitlines()[2:]:
            name, count, opening, _, word, best_word, phrase, _ = [
                cell.strip() for cell in line.strip().strip("|").split("|")
            ]
            found[name] = [count, opening, word, phrase, best_word]
    assert stated == found


@pytest.mark.parametrize("name", BUILT)
def test_card_counts_the_passages_of_long_stories_and_their_prompts(name: str) -> None:
    """The counts are those of `wp`; in the other configurations no story is split into passages."""
    text = CARD.partition("## Counts of `mini`")[0]
    counts = re.search(
        r"`wp` as counted below has ([\d,]+) passages: (\d+) begin in mid-story, the mean length is (\d+) words, and (\d+) "
        r"have an empty\s+context\. .*? (\d+) of the (\d+) stories came without a prompt",
        text,
        re.DOTALL,
    )
    assert counts is not None
    originals = {row["story_id"]: row for row in discrimination(name) if row["label"] == 1}
    later = {story for story in originals if re.search(r"-\d+-\d+$", story)}
    if name != "wp":
        assert not later
        return
    whole_stories = [row for story, row in originals.items() if story not in later]
    assert [int(count.replace(",", "")) for count in counts.groups()] == [
        len(originals),
        len(later),
        round(sum(len(row["story"].split()) for row in originals.values()) / len(originals)),
        sum(not row["context"] for row in originals.values()),
        sum(not row["context"] for row in whole_stories),
        len(whole_stories),
    ]


@pytest.mark.parametrize("name", BUILT)
def test_share_of_sentences_changed_by_negation(name: str) -> None:
    (stated,) = re.findall(rf"it changes [^.]*?(\d+) %[^,.%]*in `{name}`", CARD)
    rows = discrimination(name)
    stories = {row["story_id"]: row["story"] for row in rows if row["label"] == 1}
    negated = [row for row in rows if row["technique"] == "negation_alteration"][:300]
    originals = parse([stories[row["perturbed_from"]] for row in negated])
    changed = [
        sum(
            any(s.start <= span["original_start"] < s.end for span in row["changed_spans"])
            for s in story.sentences
        )
        for row, story in zip(negated, originals, strict=True)
    ]
    assert sum(changed) / sum(map(len, originals)) == pytest.approx(int(stated) / 100, abs=0.0051)


def test_card_gives_the_number_of_rows_of_mini() -> None:
    """`datasets` prepares a folder again only if its card has changed, not if its files have."""
    (info,) = read_card(AUTOS / "README.md")[0]["dataset_info"]
    assert info["config_name"] == "mini"
    rows = {split["name"]: split["num_examples"] for split in info["splits"]}
    assert rows == {name: pq.read_metadata(AUTOS / "mini" / f"{name}.parquet").num_rows for name in rows}
    assert set(rows) == {"discrimination", "invariance"}
