"""The links of the READMEs lead somewhere, and the first page is one page."""

import re
from pathlib import Path

import pytest

from openmeva.training.paths import ROOT

READMES = [ROOT / folder / "README.md" for folder in ("", "metrics", "training", "spaces")]


@pytest.mark.parametrize("readme", READMES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(readme: Path) -> None:
    text = re.sub(r"```.*?```", "", readme.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text)]
    local = [link for link in links if link and not link.startswith("http")]
    assert [link for link in local if not (readme.parent / link).exists()] == []


def test_the_first_page_is_short() -> None:
    assert len(READMES[0].read_text(encoding="utf-8").split()) < 800
