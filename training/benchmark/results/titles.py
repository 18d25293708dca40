"""Kinds and titles of the rows of results: whose scores a row holds, and titles that several metrics would share."""

from __future__ import annotations

from collections.abc import Collection

from openmeva.metrics.openmeva.trivial import TRIVIAL_BASELINES

OURS = "ours"  # metrics of this project, run by the benchmark
RELEASED = "released"  # scores that others released for the same stories
TRIVIAL = "trivial"  # counts of words and repetitions
OWN = "own"  # the user's metrics, in the report on them
OTHER = "other"  # what the user's metrics are compared with: metrics of this project and released scores

_RELEASED_SUFFIX = " (released)"


def released_title(title: str, taken: Collection[str]) -> str:
    """Title of a row of released scores, which differs from those taken by other rows.

    >>> released_title("UNION", {"UNION", "PPL"}), released_title("BLEU", {"UNION"})
    ('UNION (released)', 'BLEU')
    """
    return f"{title}{_RELEASED_SUFFIX}" if title in taken else title


def metric_of(title: str) -> str:
    """The metric of a row: its title without what `released_title` may have added.

    >>> metric_of("UNION (released)"), metric_of("PPL (fine-tuned GPT-2)")
    ('UNION', 'PPL (fine-tuned GPT-2)')
    """
    return title.removesuffix(_RELEASED_SUFFIX)


def own_title(name: str) -> str:
    """Title of a user's metric; one named like a trivial baseline, which every table has, gets `(yours)`.

    >>> own_title("length"), own_title("coherence")
    ('length (yours)', 'coherence')
    """
    return f"{name} (yours)" if name in TRIVIAL_BASELINES else name


def printed_title(title: str, kind: str) -> str:
    """Title as in reports: hyphens in the names of trivial baselines.

    >>> printed_title("distinct_2", "trivial"), printed_title("my_metric", "own")
    ('distinct-2', 'my_metric')
    """
    return title.replace("_", "-") if kind == TRIVIAL else title
