"""`training/PAPERS.md` names files that exist, and every row says whether it is the same as the paper, or why not."""

import re

import pytest

from openmeva.training.common.config import config_file, read_config
from openmeva.training.paths import ROOT
from openmeva.training.union.config import UnionConfig

TEXT = (ROOT / "training" / "PAPERS.md").read_text(encoding="utf-8")
HEADING = ["section", "the paper", "here", "where", "same?", "why"]
PAPERS = re.findall(r"^## (.+)$", TEXT, flags=re.MULTILINE)


def tables() -> dict[str, list[list[str]]]:
    """The rows of each paper's table, as lists of cells."""
    found = {}
    for part in TEXT.split("\n## ")[1:]:
        title, *lines = part.splitlines()
        rows = [
            [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")
        ]
        assert rows[0] == HEADING
        found[title] = rows[2:]
    return found


def test_all_three_papers_are_there() -> None:
    assert [title.split(" (")[0] for title in tables()] == ["UNION", "OpenMEVA", "Plot-guided"]
    assert sum(map(len, tables().values())) >= 100


@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_says_same_different_or_missing_and_why(paper: str) -> None:
    for row in tables()[paper]:
        assert len(row) == len(HEADING), row
        section, claim, here, where, verdict, why = row
        assert section
        assert claim
        assert here
        assert verdict in ("same", "different", "missing"), row
        assert bool(why) == (verdict != "same"), f"a reason where it is not the same: {row}"
        assert where or verdict == "missing", row


@pytest.mark.parametrize("paper", PAPERS)
def test_every_file_that_it_names_exists(paper: str) -> None:
    named = {name for row in tables()[paper] for name in re.findall(r"`([\w.-]+(?:/[\w.-]+)+)`", row[3])}
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
    for row in tables()[paper]:
        assert not re.sub(r"`[^`]+`|[, ]", "", row[3]), f"files alone, in backticks: {row[3]}"


def test_the_budget_of_unions_ablation_is_that_of_its_configuration() -> None:
    (pairs,) = re.findall(r"`--config roc_paper --pairs (\d+)`", TEXT)
    assert int(pairs) == read_config(UnionConfig, config_file("union", "roc_paper")).pairs
