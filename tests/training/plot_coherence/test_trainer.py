"""From stories to groups: finished stages are not run again."""

import json
from pathlib import Path

import pytest

from openmeva.training.classifier.rows import load_rows
from openmeva.training.classifier.rows_config import RowsConfig
from openmeva.training.common.config import parse, read_config
from openmeva.training.files import checksum
from openmeva.training.graded import groups
from openmeva.training.graded.groups import group_file, make_groups
from openmeva.training.negatives.groups import GroupRow, write_groups
from openmeva.training.paths import ROOT
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.plot_coherence.groups import main
from tests.mini_stories import sentences_of
from tests.tiny.classifier import GRADED

TINY = parse(PlotCoherenceConfig, {"name": "tiny", "seed": 1})


def test_graded_groups_are_generated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stories = [" ".join(sentences) for sentences in sentences_of("roc")[:24]]
    (tmp_path / "stories.jsonl").write_text("".join(json.dumps({"story": s}) + "\n" for s in stories))
    settings = {
        "name": "mini",
        "corpus": {"train": ["stories.jsonl"], "validation_share": 0.3},
        **GRADED,
    }
    config = parse(RowsConfig, {"graded": [settings], "seed": 5})
    train, validation, provenance = load_rows(config, tmp_path, tmp_path / "run", tmp_path / "cache")
    written = group_file(tmp_path / "run", "mini", "train")
    before = written.stat().st_mtime_ns
    make_groups(settings, tmp_path, tmp_path / "run", tmp_path / "cache", 5)
    assert written.stat().st_mtime_ns == before, "a second run does nothing"
    first = written.read_bytes()
    config_of_seed_5 = {"name": "mini", "seed": 1, "data_seed": 5, "graded": [settings]}
    (tmp_path / "config.yaml").write_text(json.dumps(config_of_seed_5))
    folders = [f"--{name}={tmp_path / name}" for name in ("run", "cache")]
    main(["--config", str(tmp_path / "config.yaml"), "--data", str(tmp_path), *folders])
    assert written.stat().st_mtime_ns == before, "the command samples as the trainer does"
    make_groups({**settings, "paraphrase_stories": 5}, tmp_path, tmp_path / "run", tmp_path / "cache", 5)
    make_groups(settings, tmp_path, tmp_path / "run", tmp_path / "cache", 5)
    assert written.read_bytes() == first, "the same settings give the same file"
    none = make_groups(
        {**settings, "validation_stories": 0}, tmp_path, tmp_path / "none", tmp_path / "cache", 5
    )
    assert (none["validation"]["groups"], none["train"]) == (0, provenance["graded"]["mini"]["train"])
    without = parse(RowsConfig, {"graded": [{**settings, "validation_stories": 0}], "seed": 5})
    assert load_rows(without, tmp_path, tmp_path / "none", tmp_path / "cache")[:2] == (train, [])
    monkeypatch.setattr(groups, "text_inputs", lambda: {"tagger": "another"})
    again = make_groups(settings, tmp_path, tmp_path / "run", tmp_path / "cache", 5)
    assert again["lent"]["tagger"] == "another", "groups are made again with another tagger"
    monkeypatch.undo()
    group_file(tmp_path / "run", "mini", "validation").unlink()
    provenance_again = make_groups(settings, tmp_path, tmp_path / "run", tmp_path / "cache", 5)
    assert group_file(tmp_path / "run", "mini", "validation").is_file(), "missing files are generated again"
    assert json.loads((tmp_path / "run" / "graded-mini.json").read_text())["duplicates"] == 0
    assert provenance_again["data"] == {"stories.jsonl": checksum(tmp_path / "stories.jsonl")}
    assert provenance_again["files"]["train"] == checksum(written)
    assert provenance["graded"]["mini"]["train"]["groups"] == 8
    human = {row.group: row for row in train if row.label == 1}
    assert len(human) == 8
    assert not set(human) & {row.group for row in validation}
    for row in train:
        words, original = row.story.split(), human[row.group].story.split()
        corrupted = set(row.corrupted_words or [])
        assert all(word in original for index, word in enumerate(words) if index not in corrupted)
        assert bool(corrupted) is (row.label == 0) or "negation" in row.source or "repetition" in row.source


def test_rows_of_files_are_split_by_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        GroupRow(str(g), f"she ran {g} .", "x", label, -1 if not label else 0)
        for g in range(60)
        for label in (1, 0)
    ]
    write_groups(tmp_path / "rows.parquet", rows)
    file = {"path": str(tmp_path / "rows.parquet"), "groups": 50, "share": 0.2}
    config = parse(RowsConfig, {"files": [file], "seed": 1})
    train, validation, provenance = load_rows(config, tmp_path, tmp_path, tmp_path)
    assert len(train) + len(validation) == 100
    assert 4 <= len(validation) / 2 <= 18
    assert not {row.group for row in train} & {row.group for row in validation}
    assert len(next(iter(provenance["data"].values()))) == 64


def test_draw_seed_fixes_the_sampled_groups(tmp_path: Path) -> None:
    rows = [GroupRow(str(g), f"she ran {g} .", "x", 1) for g in range(60)]
    write_groups(tmp_path / "rows.parquet", rows)
    settings = {"files": [{"path": str(tmp_path / "rows.parquet")}], "groups": 20, "validation_groups": 1}

    def sampled_rows(**changes: int) -> list[list[GroupRow]]:
        return list(load_rows(parse(RowsConfig, {**settings, **changes}), tmp_path, tmp_path, tmp_path)[:2])

    assert sampled_rows(seed=1, draw_seed=7) == sampled_rows(seed=2, draw_seed=7)
    assert sampled_rows(seed=1, draw_seed=2) == sampled_rows(seed=2)
    assert sampled_rows(seed=1) != sampled_rows(seed=2)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "training/configs/plot_coherence").glob("*.yaml")), ids=lambda p: p.stem
)
def test_configurations_name_existing_files(path: Path) -> None:
    config = read_config(PlotCoherenceConfig, path)
    files = [config.first, config.training_sets, config.teacher and config.teacher.config]
    assert all((ROOT / name).is_file() for name in files if name)
    if config.first and config.start:
        first = read_config(PlotCoherenceConfig, ROOT / config.first)
        assert config.start.startswith("runs/plot_coherence-")
        assert first.adapter
        assert config.adapter
        assert first.adapter.rank <= config.adapter.rank
