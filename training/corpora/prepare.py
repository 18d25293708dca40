"""Convert a corpus to the layout of `datasets/stories`, which trainers read: one row per story, in three splits.

python -m training.corpora.prepare roc --source ROCStories_winter2017.csv --out DATA/roc
python -m training.corpora.prepare wp --source train.wp_source train.wp_target --out DATA/wp
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.core.writing import check_output
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.corpora.rocstories import SourceStory, read_rocstories
from openmeva.training.corpora.writing_prompts import read_writing_prompts
from openmeva.training.files import write_rows

Item = TypeVar("Item")


def published_split(items: Sequence[Item], rng: np.random.Generator) -> dict[str, list[Item]]:
    """A random 90/5/5 split: train and validation rounded down, the rest is test.

    For ROCStories' 98,161 stories these are 88,344 and 4,908, as in UNION's Table 4, and 4,909. WritingPrompts' printed
    sizes, 272,600 and 15,620, are not 90 and 5 %. The papers print the sizes; UNION's
    repository has a link to the split itself.

    >>> {name: len(part) for name, part in published_split(range(98161), np.random.default_rng(0)).items()}
    {'train': 88344, 'validation': 4908, 'test': 4909}
    """
    order = rng.permutation(len(items))
    train, validation = len(items) * 90 // 100, len(items) * 5 // 100
    parts = {
        "train": order[:train],
        "validation": order[train : train + validation],
        "test": order[train + validation :],
    }
    return {name: [items[index] for index in sorted(part)] for name, part in parts.items()}


def corpus_statistics(rows: Sequence[SourceStory]) -> dict[str, float]:
    """Counts and mean lengths as in OpenMEVA's Table 10, in tokens as `mean_tokens` counts them (spaCy's there).

    >>> corpus_statistics([{"story_id": "1", "context": "He ran.", "story": "He fell. It hurt."}])
    {'stories': 1, 'unique_inputs': 1, 'input_tokens': 3.0, 'story_tokens': 6.0}
    """
    return {
        "stories": len(rows),
        "unique_inputs": len({row["context"] for row in rows}),
        "input_tokens": round(mean_tokens([row["context"] for row in rows]), 2),
        "story_tokens": round(mean_tokens([row["story"] for row in rows]), 2),
    }


def mean_tokens(texts: Sequence[str]) -> float:
    """The mean number of tokens of NLTK's Treebank tokenizer; a name's placeholder is one token. NaN without texts.

    >>> mean_tokens(["[MALE] ran.", "He didn't."])
    3.5
    """
    normalizer = Normalizer()
    counts = [sum(map(len, normalizer.sentences(text))) for text in texts]
    return float(np.mean(counts)) if counts else float("nan")


def prepare_corpus(
    rows: Sequence[SourceStory],
    out: str | Path,
    rng: np.random.Generator,
    normalizer: Normalizer | None = None,
    context_is_beginning: bool = False,
) -> dict[str, dict[str, float]]:
    """Write `train.jsonl.gz`, `validation.jsonl.gz` and `test.jsonl.gz` under `out`; returns each split's statistics.

    Args:
        rows: the stories.
        out: the folder to write to.
        rng: random generator of the split.
        normalizer: tokenises, lower-cases and delexicalises texts, if given.
        context_is_beginning: whether a context is the beginning of its story. If so, the whole story is written,
            as trainers expect.

    Raises:
        ValueError: fewer than 20 stories, which would leave a split empty.
    """
    if len(rows) < 20:
        raise ValueError(f"expected at least 20 stories for a 90/5/5 split, got {len(rows)}")
    statistics = {}
    parts = published_split(rows, rng)
    for name, part in parts.items():
        if normalizer is not None:
            part = [
                {**row, "context": normalizer(row["context"]), "story": normalizer(row["story"])}
                for row in part
            ]
        statistics[name] = corpus_statistics(part)
        if context_is_beginning:
            part = [{**row, "story": f"{row['context']} {row['story']}"} for row in part]
        parts[name] = part
    for name in ("validation", "test"):  # an interrupted run must not leave those of another split
        old = Path(out, f"{name}.jsonl.gz").resolve()
        if old.is_file():
            old.unlink()
    for name, part in parts.items():
        write_rows(Path(out) / f"{name}.jsonl.gz", part)
    return statistics


def main(arguments: list[str] | None = None) -> None:
    """Prepare a corpus from the command line."""
    parser = argparse.ArgumentParser(prog="python -m training.corpora.prepare", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("corpus", choices=("roc", "wp"))
    parser.add_argument(
        "--source",
        nargs="+",
        required=True,
        help="roc: one file, ROCStories' CSV or JSONL with 'story'; wp: source and target file",
    )
    parser.add_argument("--out", required=True, help="folder for the three files")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the split")
    parser.add_argument("--max-words", type=int, default=250, help="wp: cut near this many words")
    parser.add_argument(
        "--names", help="delexicalise with this names.json (metrics/weights/encoder/names.json)"
    )
    given = parser.parse_args(arguments)
    if len(given.source) != (1 if given.corpus == "roc" else 2):
        parser.error("--source takes one file for roc, source and target file for wp")
    with exit_on_bad_input():
        for name in ("train", "validation", "test"):
            check_output(Path(given.out) / f"{name}.jsonl.gz", sources=given.source)
        if given.corpus == "roc":
            rows = list(read_rocstories(given.source[0]))
        else:
            source, target = given.source
            rows = list(read_writing_prompts(source, target, given.max_words))
        normalizer = Normalizer.load(given.names) if given.names else None
        rng = np.random.default_rng(given.seed)
        for name, counts in prepare_corpus(rows, given.out, rng, normalizer, given.corpus == "roc").items():
            print(name, ", ".join(f"{key} {value:g}" for key, value in counts.items()))


if __name__ == "__main__":
    main()
