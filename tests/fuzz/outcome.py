"""What becomes of an input, and of many."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

REFUSED, SCORED = "refused", "scored"


class Checked(NamedTuple):
    """What became of one input that broke nothing.

    Attributes:
        verdict: `REFUSED` or `SCORED`.
        said: the result, or the message, as text; a second process has to say the same.
        inputs: how many inputs this counts as: the texts of a call that were each tried alone, too.
    """

    verdict: str
    said: str
    inputs: int = 1


def refused(message: str, names: bool, longest: int = 1000) -> Checked:
    """An input that was refused; a fault where the message does not name what is wrong, or quotes all of it."""
    assert names, f"names nothing: {message[:longest]}"
    assert len(message) <= longest, message[: 3 * longest]
    return Checked(REFUSED, message)


@dataclass
class Outcome:
    """What became of a target's inputs.

    Attributes:
        counts: inputs by verdict.
        failures: as text.
        rounds: how many seeds were drawn from.
        seconds: of processor time.
        first: what was said of the inputs of the first round.
    """

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    rounds: int = 0
    seconds: float = 0.0
    first: list[str] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        """How many inputs were tried."""
        return self.counts.total() + len(self.failures)

    def add(self, other: "Outcome") -> None:
        """Counts another's inputs as this one's."""
        self.counts.update(other.counts)
        self.failures += other.failures
        self.seconds += other.seconds
