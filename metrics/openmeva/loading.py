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

_BUILDERS = {"mans": "openmeva judged mans --out datasets/mans", "autos": "openmeva autos --data FOLDER"}


def load_rows(
    configuration: str, dataset: str | None = None, subset: str | None = None
) -> list[dict[str, Any]]:
    """The rows of a configuration's test set, in their order.

    Searched in this order: `dataset` if given (a folder or Hub name); a folder `datasets/<name>` with
    the subset's Parquet in the working directory; a prepared copy in the datasets cache; the Hub.

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
    local = Path("datasets") / name
    files = [path.relative_to(local).with_suffix("").parts for path in local.glob("**/*.parquet")]
    is_local = any(subset in parts for parts in files)
    if dataset is None and cached is not None and not is_local:
        return datasets.Dataset.from_file(str(cached)).to_list()
    source = dataset or (str(local) if is_local else hub_id)
    try:
        return datasets.load_dataset(source, subset, split=split).to_list()
    except (OSError, ValueError, datasets.exceptions.DatasetsError) as error:
        raise ValueError(
            f"references: found no rows for '{configuration}' in {source!r} ({subset}, {split}). Pass "
            f"references=…, or build the set: `{_BUILDERS[name]}`. ({error})"
        ) from error


def _cached(hub_id: str, subset: str, split: str) -> Path | None:
    root = Path(datasets.config.HF_DATASETS_CACHE) / hub_id.replace("/", "___") / subset
    files = root.glob(f"*/*/{hub_id.partition('/')[2]}-{split}.arrow")
    return max(files, key=lambda path: path.stat().st_mtime, default=None)  # as datasets chooses
