"""`openmeva space`."""

import os
from typing import Annotated

import typer

from openmeva.training.cli.running import run_module
from openmeva.training.paths import ROOT

OFFLINE = {"HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}


def spaces() -> list[str]:
    """The demos."""
    return sorted(path.parent.name for path in (ROOT / "spaces").glob("*/app.py"))


def space(
    name: Annotated[
        str, typer.Argument(help="story_scorer, perturbation_lab or leaderboard", autocompletion=spaces)
    ],
    port: Annotated[int | None, typer.Option(min=1, max=65535)] = None,
    base: Annotated[
        bool,
        typer.Option(
            "--base",
            help="story_scorer: score with the larger encoder (if it is missing, the error says how to get it)",
        ),
    ] = False,
) -> None:
    """Open a demo in the browser, on this machine."""
    if name not in spaces():
        raise ValueError(f"unknown Space {name!r}, expected one of {', '.join(spaces())}")
    os.environ.update(OFFLINE)
    if base:
        if name != "story_scorer":
            raise ValueError(f"--base: expected story_scorer, got {name}")
        from openmeva.training.common.backbone import find_backbone  # it imports torch

        find_backbone("all-mpnet-base-v2")  # or an error that says how to get it
        os.environ["OPENMEVA_TIER"] = "base"
    if port is not None:
        os.environ["GRADIO_SERVER_PORT"] = str(port)
    run_module(f"openmeva.spaces.{name}.app", [])
