"""All stages from plots to training sets on a tiny corpus: killed in any stage, they end in the same files."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from openmeva.training.corpora.splits import CorpusConfig, data_checksums
from openmeva.training.files import checksum
from openmeva.training.plot_guided import training_sets as sets
from openmeva.training.plot_guided.adversarial_filtering.filtering import AdversarialFilter
from openmeva.training.plot_guided.generator.sampling import StorySampler
from openmeva.training.plot_guided.manipulations import stories as manipulators
from openmeva.training.plot_guided.negatives import stage as negatives
from openmeva.training.plot_guided.negatives import writer
from openmeva.training.plot_guided.negatives.config import SetOrDefault
from openmeva.training.plot_guided.set_counts import counts_table
from openmeva.training.stages import Stage, read_stage
from tests.tiny import plots as tiny_plots

import pyarrow as pa  # isort: skip
import pyarrow.parquet as pq  # isort: skip

NAMES = ["heur_sent_sub", "heur_key_sub", "union_data", "manplts", "af_manplts"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plots")
    tiny_plots.write_stories(folder)
    tiny_plots.write_generator(folder)
    return folder


@pytest.fixture(autouse=True)
def small_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manipulators, "event_model", tiny_plots.events)
    monkeypatch.setattr(negatives, "check_event_model", lambda name: None)
    monkeypatch.setattr(negatives, "CHUNK", 4)
    monkeypatch.setattr(sets, "CHUNK", 5)


def build(tiny: Path, out: Path) -> dict[str, str]:
    config = tiny_plots.negatives_config(tiny / "generator")
    return {name: checksum(path) for name, path in sets.build_sets(config, tiny, out, tiny / "cache").items()}


@pytest.fixture(scope="module")
def built(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    out = tmp_path_factory.mktemp("built")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manipulators, "event_model", tiny_plots.events)
        patch.setattr(negatives, "check_event_model", lambda name: None)
        patch.setattr(negatives, "CHUNK", 4)
        patch.setattr(sets, "CHUNK", 5)
        return out, build(tiny, out)


def test_all_sets_are_built_completely(tiny: Path, built: tuple[Path, dict[str, str]]) -> None:
    out, checksums = built
    assert list(checksums) == NAMES
    for name in NAMES:
        rows = read_stage(out / "sets" / f"{name}.parquet")
        manifest = json.loads((out / "sets" / f"{name}.json").read_text())
        assert sum(manifest["counts"].values()) == len(rows) > 0
        groups: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            groups.setdefault(row["group"], []).append(row)
        for group_rows in groups.values():
            assert [r["label"] for r in group_rows] == [1, 0]  # one negative each, as A is 1 here
            assert len({r["split"] for r in group_rows}) == 1
            assert group_rows[0]["story"] != group_rows[1]["story"]
    negatives = read_stage(out / "negatives.parquet")
    assert all(1 <= len(row["manipulations"]) <= 4 for row in negatives)
    assert any(len(row["manipulations"]) > 1 for row in negatives)
    assert {row["candidate"] for row in negatives} == {0, 1, 2}


def test_second_run_writes_nothing(
    tiny: Path, built: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, checksums = built

    def fail_if_written(*_: object) -> None:
        raise AssertionError("a file was written although nothing has changed")

    monkeypatch.setattr(Stage, "finish", fail_if_written)
    assert build(tiny, out) == checksums


def test_every_stage_is_out_of_date_if_the_stories_change(
    tiny: Path, built: tuple[Path, dict[str, str]]
) -> None:
    # human stories are read again in each stage: the checksum of the negatives does not identify them
    corpus = CorpusConfig.from_mapping(tiny_plots.negatives_config(tiny / "generator")["corpus"])
    manifests = sorted(built[0].rglob("*.json"))
    assert {path.stem for path in manifests} == {"negatives", "filtered", *NAMES}
    for path in manifests:
        assert json.loads(path.read_text())["settings"]["data"] == data_checksums(corpus, tiny), path.stem


@pytest.mark.parametrize(
    ("owner", "method", "calls"),
    [(StorySampler, "write", 1), (AdversarialFilter, "round", 1), (sets, "set_row", 7)],
    ids=["negatives", "filtering", "sets"],
)
def test_run_interrupted_in_any_stage_ends_in_the_same_files(
    tiny: Path,
    built: tuple[Path, dict[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    method: str,
    calls: int,
) -> None:
    original = getattr(owner, method)
    remaining_calls = calls

    def interrupted(*arguments: object, **keywords: object) -> object:
        nonlocal remaining_calls
        if not remaining_calls:
            raise KeyboardInterrupt
        remaining_calls -= 1
        return original(*arguments, **keywords)

    with monkeypatch.context() as patch:
        patch.setattr(owner, method, interrupted)
        with pytest.raises(KeyboardInterrupt):
            build(tiny, tmp_path)
    assert build(tiny, tmp_path) == built[1]


def test_split_shares_of_the_paper() -> None:
    config = {"splits": {"default": [90, 5], "af_manplts": [60, 20]}}
    assert sets.shares_of(config, "manplts") == (90, 5)
    assert sets.shares_of({}, "manplts") is None
    assert get_args(SetOrDefault) == (*NAMES, "default")
    shares = sets.shares_of(config, "af_manplts")
    counts = Counter(sets.split_of(str(group), shares) for group in range(4000))
    assert [counts[split] / 4000 for split in sets.SPLITS] == pytest.approx([0.6, 0.2, 0.2], abs=0.03)


def test_run_without_a_manipulation_writes_only_manplts(tiny: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    settings = tiny_plots.negatives_config(tiny / "generator", stories=4, candidates=1)
    config.write_text(yaml.safe_dump({**settings, "splits": {"default": [0, 0]}}))
    given = ["--config", str(config), "--data", str(tiny), "--cache", str(tiny / "cache")]
    sets.main([*given, "--out", str(tmp_path / "out"), "--without", "repetition"])
    rows = read_stage(tmp_path / "out" / "sets" / "manplts.parquet")
    assert rows
    assert {row["split"] for row in rows} == {"test"}
    assert all("repetition" not in row["manipulations"] for row in rows)
    assert [path.stem for path in (tmp_path / "out" / "sets").glob("*.parquet")] == ["manplts"]


@pytest.mark.parametrize("same", [True, False])
def test_same_plot_setting_samples_all_candidates_from_one_plot(
    tiny: Path, tmp_path: Path, same: bool
) -> None:
    config = tiny_plots.negatives_config(tiny / "generator", stories=4, candidates=3) | {"same_plot": same}
    plots: dict[str, set[str]] = {}
    for row in read_stage(negatives.make_negatives(config, tiny, tmp_path, tiny / "cache")):
        plots.setdefault(row["group"], set()).add(json.dumps(row["plot"]))
    assert len(plots) == 4
    assert all(len(group_plots) == 1 for group_plots in plots.values()) == same


def test_default_context_is_the_first_sentence(tiny: Path) -> None:
    config = tiny_plots.negatives_config(tiny / "generator")
    stories = negatives.load_plots(config, tiny, tiny / "cache").metrics

    def union_data(**context: str) -> list[Any]:
        corpus = {**config["corpus"], **context}
        make = sets.heuristic_samplers(stories, {**config, "corpus": corpus})["union_data"]
        return [make(index) for index in range(len(stories))]

    assert union_data() == union_data(context="first_sentence") != union_data(context="prompt")


def test_run_without_filtering_has_four_sets(
    tiny: Path, built: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    config = tiny_plots.negatives_config(tiny / "generator")
    del config["filtering"], config["plain"]
    paths = sets.build_sets(config, tiny, tmp_path, tiny / "cache")
    assert {name: checksum(path) for name, path in paths.items()} == {
        name: digest for name, digest in built[1].items() if name != "af_manplts"
    }
    with pytest.raises(ValueError, match=r"^filtering: expected"):
        sets.filter_negatives(
            config, lambda: pytest.fail("read"), tiny, tmp_path / "negatives.parquet", tmp_path
        )
    with pytest.raises(ValueError, match=r"^plain: expected"):
        negatives.make_plain(config, tiny, tmp_path, tiny / "cache")


def test_command_limits_the_number_of_stories(
    tiny: Path, built: tuple[Path, dict[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump(tiny_plots.negatives_config(tiny / "generator")))
    cache = str(tiny / "cache")
    given = ["--config", str(config), "--data", str(tiny), "--out", str(tmp_path), "--cache", cache]
    sets.main([*given, "--stories", "4"])
    negatives = read_stage(tmp_path / "negatives.parquet")
    all_negatives = read_stage(built[0] / "negatives.parquet")
    groups = list(dict.fromkeys(row["group"] for row in negatives))
    assert groups == list(dict.fromkeys(row["group"] for row in all_negatives))[:4]
    assert "| MANPLTS |" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        sets.main([*given, "--stories", "0"])
    assert "--stories: expected 1 or more, got 0" in capsys.readouterr().err


def test_empty_generated_story_is_in_no_set(
    tiny: Path, built: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    config = tiny_plots.negatives_config(tiny / "generator")
    table = pq.read_table(built[0] / "negatives.parquet")
    first = table["story"].to_pylist()
    blank = table.set_column(table.column_names.index("story"), "story", pa.array(["", *first[1:]]))
    pq.write_table(blank, tmp_path / "negatives.parquet")
    corpus = negatives.load_plots(config, tiny, tiny / "cache")
    path = sets.set_from_negatives(
        "manplts", tmp_path / "negatives.parquet", config, lambda: corpus, tiny, tmp_path / "sets"
    )
    negative_stories = [row["story"] for row in read_stage(path) if not row["label"]]
    assert negative_stories[0] == first[1], "the next candidate replaces it"
    assert all(story.strip() for story in negative_stories)


def test_human_stories_beside_generated_ones_are_in_the_generators_form(
    tiny: Path, built: tuple[Path, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (sets, writer):
        monkeypatch.setattr(module, "as_generated", lambda form, words: f"as {type(form).__name__} .")
    config = tiny_plots.negatives_config(
        tiny / "generator", plain={"temperatures": [0.8], "stories": 3, "beside_human": True}
    )
    corpus = negatives.load_plots(config, tiny, tiny / "cache")
    paths = [sets.set_from_negatives(
        "manplts", built[0] / "negatives.parquet", config, lambda: corpus, tiny, tmp_path
    ), *negatives.make_plain(config, tiny, tmp_path, tiny / "cache")]  # fmt: skip
    for path in paths:
        assert {row["story"] for row in read_stage(path) if row["label"]} == {"as NormalizedForm ."}


def test_filtering_reports_its_rounds(built: tuple[Path, dict[str, str]]) -> None:
    manifest = json.loads((built[0] / "filtered.json").read_text())
    assert len(manifest["accuracy"]) == len(manifest["replaced"]) == 3
    assert (built[0] / "filtered.png").read_bytes()[:4] == b"\x89PNG"


def test_plain_samples_come_from_original_plots(tiny: Path, tmp_path: Path) -> None:
    config = tiny_plots.negatives_config(tiny / "generator")
    paths = negatives.make_plain(config, tiny, tmp_path, tiny / "cache")
    assert [path.name for path in paths] == ["generator-tiny-t0.8.parquet", "generator-tiny-t1.0.parquet"]
    rows = read_stage(paths[0])
    assert len(rows) == 5
    assert {(row["label"], row["source"], tuple(row["manipulations"])) for row in rows} == {
        (0, "generator_tiny_t0.8", ())
    }


def test_empty_plain_samples_are_excluded(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        StorySampler, "write", lambda self, plots, keys: ["", *["he ran ."] * (len(plots) - 1)]
    )
    for beside_human, rows in ((False, 4), (True, 8)):
        plain = {"temperatures": [0.8], "stories": 5, "beside_human": beside_human}
        config = tiny_plots.negatives_config(tiny / "generator", plain=plain)
        samples = read_stage(
            negatives.make_plain(config, tiny, tmp_path / str(beside_human), tiny / "cache")[0]
        )
        assert len(samples) == rows
        assert all(row["story"].strip() for row in samples)


def test_plain_samples_are_paired_with_human_stories_of_similar_length(tiny: Path, tmp_path: Path) -> None:
    plain = {"temperatures": [0.8], "stories": 5, "beside_human": True}
    config = tiny_plots.negatives_config(tiny / "generator", plain=plain)
    rows = read_stage(negatives.make_plain(config, tiny, tmp_path, tiny / "cache")[0])
    assert [row["label"] for row in rows] == [1, 0] * 5
    for human, generated in zip(rows[::2], rows[1::2], strict=True):
        assert human["group"] == generated["group"]
        words = sorted(len(row["story"].split()) for row in (human, generated))
        assert words[1] - words[0] <= 12, "at most a sentence longer"


def test_default_split_shares_and_table_of_counts() -> None:
    splits = [sets.split_of(f"roc-train-{n:06d}") for n in range(5000)]
    assert [round(splits.count(split) / 5000, 1) for split in sets.SPLITS] == [0.8, 0.1, 0.1]
    table = counts_table("roc", {"manplts": {"train": 1500, "validation": 200, "test": 200}})
    assert "| MANPLTS | 1.5k / 0.2k / 0.2k | 47.1k / 5.9k / 5.9k |" in table
