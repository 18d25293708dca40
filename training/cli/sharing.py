"""`openmeva install`, `uninstall` and `publish`."""

from dataclasses import replace
from typing import Annotated

import typer

from openmeva.training.paths import IN_CHECKOUT, ROOT, WORK

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
