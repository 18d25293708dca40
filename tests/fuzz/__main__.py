"""`python -m tests.fuzz`: many odd inputs to everything that takes text, and a table of what became of them."""

import argparse
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from rich.console import Console
from rich.table import Table

from tests.fuzz.modules import REFUSED, SCORED
from tests.fuzz.targets import Target, names, prepared

LONGEST = 20_000  # characters of a text
ROUND = 200  # inputs that one seed draws; a failure ends its round


@dataclass
class Outcome:
    """Counts of one target's inputs, and the failures as text."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        """How many inputs were tried."""
        return self.counts.total() + len(self.failures)


def fuzz(target: Target, inputs: int, start: int, longest: int = LONGEST) -> Outcome:
    """Tries so many inputs, in rounds with a seed each; each round ends with its first failure."""
    outcome = Outcome()
    draws = random.Random(start)
    while outcome.inputs < inputs:
        size = min(ROUND, inputs - outcome.inputs)

        @seed(draws.randrange(2**32))
        @settings(
            max_examples=size, database=None, deadline=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(target.inputs(longest))
        def tried(one: object) -> None:
            outcome.counts[target.check(one)] += 1

        try:
            before = outcome.inputs
            tried()
            if outcome.inputs == before:  # hypothesis has no more inputs that differ
                break
        except Exception as error:  # each is one failure, and told
            outcome.failures.append("".join(traceback.format_exception(error, limit=-3))[:4000])
    return outcome


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="of all targets together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=int, default=LONGEST, help="characters of a text")
    parser.add_argument("--only", action="append", help="a target by name; may be repeated")
    asked = parser.parse_args(arguments)
    chosen = asked.only or names()
    outcomes: dict[str, Outcome] = {}
    with tempfile.TemporaryDirectory() as folder, prepared(Path(folder)) as load:
        targets = {name: load(name) for name in chosen}
        shares = sum(target.share for target in targets.values())
        for name, target in targets.items():
            count = max(1, round(asked.inputs * target.share / shares))
            outcomes[name] = fuzz(target, count, asked.seed, asked.longest)
            failed = len(outcomes[name].failures)
            print(f"{name}: {outcomes[name].inputs} inputs, {failed} failures", file=sys.stderr, flush=True)
    show(outcomes)
    if any(outcome.failures for outcome in outcomes.values()):
        sys.exit(1)


def show(outcomes: dict[str, Outcome]) -> None:
    """The table, and the failures below it."""
    table = Table("", "inputs", "refused", "scored", "failures", show_footer=True)
    total = Outcome()
    for name, outcome in outcomes.items():
        table.add_row(name, *_cells(outcome))
        total.counts.update(outcome.counts)
        total.failures += outcome.failures
    for column, cell in zip(table.columns, ("all", *_cells(total)), strict=True):
        column.footer = cell
    console = Console(width=100)
    console.print(table)
    console.print("refused: by an error that says why, or left as it is by a perturbation", style="dim")
    for name, outcome in outcomes.items():
        for failure in outcome.failures:
            console.print(f"\n{name}\n{failure}", markup=False, highlight=False)


def _cells(outcome: Outcome) -> list[str]:
    counts = (outcome.inputs, outcome.counts[REFUSED], outcome.counts[SCORED], len(outcome.failures))
    return [f"{count:,}" for count in counts]


if __name__ == "__main__":
    main()
