"""Figure: the committee's accuracy by round of filtering."""

from collections.abc import Sequence
from pathlib import Path

from openmeva.training.files import atomic_replace


def draw_curve(accuracies: Sequence[float], replaced: Sequence[float], path: Path) -> None:
    """Held-out accuracy and the share of negatives replaced, by round, as a PNG; needs matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3), layout="constrained")
    axes = figure.subplots()
    rounds = range(1, len(accuracies) + 1)
    axes.plot(rounds, accuracies, marker="o", label="accuracy on held-out stories")
    axes.plot(rounds, replaced, marker="s", linestyle="--", label="negatives replaced")
    axes.axhline(0.5, color="grey", linewidth=0.8)
    axes.set(xlabel="round", ylabel="share", ylim=(0, 1))
    axes.legend()
    with atomic_replace(path) as temporary:
        figure.savefig(temporary, format="png", dpi=150)
