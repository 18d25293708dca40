"""Corpora, language tools, negative samples, perturbations, trainers and the benchmark's runner.

Commands that went by other names (`python -m training.perturb`) still do: `former/` holds them.
"""

from pathlib import Path

__path__.append(str(Path(__file__).parent / "former"))
