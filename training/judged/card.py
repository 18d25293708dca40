"""The counts of a judged set, and the card of a folder that it was built into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

import yaml

from openmeva.training.judged.catalogue import JudgedSet
from openmeva.training.judged.rows import JudgedStory

BUILT = "Built from the authors' files:"  # tells a card of these from one of the user's
HEADINGS = ("part", "stories", "prompts", "systems", "ratings a story", "criteria", "words a story")
_COLUMNS = {
    "story_id": "unique in its part",
    "prompt": "what the writer was given; no part of `story`",
    "reference": "what a person wrote for the same prompt",
    "story": "the text that was judged",
    "source_model": "who wrote it; `human` for people",
    "ratings": "single ratings",
    "score": "mean of all ratings, higher is better; of a pair 1 for the preferred story and 0 for the other",
    "raters": "who gave each rating",
    "error_types": "for each rater the errors named",
    "criteria": "mean rating of each criterion",
    "criterion_ratings": "single ratings of each criterion, in the order of `raters`",
    "pair": "two rows of one pair have the same",
}


def counts(part: str, rows: Sequence[JudgedStory]) -> tuple[str, ...]:
    """One row of counts, under `HEADINGS`; `–` where the set does not say."""

    def different(column: str) -> str:
        return f"{len({row[column] for row in rows if column in row}):,}"  # type: ignore[literal-required]

    ratings = {len(row["ratings"]) for row in rows if "ratings" in row}
    criteria = {
        name for row in rows for name in row.get("criteria", ())
    }  # which may differ from story to story
    ends = sorted({min(ratings), max(ratings)}) if ratings else []
    return (
        part,
        f"{len(rows):,}",
        different("prompt") if any("prompt" in row for row in rows) else "–",
        different("source_model") if any("source_model" in row for row in rows) else "–",
        " to ".join(map(str, ends)) or "–",
        str(len(criteria) or "–"),
        f"{mean(len(row['story'].split()) for row in rows):.0f}",
    )


def written_card(one: JudgedSet, parts: Mapping[str, Sequence[JudgedStory]]) -> str:
    """The `README.md` of a built folder: where `datasets` finds the parts, what they hold, and whose they are."""
    front: dict[str, Any] = {
        "pretty_name": one.title,
        "language": "en",
        "license": "unknown" if one.licence.startswith("none") else "other",
        "tags": ["story-evaluation", "human-judgments"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": name, "path": f"{name}.parquet"} for name in parts],
            }
        ],
    }
    present = dict.fromkeys(name for rows in parts.values() for row in rows for name in row)
    lines = [
        "---",
        yaml.safe_dump(front, sort_keys=False, allow_unicode=True).rstrip("\n"),
        "---",
        "",
        f"# {one.title}",
        "",
        f"{one.judgments} Described in {one.paper}. {BUILT} {one.published}.",
        "",
        "Nothing is to be trained on it.",
        "",
        "## Counts",
        "",
        *_table([HEADINGS, *(counts(name, rows) for name, rows in parts.items())]),
        "",
        "## Columns",
        "",
        *_table([("column", "content"), *((f"`{name}`", _COLUMNS[name]) for name in present)]),
        "",
        "## Licence",
        "",
        f"Of the authors' release: {one.licence}. This folder was built for your own use.",
        "",
    ]
    return "\n".join(lines)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]
