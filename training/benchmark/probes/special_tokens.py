"""Whether `<newline>` tokens change scores: `python -m training.benchmark.probes.special_tokens --data DIR [--metrics NAME …]`.

Held-out human-written stories of WritingPrompts that are long enough are truncated at the sentence end nearest to 200
words. They are scored as they are, and with the special token `<newline>` after every third sentence, as in releases of
that corpus. Prints the share of stories that score lower with these tokens, a tie counting half (.5 is good), and the
shift of the mean score, in standard deviations of the scores without them (0 is good).
"""

from collections.abc import Sequence

import numpy as np

from openmeva.metrics.core.text import sentence_spans
from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.probes.human_stories import run_probe, score_texts, truncate_near

WORDS = 200
NEWLINE_TOKEN = "<newline>"


def insert_newline_tokens(story: str, every: int = 3) -> str:
    """A story with `<newline>` after every `every` sentences.

    >>> insert_newline_tokens("He ran. He fell. He slept. He rose.")
    'He ran. He fell. He slept. <newline> He rose.'
    """
    sentences = [story[start:end].strip() for start, end in sentence_spans(story)]
    parts = [" ".join(sentences[at : at + every]) for at in range(0, len(sentences), every)]
    return f" {NEWLINE_TOKEN} ".join(parts)


def newline_effect(entry: MetricEntry, stories: Sequence[str]) -> dict[str, dict[str, float]]:
    """Row title to the share of stories that score `lower` with `<newline>`, and the mean's `shift` (unit: SD).

    Raises:
        ValueError: as `score_texts`.
    """
    truncated = [truncate_near(story, WORDS) for story in stories]
    result = {}
    for title, scores in score_texts(entry, [*truncated, *map(insert_newline_tokens, truncated)]).items():
        without, with_tokens = scores.reshape(2, -1)
        lower = np.mean(with_tokens < without) + np.mean(with_tokens == without) / 2
        result[title] = {
            "lower": float(lower),
            "shift": float((with_tokens - without).mean() / without.std()),
        }
    return result


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    title = f"{NEWLINE_TOKEN} after every third sentence of {{}} human stories"
    run_probe(
        newline_effect, title, 60, "python -m training.benchmark.probes.special_tokens", __doc__, arguments
    )


if __name__ == "__main__":
    main()
