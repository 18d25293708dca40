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


def error_message(main: Main, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The message of a command that exits with status 2."""
    with pytest.raises(SystemExit) as exit_info:
        main(arguments)
    assert exit_info.value.code == 2
    output = capsys.readouterr().err
    assert output.startswith("error: ")
    return output


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--config", "nope"], "nope: no such configuration; training/configs/plot_negatives has roc"),
        (["--config", "roc", "--set", "filtering.members=[word]"], "filtering.members.0: input should be"),
        (["--config", "roc", "--set", "without=[typo]"], "without: expected some of substitution"),
        (["--config", "roc", "--set", "plots=verb"], "expected a plot extractor of"),
        (["--config", "roc", "--set", "filtering.kept=99"], "filtering.kept: expected at most the"),
        (["--config", "roc", "--set", "sed=1"], "unknown key sed; did you mean seed?"),
        (["--config", "roc", "--set", "generator=GENERATOR", "generator_config=null"], "No such file"),
    ],
)
def test_bad_input_is_reported_in_one_line(
    stage: str, given: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [argument.replace("GENERATOR", str(tmp_path)) for argument in given]
    folders = ["--data", str(tmp_path), "--out", str(tmp_path / "out")]
    assert message in error_message(STAGES[stage].main, [*given, *folders], capsys)


@pytest.mark.parametrize("stage", STAGES)
def test_settings_reach_the_stage(stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configs: list[dict[str, Any]] = []
    monkeypatch.setattr(STAGES[stage], "make", lambda config, given: configs.append(config))
    STAGES[stage].main(["--config", "roc", "--data", str(tmp_path), "--set", "seed=7", "corpus=wp"])
    assert (configs[0]["seed"], configs[0]["corpus"]["context"]) == (7, "prompt")


@pytest.mark.parametrize("name", sorted(path.stem for path in (CONFIGS / "plot_negatives").glob("*.yaml")))
def test_settings_accept_the_prepared_corpus(name: str, tmp_path: Path) -> None:
    config = read_mapping(PlotNegativesConfig, config_file("plot_negatives", name))
    prepared = ("roc/train.jsonl.gz", "roc/validation.jsonl.gz", "wp/train.jsonl.gz")
    for file in (*prepared, *config["corpus"].get("exclude", ()), "model.safetensors"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(b"")
    read = settings(config, tmp_path, tmp_path)["data"]
    assert any(file.endswith("train.jsonl.gz") for file in read)


@pytest.mark.parametrize("corpus", ["roc", "wp"])
def test_missing_published_plots_are_reported(
    corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert str(tmp_path) in error_message(plots.main, ["--corpus", corpus, "--data", str(tmp_path)], capsys)


def test_empty_file_of_published_plots_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "roc").mkdir()
    (tmp_path / "roc" / "plot_guided_lm_dev.txt.gz").write_bytes(b"")
    given = ["--data", str(tmp_path)]
    assert "plot_guided_lm_dev.txt.gz: expected at least one line" in error_message(plots.main, given, capsys)
    assert "--limit: expected 1 or more, got -3" in error_message(
        plots.main, [*given, "--limit", "-3"], capsys
    )


def test_configuration_accepts_exactly_the_available_members() -> None:
    (member, _) = get_args(get_type_hints(FilteringConfig)["members"])
    assert get_args(member) == tuple(MEMBERS)
