"""`openmeva judged`: sets of human judgments, built from the authors' files."""

from pathlib import Path
from typing import Annotated

import typer


def set_completion(incomplete: str) -> list[str]:
    """Sets whose names begin with the typed text."""
    from openmeva.training.judged.catalogue import JUDGED_SETS

    return [name for name in JUDGED_SETS if name.startswith(incomplete)]


def judged(
    name: Annotated[
        str | None,
        typer.Argument(help="name of a set; default: list all sets", autocompletion=set_completion),
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="folder of the authors' files; for MANS, also its name on the Hub")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="output folder, for load_dataset")] = None,
) -> None:
    """List the sets of human judgments, or build one from the authors' files for load_dataset."""
    from rich.console import Console
    from rich.table import Table

    from openmeva.training.common.cards import loading_call
    from openmeva.training.judged.builder import build_judged_set
    from openmeva.training.judged.card import HEADINGS, statistics_row
    from openmeva.training.judged.catalogue import JUDGED_SETS, judged_set

    if name is None:
        if source is not None or out is not None:
            raise ValueError(
                "--source, --out: expected with the name of a set, which `openmeva judged` lists"
            )
        for dataset in JUDGED_SETS.values():
            typer.echo(f"{dataset.name}: {dataset.title}. {dataset.judgments}")
            typer.echo(f"  paper      {dataset.paper}")
            typer.echo(f"  files      {', '.join(part.files[0] for part in dataset.parts.values())}")
            typer.echo(f"  published  {dataset.published}")
            typer.echo(f"  licence    {dataset.licence}")
        return
    dataset = judged_set(name)
    if out is None:
        raise ValueError(f"expected --out, a folder to build {name} in")
    parts = build_judged_set(dataset, source, out)
    table = Table(*HEADINGS)
    for part, rows in parts.items():
        table.add_row(*statistics_row(part, rows))
    Console().print(table)
    # each corpus of MANS is a configuration
    configuration = [next(iter(parts))] if dataset.name == "mans" and len(parts) < len(dataset.parts) else []
    typer.echo(f"built in {out}: {loading_call(out, *configuration)}. Licence: {dataset.licence}.")
