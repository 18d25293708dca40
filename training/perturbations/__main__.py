"""Perturb stories in one aspect.

    python -m training.perturbations --aspect causal_relationship --stories mine.jsonl --out cases.jsonl
    python -m training.perturbations --aspect paraphrase --paraphrases story_bt.json --stories mine.jsonl --out cases.jsonl

Each line written is a perturbed story: `story_id`, `context`, `story`, `aspect`, `technique`, `label` (0),
`perturbed_from` and `changed_spans`. Stories that do not qualify are left out and counted. A story without `story_id` is
called by its place among the rows, from 000001, on which its perturbation depends as on an id.
"""

import argparse
import sys
from collections.abc import Sequence

from openmeva.training.perturbations.aspects.registry import ASPECTS
from openmeva.training.perturbations.file import Perturbing, describe, perturb_file


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    options = _parse(arguments)
    try:
        how = Perturbing(
            aspect=options.aspect,
            seed=options.seed,
            techniques=options.techniques,
            context=options.context,
            keep=options.keep,
            corpus=options.corpus,
            paraphrases=options.paraphrases,
            skip_bad=options.bad == "skip",
        )
        report = perturb_file(options.stories, options.out, how)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for message in report.bad:
        print(f"skipped: {message}", file=sys.stderr)
    print(describe(report, how, options.out), file=sys.stderr)
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m training.perturbations",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--aspect", required=True, help=", ".join(ASPECTS))
    parser.add_argument(
        "--stories", required=True, help="JSONL, CSV or Parquet with 'story', or text; - for standard input"
    )
    parser.add_argument(
        "--out",
        required=True,
        help="a row a perturbed story; its ending says the format; - for standard output",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--techniques", nargs="+", help="of the aspect, all unless given")
    parser.add_argument("--context", choices=("first_sentence", "none"), default="first_sentence")
    parser.add_argument(
        "--keep", type=int, choices=(0, 1), help="leading sentences that stay, whatever the context"
    )
    parser.add_argument("--corpus", help="other stories, for relatedness; the same ones unless given")
    parser.add_argument(
        "--paraphrases",
        default="rules",
        help="for paraphrase and semantic_repetition: rules, a .json file of back-translations, a model, or two: THERE+BACK",
    )
    parser.add_argument(
        "--bad", choices=("refuse", "skip"), default="refuse", help="what to do with bad lines"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
