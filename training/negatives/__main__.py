"""Look at negative samples: ``python -m training.negatives --stories in.jsonl --out out.jsonl --seed 1``."""

import argparse
import sys
from pathlib import Path

from openmeva.training.negatives.file import Drawing, write_samples
from openmeva.training.negatives.sampling import LEXICONS, RECIPES, TECHNIQUES
from openmeva.training.paths import RESOURCES


def main(arguments: list[str] | None = None) -> int:
    """Write one negative sample a story; returns the exit status."""
    options = parse(arguments)
    try:
        how = Drawing(
            seed=options.seed,
            epoch=options.epoch,
            keep=options.keep,
            techniques=options.techniques,
            names=options.names,
            cache=options.cache,
            processes=options.processes,
            recipe=options.recipe,
            lexicon=options.lexicon,
        )
        written, without = write_samples(options.stories, options.out, how)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{written} negative samples, {without} stories without one: {options.out}", file=sys.stderr)
    return 0


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m training.negatives", description=__doc__)
    parser.add_argument(
        "--stories", required=True, help="JSONL, CSV or Parquet with 'story', or text; - for standard input"
    )
    parser.add_argument(
        "--out", required=True, help="a row a story; its ending says the format; - for standard output"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epoch", type=int, default=0, help="another epoch, other samples")
    parser.add_argument("--keep", type=int, default=1, help="leading sentences that stay (ROC 1, WP 0)")
    parser.add_argument("--techniques", nargs="+", choices=list(TECHNIQUES), default=list(TECHNIQUES))
    parser.add_argument(
        "--recipe", choices=RECIPES, default="paper", help="the paper's, or its released code's"
    )
    parser.add_argument(
        "--lexicon",
        choices=LEXICONS,
        default="wordnet",
        help="of keywords and antonyms; conceptnet: as in the paper",
    )
    parser.add_argument("--names", type=Path, help="names.json of an encoder, to delexicalise with")
    parser.add_argument("--cache", type=Path, default=RESOURCES / "tags", help="where tags are kept")
    parser.add_argument("--processes", type=int, default=1)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
