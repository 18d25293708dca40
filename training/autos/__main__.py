"""AUTOS: coherent stories and their perturbations, one aspect at a time (OpenMEVA section 3.2).

    python -m training.autos --data DIR                     # roc and wp, of the stories held out there
    python -m training.autos --config roc --stories validation.jsonl --out datasets/autos
    python -m training.autos --config mini --stories datasets/stories/mini.jsonl --out datasets/autos

Writes `<out>/<config>/discrimination.parquet` and `invariance.parquet`, and prints counts a row beside the shares
of Tables 6 and 7 and what the filter by grammaticality left. An interrupted build goes on where it stopped.
"""

import argparse
import hashlib
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from multiprocessing import get_context
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from rich.progress import track

from openmeva.training.autos.builder import AutosBuilder, Made, Row
from openmeva.training.autos.counts import counts_table, yield_table
from openmeva.training.common.draws import Draws
from openmeva.training.corpora.held_out import held_out_rows
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.corpora.story_rows import StoryRow, read_rows
from openmeva.training.files import replacing
from openmeva.training.paths import ENCODER, ROOT
from openmeva.training.perturbations.aspects.registry import ASPECTS
from openmeva.training.perturbations.engine.corpus import Corpus
from openmeva.training.perturbations.engine.similarity import MoverSimilarity
from openmeva.training.perturbations.paraphrasers import find_paraphraser
from openmeva.training.text.story import parse

CONFIGS = ROOT / "training" / "configs"
SPAN = pa.struct([(name, pa.int32()) for name in ("original_start", "original_end", "start", "end")])
SCHEMA = pa.schema(
    [
        ("story_id", pa.string()),
        ("context", pa.string()),
        ("story", pa.string()),
        ("aspect", pa.string()),
        ("technique", pa.string()),
        ("label", pa.int8()),
        ("origin", pa.string()),
        ("perturbed_from", pa.string()),
        ("changed_spans", pa.list_(SPAN)),
    ]
)
SPLITS = ("discrimination", "invariance")
CHUNK = 250
VERSION = "2"  # of what the parts of a build hold
TRIED = b"perturbed_before_filter"  # in the files' metadata: JSON, aspect to number of stories

# Which rows a stage makes of stories.
_STAGES: dict[str, Callable[[AutosBuilder, Sequence[StoryRow]], Made]] = {
    "discrimination": lambda builder, rows: builder.discrimination(rows),
    "invariance": lambda builder, rows: builder.invariance(rows, "human"),
    "invariance of incoherent stories": lambda builder, rows: builder.invariance(rows, "discrimination"),
}


def build(
    rows: Sequence[StoryRow],
    builder: AutosBuilder,
    folder: Path,
    settings: str = "",
    progress: bool = True,
    processes: int = 1,
) -> dict[str, pa.Table]:
    """Write both splits to a folder; returns them.

    Stories are worked through in parts of 250, each kept in `<folder>/.parts` until the end: a build that was
    interrupted goes on from there. Nothing is ever half-written. The number of processes changes no row.

    Args:
        rows: of `read_rows`; ids differ.
        builder: makes the rows.
        folder: of the configuration; made if missing.
        settings: what else the rows depend on; parts made under others are not used again.
        progress: whether to show a bar.
        processes: that work on parts at the same time.
    """
    key = hashlib.sha256(json.dumps([VERSION, settings, builder.seed, list(rows)]).encode()).hexdigest()[:16]
    parts = folder / ".parts" / key

    def made(stage: str, stories: Sequence[StoryRow]) -> Made:
        return _in_parts(stories, builder, stage, parts, progress, processes)

    human = made("discrimination", rows)
    incoherent = sampled(human.rows, len(rows), builder.seed)
    keep = {row["story_id"]: row["keep"] for row in rows}
    again: list[StoryRow] = [{**_story_row(row), "keep": keep[row["perturbed_from"]]} for row in incoherent]
    same, other = made("invariance", rows), made("invariance of incoherent stories", again)
    tables = {
        "discrimination": _table(human),
        "invariance": _table(Made(same.rows + other.rows, same.tried + other.tried)),
    }
    for split, content in tables.items():
        with replacing(folder / f"{split}.parquet") as temporary:
            pq.write_table(content, temporary, compression="zstd")
    shutil.rmtree(folder / ".parts")
    return tables


def sampled(rows: Sequence[Row], count: int, seed: int) -> list[Row]:
    """At most `count` of the perturbed rows, drawn by seed, in their order."""
    import numpy as np

    perturbed = [row for row in rows if row["label"] == 0]
    chosen = Draws(np.random.default_rng(seed)).shuffled(range(len(perturbed)))[:count]
    return [perturbed[at] for at in sorted(chosen)]


def _story_row(row: Row) -> StoryRow:
    return {"story_id": row["story_id"], "context": row["context"], "story": row["story"], "keep": 0}


