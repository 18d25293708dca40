"""The rate of writing stories is that of all processes together."""

from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import torch

from openmeva.training.plot_guided.generator.sampling import Sampling
from openmeva.training.speed import generator
from tests.tiny.plots import write_generator

PLOTS = [[["she ran"], ["home"]]] * 7


class Forked:
    """Processes that need not import torch anew."""

    def Pool(self, count: int, start: Callable[..., None], arguments: tuple[Any, ...]) -> Any:
        return get_context("fork").Pool(count, start, arguments)


def test_parallel_generator_writes_all_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not torch.cuda.is_available():  # which no forked process can use
        monkeypatch.setattr(generator, "get_context", {"spawn": Forked()}.get)
    assert generator.stories_per_second(write_generator(tmp_path), PLOTS, Sampling(max_tokens=4)) > 0


def test_missing_stories_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pool:
        """One process, which writes all but a story of each call."""

        def apply(self, write: object, _: object) -> None: ...
        def terminate(self) -> None: ...

        def apply_async(self, write: object, arguments: tuple[list[object], object]) -> object:
            return type("Job", (), {"get": lambda _: len(arguments[0]) - 1})()

    context = type("Context", (), {"Pool": lambda *_: Pool()})()
    monkeypatch.setattr(generator, "get_context", lambda _: context)
    with pytest.raises(RuntimeError, match="expected 7 stories from 2 processes, got 5"):
        generator.stories_per_second(tmp_path, PLOTS, Sampling(max_tokens=4))
