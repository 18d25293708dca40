"""Look at negative samples: ``python -m training.negatives --stories in.jsonl --out out.jsonl --seed 1``."""

import argparse
import json
import sys
from pathlib import Path

from openmeva.metrics.core.text import Normalizer
from openmeva.training.corpora.stories import read_stories
from openmeva.training.files import replacing
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.sampling import TECHNIQUES, UnionSampling
from openmeva.training.negatives.union import UnionSampler
from openmeva.training.text.knowledge.english import English
from openmeva.training.text.tagged_corpus import tag_corpus


def main(arguments: list[str] | None = None) -> int:
    """Write one negative sample a story; returns the exit status."""
    options = parse(arguments)
    try:
        written, without = write_samples(options)
    except (ValueError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{written} negative samples, {without} stories without one: {options.out}", file=sys.stderr)
    return 0


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m training.negatives", description=__doc__)
    parser.add_argument("--stories", type=Path, required=True, help="JSON lines ('story') or text lines")
    parser.add_argument("--out", type=Path, required=True, help="JSON lines, one a story")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epoch", type=int, default=0, help="another epoch, other samples")
    parser.add_argument("--keep", type=int, default=1, help="leading sentences that stay (ROC 1, WP 0)")
    parser.add_argument("--techniques", nargs="+", choices=list(TECHNIQUES), default=list(TECHNIQUES))
    parser.add_argument("--names", type=Path, help="names.json of an encoder, to delexicalise with")
    parser.add_argument("--cache", type=Path, default=Path(".resources/tags"), help="where tags are kept")
    parser.add_argument("--processes", type=int, default=1)
    return parser.parse_args(arguments)


def write_samples(options: argparse.Namespace) -> tuple[int, int]:
    """Write the samples; returns how many stories have one, and how many have none.

    Raises:
        ValueError: A bad line, named by its number, or an option out of range.
    """
    normalizer = Normalizer.load(options.names) if options.names else Normalizer()
    without = tuple(name for name in TECHNIQUES if name not in options.techniques)
    sampling = UnionSampling(keep=options.keep, without=without)
    stories = []
    for number, text in enumerate(read_stories(options.stories), 1):
        sentences = normalizer.sentences(text)
        if not sentences:
            raise ValueError(f"{options.stories}, line {number}: expected a story, got no word in {text!r}")
        stories.append(sentences)
    tagged = tag_corpus(stories, options.cache, options.processes)
    sampler = UnionSampler(tagged, English(), sampling, seed=options.seed)
    made = 0
    with replacing(options.out) as temporary, temporary.open("w", encoding="utf-8") as out:
        for index, sample in enumerate(sampler.sample_all(options.epoch, options.processes)):
            row = {"index": index, "original": stories[index], **record(sample)}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            made += sample is not None
    return made, len(stories) - made


def record(sample: EditedStory | None) -> dict[str, object]:
    """A sample as JSON: its words, origins, operations in order, and edits; ``negative`` null for none."""
    if sample is None:
        return {"negative": None}
    return {
        "negative": sample.words,
        "origins": sample.origins,
        "applied": list(sample.applied),
        "edits": [edit._asdict() for edit in sample.edits()],
    }


if __name__ == "__main__":
    raise SystemExit(main())
