"""The links of the READMEs are valid, and the first page is one page long."""

import re
import subprocess
from pathlib import Path

import pytest

from openmeva.training.paths import ROOT
from openmeva.training.scoring.columns import read_stories

READMES = [ROOT / folder / "README.md" for folder in ("", "metrics", "training", "spaces")]


@pytest.mark.parametrize("readme", READMES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_are_valid(readme: Path) -> None:
    text = re.sub(r"```.*?```", "", readme.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text)]
    local = [link for link in links if link and not link.startswith("http")]
    assert [link for link in local if not (readme.parent / link).exists()] == []


def test_first_page_is_at_most_500_words() -> None:
    """Including tables and code, but not the lines between cells."""
    words = [word for word in READMES[0].read_text(encoding="utf-8").split() if re.search(r"\w", word)]
    assert len(words) <= 500


def test_first_commands_name_a_tracked_story_file() -> None:
    """They name an existing file, whose stories can be scored; later commands name the user's own files."""
    (first,) = re.findall(
        r"^```bash\npip install .*?^```", READMES[0].read_text(encoding="utf-8"), re.M | re.DOTALL
    )
    (name,) = re.findall(r"^openmeva score (\S+)$", first, re.M)
    assert len(read_stories(ROOT / name)) > 100
    listed = subprocess.run(["git", "ls-files", name], cwd=ROOT, capture_output=True, text=True, check=True)
    assert listed.stdout.strip() == name
