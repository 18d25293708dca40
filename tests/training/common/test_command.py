"""The command line of trainers: folders are checked before the training and named after it."""

from pathlib import Path
from typing import Any

import pytest

from openmeva.training.common.command import TrainerArguments, exit_on_bad_input, trainer_command
from openmeva.training.union.config import UnionConfig


@pytest.fixture
def calls() -> list[TrainerArguments]:
    return []


def command(calls: list[TrainerArguments], folder: Path, *given: str) -> None:
    def train(call: TrainerArguments) -> dict[str, Any]:
        calls.append(call)
        return {"steps": 3, "config": {}}

    arguments = ["--config", "roc_first", "--data", str(folder), "--run", str(folder / "run"), *given]
    trainer_command("union", UnionConfig, train, ("steps", "minutes"), "Trains.", arguments=arguments)


def test_weights_folder_is_named(
    calls: list[TrainerArguments], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command(calls, tmp_path, "--out", str(tmp_path / "weights"), "--set", "pairs=7")
    printed = capsys.readouterr()
    assert (calls[0].config.pairs, calls[0].resume) == (7, False)
    assert printed.out == '{\n  "steps": 3\n}\n'
    assert printed.err == f"weights: {tmp_path / 'weights'}\n"


def test_interruption_ends_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised, exit_on_bad_input():
        raise KeyboardInterrupt
    assert (raised.value.code, capsys.readouterr().err) == (130, "interrupted\n")


@pytest.mark.parametrize("option", ["--out", "--run"])
def test_file_in_place_of_a_folder_is_refused_before_the_training(
    calls: list[TrainerArguments], tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as raised:
        command(calls, tmp_path, "--out", str(tmp_path / "out"), option, str(tmp_path / "file"))
    assert raised.value.code == 2
    assert f"{tmp_path / 'file'}: expected a folder" in capsys.readouterr().err
    assert not calls
