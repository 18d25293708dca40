"""Graded groups for the tests of classifiers: a story and two increasingly incoherent versions."""

from openmeva.training.negatives.groups import GroupRow

SUBJECTS = ("she", "he", "the dog", "the cat")
ENDINGS = ("ran home", "ate", "slept", "walked to the park")


def rows() -> list[GroupRow]:
    """Sixteen stories, each with a version in which one, and one in which two sentences make no sense."""
    groups = []
    for a in SUBJECTS:
        for b in ENDINGS:
            group = f"{a}-{b}"
            good = f"{a} {b} . {a} ate the cat . {a} was home ."
            bad = f"{a} {b} . dog dog dog dog . {a} was home ."
            worse = f"{a} {b} . dog dog dog dog . park park park ."
            first = len(f"{a} {b} .".split())
            damaged = list(range(first, first + 4))
            groups += [
                GroupRow(group, good, "human", 1, 0, [], []),
                GroupRow(group, bad, "sentence_swap", 0, 1, ["wrong_order"], damaged),
                GroupRow(group, worse, "sentence_swap+sentence_swap", 0, 2, ["wrong_order"], damaged),
            ]
    return groups
