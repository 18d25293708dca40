"""Builds the name lists that are shipped with the encoder: `python -m training.encoder.names --data DIR`.

Sources: NLTK's name lists (Kantrowitz and Ross; free to use and redistribute with credit) and a few modern
names that they lack. A cased corpus shows which names are also common words ("will", "rose").
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.corpora.stories import read_stories
from openmeva.training.files import read_lines, write_text
from openmeva.training.paths import NAMES_FILE

MORE_MALE = (
    "aj asher cade chaz colby conner cruz jaden jamal jax jayden jd kaden kobe landon liam mateo rico ryder"
).split()
MORE_FEMALE = (
    "aya camryn frida gabby gemma jemma katelyn lexi liv macy mariah meisha mila miley nala nia zoe zoey"
).split()
MORE_NEUTRAL = ("addison cassidy dakota harper rowan sierra steph ziggy").split()

_NAME = re.compile(r"[A-Za-z][A-Za-z' .-]*")
_WORD = re.compile(r"[A-Za-z]+|[.!?]")
PLACES_AND_DATES = (
    "april asia atlanta august austin berlin brooklyn canada carolina chad chelsea china christian "
    "claus dallas denver easter florence florida france french georgia germany houston india israel "
    "italy jersey jordan june london madison may memphis milan montana paris phoenix savannah sydney "
    "tuesday vienna virginia washington wednesday monday friday saturday sunday my king smith"
).split()


def count_capitals(stories: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    """How often each word occurs in lower case, and how often capitalised, in the cased `stories`."""
    lower: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for story in stories:
        words = _WORD.findall(story)
        if not any(map(str.isupper, (w[0] for w in words))):
            continue
        for word in words:
            (lower if word[0].islower() else capital)[word.lower()] += 1
    return lower, capital


def name_lists(male: Iterable[str], female: Iterable[str], stories: Iterable[str]) -> dict[str, list[str]]:
    """The lists of `names.json`: `male`, `female`, `neutral` (either), and `capitalized_only`.

    A name is in `capitalized_only` if more than a tenth of its occurrences in `stories`, and at least two, are in
    lower case. It is in no list if more than nine tenths, and at least four, are, or if it is in
    `PLACES_AND_DATES`.
    """
    men, women = {*map(str.lower, male), *MORE_MALE}, {*map(str.lower, female), *MORE_FEMALE}
    lower, capital = count_capitals(stories)
    names = {n for n in men | women | set(MORE_NEUTRAL) if re.fullmatch(r"[a-z]{2,}", n)}
    share = {n: lower[n] / max(1, lower[n] + capital[n]) for n in names}
    names -= {n for n in names if share[n] > 0.9 and lower[n] > 3} | set(PLACES_AND_DATES)
    either = (men & women) | set(MORE_NEUTRAL)
    return {
        "male": sorted(names & men - either),
        "female": sorted(names & women - either),
        "neutral": sorted(names & either),
        "capitalized_only": sorted(n for n in names if share[n] > 0.1 and lower[n] > 1),
    }


def read_names(path: Path) -> list[str]:
    """The names in a file, one per line.

    Raises:
        OSError: no such file.
        ValueError: a line is not a name (file and line are named), or there are no names.
    """
    names = []
    for number, line in read_lines(path):
        name = line.strip()
        if name and not _NAME.fullmatch(name):
            raise ValueError(f"{path}, line {number}: expected a name, got {name!r:.60}")
        names += [name] if name else []
    if not names:
        raise ValueError(f"{path}: expected names, one per line, got none")
    return names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with names/ and roc/train.jsonl.gz")
    parser.add_argument("--out", type=Path, default=NAMES_FILE)
    arguments = parser.parse_args()
    with exit_on_bad_input():
        male, female = (read_names(arguments.data / "names" / f"{kind}.txt") for kind in ("male", "female"))
        lists = name_lists(male, female, read_stories(arguments.data / "roc" / "train.jsonl.gz"))
        write_text(arguments.out, json.dumps(lists, indent=0) + "\n")
        print({kind: len(names) for kind, names in lists.items()}, "->", arguments.out)


if __name__ == "__main__":
    main()
