"""Perturb stories in one aspect.

    python -m training.perturbations --aspect causal_relationship --stories mine.jsonl --out cases.jsonl
    python -m training.perturbations --aspect paraphrase --paraphrases story_bt.json --stories mine.jsonl --out cases.jsonl

Each line written is a perturbed story: `story_id`, `context`, `story`, `aspect`, `technique`, `label` (0),
`perturbed_from` and `changed_spans`. Stories that do not qualify are left out and counted.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.progress import track

from openmeva.training.corpora.story_rows import StoryRow, read_rows
from openmeva.training.files import replacing
from openmeva.training.perturbations.aspects.registry import ASPECTS, find_aspect
from openmeva.training.perturbations.engine.corpus import Corpus
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.paraphrasers import find_paraphraser
from openmeva.training.perturbations.perturber import Perturber
from openmeva.training.text.story import Story, parse


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    options = _parse(arguments)
    try:
        find_aspect(options.aspect)  # before the stories: a name is sooner mended
        rows, bad = read_rows(options.stories, options.context, options.bad == "skip")
        for message in bad:
            print(f"skipped: {message}", file=sys.stderr)
        counts = perturb_file(rows, options)
    except (ValueError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    made = sum(counts.values())
    for technique, count in sorted(counts.items()):
        print(f"{technique}: {count}", file=sys.stderr)
    print(f"{made} of {len(rows)} stories perturbed ({made / len(rows):.3f}): {options.out}", file=sys.stderr)
    return 0


def perturb_file(rows: Sequence[StoryRow], options: argparse.Namespace) -> Counter[str]:
    """Write the perturbed stories; returns how many there are of each technique."""
    aspect = find_aspect(options.aspect)
    corpus = None
    if "corpus" in aspect.needs:
        others = read_rows(options.corpus, options.context, True)[0] if options.corpus else rows
        corpus = Corpus(parse([row["story"] for row in others]))
    paraphraser = find_paraphraser(options.paraphrases) if "paraphraser" in aspect.needs else None
    similarity = None
    if "similarity" in aspect.needs:
        from openmeva.training.perturbations.engine.similarity import MoverSimilarity

        similarity = MoverSimilarity()
    perturbers = {}
    for keep in (0, 1):
        material = PerturbationMaterial(keep, corpus, paraphraser, similarity)
        perturbers[keep] = Perturber(options.aspect, options.seed, options.techniques, material)
    counts: Counter[str] = Counter()
    with replacing(options.out) as temporary, temporary.open("w", encoding="utf-8") as out:
        for row in track(rows, options.aspect, disable=not sys.stderr.isatty()):
            keep = row["keep"] if options.keep is None else min(options.keep, 1)
            result = perturbers[keep].perturb(Story(row["story"]), row["story_id"])
            if result is None:
                continue
            counts[result.technique] += 1
            record = result.row(row["story_id"], row["context"])
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    return counts


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m training.perturbations",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--aspect", required=True, help=", ".join(ASPECTS))
    parser.add_argument("--stories", type=Path, required=True, help="JSON lines ('story') or text lines")
    parser.add_argument("--out", type=Path, required=True, help="JSON lines, one a perturbed story")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--techniques", nargs="+", help="of the aspect, all unless given")
    parser.add_argument("--context", choices=("first_sentence", "none"), default="first_sentence")
    parser.add_argument(
        "--keep", type=int, choices=(0, 1), help="leading sentences that stay, whatever the context"
    )
    parser.add_argument(
        "--corpus", type=Path, help="other stories, for relatedness; the same ones unless given"
    )
    parser.add_argument(
        "--paraphrases", default="rules", help="rules, a .json file of back-translations, a model"
    )
    parser.add_argument(
        "--bad", choices=("refuse", "skip"), default="refuse", help="what to do with bad lines"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
