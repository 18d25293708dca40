"""AUTOS built from a user's own stories, as test sets of the benchmark."""

from pathlib import Path
from typing import Any

from openmeva.training.benchmark.data.sets import SPLITS, TestSet, read_parquet
from openmeva.training.perturbations.aspects.registry import find_aspect


def own_autos(folder: Path, corpus: str) -> list[TestSet]:
    """Both tests of AUTOS that a user built from their own stories, named after the folder.

    Args:
        folder: with `discrimination.parquet` and `invariance.parquet`, or with the parts that an engine wrote.
        corpus: `roc` or `wp`; selects the configurations of this project's metrics.

    Raises:
        ValueError: the folder has neither, or a file is damaged, not of AUTOS, or of an unfinished run.
    """
    files = {split: folder / f"{split}.parquet" for split in SPLITS}
    parts = sorted(folder.glob("part-*.parquet"))
    if all(file.is_file() for file in files.values()):
        rows = {split: _rows(file) for split, file in files.items()}
    elif parts:
        if not (folder / "report.json").is_file():
            raise ValueError(f"{folder}: expected the parts of a finished run, got no report.json")
        every = [row for part in parts for row in _rows(part)]
        rows = {split: [row for row in every if find_aspect(row["aspect"]).kind == split] for split in SPLITS}
    else:
        raise ValueError(
            f"{folder}: expected discrimination.parquet and invariance.parquet, or parts that an engine wrote, found neither "
            "(`openmeva autos --out` writes a folder named after --config)"
        )
    name = folder.resolve().name
    return [
        TestSet(
            name=f"autos_{name}_{corpus}_{split}",
            title=f"AUTOS {name}, {split} test",
            corpus=corpus,
            configuration=f"autos_{split}",
            read=lambda _, rows=split_rows: [dict(row) for row in rows],  # type: ignore[misc]
            needs=f"the folder {folder}",
            options={},
        )
        for split, split_rows in rows.items()
        if split_rows
    ]


def _rows(file: Path) -> list[dict[str, Any]]:
    rows = read_parquet(file)
    missing = {"story", "aspect", "label"} - {*(rows[0] if rows else ())}
    if rows and missing:
        raise ValueError(f"{file}: expected AUTOS, got no {', '.join(sorted(missing))}")
    return rows
