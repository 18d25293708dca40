"""AUTOS: the rows, the files, interrupted builds, bad lines, the mini configuration in the repository."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from unittest import mock

import datasets
import pyarrow.parquet as pq
import pytest

from openmeva.metrics.core.files import FULL_MODEL
from openmeva.training.autos import build as autos
from openmeva.training.autos import command
from openmeva.training.autos.builder import AutosBuilder, BuiltRows, Row
from openmeva.training.autos.command import AutosBuildOptions, _inputs, _sources, build_autos
from openmeva.training.autos.counts import PAPER, counts, counts_table, yield_table
from openmeva.training.common.checkpoint import weights_file
from openmeva.training.corpora.story_rows import BadLinesError, StoryRow, read_story_rows
from openmeva.training.files import checksum
from openmeva.training.paths import ENCODER, ROOT, WEIGHTS
from openmeva.training.perturbations import ASPECTS, StoryPool, parse
from openmeva.training.perturbations.paraphrasers import RuleParaphraser
from openmeva.training.text.tagged_corpus import shipped_tagger_checksum
from tests.mini_stories import MINI, mini


def all_alike(pairs: Sequence[tuple[str, str]]) -> list[float]:
    return [0.3] * len(pairs)


@pytest.fixture(scope="module")
def rows(everyday_facts: None) -> list[StoryRow]:
    return read_story_rows(MINI, limit=12)[0]


@pytest.fixture(scope="module")
def builder(rows: list[StoryRow]) -> AutosBuilder:
    corpus = StoryPool(parse([row["story"] for row in rows]))
    return AutosBuilder(corpus, RuleParaphraser(), all_alike, seed=1)


def test_built_rows_follow_the_schema_and_include_originals(
    rows: list[StoryRow], builder: AutosBuilder, tmp_path: Path
) -> None:
    tables = autos.build(rows, builder, tmp_path / "roc", progress=False)
    assert {path.name for path in (tmp_path / "roc").iterdir() if path.name != ".lock"} == {
        "discrimination.parquet",
        "invariance.parquet",
    }
    stories = {row["story_id"]: row["story"] for row in rows}
    for split, content in tables.items():
        assert pq.read_table(tmp_path / "roc" / f"{split}.parquet", schema=autos.SCHEMA).equals(content)
        split_rows = content.to_pylist()
        keys = [(row["story_id"], row["aspect"], row["origin"]) for row in split_rows]
        assert len(keys) == len(set(keys))
        assert {ASPECTS[row["aspect"]].kind for row in split_rows} == {split}
        for row in split_rows:
            assert (row["label"] == 0) == (row["perturbed_from"] is not None)
            assert row["story"].startswith(row["context"])
            if row["label"] == 1 and row["origin"] == "human":
                assert row["story"] == stories[row["story_id"]]
    invariance = tables["invariance"].to_pylist()
    originals = {(row["story_id"], row["aspect"]) for row in invariance if row["label"] == 1}
    assert all((row["perturbed_from"], row["aspect"]) in originals for row in invariance if row["label"] == 0)
    assert {row["origin"] for row in invariance} == {"human", "discrimination"}


def test_interrupted_build_resumes_with_the_same_rows(
    rows: list[StoryRow], builder: AutosBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autos, "CHUNK", 5)
    whole = autos.build(rows, builder, tmp_path / "whole", progress=False)
    calls = []
    original_invariance = AutosBuilder.invariance

    def interrupted(self: AutosBuilder, part: Sequence[StoryRow], origin: str) -> BuiltRows:
        calls.append(origin)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original_invariance(self, part, origin)

    monkeypatch.setattr(AutosBuilder, "invariance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        autos.build(rows, builder, tmp_path / "broken", progress=False)
    assert not list((tmp_path / "broken").glob("*.parquet"))
    assert not list((tmp_path / "broken").rglob("*.tmp"))
    rebuilt: list[int] = []
    monkeypatch.setattr(AutosBuilder, "invariance", original_invariance)
    original_discrimination = AutosBuilder.discrimination

    def counting_discrimination(self: AutosBuilder, part: Sequence[StoryRow]) -> BuiltRows:
        rebuilt.append(len(part))
        return original_discrimination(self, part)

    monkeypatch.setattr(AutosBuilder, "discrimination", counting_discrimination)
    resumed = autos.build(rows, builder, tmp_path / "broken", progress=False)
    assert not rebuilt  # the first stage was done already
    assert all(resumed[split].equals(whole[split]) for split in autos.SPLITS)


def test_parts_that_other_rules_made_are_not_reused(
    rows: list[StoryRow], builder: AutosBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = mock.Mock(side_effect=AutosBuilder.discrimination, spec=AutosBuilder.discrimination)
    monkeypatch.setattr(AutosBuilder, "discrimination", lambda *given: made(*given))
    monkeypatch.setattr(AutosBuilder, "invariance", mock.Mock(side_effect=KeyboardInterrupt))
    for rules, times in (("old", 1), ("old", 1), ("new", 2)):
        monkeypatch.setattr(autos, "rules_checksum", lambda folders, rules=rules: rules)
        with pytest.raises(KeyboardInterrupt):
            autos.build(rows, builder, tmp_path, progress=False)
        assert made.call_count == times


def test_concurrent_build_is_rejected_and_parts_of_other_builds_are_kept(
    rows: list[StoryRow], builder: AutosBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_builder = AutosBuilder(builder.corpus, builder.paraphraser, builder.similarity, seed=2)
    folder = tmp_path / "both"
    seeds: list[int] = []
    original = AutosBuilder.discrimination

    def build_twice(self: AutosBuilder, part: Sequence[StoryRow]) -> BuiltRows:
        seeds.append(self.seed)
        if len(seeds) == 1:
            with pytest.raises(
                ValueError, match="both: another build is writing here; wait for it, or choose"
            ):
                autos.build(rows[:3], other_builder, folder, progress=False)
        return original(self, part)

    monkeypatch.setattr(AutosBuilder, "discrimination", build_twice)
    monkeypatch.setattr(autos, "CHUNK", 2)
    kept = folder / ".parts" / "of another build" / "0000000.parquet"
    kept.parent.mkdir(parents=True)
    kept.touch()
    (folder / ".invariance.parquet.killed.tmp").touch()
    first = autos.build(rows[:3], builder, folder, progress=False)
    assert seeds == [1, 1]
    assert [path for path in (folder / ".parts").rglob("*") if path.is_file()] == [kept]
    assert not list(folder.glob("*.tmp"))
    alone = autos.build(rows[:3], builder, tmp_path / "alone", progress=False)
    for split in autos.SPLITS:
        assert pq.read_table(folder / f"{split}.parquet").equals(first[split])
        assert first[split].equals(alone[split])


def test_grammar_filter_does_not_apply_to_typos(rows: list[StoryRow], builder: AutosBuilder) -> None:
    strict = AutosBuilder(
        builder.corpus, builder.paraphraser, builder.similarity, 1, lambda s: [0.4] * len(s)
    )
    result = strict.discrimination(rows[:6])
    assert (
        result.unfiltered_counts == AutosBuilder.discrimination(builder, rows[:6]).unfiltered_counts
    )  # counted before the filter
    techniques = {row["technique"] for row in result.rows if row["label"] == 0}
    assert techniques <= {"sentence_repetition"}  # which has no new sentence
    assert {row["aspect"] for row in strict.invariance(rows[:3], "human").rows if row["label"] == 0} == {
        "typo"
    }


def test_parallel_build_gives_the_same_rows(
    rows: list[StoryRow], builder: AutosBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autos, "CHUNK", 3)
    sequential = autos.build(rows[:6], builder, tmp_path / "one", progress=False)
    parallel = autos.build(rows[:6], builder, tmp_path / "two", progress=False, processes=2)
    for split in autos.SPLITS:
        assert sequential[split].equals(parallel[split], check_metadata=True)
        assert json.loads(
            pq.read_schema(tmp_path / "two" / f"{split}.parquet").metadata[autos.UNFILTERED_COUNTS]
        )


def test_yield_is_relative_to_the_perturbed_stories() -> None:
    rows: list[Row] = [{"aspect": "typo", "label": label} for label in (0, 0, 1)]
    lines = yield_table([], rows, {"typo": 2, "synonym": 2}).splitlines()
    assert lines[2:] == ["| typo | 2 | 2 | 1.000 |", "| synonym | 2 | 0 | 0.000 |", "| all | 4 | 2 | 0.500 |"]


def test_command_builds_from_the_training_corpora(
    everyday_facts: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stories = [row["story"] for row in mini()[:3]]
    data = tmp_path / "data"
    (data / "roc").mkdir(parents=True)
    lines = "\n".join(json.dumps({"story": story}) for story in stories)
    (data / "roc" / "validation.jsonl").write_text(lines + "\n", encoding="utf-8")
    settings = {"roc": {"train": ["none.jsonl"], "validation": ["roc/validation.jsonl"]}}
    (tmp_path / "autos.yaml").write_text(json.dumps(settings), encoding="utf-8")
    monkeypatch.setattr(command, "CONFIGS", tmp_path)
    monkeypatch.setattr(command, "MoverSimilarity", lambda: all_alike)
    build_autos(AutosBuildOptions(["roc"], data=data, out=tmp_path / "out", grammar="none"))
    printed = capsys.readouterr().out
    assert "roc: 3 stories" in printed
    assert str(tmp_path / "out" / "roc" / "invariance.parquet") in printed
    builds = autos.existing_builds(tmp_path / "out" / "roc")
    assert len(builds) == 2
    for recorded in builds:
        sums = recorded["settings"]["sha256"]
        assert sums["stories"] == {"roc/validation.jsonl": checksum(data / "roc" / "validation.jsonl")}
        assert sums["grammar"] is None
    built = pq.read_table(tmp_path / "out" / "roc" / "discrimination.parquet").to_pylist()
    ids = {row["story_id"] for row in built if row["label"] == 1}
    assert ids
    assert ids <= {f"validation-{number:06d}" for number in (1, 2, 3)}
    with pytest.raises(ValueError, match="no such file"):
        build_autos(AutosBuildOptions(["roc"], data=tmp_path / "none", out=tmp_path / "out"))


def test_counts_table_compares_with_the_paper() -> None:
    rows = [
        {"aspect": "typo", "label": 0, "origin": "human"},
        {"aspect": "typo", "label": 1, "origin": "human"},
    ]
    assert counts([], rows) == {"typo": (1, 0)}
    lines = counts_table([], rows, 1, "roc").splitlines()
    assert len(lines) == 2 + len(PAPER["roc"]) == 2 + len(ASPECTS)
    assert lines[-1] == "| typo | 1 | 0 | 1.000 / 0.000* | 0.969 / 0.970 |"
    assert "| 1.000 / 0.825 |" in lines[2], "coherent examples are of those that pass the filter"


def test_bad_lines_are_reported_by_number(tmp_path: Path) -> None:
    lines = [
        json.dumps({"story_id": "a", "story": "He ran. He fell."}),
        "{not json",
        json.dumps({"text": "He ran. He fell."}),
        json.dumps({"story": "   "}),
        json.dumps({"story": "Only one sentence."}),
        json.dumps({"story_id": "a", "story": "Again. The same id."}),
        json.dumps({"story": "Nora sang. She won.", "context": "A contest."}),
    ]
    path = tmp_path / "stories.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(
        BadLinesError, match=r"5 bad lines:(.|\n)*line 2: expected a JSON object(.|\n)*line 5"
    ):
        read_story_rows(path)
    rows, bad = read_story_rows(path, skip_bad=True)
    assert [(row["story_id"], row["context"], row["keep"]) for row in rows] == [
        ("a", "He ran.", 1),
        ("000007", "A contest.", 0),
    ]
    assert [message.split(": ")[0].rpartition(" ")[2] for message in bad] == ["2", "3", "4", "5", "6"]


def test_file_without_stories_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="at least one story"):
        read_story_rows(path)


def test_mini_configuration_loads_by_name() -> None:
    mini = datasets.load_dataset(str(ROOT / "datasets" / "autos"), "mini")
    assert set(mini) == {"discrimination", "invariance"}
    assert mini["discrimination"].column_names == autos.SCHEMA.names
    assert set(mini["discrimination"]["aspect"]) | set(mini["invariance"]["aspect"]) == set(ASPECTS)
    originals = {row["story_id"] for row in mini["discrimination"] if row["label"] == 1}
    assert {row["perturbed_from"] for row in mini["discrimination"] if row["label"] == 0} <= originals


def test_mini_records_checksums_of_its_inputs() -> None:
    expected = {
        "stories": {MINI.name: checksum(MINI)},
        "grammar": checksum(weights_file(WEIGHTS / "grammar")),
        "encoder": checksum(ENCODER / FULL_MODEL),
        "tagger": shipped_tagger_checksum(),
    }
    built = autos.existing_builds(ROOT / "datasets" / "autos" / "mini")
    assert len(built) == 2
    for sums in (build["settings"]["sha256"] for build in built):
        assert {name: sums[name] for name in expected} == expected
        assert all(re.fullmatch("[0-9a-f]{64}", sums[name]) for name in ("conceptnet", "wordnet"))


def test_missing_inputs_are_recorded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_resource", lambda name: None)
    monkeypatch.setattr(command, "lexicon_files", dict)
    sums = _sources("roc", AutosBuildOptions(("roc",), stories="-", grammar="none"))
    assert (sums["stories"], sums["conceptnet"], sums["wordnet"], sums["grammar"]) == ({}, None, None, None)


def test_changed_inputs_change_the_checksums_of_a_build(tmp_path: Path) -> None:
    translations = tmp_path / "back.json"
    translations.write_text("{}")
    options = AutosBuildOptions(
        ("roc",), stories=tmp_path / "stories.txt", paraphrases=str(translations), grammar="none"
    )
    before = _inputs(options)
    assert {"wordnet", "encoder", "paraphrases"} <= set(before)
    assert "grammar" in _inputs(replace(options, grammar="default"))
    translations.write_text('{"He ran.": ["He was running."]}')
    assert {name for name, digest in _inputs(options).items() if digest != before[name]} == {"paraphrases"}
