"""The command `openmeva` for any file and option: every command that reads a text, in this process."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

import evaluate
import typer.testing
from typer.main import get_command

from openmeva.metrics.core.rows import read_rows
from openmeva.training.cli.app import app
from openmeva.training.negatives import file as negatives_file
from openmeva.training.text.knowledge import resources
from tests.fuzz import calls
from tests.fuzz.outcome import REFUSED, SCORED, Checked
from tests.tiny.models import write_checkpoint

BAD_INPUT = 2
_CALLS: dict[str, tuple[calls.Calls, float]] = {
    "perturb": (calls.perturb, 0.5),
    "negatives": (calls.negatives, 0.3),
    "compare": (calls.compare, 0.05),
    "benchmark": (calls.benchmark, 0.005),
    "judged": (calls.judged, 0.5),
    "train": (calls.train, 0.5),
    "resources": (calls.resources, 0.5),
}
EXPLAIN, NAMES = "command explain", "commands with names that nothing has"
COMMANDS = {
    EXPLAIN: (None, 0.2), NAMES: (calls.names, 1.0), **{f"command {name}": value for name, value in _CALLS.items()},
}  # fmt: skip
"""What is fuzzed of each command but `score`, and its share. `install`, `uninstall` and `publish` read no text."""


def inputs_of(name: str, folder: Path) -> calls.Calls:
    """The command lines of a command."""
    strategy = COMMANDS[name][0]
    return strategy or partial(calls.explain, str(write_checkpoint(folder / "checkpoint")))


@contextmanager
def _patched_resources(folder: Path) -> Iterator[None]:
    """Loads metrics once, treats WordNet as available, and caches tags only for the test."""
    tag = negatives_file.tag_corpus
    with ExitStack() as stack:
        for module, name, replacement in (
            (evaluate, "load", _load),
            (resources, "fetch_wordnet", lambda target: target),
            (
                negatives_file,
                "tag_corpus",
                lambda found, _, processes: tag(found, folder / "tags", processes),
            ),
        ):
            stack.enter_context(mock.patch.object(module, name, replacement))
        yield


_load = cache(evaluate.load)
_command = cache(get_command)  # typer would build it at each call


def invoke(arguments: list[str]) -> Any:
    """The exit code and the output of a command line."""
    with mock.patch.object(typer.testing, "_get_command", _command):
        return typer.testing.CliRunner().invoke(app, arguments)


def checker(folder: Path) -> Callable[[calls.Call], Checked]:
    """A check of a call: it succeeds, or exits with 2 and prints the reason; no file is partly written."""
    work = folder / "work"

    def check(call: calls.Call) -> Checked:
        _clear(work)
        for name, content in call.files.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_bytes(content)
        arguments = [word.replace(calls.WORK, str(work)) for word in call.arguments]
        with _patched_resources(folder):
            done = invoke(arguments)
        assert "Traceback" not in done.stderr
        written = sorted(
            path
            for path in work.rglob("*")
            if path.is_file() and str(path.relative_to(work)) not in call.files
        )
        assert not any(path.name.startswith(".") for path in written), written
        if done.exit_code == BAD_INPUT:
            assert "error: " in done.stderr.lower() or "Usage: " in done.stderr, done.stderr
            assert not written, written
            return Checked(REFUSED, done.stderr.replace(str(work), ""))
        assert done.exit_code == 0, repr(done.exception) + done.stderr
        assert call.arguments[0] != "train", "expected an error: there are no training data"
        rows = [_rows(path) for path in written if path.name.startswith("out.")]
        if "-" in call.arguments[1:] and call.arguments[0] in ("perturb", "negatives", "explain"):
            for line in done.stdout.split("\n")[:-1]:
                json.loads(line)
        return Checked(SCORED, "".join([done.stdout, *rows]).replace(str(work), "")[:10_000])

    return check


def _rows(path: Path) -> str:
    """The rows that a command wrote, as read back; none if no story could be changed."""
    try:
        return repr(list(read_rows(path)))
    except ValueError as error:
        if not str(error).endswith("expected at least one row, got none"):
            raise
        return ""


def _clear(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
