"""Bad input to a command is reported in one line, with exit status 2."""

import errno
import re
import shutil
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
import typer
from safetensors import SafetensorError
from typer.testing import CliRunner

from openmeva.training.autos.command import AutosBuildOptions
from openmeva.training.benchmark.command import BenchmarkOptions
from openmeva.training.cli.app import app
from openmeva.training.cli.running import Commands
from openmeva.training.negatives.file import NegativeSamplingConfig
from openmeva.training.paths import CONFIGS, ROOT
from openmeva.training.perturbations.file import PerturbationConfig
from openmeva.training.text.knowledge import resources

TAKES = re.compile(r'"--(data|config)"|(trainer|stage)_command\(|run_probe\(')
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "training").rglob("*.py"))
    if '__name__ == "__main__"' in (text := path.read_text(encoding="utf-8")) and TAKES.search(text)
]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "none.jsonl"), "none.jsonl: No such file or directory"),
        (("score", "good.txt", "--metric", ""), "expected a value after --metric, got an empty one"),
        (("score", "good.txt", "--config="), "expected a value in --config=, got an empty one"),
        (("score", "bad.jsonl"), "bad.jsonl, line 2: expected a JSON object"),
        (("score", "empty.txt"), "expected at least one row"),
        (("score", "good.txt", "--metric", "foo"), "unknown metric 'foo', expected one of bleurt"),
        (
            ("score", "good.txt", "--metric", "ppl_tuned"),
            "unknown metric 'ppl_tuned' (a row of the benchmark: ppl with the configuration roc_base)",
        ),
        (
            ("score", "good.txt", "--metric", "overlap", "--explain"),
            "overlap does not explain its scores, as plot_coherence",
        ),
        (
            ("score", "good.txt", "a.csv", "--out", "b.csv"),
            "expected one file to write to, got a.csv and --out b.csv",
        ),
        (("score", "good.txt", "a.xlsx"), "a.xlsx: expected an ending among .jsonl"),
        (("explain", "good.txt", "a.xlsx"), "a.xlsx: expected an ending among .jsonl"),
        (("perturb", "good.txt", "a.xlsx", "--aspect", "typo"), "a.xlsx: expected an ending among .jsonl"),
        (
            ("score", "good.txt", "a.txt", "--metrics", "union,sentavg"),
            "for rows of several columns, got txt",
        ),
        (("score", "good.txt", "a.txt", "--metric", "overlap"), "for rows of several columns, got txt"),
        (("score", "good.txt", "a.txt", "--explain"), "for rows of several columns, got txt"),
        (("explain", "good.txt", "a.txt"), "for rows of several columns, got txt"),
        (("explain", "good.txt", "--metric", "overlap"), "overlap does not explain its scores"),
        (("negatives", "good.txt", "a.txt"), "for rows of several columns, got txt"),
        (("score", "good.txt", "--format", "xls"), "expected a format among jsonl"),
        (("score", "good.txt", "--metrics", "union,ppl", "--config", "roc"), "expected a single metric"),
        (("score", "good.txt", "--metric", "union", "--metrics", "ppl"), "expected one of them, got both"),
        (("score", "good.txt", "."), ".: expected a file to write, got a folder"),
        (("explain", "good.txt", "good.txt/x.jsonl"), "expected a folder at"),
        (("benchmark", "--data", "."), "expected judged sets in . (mans/, union/, plot_guided/), found none"),
        (("benchmark", "--judged", "good.txt", "--out", "good.txt"), "expected 'ratings' (a list"),
        (("score", "good.txt", "--engine", "plain"), "expected a folder to write to as OUT, got none"),
        (("score", "good.txt", "out", "--engine", "plain", "--gpus", "1"), "expected with engine ray"),
        (
            ("compare", "good.txt", "good.txt", "--judgments", "good.txt", "--dataset", "mans_roc"),
            "--judgments, --dataset: expected one of them",
        ),
        (("compare", "good.txt", "good.txt", "--data", "."), "--data: expected only with --dataset"),
        (("score", "good.txt", "out", "--engine", "spark"), "expected plain or ray, got 'spark'"),
        (("negatives", "good.txt", "out", "--engine", "plain"), "expected a file of other stories as --pool"),
        (
            ("score", "good.txt", "--bad", "keep", "--actors", "2"),
            "--actors, --bad: expected only with --engine",
        ),
        (("negatives", "good.txt", "--pool", "good.txt"), "--pool: expected only with --engine"),
        (
            ("negatives", "good.txt", "out", "--pool", "good.txt", "--engine", "plain", "--processes", "2"),
            "--processes: expected without --engine",
        ),
        (
            ("perturb", "good.txt", "--aspect", "typo", "--engine", "plain", "--skip-bad"),
            "--skip-bad: expected without",
        ),
        (("benchmark", "--metric", "m:f", "--processes", "2"), "--processes: expected without --scores"),
        (("benchmark", "--scores", "a.csv", "--metric-options", "{}"), "expected with --metric, a module"),
        (("perturb", "good.txt", "--aspect", "spelling"), "unknown aspect 'spelling': expected one of"),
        (
            ("perturb", "good.txt", "--aspect", "typo", "--corpus", "none.jsonl"),
            "--corpus: expected with an aspect among relatedness, got typo",
        ),
        (
            ("perturb", "good.txt", "--aspect", "typo", "--paraphrases", "some/model"),
            "--paraphrases: expected with an aspect among semantic_repetition, paraphrase, got typo",
        ),
        (("perturb", "cut.jsonl.gz", "--aspect", "typo"), "cut.jsonl.gz is damaged"),
        (("negatives", "good.txt", "--technique", "foo"), "expected techniques among repetition"),
        (("autos", "--config", "roc"), "expected a file of stories"),
        (
            ("autos", "--stories", "good.txt", "--config", "roc", "--share", ".5"),
            "--share: expected only with --data",
        ),
        (("autos", "--data", ".", "--context", "none"), "--context: expected only with --stories"),
        (("autos", "--data", ".", "--skip-bad"), "--skip-bad: expected only with --stories"),
        (("autos", "--stories", "good.txt", "--engine", "plain"), "expected --stories, --pool and --out"),
        (("benchmark", "--metrics", "foo, union", "--metrics", "bar"), "unknown metric foo, bar"),
        (("benchmark", "--metrics", ","), "expected comma-separated names, got ','"),
        (("benchmark", "--judged", "good.txt"), "expected 'ratings' (a list"),
        (
            ("compare", "good.txt", "good.txt"),
            "(good.txt is taken for the judgments: --judgments names another; `openmeva systems`",
        ),
        (
            ("autos", "--stories", "good.txt", "--config", "mine", "--out", "good.txt"),
            "expected a folder at",
        ),
        (("compare", "good.txt"), "expected two or more to compare, got 1"),
        (("train", "foo", "--data", "."), "unknown metric 'foo', expected one of bleurt"),
        (
            ("train", "union", "--corpus", "news", "--data", "."),
            "union has no configuration 'news', expected one of",
        ),
        (
            ("train", "encoder", "--corpus", "news", "--data", "."),
            "encoder has no configuration 'news', expected one of default",
        ),
        (
            ("train", "union", "--corpus", "roc", "--config", "mine.yaml", "--data", "."),
            "--config, --corpus: expected one of them, got both",
        ),
        (("train", "union", "--data", "nowhere"), "--data: expected a folder, got nowhere"),
        (("space", "foo"), "unknown Space 'foo', expected one of leaderboard"),
        (("space", "leaderboard", "--base"), "--base: expected story_scorer, got leaderboard"),
        (("resources", "--conceptnet", "."), "expected a file, got a folder"),
        (
            ("resources", "--wordnet-only", "--conceptnet", "good.txt"),
            "--wordnet-only, --conceptnet: expected one of them, got both",
        ),
    ],
)
def test_bad_input_is_reported_in_one_line(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(resources, "fetch_wordnet", lambda folder: folder)
    (tmp_path / "bad.jsonl").write_text('{"story": "x"}\nno\n')
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "good.txt").write_text("Ben was late. He ran.\n")
    (tmp_path / "cut.jsonl.gz").write_bytes(b"\x1f\x8b\x08\0\0")
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2, result.output + repr(result.exception)
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [
        ("benchmark", "--draws", "99"),
        ("benchmark", "--seed", "-1"),
        ("benchmark", "--batch-size", "0"),
        ("benchmark", "--pairs", "-1"),
        ("benchmark", "--autos-stories", "-1"),
        ("benchmark", "--processes", "0"),
        ("autos", "--seed", "-1"),
        ("autos", "--limit", "0"),
        ("autos", "--processes", "0"),
        ("perturb", "--seed", "-1"),
        ("perturb", "--keep", "2"),
        ("negatives", "--seed", "-1"),
        ("negatives", "--epoch", "-1"),
        ("negatives", "--keep", "-1"),
        ("negatives", "--processes", "0"),
    ],
)
def test_out_of_range_number_is_rejected(
    command: str, option: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "good.txt").write_text("Ben was late. He ran.\n")
    files = {"perturb": ["good.txt", "out.jsonl", "--aspect", "typo"], "negatives": ["good.txt", "out.jsonl"]}
    result = CliRunner().invoke(app, [command, *files.get(command, ["--out", "out"]), option, value])
    assert result.exit_code == 2
    assert f"Invalid value for '{option}'" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["good.txt"]


