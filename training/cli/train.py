"""`openmeva train`."""

from pathlib import Path
from typing import Annotated

import typer

from openmeva.training.cli.running import run_module
from openmeva.training.paths import CONFIGS, ROOT


def configurations(metric: str) -> dict[str, Path]:
    """The training configurations of a metric, by name: `roc`, `wp`, `roc_paper`, …"""
    return {path.stem: path for path in sorted((CONFIGS / metric).glob("*.yaml"))}


def trainable_metrics() -> list[str]:
    """What can be trained: metrics, the shared encoder, and the classifier of grammaticality."""
    folders = sorted(path.parent for path in (ROOT / "training").glob("*/trainer.py"))
    return [
        folder.name
        for folder in folders
        if (folder / "__main__.py").is_file() and configurations(folder.name)
    ]


def trained_completion(incomplete: str) -> list[str]:
    """Trainable metrics whose names begin with the typed text."""
    return [name for name in trainable_metrics() if name.startswith(incomplete)]


def check_trainable(metric: str) -> None:
    """Raises a ValueError for another name than those of `trainable_metrics`."""
    if metric not in trainable_metrics():
        raise ValueError(f"unknown metric {metric!r}, expected one of {', '.join(trainable_metrics())}")


def find_configuration(metric: str, name: str | None = None) -> Path:
    """The configuration of that name. Without a name: `default` (one for all corpora) if it exists, else `roc`.

    Raises:
        ValueError: no such metric or configuration; the message lists the known ones.
    """
    check_trainable(metric)
    available = configurations(metric)
    if name is None:
        name = "default" if "default" in available else "roc"
    if name not in available:
        raise ValueError(f"{metric} has no configuration {name!r}, expected one of {', '.join(available)}")
    return available[name]


def train(
    metric: Annotated[str, typer.Argument(help="union, ppl, …", autocompletion=trained_completion)],
    data: Annotated[
        Path,
        typer.Option(
            help="folder of the corpora: roc/ and wp/, and plot_guided/, whose judged stories are excluded; for grammar, cola/"
        ),
    ],
    corpus: Annotated[
        str | None,
        typer.Option(
            help="roc, wp, or another configuration by name; default: roc, or the one for all corpora"
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="your own configuration, in place of --corpus")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="folder of the weights; default: as the trainer prints, which for a shipped configuration (roc, wp, …) is that "
            "of the shipped weights",
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="resume an interrupted training")] = False,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="a setting; may be repeated")
    ] = None,
    further: Annotated[list[str] | None, typer.Argument(help="options of the trainer, after --")] = None,
) -> None:
    """Train a metric; its configurations are in training/configs.

    A shipped configuration replaces the shipped weights, unless --out names another folder.
    """
    from openmeva.training.common.command import check_data

    if config is not None and corpus is not None:
        raise ValueError("--config, --corpus: expected one of them, got both")
    chosen = config or find_configuration(metric, corpus)
    check_trainable(metric)
    check_data(data)
    arguments = ["--config", str(chosen), "--data", str(data), *(["--resume"] if resume else [])]
    arguments += ["--out", str(out)] if out else []
    arguments += ["--set", *set_] if set_ else []
    run_module(f"openmeva.training.{metric}", [*arguments, *(further or [])])
