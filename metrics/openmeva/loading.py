"""Loads the rows of the named test sets, if the caller passes only scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets

_SETS = {
    "mans_roc": ("openmeva/mans", "roc", "test"),
    "mans_wp": ("openmeva/mans", "wp", "test"),
    "autos_discrimination": ("openmeva/autos", "roc", "discrimination"),
    "autos_invariance": ("openmeva/autos", "roc", "invariance"),
}

_BUILDERS = {
    "mans": "openmeva judged mans --source FOLDER --out datasets/mans",
    "autos": "openmeva autos --data FOLDER",
}


def load_rows(
    configuration: str, dataset: str | None = None, subset: str | None = None
) -> list[dict[str, Any]]:
    """The rows of a configuration's test set, in their order.

    Searched in this order: `dataset` if given (a folder or Hub name); a folder `datasets/<name>` with the subset's
    Parquet in the working directory, then in the checkout or installed package; a prepared copy in the datasets cache;
    the Hub.

    Args:
        configuration: of the benchmark.
        dataset: a folder or Hub name of the set.
        subset: configuration of the dataset (`roc`, `wp`, `mini`); default: that of `configuration`.

    Raises:
        ValueError: a configuration without its own set (`judgments`), or the set was not found.
    """
    if configuration not in _SETS:
        raise ValueError(
            f"references: configuration '{configuration}' has no test set of its own, expected rows"
        )
    hub_id, usual, split = _SETS[configuration]
    subset = subset or usual
    name = hub_id.partition("/")[2]
    cached = _cached(hub_id, subset, split)
    local = _local(name, subset)
    if dataset is None and cached is not None and local is None:
        return datasets.Dataset.from_file(str(cached)).to_list()
    source = dataset or str(local or hub_id)
    try:
        if Path(source).is_dir():  # its prepared copy in the cache may be that of an earlier build
            return list(datasets.load_dataset(source, subset, split=split, streaming=True))
        return datasets.load_dataset(source, subset, split=split).to_list()
    except (OSError, ValueError, datasets.exceptions.DatasetsError) as error:
        advice = f"or build the set: `{_BUILDERS[name]}`"
        if (name, subset) == ("autos", "mini"):
            advice = "or dataset=…, the folder datasets/autos of a checkout, which contains it"
        raise ValueError(
            f"references: found no rows for '{configuration}' in {source!r} ({subset}, {split}). Pass "
            f"references=…, {advice}. ({error})"
        ) from error


def check_count(scores: int, rows: int, configuration: str, subset: str | None = None) -> None:
    """Raises a ValueError unless there are as many scores as rows, loaded for a configuration and subset."""
    if scores != rows:
        of_part = f" {subset or 'roc'} (subset names another)" if configuration.startswith("autos") else ""
        raise ValueError(
            f"predictions: expected {rows} scores, one per story of {configuration}{of_part}, got {scores}"
        )


def _local(name: str, subset: str) -> Path | None:
    """The folder `datasets/<name>` with the subset's Parquet, or None: a published copy has none beside it."""
    for base in (Path(), Path(__file__).resolve().parent.parent.parent):
        folder = base / "datasets" / name
        files = (path.relative_to(folder).with_suffix("").parts for path in folder.glob("**/*.parquet"))
        if any(subset in parts for parts in files):
            return folder
    return None


def _cached(hub_id: str, subset: str, split: str) -> Path | None:
    root = Path(datasets.config.HF_DATASETS_CACHE) / hub_id.replace("/", "___") / subset
    files = root.glob(f"*/*/{hub_id.partition('/')[2]}-{split}.arrow")
    return max(files, key=lambda path: path.stat().st_mtime, default=None)  # as datasets chooses
