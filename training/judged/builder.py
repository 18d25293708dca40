"""Converts a user's copy of a judged set to a folder that `datasets` loads: Parquet files and a card."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from openmeva.training.common.cards import drop_empty_configurations, join_card, read_card, split_card
from openmeva.training.files import read_lines, write_table, write_text
from openmeva.training.judged.card import GENERATED_MARKER, render_card
from openmeva.training.judged.catalogue import JudgedSet
from openmeva.training.judged.mans import fetch
from openmeva.training.judged.rows import JudgedStory
from openmeva.training.paths import ROOT

# MANS has a card of its own, which gives the paths of its files. If a file is missing, `datasets` prints only its path;
# so the folder is named after the command that builds it.
MANS_CARD_FOLDER = ROOT / "datasets" / "mans"
MANS_FOLDER = "built_by_openmeva_judged"


def mans_file(corpus: str, folder: Path = MANS_CARD_FOLDER) -> Path:
    """Path of the built rows of a corpus of MANS."""
    return folder / MANS_FOLDER / f"{corpus}.parquet"


def build_judged_set(judged_set: JudgedSet, source: str | None, out: Path) -> dict[str, list[JudgedStory]]:
    """Writes one Parquet file for each part of the set in `source`, and a card, unless the user has written one.

    Each file is written atomically, and all of them have the same columns.

    Args:
        judged_set: the set.
        source: the folder of the authors' files; or, for a set on the Hub, its name there (None: the default name).
        out: the folder to write to, which `load_dataset` can load.

    Returns:
        The rows of each part.

    Raises:
        ValueError: no source, a source without any file of the set, a damaged file, a folder that contains another
            set, or only one corpus of MANS for `datasets/mans`, whose card has both.
    """
    old = _read_own_card(out, judged_set)
    if source is not None and Path(source).is_dir():
        parts = read_parts(judged_set, Path(source))
    elif judged_set.hub:
        with tempfile.TemporaryDirectory() as scratch:
            fetch(source or judged_set.hub, Path(scratch))
            parts = read_parts(judged_set, Path(scratch))
    else:
        given = "none" if source is None else source
        raise ValueError(
            f"{judged_set.name}: expected the folder of the files from {judged_set.published}; got {given}"
        )
    if judged_set.name == "mans":
        if out.resolve() == MANS_CARD_FOLDER.resolve():
            _check_both_corpora(judged_set, parts, source, out)
        _write_tables(parts, out / MANS_FOLDER)
        _write_card_of_mans(out, old)
        return parts
    _write_tables(parts, out)
    if old is None or GENERATED_MARKER in old:  # the card lists the parts, which may have changed
        write_text(out / "README.md", render_card(judged_set, parts))
    return parts


def _check_both_corpora(
    judged_set: JudgedSet, parts: Mapping[str, Any], source: str | None, out: Path
) -> None:
    """Refuses one corpus of MANS if `out` has the project's own card, which has both and is never rewritten."""
    missing = [
        part.files[0]
        for name, part in judged_set.parts.items()
        if name not in parts and not mans_file(name, out).is_file()
    ]
    if missing:
        raise ValueError(
            f"{source}: expected {', '.join(missing)} too, since the card in {out} has both corpora; for "
            "one corpus only, give another --out"
        )


def _write_card_of_mans(out: Path, old: str | None) -> None:
    """Writes the project's card with the configurations whose files exist, unless the user has written one.

    In a card that an earlier run wrote, possibly with another version's text, only the configurations change.
    `datasets` looks for the files of the first configuration, whichever one is loaded.
    """
    front, body = read_card(MANS_CARD_FOLDER / "README.md")
    every = front["configs"]
    drop_empty_configurations(front, out)
    if old is not None:
        try:
            theirs, text = split_card(f"{old}\n")
        except ValueError:
            return
        configurations = theirs.get("configs")
        ours = (
            isinstance(configurations, list)
            and all(configuration in every for configuration in configurations)
            and _title(text) == _title(body)
        )
        if not ours or configurations == front["configs"]:
            return
        front, body = {**theirs, "configs": front["configs"]}, text
    write_text(out / "README.md", join_card(front, body))


def _title(body: str) -> str:
    return body.lstrip().partition("\n")[0]


def _read_own_card(out: Path, judged_set: JudgedSet) -> str | None:
    """The text of the card in a folder; None if there is none.

    Raises:
        ValueError: the card or the files next to it belong to another set.
    """
    card = out / "README.md"
    text = "\n".join(line for _, line in read_lines(card)) if card.is_file() else None
    mans, ours = (out / MANS_FOLDER).is_dir(), text is not None and GENERATED_MARKER in text
    if (mans and judged_set.name != "mans") or (ours and f"\n# {judged_set.title}\n" not in f"\n{text}\n"):
        raise ValueError(
            f"{out}: expected a folder of its own for {judged_set.title}, got one with another set in it"
        )
    return text


def read_parts(judged_set: JudgedSet, folder: Path) -> dict[str, list[JudgedStory]]:
    """The rows of each part of a set in a folder.

    Raises:
        ValueError: no part is there (the message lists the expected files and where the authors publish them), or a
            file is damaged.
    """
    parts = {name: part.read(folder) for name, part in judged_set.parts.items() if part.is_in(folder)}
    if not parts:
        names = ", ".join(part.files[0] for part in judged_set.parts.values())
        raise ValueError(f"{folder}: expected any of {names}; they are published at {judged_set.published}")
    return parts


def _write_tables(parts: Mapping[str, Sequence[JudgedStory]], folder: Path) -> None:
    rows = [dict(row) for part in parts.values() for row in part]
    columns = dict.fromkeys(name for row in rows for name in row)
    schema = pa.Table.from_pylist([_with_all_columns(row, columns) for row in rows]).schema
    folder.mkdir(parents=True, exist_ok=True)
    for file in (folder / f"{name}.parquet" for name in parts):
        if file.is_file() and not {"story", "score"} <= set(pq.read_schema(file).names):
            raise ValueError(
                f"{file}: expected no file, or one that this command has built; use another --out"
            )
    for name, part in parts.items():
        table = pa.Table.from_pylist([_with_all_columns(row, columns) for row in part], schema)
        write_table(folder / f"{name}.parquet", table)


def _with_all_columns(row: Mapping[str, Any], columns: Mapping[str, None]) -> dict[str, Any]:
    return {name: row.get(name) for name in columns}
