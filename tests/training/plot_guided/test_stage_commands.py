"""Stages report bad input in one line, with exit status 2, and accept settings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from openmeva.training.common.config import config_file, read_mapping
from openmeva.training.paths import CONFIGS
from openmeva.training.plot_guided import training_sets
from openmeva.training.plot_guided.adversarial_filtering import __main__ as filtering
from openmeva.training.plot_guided.adversarial_filtering.committee import MEMBERS
from openmeva.training.plot_guided.negatives import __main__ as negatives
from openmeva.training.plot_guided.negatives.config import FilteringConfig, PlotNegativesConfig
from openmeva.training.plot_guided.negatives.stage import settings
from openmeva.training.plot_guided.plots import __main__ as plots

Main = Callable[[list[str]], None]
STAGES: dict[str, Any] = {"negatives": negatives, "filtering": filtering, "training_sets": training_sets}


def error(main: Main, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The message of a command that exits with status 2."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    return said


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--config", "nope"], "nope: no such configuration; training/configs/plot_negatives has roc"),
        (["--config", "roc", "--set", "filtering.members=[word]"], "filtering.members.0: input should be"),
        (["--config", "roc", "--set", "sed=1"], "unknown key sed; did you mean seed?"),
        (["--config", "roc", "--set", "generator=GENERATOR", "generator_config=null"], "No such file"),
    ],
)
def test_what_is_wrong_is_told(
    stage: str, given: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [one.replace("GENERATOR", str(tmp_path)) for one in given]
    folders = ["--data", str(tmp_path), "--out", str(tmp_path / "out")]
    assert message in error(STAGES[stage].main, [*given, *folders], capsys)


@pytest.mark.parametrize("stage", STAGES)
def test_settings_reach_the_stage(stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(STAGES[stage], "make", lambda config, given: found.append(config))
    STAGES[stage].main(["--config", "roc", "--data", str(tmp_path), "--set", "seed=7", "corpus=wp"])
    assert (found[0]["seed"], found[0]["corpus"]["context"]) == (7, "prompt")


@pytest.mark.parametrize("name", sorted(path.stem for path in (CONFIGS / "plot_negatives").glob("*.yaml")))
def test_settings_take_a_corpus_as_it_is_prepared(name: str, tmp_path: Path) -> None:
    config = read_mapping(PlotNegativesConfig, config_file("plot_negatives", name))
    prepared = ("roc/train.jsonl.gz", "roc/validation.jsonl.gz", "wp/train.jsonl.gz")
    for file in (*prepared, *config["corpus"].get("exclude", ()), "model.safetensors"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(b"")
    read = settings(config, tmp_path, tmp_path)["data"]
    assert any(file.endswith("train.jsonl.gz") for file in read)


@pytest.mark.parametrize("corpus", ["roc", "wp"])
def test_published_plots_that_are_missing_are_told(
    corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert str(tmp_path) in error(plots.main, ["--corpus", corpus, "--data", str(tmp_path)], capsys)


def test_no_published_plot_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "roc").mkdir()
    (tmp_path / "roc" / "plot_guided_lm_dev.txt.gz").write_bytes(b"")
    assert "one published plot or more" in error(
        plots.main, ["--data", str(tmp_path), "--limit", "0"], capsys
    )


def test_a_configuration_takes_the_members_that_there_are() -> None:
    (member, _) = get_args(get_type_hints(FilteringConfig)["members"])
    assert get_args(member) == tuple(MEMBERS)
