"""The perturbation toolkit's speed, an aspect a row."""

from training.bench.parts import Rows
from training.perturbations.speed import perturbations_per_second


def perturbation_rows() -> Rows:
    """Stories a second through each aspect of the perturbation toolkit."""
    tagged, lexical = "100", "500"
    return [
        (
            f"perturbation {name}, 1 process",
            f"{rate:.0f} stories/s",
            "-",
            lexical if "lexical" in name else tagged,
        )
        for name, rate in perturbations_per_second(500).items()
    ]
