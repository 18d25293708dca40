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
    rows_by_title = {}
    for part in TEXT.split("\n## ")[1:]:
        title, *lines = part.splitlines()
        rows = [
            [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")
        ]
        assert rows[0] == HEADING
        rows_by_title[title] = rows[2:]
    return rows_by_title


def test_all_three_papers_are_listed() -> None:
    assert [title.split(" (")[0] for title in tables()] == ["UNION", "OpenMEVA", "Plot-guided"]
    assert sum(map(len, tables().values())) >= 100


@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_has_a_verdict_and_a_reason(paper: str) -> None:
    for row in tables()[paper]:
        assert len(row) == len(HEADING), row
        section, claim, here, files, verdict, reason = row
        assert section
        assert claim
        assert here
        assert verdict in ("same", "different", "missing"), row
        assert bool(reason) == (verdict != "same"), (
            f"expected a reason exactly if the verdict is not same: {row}"
        )
        assert files or verdict == "missing", row


@pytest.mark.parametrize("paper", PAPERS)
def test_named_files_exist(paper: str) -> None:
    named = {name for row in tables()[paper] for name in re.findall(r"`([\w.-]+(?:/[\w.-]+)+)`", row[3])}
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
    for row in tables()[paper]:
        assert not re.sub(r"`[^`]+`|[, ]", "", row[3]), f"expected only files in backticks: {row[3]}"


def test_pairs_of_unions_ablation_equal_its_configuration() -> None:
    (pairs,) = re.findall(r"`--config roc_paper --pairs (\d+)`", TEXT)
    assert int(pairs) == read_config(UnionConfig, config_file("union", "roc_paper")).pairs
