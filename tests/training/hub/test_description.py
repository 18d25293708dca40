"""The description publishes everything that the code loads, under one version."""

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from openmeva.metrics.core.description import read_metrics
from openmeva.metrics.core.version import __version__
from openmeva.training.hub.description import DESCRIPTION as DESCRIPTION_FILE
from openmeva.training.hub.description import read_description
from openmeva.training.hub.layout import lay_out
from openmeva.training.hub.standalone import standalone_files

ROOT = Path(__file__).resolve().parents[3]
DESCRIPTION = read_description(ROOT)
METRICS = read_metrics()
MODULES = [source for source in DESCRIPTION.of_kind("space") if source.module]
IDS = {f"{DESCRIPTION.organisation}/{name}" for name in DESCRIPTION.names}


def test_every_metric_and_dataset_is_published() -> None:
    modules = {p.parent.name for p in (ROOT / "metrics").glob("*/*.py") if p.stem == p.parent.name}
    assert {source.name for source in MODULES} == modules
    assert {"union", "openmeva"} <= modules
    assert {source.name for source in DESCRIPTION.of_kind("dataset")} == {"autos", "mans", "stories"}


@pytest.mark.parametrize("name", METRICS)
def test_the_ids_a_metric_names_are_published(name: str) -> None:
    metric = METRICS[name]
    models = {
        s.folder.name: s for s in DESCRIPTION.of_kind("model") if s.folder.parent.parent == metric.folder
    }
    published = {key: f"{DESCRIPTION.organisation}/{source.name}" for key, source in models.items()}
    named = {
        key: configuration.hub for key, configuration in metric.configurations.items() if configuration.hub
    }
    assert named == published, "every configuration has weights here, and is published under its id"
    for path in metric.folder.glob("weights/*/config.json"):
        for section in json.loads(path.read_text(encoding="utf-8")).values():
            if isinstance(section, dict) and "added_tokens" not in section.get(
                "encoder", {"added_tokens": 0}
            ):
                assert section["encoder"]["hub"] in IDS


def test_modules_name_only_published_ids() -> None:
    for source in MODULES:
        for path in source.folder.glob("*.py"):
            for hub_id in re.findall(r"[\"'](openmeva/[\w-]+)", path.read_text(encoding="utf-8")):
                assert hub_id in IDS, f"{path}: {hub_id}"


def test_all_modules_have_the_same_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "metrics.core.version.__version__"}
    for source in MODULES:
        files = standalone_files(source.name, ROOT)
        assert f'"{__version__}"' in files["core_version.py"]
        named = any(":{__version__}" in text or "signature_of(" in text for text in files.values())
        assert named, f"{source.name}: the signature names the version"
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)


def test_duplicate_repository_names_are_rejected(tmp_path: Path) -> None:
    for folder in ("a/one", "b/one"):
        (tmp_path / folder).mkdir(parents=True)
    path = tmp_path / "hub.yaml"
    path.write_text(
        "organisation: me\nredistributable: {}\n"
        'repositories: [{kind: dataset, folders: "a/*", name: "{0}"}, {kind: dataset, folders: "b/*", name: "{0}"}]'
    )
    with pytest.raises(ValueError, match="both become dataset one"):
        read_description(tmp_path, path)


def test_unknown_kinds_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "hub.yaml"
    path.write_text("organisation: me\nrepositories: [{kind: bucket}]")
    with pytest.raises(ValueError, match="expected a kind of model, dataset, space, got 'bucket'"):
        read_description(tmp_path, path)


def test_cards_end_with_the_project_address(project: Path, tmp_path: Path) -> None:
    address = "https://example.org/me/openmeva"
    description = replace(read_description(project), source=address)
    for source in description.sources:
        repository = lay_out(source, description, tmp_path, "me", "1.0.0", project)
        last = (repository.folder / "README.md").read_text(encoding="utf-8").splitlines()[-1]
        assert last.startswith(f"This is part of [openmeva]({address})"), repository.id
    with pytest.raises(
        ValueError, match=r"source: expected the address of a repository, https://…, got 'here'"
    ):
        replace(description, source="here")


def test_description_file_may_set_the_project_address(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "hub.yaml"
    file.write_text(f"source: https://example.org/x\n{DESCRIPTION_FILE.read_text(encoding='utf-8')}")
    assert read_description(project, file).source == "https://example.org/x"
    assert read_description(project).source == ""
