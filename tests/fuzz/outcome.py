"""The result of one fuzz input, and of many."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

REFUSED, SCORED = "refused", "scored"


class Checked(NamedTuple):
    """The result of an input without a failure.

    Attributes:
        verdict: `REFUSED` or `SCORED`.
        output: the result or the message, as text; a second process must give the same.
        inputs: the number of inputs that this counts as, including texts of a call that were also tried alone.
    """

    verdict: str
    output: str
    inputs: int = 1


def refused(message: str, names_problem: bool, longest: int = 1000) -> Checked:
    """A refused input; a failure if the message does not name the problem, or quotes the whole input."""
    assert names_problem, f"the message names no problem: {message[:longest]}"
    assert len(message) <= longest, message[: 3 * longest]
    return Checked(REFUSED, message)


@dataclass
class Outcome:
    """The results of a target's inputs.

    Attributes:
        counts: inputs by verdict.
        failures: as text.
        rounds: number of seeds used.
        seconds: CPU time.
        first: results of the inputs of the first round.
    """

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    rounds: int = 0
    seconds: float = 0.0
    first: list[str] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        """Number of inputs tried."""
        return self.counts.total() + len(self.failures)

    def add(self, other: "Outcome") -> None:
        """Adds the results of another outcome."""
        self.counts.update(other.counts)
        self.failures += other.failures
        self.seconds += other.seconds
