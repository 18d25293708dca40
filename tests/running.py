"""Runs commands of the project in this process, where the libraries are already imported."""

import runpy
import sys

import pytest


def run_command(module: str, *arguments: object) -> None:
    """Runs `python -m module arguments`.

    Raises:
        RuntimeError: the command's exit status is not 0.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [module, *map(str, arguments)])
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=False)
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{module}: exit status {end.code}") from end
