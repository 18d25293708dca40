"""Number of processor threads for one answer of a Space."""

from openmeva.spaces.limits import SCORING_THREADS
from openmeva.training.processes import cores


def threads_each() -> int:
    """Processor threads for one answer; threads of two answers that shared a core would mostly wait for each other."""
    return max(1, cores() // SCORING_THREADS)
