"""The commands `openmeva install`, `uninstall` and `publish`.

They install the project's metrics, models and datasets into the user's caches, or publish them on the Hub.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import tempfile
from pathlib import Path

from tqdm.auto import tqdm

from openmeva.metrics.core.version import __version__
from openmeva.training.hub.caches import Caches
from openmeva.training.hub.checkout import commit_note
from openmeva.training.hub.checks import repository_problems
from openmeva.training.hub.description import Description
from openmeva.training.hub.install import Installation
from openmeva.training.hub.layout import Repository, lay_out
from openmeva.training.hub.record import Record
from openmeva.training.paths import RESOURCES

FLAGS = "HF_EVALUATE_OFFLINE=1 HF_HUB_OFFLINE=1"
_RESUME = "Run the same command again to resume."
_REFUSED = "Use a token with write access to {!r}, and run the same command again to resume."


def _installed_datasets(record: Record, caches: Caches) -> list[tuple[str, str]]:
    """Names and configurations of the datasets that were installed."""
    paths = [path for path in map(Path, record.trees) if caches.datasets in path.parents]
    return [(path.parents[2].name.replace("___", "/"), path.parents[1].name) for path in paths]


def install(description: Description, root: Path) -> None:
    """Installs, and prints the calls that load what is installed."""
    caches = Caches.from_environment()
    installation = Installation(caches)
    before = Record.read(installation.record_path)
    record = installation.install(description, __version__, root)
    state = "already" if before == record else "now"
    organisation = description.organisation
    print(f"version {record.version} is {state} installed in {caches.home}. From any folder:")
    for source in description.of_kind("space"):
        if source.module and source.name in description.taken:
            print(f'  evaluate.load("{organisation}/{source.name}")')
        elif source.module:
            print(f'  evaluate.load("{source.name}")  or "{organisation}/{source.name}"')
    datasets = _installed_datasets(record, caches)
    for name, config in datasets:
        print(f'  load_dataset("{name}", "{config}")')
    for source in description.of_kind("model"):
        if source.loads_as == "whole" or description.has_whole_model(source):
            scores = source.loads_as == "adapter" and description.whole_models.get(source.metric)
            kind = "AutoModelForSequenceClassification" if scores else "AutoModel"
            kind = "AutoModelForMaskedLM" if source.loads_as == "whole" else kind
            print(f'  {kind}.from_pretrained("{organisation}/{source.name}")')
    for name, config in _installed_datasets(before, caches) if before else ():
        if (name, config) not in datasets:
            print(f'Removed: load_dataset("{name}", "{config}"), which is not in {Path.cwd() / "datasets"}')
    print(
        "With these names the libraries first ask the Hub, and load (and run) what it has under them. To load only what "
        f"is installed, set {FLAGS}"
    )
    if not has_wordnet():
        print(
            "METEOR (in overlap) needs WordNet, which NLTK does not find: python -m nltk.downloader wordnet"
        )


def has_wordnet() -> bool:
    """Whether NLTK finds WordNet in its default folders, outside this checkout."""
    import nltk

    project_folder = str(RESOURCES)
    other_folders = [path for path in nltk.data.path if not path.startswith(project_folder)]
    for name in ("corpora/wordnet", "corpora/wordnet.zip"):
        try:
            nltk.data.find(name, other_folders)
        except LookupError:
            continue
        return True
    return False


def uninstall() -> None:
    """Uninstalls, and prints the number of entries removed."""
    caches = Caches.from_environment()
    record = Installation(caches).uninstall()
    if record is None:
        print(f"nothing of the project is installed in {caches.home}")
    else:
        print(f"version {record.version}: {len(record.trees)} entries removed from {caches.home}")


def publish(
    description: Description,
    root: Path,
    organisation: str | None,
    *,
    dry_run: bool,
    move_tags: bool,
    uncommitted: bool = False,
    source: str | None = None,
    replace: bool = False,
    private: bool = False,
) -> None:
    """Lays out all repositories, checks them, then pushes them.

    Args:
        description: description of the repositories.
        root: root folder of the project.
        organisation: the publisher; default: that of the description.
        source: address of the project's repository; default: that of the description.
        dry_run: only check, and list every file.
        move_tags: allow the version's tag to move to new files.
        uncommitted: allow uncommitted changes to be published.
        replace: allow repositories of other content to be replaced.
        private: create private repositories.

    Raises:
        ValueError: uncommitted changes that are not allowed, a `source` that is not a web address, files that must
            not be published (all are named), no token, or an error of the Hub.
    """
    from huggingface_hub import HfApi, get_token

    from openmeva.metrics.core.hub import HUB_ERRORS
    from openmeva.training.hub.publish import publish as push

    note = commit_note(root, uncommitted)
    organisation = organisation or description.organisation
    description = dataclasses.replace(description, source=source or description.source)
    if not description.source:
        print(
            "warning: cards mention a clone of the project, but its address is not given: use --source ADDRESS, or "
            "`source` in training/hub/hub.yaml",
            file=sys.stderr,
        )
    with tempfile.TemporaryDirectory() as scratch:
        repositories = [
            lay_out(source_entry, description, Path(scratch), organisation, __version__, root)
            for source_entry in tqdm(description.sources, desc="laying out", unit="repository", delay=5)
        ]
        total = sum(_list_files(repository) for repository in repositories)
        print(f"{len(repositories)} repositories, {total / 1e6:.1f} MB, tag v{__version__}")
        problems = [
            problem for repository in repositories for problem in repository_problems(repository, description)
        ]
        if problems:
            raise ValueError("not published:\n  " + "\n  ".join(problems))
        if dry_run:
            return
        token = get_token()
        if token is None:
            raise ValueError("expected a token with write access: HF_TOKEN, or `hf auth login`")
        api = HfApi(token=token, endpoint=os.environ.get("HF_ENDPOINT"))
        try:
            done = push(api, repositories, __version__, move_tags, note, replace=replace, private=private)
        except HUB_ERRORS as error:
            response = getattr(error, "response", None)
            refused = response is not None and response.status_code in (401, 403)
            raise ValueError(f"{error}\n{_REFUSED.format(organisation) if refused else _RESUME}") from error
        for name, state in done.items():
            print(f"{state:>10}  {name}")


def _list_files(repository: Repository) -> int:
    print(f"{repository.kind} {repository.id}")
    sizes = {name: path.stat().st_size for name, path in repository.files().items()}
    for name, size in sizes.items():
        print(f"{size:>14,}  {name}")
    return sum(sizes.values())
