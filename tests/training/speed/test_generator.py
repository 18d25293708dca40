"""The rate of writing stories is that of all processes together."""

from pathlib import Path

from openmeva.training.plot_guided.generator.sampling import Sampling
from openmeva.training.speed.generator import stories_a_second
from tests.tiny_plots import write_generator


def test_processes_write_all_plots(tmp_path: Path) -> None:
    plots = [[["she ran"], ["home"]]] * 7
    folder = write_generator(tmp_path)
    assert stories_a_second(folder, plots, Sampling(max_tokens=4), processes=2) > 1
