"""Texts that the project makes from its own stories for fixed seeds: negatives, plots, perturbations, AUTOS."""

import hashlib
import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.mini_stories import MINI, mini

from . import access
from .inputs import AUTOS, odd_rows

SEED = 1
SHOWN = 2  # lines of each part that the golden file holds in full
BUILT = [*range(0, 130, 4), *range(130, 152, 3)]  # indices of the stories that AUTOS is built from: 33 and 8

Parts = dict[str, list[str]]
"""Lines of text, by the name of the function that made them."""


def digest(lines: list[str]) -> dict[str, Any]:
    """The golden record of lines: SHA-256 of all, eight digits of the digest of each, and the first in full."""
    each = [hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest() for line in lines]
    return {
        "sha256": hashlib.sha256("\n".join(each).encode()).hexdigest(),
        "lines": len(lines),
        "each": " ".join(one[:8] for one in each),
        "shown": lines[:SHOWN],
    }


def changed(expected: dict[str, Any], lines: list[str]) -> list[str]:
    """The lines that have changed, in their new form."""
    old, new = expected["each"].split(), digest(lines)["each"].split()
    found = [
        f"line {at}: {lines[at][:300]}" for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b
    ]
    return found + ([f"{len(old)} lines before, {len(new)} now"] if len(old) != len(new) else [])


def negatives(folder: Path) -> Parts:
    """`openmeva negatives`: each technique separately, all of them, other epochs, as for WP, names kept."""
    every = [MINI, "--seed", SEED]
    named = ["--names", access.NAMES]
    runs = {technique: [*named, "--technique", technique] for technique in access.TECHNIQUES}
    runs |= {"all": named, "all, epoch 3": [*named, "--epoch", 3], "all, keep 0": [*named, "--keep", 0]}
    runs["all, names as they are"] = []
    with access.fixed_environment(folder):
        return {
            name: [_sample(line) for line in _command(folder / "out.jsonl", "negatives", *every, *options)]
            for name, options in runs.items()
        }


def _sample(line: str) -> str:
    """A line of `openmeva negatives` without the fields on its original, and the text of its words."""
    row = json.loads(line)
    kept = {key: row[key] for key in row if key not in ("story_id", "context", "story", "label")}
    return f"{json.dumps(kept, ensure_ascii=False)}\n"


def operations(folder: Path) -> Parts:
    """Each operation of UNION's techniques, separately."""
    with access.fixed_environment(folder):
        stories = access.tagged(_normalised())
        return {name: _lines(access.operation_rows(name, stories, SEED)) for name in access.OPERATIONS}


def graded(folder: Path) -> Parts:
    """Increasingly corrupted stories, by neighbors and words of the shared encoder."""
    with access.fixed_environment(folder):
        return {"five sentences": _lines(access.graded_rows(access.tagged(_normalised()[:60]), SEED))}


def plots(folder: Path) -> Parts:
    """Plots by each extractor, and by two alternating extractors."""
    stories = access.tagged(_normalised())
    names = [*access.EXTRACTORS, "+".join(list(access.EXTRACTORS)[:2])]
    return {name: _lines(access.extract_plots(stories, name, SEED)) for name in names}


def manipulations(folder: Path) -> Parts:
    """Plots corrupted by each manipulation, and by the manipulator."""
    with access.fixed_environment(folder):
        stories = access.tagged(_normalised())
        material = access.plot_material(stories, access.extract_plots(stories, "storyline", SEED))
        made = {name: _lines(access.manipulation_rows(name, material, SEED)) for name in access.MANIPULATIONS}
        return {**made, "two to four": _lines(access.broken_plots(material, SEED, 3))}


def perturbations(folder: Path) -> Parts:
    """`openmeva perturb`: each of the aspects."""
    options = (MINI, "--seed", SEED)
    with access.fixed_environment(folder):
        return {
            aspect: _command(folder / "out.jsonl", "perturb", "--aspect", aspect, *options)
            for aspect in access.ASPECTS
        }


def tags(folder: Path) -> Parts:
    """Part-of-speech tags of the original and the normalised stories."""
    normalised = [sentence for story in _normalised() for sentence in story]
    cased = [sentence.split() for row in mini() for sentence in row["sentences"]]
    return {"normalised": _lines(access.tag(normalised)), "cased": _lines(access.tag(cased))}


def normalisation(folder: Path) -> Parts:
    """Sentences and words of odd inputs and of the stories."""
    texts = [row.story for row in odd_rows()] + [row["story"] for row in mini()]
    named, plain = access.Normalizer.load(access.NAMES), access.Normalizer()
    return {
        "sentences": _lines(map(access.split_sentences, texts)),
        "spans": _lines(map(access.sentence_spans, texts)),
        "words": _lines(map(plain.sentences, texts)),
        "words, names as placeholders": _lines(map(named.sentences, texts)),
    }


def autos(folder: Path) -> Parts:
    """AUTOS as built from 41 stories, and the bytes of the shipped `mini`."""
    lines = MINI.read_text(encoding="utf-8").splitlines(keepends=True)
    chosen = folder / "stories.jsonl"
    chosen.write_text("".join(lines[place] for place in BUILT), encoding="utf-8")
    with access.fixed_environment(folder):
        access.run_command(access.COMMAND, "autos", "--config", "mini", "--stories", chosen, "--out", folder)
    parts = {}
    for split in ("discrimination", "invariance"):
        table = pq.read_table(folder / "mini" / f"{split}.parquet")
        metadata_items = table.schema.metadata.items()
        metadata = {
            key.decode(): value.decode() for key, value in metadata_items if key != b"build"
        }  # which names files
        header = {"types": list(map(str, table.schema)), "metadata": metadata}
        parts[split] = _lines([header, *table.to_pylist()])
        parts[f"{split}, shipped"] = [hashlib.sha256((AUTOS / f"{split}.parquet").read_bytes()).hexdigest()]
    return parts


MAKERS: dict[str, Callable[[Path], Parts]] = {
    make.__name__: make
    for make in (
        normalisation,
        tags,
        plots,
        operations,
        negatives,
        graded,
        manipulations,
        perturbations,
        autos,
    )
}


def _command(out: Path, name: str, *options: object) -> list[str]:
    """The lines that a command writes, with line ends."""
    access.run_command(access.COMMAND, name, *options, "--out", out)
    return out.read_bytes().decode("utf-8").splitlines(keepends=True)


def _lines(rows: Iterable[Any]) -> list[str]:
    return [json.dumps(row, ensure_ascii=False, default=list) for row in rows]


@lru_cache(maxsize=1)
def _normalised() -> list[list[list[str]]]:
    """The stories as metrics see them."""
    normalizer = access.Normalizer.load(access.NAMES)
    return [normalizer.sentences(row["story"]) for row in mini()]
