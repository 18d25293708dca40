"""The benchmark's own speed."""

from openmeva.training.speed.openmeva_module import TARGET, measure
from openmeva.training.speed.parts import Rows


def benchmark_rows() -> Rows:
    """All tables of `metrics/openmeva` for 1,000 stories."""
    wall, processor = measure()
    return [
        (
            "all tables of the benchmark, 1,000 stories, 10,000 draws",
            f"{wall:.1f} s ({processor:.1f} s of processor time)",
            "-",
            f"under {TARGET:.0f} s",
        )
    ]
