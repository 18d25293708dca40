"""The command `openmeva`: input, output and error messages."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from openmeva.metrics.core.version import __version__
from openmeva.metrics.core.writing import write_rows
from openmeva.training.cli import score, train
from openmeva.training.cli.app import app
from openmeva.training.scoring.columns import metric_inputs
from openmeva.training.text.knowledge import resources

ROOT = Path(__file__).resolve().parents[3]
STORIES = [
    {"story_id": "a", "story": "Ben was late. He ran because it rained. Nora laughed."},
    {"story_id": "b", "story": "Nora sang. She won a prize. The crowd loved her."},
]


def run(*arguments: object, code: int = 0, stdin: str | None = None) -> Any:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def rows_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n") if line]


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    path = tmp_path / "stories.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in STORIES), encoding="utf-8")
    return path


def test_version_and_help() -> None:
    assert run("--version").stdout == f"openmeva {__version__}\n"
    help_text = run("--help").stdout
    commands = ("score", "explain", "perturb", "negatives", "autos", "benchmark", "compare", "train", "space")
    for name in (*commands, "install", "uninstall", "publish", "resources"):
        assert name in help_text
        command_help = run(name, "--help").stdout
        assert "Usage" in command_help
        assert "Needs " in command_help  # and how long it takes


def test_help_loads_no_model_library() -> None:
    script = (
        "import sys, openmeva.training.cli.app as cli\n"
        "print([name for name in ('torch', 'transformers', 'datasets', 'evaluate', 'numpy') if name in sys.modules])"
    )
    process = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.stdout == "[]\n", process.stderr


def test_scores_are_piped_with_the_input_columns(stories: Path) -> None:
    scored = rows_of(run("score", stories).stdout)
    assert [row["story_id"] for row in scored] == ["a", "b"]
    assert [row["story"] for row in scored] == [row["story"] for row in STORIES]
    assert all(0 < row["score"] < 1 for row in scored)
    text = "".join(row["story"] + "\n" for row in STORIES)
    again = rows_of(run("score", "-", stdin=text).stdout)
    assert [row["score"] for row in again] == pytest.approx([row["score"] for row in scored], abs=1e-6)


def test_scores_are_written_in_several_formats(stories: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    result = run("score", stories, out, "--metrics", "plot_coherence", "--metrics", "sentavg")
    assert f"2 rows, mean 0.{''}" in result.stderr
    heading, *lines = out.read_text(encoding="utf-8").split("\n")
    numbers = [f"{name}_{key}" for name in ("plot_coherence", "sentavg") for key in ("score", "warning")]
    assert heading.split(",") == ["story_id", "story", *numbers]
    assert len([line for line in lines if line]) == 2
    text = tmp_path / "scores.txt"
    run("score", stories, "--metric", "sentavg", "--out", text)
    assert len([float(line) for line in text.read_text(encoding="utf-8").split()]) == 2
    few = run("score", "-", "--metric", "sentavg", stdin="Hello\n" + STORIES[0]["story"])
    assert "sentavg: 1 of 2 texts may not be stories that the score is meant for: too short 1" in few.stderr
    assert [bool(row["warning"]) for row in rows_of(few.stdout)] == [True, False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("sentavg,nope",), "unknown metric 'nope'"),
        (("sentavg,overlap", "--batch-size", "8"), "--batch-size: overlap has no such option"),
        (
            ("sentavg,ruber_bert",),
            "stories.jsonl: ruber_bert needs a column 'context' or 'prompt', got story_id, story, reference",
        ),
        (
            ("sentavg,bleurt",),
            "stories.jsonl, line 1, column 'reference': expected a string or a list of strings, got int",
        ),
    ],
)
def test_all_metrics_are_validated_before_the_first_runs(
    options: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rows(tmp_path / "stories.jsonl", [{**row, "reference": [3]} for row in STORIES])
    monkeypatch.setattr(
        "openmeva.training.scoring.results.score_with", lambda *_, **__: pytest.fail("it ran")
    )
    assert message in run("score", tmp_path / "stories.jsonl", "--metrics", *options, code=2).stderr


def test_terminal_shows_a_table(stories: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score, "is_terminal", lambda: True)
    output = run("score", stories).stdout
    assert "mean" in output
    assert "Plot coherence: 0 to 1, higher is better" in output
    assert "Ben was late." in output
    for command in (["explain", stories], ["score", stories, "--explain"]):
        output = run(*command).stdout
        assert "[FEMALE] laughed ." in output
        assert "plot_coherence 0." in output


def test_explanations_are_piped(stories: Path) -> None:
    rows = rows_of(run("explain", stories).stdout)
    assert [row["story_id"] for row in rows] == ["a", "b"]
    assert [len(row["sentences"]) for row in rows] == [3, 3]
    assert {"text", "gain"} <= set(rows[0]["sentences"][0])


def test_context_within_the_story_is_not_read_twice() -> None:
    row = {"story": "Ben was late. He ran.", "context": "Ben was late."}
    assert list(metric_inputs([row], "plot_coherence")) == ["predictions"]
    assert list(metric_inputs([row], "ruber_bert")) == ["predictions", "contexts"]
    apart = {"story": "He ran.", "context": "Ben was late."}
    mixed = metric_inputs([row, apart], "union")
    assert mixed == {"predictions": [row["story"], "He ran."], "contexts": ["", "Ben was late."]}
    assert metric_inputs([row], "union", False) == {"predictions": [row["story"]], "contexts": [""]}
    assert list(metric_inputs([row, apart], "union", True)) == ["predictions"]


def test_perturbed_stories_are_written_to_a_pipe_or_file(stories: Path, tmp_path: Path) -> None:
    result = run(
        "perturb", stories, "--aspect", "causal_relationship", "--technique", "cause_effect_exchange"
    )
    (row,) = rows_of(result.stdout)
    assert row["story"] == "Ben was late. It rained because he ran. Nora laughed."
    assert "1 of 2 stories perturbed (0.500): standard output" in result.stderr
    out = tmp_path / "cases.parquet"
    run("perturb", stories, out, "--aspect", "typo")
    assert out.read_bytes()[:4] == b"PAR1"
    messages = run("perturb", stories, "--aspect", "contraction").stderr
    assert "No story qualifies: contraction found nothing" in messages


def test_negatives_are_written(stories: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = rows_of(run("negatives", stories, "--seed", 1).stdout)
    assert [row["index"] for row in samples] == [0, 1]
    assert all("negative" in row for row in samples)
    assert [(row["story_id"], row["label"]) for row in samples] == [("a", 0), ("b", 0)]
    out, scored = tmp_path / "negatives.jsonl", tmp_path / "scored.jsonl"
    run("negatives", stories, out, "--seed", 1)
    run("score", out, scored, "--metric", "union", "--device", "cpu")
    assert [(row["story_id"], row["story"]) for row in rows_of(scored.read_text())] == [
        (row["story_id"], row["story"]) for row in samples
    ]


def test_negatives_follow_the_recipe_and_the_lexicon(
    stories: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper, released = (
        rows_of(run("negatives", stories, "--seed", 1, "--recipe", recipe).stdout)
        for recipe in ("paper", "released")
    )
    assert [row["story_id"] for row in paper] == [row["story_id"] for row in released]
    assert paper != released
    monkeypatch.setattr(resources, "conceptnet_folder", lambda: tmp_path / "none")
    result = run("negatives", stories, tmp_path / "out.jsonl", "--lexicon", "conceptnet", code=2)
    assert "conceptnet is not at" in result.stderr
    assert not (tmp_path / "out.jsonl").exists()
    assert "expected one of paper, released" in run("negatives", stories, "--recipe", "code", code=2).stderr


def test_autos_requires_conceptnet_before_it_starts(
    stories: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "conceptnet_folder", lambda: tmp_path / "none")
    result = run("autos", "--stories", stories, "--config", "roc", "--out", tmp_path / "out", code=2)
    assert "conceptnet is not at" in result.stderr
    assert not (tmp_path / "out").exists()


def test_train_passes_its_options_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(train, "run_module", lambda module, arguments: calls.append((module, arguments)))
    run(
        "train",
        "union",
        "--corpus",
        "wp",
        "--data",
        tmp_path,
        "--resume",
        "--set",
        "pairs=5",
        "--set",
        "seed=2",
    )
    module, arguments = calls[0]
    assert module == "openmeva.training.union"
    assert Path(arguments[1]).is_file()
    assert arguments[2:] == ["--data", str(tmp_path), "--resume", "--set", "pairs=5", "seed=2"]
    run("train", "grammar", "--data", tmp_path, "--", "--limit", "3")
    assert Path(calls[1][1][1]).name == "default.yaml"
    assert calls[1][1][-2:] == ["--limit", "3"]
    assert {"union", "ppl", "ruber_bert", "bleurt", "encoder"} <= set(train.trainable_metrics())


@pytest.mark.parametrize(
    ("trainer", "out", "cached"),
    [
        ("encoder", "metrics/weights/encoder", False),
        ("embedding_similarity", "metrics/METRIC/weights/NAME", False),
        ("ppl", "metrics/METRIC/weights/NAME", False),
        ("plot_guided.generator", "training/weights/generator-NAME", True),
    ],
)
def test_trainer_help_lists_its_options_and_defaults(
    trainer: str, out: str, cached: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        import_module(f"openmeva.training.{trainer}.__main__").main(["--help"])
    help_text = "".join(capsys.readouterr().out.split())  # however wide
    assert f"oftheweights;default:{out}" in help_text
    assert ("--cache" in help_text) == cached


def test_standard_output_contains_only_rows(stories: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "openmeva.training.cli", "perturb", "-", "--aspect", "typo"],
        cwd=ROOT,
        input=stories.read_text(encoding="utf-8"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert len(rows_of(process.stdout)) == 2
    assert "2 of 2 stories perturbed" in process.stderr


def test_characters_outside_the_encoding_are_replaced() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "openmeva.training.cli", "compare", "--help"],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, "")
    assert "A B ?" in process.stdout
