"""Counts of AUTOS by aspect, compared with the paper's."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from openmeva.training.perturbations.aspects.registry import INVARIANCE_ASPECTS

# (coherent, incoherent) from Table 6 and (human, discrimination) from Table 7.
PAPER: dict[str, dict[str, tuple[int, int]]] = {
    "roc": {
        "lexical_repetition": (4736, 4049),
        "semantic_repetition": (4736, 3243),
        "character_behavior": (1022, 266),
        "common_sense": (1921, 448),
        "consistency": (455, 3666),
        "relatedness": (563, 3570),
        "causal_relationship": (476, 410),
        "temporal_relationship": (2376, 1799),
        "synonym": (3777, 2395),
        "paraphrase": (3174, 2194),
        "punctuation": (574, 171),
        "contraction": (1602, 1208),
        "typo": (4755, 4763),
    },
    "wp": {
        "lexical_repetition": (9922, 9022),
        "semantic_repetition": (9922, 8381),
        "character_behavior": (3911, 173),
        "common_sense": (2052, 235),
        "consistency": (2914, 6239),
        "relatedness": (497, 851),
        "causal_relationship": (4552, 3057),
        "temporal_relationship": (9408, 7092),
        "synonym": (6961, 3590),
        "paraphrase": (7881, 2576),
        "punctuation": (4535, 2287),
        "contraction": (8731, 4522),
        "typo": (15073, 15082),
    },
}
# The number of stories, and of those that pass the grammaticality filter (.9648 and .6568, appendix B.2), from which coherent
# examples are selected.
STORIES = {"roc": 4909, "wp": 15107}
PASSED = {"roc": 4736, "wp": 9922}


def counts(
    discrimination: Sequence[Mapping[str, Any]], invariance: Sequence[Mapping[str, Any]]
) -> dict[str, tuple[int, int]]:
    """Aspect to the numbers of coherent and incoherent examples, or of perturbed human and perturbed incoherent stories."""
    by_label = Counter((row["aspect"], row["label"]) for row in discrimination)
    by_origin = Counter((row["aspect"], row["origin"]) for row in invariance if row["label"] == 0)
    by_aspect = {name: (by_label[name, 1], by_label[name, 0]) for name, _ in by_label}
    return by_aspect | {
        name: (by_origin[name, "human"], by_origin[name, "discrimination"]) for name, _ in by_origin
    }


def counts_table(
    discrimination: Sequence[Mapping[str, Any]],
    invariance: Sequence[Mapping[str, Any]],
    stories: int,
    config: str,
) -> str:
    """A Markdown table: counts, their shares of the stories, and the paper's shares.

    `*` marks a share that differs by more than a factor of two. The paper's shares are those of WP for the configuration
    `wp`, and of ROC for all others.
    """
    corpus = "wp" if config == "wp" else "roc"
    own_counts = counts(discrimination, invariance)
    lines = [
        f"| aspect | coherent examples (last five: perturbed human stories) | perturbed stories (last five: perturbed incoherent stories) | shares of {stories} | paper ({corpus}) |",
        "|---|---|---|---|---|",
    ]
    for name, paper in PAPER[corpus].items():
        own = own_counts.get(name, (0, 0))
        shares = [count / stories for count in own]
        totals = STORIES[corpus] if name in INVARIANCE_ASPECTS else PASSED[corpus], STORIES[corpus]
        papers = [count / stories for count, stories in zip(paper, totals, strict=True)]
        marked = [
            f"{share:.3f}" + ("*" if not 0.5 <= share / paper_share <= 2 else "")
            for share, paper_share in zip(shares, papers, strict=True)
        ]
        lines.append(
            f"| {name} | {own[0]} | {own[1]} | {' / '.join(marked)} | {papers[0]:.3f} / {papers[1]:.3f} |"
        )
    return "\n".join(lines)


def yield_table(
    discrimination: Sequence[Mapping[str, Any]],
    invariance: Sequence[Mapping[str, Any]],
    unfiltered: Mapping[str, int],
) -> str:
    """A Markdown table by aspect: perturbed stories, those left after the filter and the limit on phrases, and their share."""
    remaining_by_aspect = Counter(
        row["aspect"] for rows in (discrimination, invariance) for row in rows if row["label"] == 0
    )
    lines = ["| aspect | perturbed | left | share |", "|---|---|---|---|"]
    for name, count in [*unfiltered.items(), ("all", sum(unfiltered.values()))]:
        remaining = sum(remaining_by_aspect.values()) if name == "all" else remaining_by_aspect[name]
        lines.append(f"| {name} | {count} | {remaining} | {remaining / count if count else 0:.3f} |")
    return "\n".join(lines)
