"""How many of the processor's threads an answer of a Space is computed with."""

from openmeva.spaces.limits import AT_ONCE
from openmeva.training.processes import cores


def threads_each() -> int:
    """Processor threads for one answer: threads of two answers that share a core mostly wait for each other."""
    return max(1, cores() // AT_ONCE)