@pytest.mark.parametrize(
    ("settings", "option"),
    [
        (lambda: BenchmarkOptions(draws=99), "--draws"),
        (lambda: BenchmarkOptions(pairs=-1), "--pairs"),
        (lambda: AutosBuildOptions(stories="good.txt", configs=["roc"], limit=0), "--limit"),
        (lambda: PerturbationConfig("typo", seed=-1), "--seed"),
        (lambda: NegativeSamplingConfig(keep=-1), "--keep"),
    ],
)
def test_python_options_are_validated_like_the_commands(settings: Callable[[], object], option: str) -> None:
    with pytest.raises(ValueError, match=f"{option}: expected "):
        settings()


@pytest.mark.parametrize("module", MODULES)
def test_trainer_modules_report_missing_data_and_configurations(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main = import_module(f"openmeva.{module}").main
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [module, "--help"])
    with pytest.raises(SystemExit):
        main()
    options = " ".join(capsys.readouterr().out.split())
    folder = re.search(r"training/configs/(\w+)", options)
    configurations = sorted(path.stem for path in (CONFIGS / folder[1]).glob("*.yaml")) if folder else ["mix"]
    given = {"--data": ".", "--config": configurations[0], "--out": "out", "--output": "out", "--run": "run"}
    given = {option: value for option, value in given.items() if f"{option} " in options}
    missing = given.keys() & {"--data", "--config"}
    assert missing
    for option in missing:
        words = [word for pair in {**given, option: "nowhere"}.items() for word in pair]
        monkeypatch.setattr(sys, "argv", [module, *words, *(["union"] if ",union}" in options else [])])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2, option
        assert re.search("^error: ", capsys.readouterr().err, re.MULTILINE), option


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "from", None, "to"), "to: No space left on device"),
        (OSError(errno.EACCES, "Permission denied", "from", None, "to"), "from: Permission denied"),
        (
            shutil.Error([("from", "to", "[Errno 28] No space left on device")]),
            "to: [Errno 28] No space left on device",
        ),
        (SafetensorError("I/O error: No space left on device"), "I/O error: No space left on device"),
    ],
)
def test_full_disk_is_reported_with_the_file_that_cannot_be_written(error: Exception, message: str) -> None:
    failing = typer.Typer(cls=Commands)

    @failing.command()
    def copy() -> None:
        raise error

    @failing.command()
    def other() -> None:
        """Makes the application a group."""

    result = CliRunner().invoke(failing, ["copy"])
    assert (result.exit_code, result.stderr) == (2, f"error: {message}\n")
