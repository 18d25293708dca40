"""`python -m tests.fuzz`: fuzzes everything that takes text with unusual inputs, and prints a table of the results."""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.fuzz.outcome import REFUSED, SCORED, Outcome
from tests.fuzz.rounds import FIRST, fuzz, retry_first_inputs
from tests.fuzz.targets import names, share_of, target_loader

LONGEST = 1_000_000  # characters of a text


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="of all targets together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=int, default=LONGEST, help="characters of a text")
    parser.add_argument("--only", action="append", help="a target by name; may be repeated")
    parser.add_argument("--keep", type=Path, help="folder for finished rounds: an interrupted run resumes")
    parser.add_argument("--again", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.again:
        _run_second_process(options)
        return
    chosen = options.only or names()
    total_share = sum(share_of(name) for name in chosen)
    outcomes: dict[str, Outcome] = {}
    with tempfile.TemporaryDirectory() as folder, target_loader(Path(folder)) as load:
        for name in chosen:
            count = max(FIRST, round(options.inputs * share_of(name) / total_share))
            saved = options.keep / f"{name}.json" if options.keep else None
            outcomes[name] = fuzz(name, load(name), count, options.seed, options.longest, saved)
            failed = len(outcomes[name].failures)
            print(f"{name}: {outcomes[name].inputs} inputs, {failed} failures", file=sys.stderr, flush=True)
    different = _differences_in_second_process(outcomes, options)
    show(outcomes, different)
    if different or any(outcome.failures for outcome in outcomes.values()):
        sys.exit(1)


def _differences_in_second_process(outcomes: dict[str, Outcome], options: argparse.Namespace) -> str:
    """The first inputs whose results differ in a second process, where strings have other hashes."""
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "first.json"
        last_first = dict(reversed([(name, outcome.first) for name, outcome in outcomes.items()]))
        first.write_text(json.dumps(last_first))
        command = [sys.executable, "-m", "tests.fuzz", "--again", str(first)]
        command += ["--seed", str(options.seed), "--longest", str(options.longest)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr[-20_000:]


def _run_second_process(options: argparse.Namespace) -> None:
    first = json.loads(options.again.read_text())
    with tempfile.TemporaryDirectory() as folder, target_loader(Path(folder)) as load:
        different = retry_first_inputs(first, load, options.seed, options.longest)
    if different:
        sys.exit("\n".join(different))


def show(outcomes: dict[str, Outcome], different: str) -> None:
    """The table, and the failures below it."""
    table = Table("", "inputs", "refused", "scored", "failures", "seconds", show_footer=True)
    total = Outcome()
    for name, outcome in outcomes.items():
        table.add_row(name, *_cells(outcome))
        total.add(outcome)
    for column, cell in zip(table.columns, ("all", *_cells(total)), strict=True):
        column.footer = cell
    console = Console(width=100)
    console.print(table)
    console.print("refused: by an error that gives the reason, or unchanged by a perturbation", style="dim")
    tried = sum(len(outcome.first) for outcome in outcomes.values())
    console.print(
        f"{tried} of them run again in a second process: {'same results' if not different else 'different results'}"
    )
    for name, outcome in outcomes.items():
        for failure in outcome.failures:
            console.print(f"\n{name}\n{failure}", markup=False, highlight=False)
    console.print(different, markup=False, highlight=False)


def _cells(outcome: Outcome) -> list[str]:
    counts = (outcome.inputs, outcome.counts[REFUSED], outcome.counts[SCORED], len(outcome.failures))
    return [*(f"{count:,}" for count in counts), f"{outcome.seconds:,.0f}"]


if __name__ == "__main__":
    main()
