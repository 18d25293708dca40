"""Whether `<newline>` tokens change scores: `python -m training.benchmark.special_tokens --data DIR [--metrics NAME …]`.

Held-out human-written stories of WritingPrompts that are long enough are truncated at the sentence end nearest to 200
words. They are scored as they are, and with the special token `<newline>` after every third sentence, as in releases of
that corpus. Prints the share of stories that score lower with these tokens, a tie counting half (.5 is good), and the
shift of the mean score, in standard deviations of the scores without them (0 is good).
"""

from collections.abc import Sequence

import numpy as np

from openmeva.metrics.core.text import sentence_spans
from openmeva.training.benchmark.probes import cut_at, run_probe, scores_of
from openmeva.training.benchmark.registry import MetricEntry

WORDS = 200
MARK = "<newline>"


def marked(story: str, every: int = 3) -> str:
    """A story with `<newline>` after every `every` sentences.

    >>> marked("He ran. He fell. He slept. He rose.")
    'He ran. He fell. He slept. <newline> He rose.'
    """
    sentences = [story[start:end].strip() for start, end in sentence_spans(story)]
    parts = [" ".join(sentences[at : at + every]) for at in range(0, len(sentences), every)]
    return f" {MARK} ".join(parts)


def moved(entry: MetricEntry, stories: Sequence[str]) -> dict[str, dict[str, float]]:
    """Row title to the share of stories that score `lower` with `<newline>`, and the mean's `shift` (unit: SD).

    Raises:
        ValueError: as `scores_of`.
    """
    plain = [cut_at(story, WORDS) for story in stories]
    found = {}
    for title, scores in scores_of(entry, [*plain, *map(marked, plain)]).items():
        without, with_marks = scores.reshape(2, -1)
        lower = np.mean(with_marks < without) + np.mean(with_marks == without) / 2
        found[title] = {"lower": float(lower), "shift": float((with_marks - without).mean() / without.std())}
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    title = f"{MARK} after every third sentence of {{}} human stories"
    run_probe(moved, title, 60, "python -m training.benchmark.special_tokens", __doc__, arguments)


if __name__ == "__main__":
    main()