def _in_parts(
    rows: Sequence[StoryRow],
    builder: AutosBuilder,
    stage: str,
    folder: Path,
    progress: bool,
    processes: int,
) -> Made:
    place = folder / stage.replace(" ", "_")
    jobs = [
        (stage, rows[start : start + CHUNK], place / f"{start:07d}.parquet")
        for start in range(0, len(rows), CHUNK)
    ]
    missing = [job for job in jobs if not job[2].is_file()]
    if processes > 1 and len(missing) > 1:
        with get_context().Pool(min(processes, len(missing)), _start_worker, (builder,)) as pool:
            _drain(pool.imap_unordered(_make_in_worker, missing), stage, len(missing), progress)
    else:
        _drain((_make_part(builder, *job) for job in missing), stage, len(missing), progress)
    found = Made([], Counter())
    for *_, path in jobs:
        content = pq.read_table(path, schema=SCHEMA)
        found.rows.extend(content.to_pylist())
        found.tried.update(json.loads(pq.read_schema(path).metadata[TRIED]))
    return found


def _drain(made: Iterable[Path], title: str, total: int, progress: bool) -> None:
    for _ in track(made, title, total=total, disable=not progress or not total):
        pass


def _make_part(builder: AutosBuilder, stage: str, rows: Sequence[StoryRow], path: Path) -> Path:
    content = _with_tried(*_STAGES[stage](builder, rows))
    with replacing(path) as temporary:
        pq.write_table(content, temporary, compression="zstd")
    return path


_worker: AutosBuilder | None = None  # of this process; set by the pool that started it


def _start_worker(builder: AutosBuilder) -> None:
    global _worker
    _worker = builder


def _make_in_worker(job: tuple[str, Sequence[StoryRow], Path]) -> Path:
    if _worker is None:
        raise RuntimeError("a worker process was started without its builder")
    return _make_part(_worker, *job)


def _table(made: Made) -> pa.Table:
    """Rows by aspect in the order of the registry, within it as they came."""
    order = {name: place for place, name in enumerate(ASPECTS)}
    return _with_tried(sorted(made.rows, key=lambda row: order[row["aspect"]]), made.tried)


def _with_tried(rows: Sequence[Row], tried: Counter[str]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), SCHEMA).replace_schema_metadata({TRIED: json.dumps(tried)})


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    options = _parse(arguments)
    try:
        for config in options.config or ("roc", "wp"):
            _build_one(config, options)
    except (ValueError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _build_one(config: str, options: argparse.Namespace) -> None:
    import torch

    if options.processes > 1:
        torch.set_num_threads(1)  # the processes share the cores; and a fork may not follow parallel work
    rows, bad = _rows(config, options)
    for message in bad:
        print(f"skipped: {message}", file=sys.stderr)
    grammar = None
    if options.grammar != "none":
        from openmeva.training.grammar.trainer import GrammarScorer

        grammar = GrammarScorer.load(None if options.grammar == "default" else Path(options.grammar))
    builder = AutosBuilder(
        Corpus(parse([row["story"] for row in rows])),
        find_paraphraser(options.paraphrases),
        MoverSimilarity(),
        options.seed,
        grammar,
    )
    settings = f"{options.paraphrases} {options.grammar}"
    tables = build(rows, builder, options.out / config, settings, sys.stderr.isatty(), options.processes)
    discrimination, invariance = (tables[split].to_pylist() for split in SPLITS)
    print(f"{config}: {len(rows)} stories\n\n{counts_table(discrimination, invariance, len(rows), config)}")
    if grammar is not None:
        tried: Counter[str] = Counter()
        for content in tables.values():
            tried.update(json.loads(content.schema.metadata[TRIED]))
        print(f"\nFilter by grammaticality:\n\n{yield_table(discrimination, invariance, tried)}")


def _rows(config: str, options: argparse.Namespace) -> tuple[list[StoryRow], list[str]]:
    if options.stories is not None:
        context = options.context or "first_sentence"
        return read_rows(options.stories, context, options.bad == "skip", options.limit)
    corpora = yaml.safe_load((CONFIGS / "autos.yaml").read_text(encoding="utf-8"))
    corpus = CorpusConfig.from_mapping(corpora[config])
    return held_out_rows(corpus, options.data, ENCODER / "names.json", options.limit), []


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m training.autos",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config", choices=("mini", "roc", "wp"), nargs="+", help="with --data roc and wp unless given"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--stories", type=Path, help="JSON lines ('story') or text lines")
    source.add_argument("--data", type=Path, help="folder of the corpora: their held-out stories are taken")
    parser.add_argument("--out", type=Path, default=Path("datasets/autos"))
    parser.add_argument(
        "--context", choices=("first_sentence", "none"), help="of --stories without one: first_sentence"
    )
    parser.add_argument(
        "--paraphrases", default="rules", help="rules, a .json file of back-translations, a model"
    )
    parser.add_argument(
        "--grammar", default="default", help="filter: 'default', a checkpoint's folder, or 'none'"
    )
    parser.add_argument(
        "--bad", choices=("refuse", "skip"), default="refuse", help="what to do with bad lines of --stories"
    )
    parser.add_argument("--limit", type=int, help="stories to take, all unless given")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.stories is not None and len(options.config or ()) != 1:
        parser.error("--stories needs one --config")
    if options.data is not None and "mini" in (options.config or ()):
        parser.error("mini is built from --stories datasets/stories/mini.jsonl")
    if options.processes < 1:
        parser.error(f"--processes: expected 1 or more, got {options.processes}")
    return options


if __name__ == "__main__":
    sys.exit(main())
