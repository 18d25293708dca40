"""The command that builds AUTOS: what it reads, and which builds it replaces."""

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from openmeva.training.autos import command
from openmeva.training.autos.__main__ import main
from openmeva.training.autos.builder import Made
from openmeva.training.corpora.story_rows import StoryRow
from openmeva.training.files import checksum
from openmeva.training.paths import ROOT


class NoneMade:
    """A builder to which no technique applies."""

    grammar, seed = None, 0

    def discrimination(self, rows: Sequence[StoryRow]) -> Made:
        return Made([], Counter())

    def invariance(self, rows: Sequence[StoryRow], origin: str) -> Made:
        return Made([], Counter())


def test_a_build_takes_the_place_of_none_with_other_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "require_knowledge", lambda: None)
    monkeypatch.setattr(command, "_inputs", lambda how: {})
    monkeypatch.setattr(command, "builder_of", lambda *_: NoneMade())
    data, out = tmp_path / "data", tmp_path / "out"
    (data / "wp").mkdir(parents=True)
    rows = [{"story": f"Ann{number} sang. Bo went to sea.", "prompt": "A trip"} for number in range(60)]
    (data / "wp" / "stories.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = {"wp": {"train": ["wp/stories.jsonl"], "context": "prompt", "validation_share": 0.2}}
    (tmp_path / "autos.yaml").write_text(json.dumps(settings))
    monkeypatch.setattr(command, "CONFIGS", tmp_path)

    def built(*options: str) -> int:
        return main(["--data", str(data), "--config", "wp", "--out", str(out), *options])

    def lying() -> dict[str, str]:
        return {path.name: checksum(path) for path in (out / "wp").glob("*.parquet")}

    assert built("--share", "1") == built("--share", "1", "--processes", "2") == 0
    before = lying()
    assert built() == 2
    told = "expected --out FOLDER or --replace, since a build with share 1.0 (now not given), stories 60 (now"
    assert told in capsys.readouterr().err
    assert lying() == before
    assert built("--replace") == 0
    assert lying() != before
    mine = tmp_path / "mine.jsonl"
    mine.write_text('{"story": "He ran. He fell."}\n')
    shutil.copytree(ROOT / "datasets" / "autos" / "mini", out / "mini")
    assert main(["--config", "mini", "--stories", str(mine), "--out", str(out)]) == 2
    assert "since a build with unknown settings lies there" in capsys.readouterr().err


def test_long_stories_of_a_corpus_become_passages_and_a_share_takes_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stories = [
        f"Ann{number} sang in town. Bo went to sea. Cy ran to school. Di sold it all." for number in range(60)
    ]
    data = tmp_path / "data"
    (data / "wp").mkdir(parents=True)
    rows = "\n".join(json.dumps({"story": story, "prompt": "A trip"}) for story in stories)
    (data / "wp" / "stories.jsonl").write_text(rows + "\n", encoding="utf-8")
    settings = {
        "wp": {"train": ["wp/stories.jsonl"], "context": "prompt", "block_words": 10, "validation_share": 0.2}
    }
    (tmp_path / "autos.yaml").write_text(json.dumps(settings), encoding="utf-8")
    monkeypatch.setattr(command, "CONFIGS", tmp_path)
    some, _ = command._rows("wp", command.Building(["wp"], data=data))
    more, _ = command._rows("wp", command.Building(["wp"], data=data, share=1.0))
    assert 0 < len(some) < len(more) == 120
    assert {row["story_id"] for row in some} <= {row["story_id"] for row in more}
    assert all(len(row["story"].split(".")) == 3 for row in more)  # two sentences
    with pytest.raises(ValueError, match="--share: expected"):
        command.Building(["wp"], data=data, share=0)
