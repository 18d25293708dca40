"""`openmeva train`, `space`, `install`, `uninstall`, `publish` and `resources`."""

import os
import runpy
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from openmeva.training.paths import CONFIGS, IN_CHECKOUT, ROOT, WORK
from openmeva.training.processes import progress_to_stderr

OFFLINE = {"HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}


def configurations(metric: str) -> dict[str, Path]:
    """The training configurations of a metric, by name: `roc`, `wp`, `roc_paper`, …"""
    return {path.stem: path for path in sorted((CONFIGS / metric).glob("*.yaml"))}


def trainable_metrics() -> list[str]:
    """The metrics, and the encoder, that can be trained."""
    folders = sorted(path.parent for path in (ROOT / "training").glob("*/trainer.py"))
    return [
        folder.name
        for folder in folders
        if (folder / "__main__.py").is_file() and configurations(folder.name)
    ]


def trained_completion(incomplete: str) -> list[str]:
    """Trainable metrics whose names begin with the typed text."""
    return [name for name in trainable_metrics() if name.startswith(incomplete)]


def spaces() -> list[str]:
    """The demos."""
    return sorted(path.parent.name for path in (ROOT / "spaces").glob("*/app.py"))


def find_configuration(metric: str, name: str | None = None) -> Path:
    """The configuration of that name. Without a name: `default` (one for all corpora) if it exists, else `roc`.

    Raises:
        ValueError: no such metric or configuration; the message lists the known ones.
    """
    if metric not in trainable_metrics():
        raise ValueError(f"unknown metric {metric!r}, expected one of {', '.join(trainable_metrics())}")
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
            help="folder of the corpora: roc/ and wp/, and plot_guided/, whose judged stories are excluded"
        ),
    ],
    corpus: Annotated[
        str | None,
        typer.Option(
            help="roc, wp, or another configuration by name; default: roc, or the one for all corpora"
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="your own configuration, in place of --corpus")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="resume an interrupted training")] = False,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="a setting; may be repeated")
    ] = None,
    further: Annotated[list[str] | None, typer.Argument(help="options of the trainer, after --")] = None,
) -> None:
    """Train a metric; its configurations are in training/configs."""
    from openmeva.training.common.command import check_data

    if config is not None and corpus is not None:
        raise ValueError("--config, --corpus: expected one of them, got both")
    chosen = config or find_configuration(metric, corpus)
    if metric not in trainable_metrics():
        raise ValueError(f"unknown metric {metric!r}, expected one of {', '.join(trainable_metrics())}")
    check_data(data)
    arguments = ["--config", str(chosen), "--data", str(data), *(["--resume"] if resume else [])]
    arguments += ["--set", *set_] if set_ else []
    _run(f"openmeva.training.{metric}", [*arguments, *(further or [])])


def _run(module: str, arguments: list[str]) -> None:
    """Runs a module's command in this process, with the command's exit code."""
    sys.argv = [f"python -m {module}", *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


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
    _run(f"openmeva.spaces.{name}.app", [])


_BUILT = ("autos", "mans")  # data sets that `openmeva autos` and `openmeva judged` build


def install() -> None:
    """Put metrics, models and datasets into your own Hugging Face cache, for use from any folder."""
    from openmeva.training.hub.commands import install as into_cache
    from openmeva.training.hub.description import read_description

    description = read_description(ROOT)
    if not IN_CHECKOUT:  # data sets that were built are in the working folder
        built = (
            replace(source, folder=WORK / "datasets" / source.name)
            for source in description.of_kind("dataset")
            if source.name in _BUILT
        )
        existing = (source for source in built if (source.folder / "README.md").is_file())
        description = replace(description, sources=(*description.sources, *existing))
    into_cache(description, ROOT)


def uninstall() -> None:
    """Remove from your own Hugging Face cache what install put in, and nothing else."""
    from openmeva.training.hub.commands import uninstall as out_of_cache

    out_of_cache()


def publish(
    organisation: Annotated[
        str | None, typer.Option(help="publishing organisation; default: the one in hub.yaml")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="address of the project's repository; default: the one in hub.yaml")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="only check, and list every file with its size")
    ] = False,
    move_tags: Annotated[bool, typer.Option("--move-tags", help="allow the version's tag to move")] = False,
    uncommitted: Annotated[
        bool, typer.Option("--uncommitted", help="also publish uncommitted files")
    ] = False,
    replace_: Annotated[
        bool, typer.Option("--replace", help="replace repositories that this project did not publish")
    ] = False,
    private: Annotated[bool, typer.Option("--private", help="create private repositories")] = False,
) -> None:
    """Push everything to an organisation on the Hub; needs a token with write access."""
    from openmeva.training.hub.commands import publish as to_hub
    from openmeva.training.hub.description import read_description

    to_hub(
        read_description(ROOT),
        ROOT,
        organisation,
        dry_run=dry_run,
        move_tags=move_tags,
        uncommitted=uncommitted,
        source=source,
        replace=replace_,
        private=private,
    )


def resources(
    conceptnet: Annotated[
        list[Path] | None,
        typer.Option(help="read ConceptNet from this file instead of the network; may be repeated"),
    ] = None,
    wordnet_only: Annotated[bool, typer.Option("--wordnet-only", help="don't fetch ConceptNet")] = False,
) -> None:
    """Fetch WordNet (needed by perturbations and negatives) and ConceptNet (used if available)."""
    if wordnet_only and conceptnet:
        raise ValueError("--wordnet-only, --conceptnet: expected one of them, got both")
    progress_to_stderr()
    from openmeva.training.text.knowledge.resources import fetch
    from openmeva.training.text.knowledge.wordnet_files import FetchError

    try:
        fetch(conceptnet or (), wordnet_only)
    except FetchError as error:
        raise ValueError(str(error)) from error
