"""The numbers of stories in the plot-guided paper's training sets, and ours (Tables 2 and 3)."""

from collections import Counter

import pyarrow as pa

from openmeva.training.negatives.groups import SPLITS

# Table 2 (ROC) and Table 3 (WP): thousands of stories in each split, human ones included.
PUBLISHED = {
    "roc": {
        **dict.fromkeys(("heur_sent_sub", "heur_key_sub", "union_data", "manplts"), (47.1, 5.9, 5.9)),
        "af_manplts": (94.2, 11.8, 11.8),
    },
    "wp": {
        "heur_sent_sub": (163.1, 9.3, 9.1),
        "heur_key_sub": (162.7, 9.3, 9.0),
        "union_data": (161.8, 9.2, 9.0),
        "manplts": (84.5, 4.7, 4.7),
        "af_manplts": (107.2, 35.7, 35.7),
    },
}


def split_counts(table: pa.Table) -> dict[str, int]:
    """Number of stories in each split, including human ones."""
    counts = Counter(table["split"].to_pylist())
    return {split: counts[split] for split in SPLITS}


def counts_table(name: str, built: dict[str, dict[str, int]]) -> str:
    """The counts next to the paper's, in thousands, as a Markdown table."""
    printed = PUBLISHED.get(name.partition("_")[0], {})
    lines = ["| set | train / validation / test | paper |", "|---|---|---|"]
    for key, counts in built.items():
        own = " / ".join(f"{counts[split] / 1000:.1f}k" for split in SPLITS)
        published = " / ".join(f"{value}k" for value in printed.get(key, ()))
        lines.append(f"| {key.upper()} | {own} | {published} |")
    return "\n".join(lines)
