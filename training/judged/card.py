"""The statistics of a judged set, and the card of its built folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from openmeva.training.common.cards import join_card
from openmeva.training.judged.catalogue import JudgedSet
from openmeva.training.judged.rows import JudgedStory

GENERATED_MARKER = "Built from the authors' files:"  # distinguishes a generated card from the user's own
HEADINGS = ("part", "stories", "prompts", "systems", "ratings per story", "criteria", "words per story")
_COLUMNS = {
    "story_id": "unique in its part",
    "prompt": "the writer's prompt; not part of `story`",
    "reference": "human-written story for the same prompt",
    "story": "the text that was judged",
    "source_model": "the model that wrote the story; `human` for human-written stories",
    "ratings": "single ratings",
    "score": "mean of all ratings, higher is better; in a pair, 1 for the preferred story and 0 for the other",
    "raters": "the rater of each rating",
    "error_types": "error types that each rater named",
    "criteria": "mean rating of each criterion",
    "criterion_ratings": "single ratings of each criterion, in the order of `raters`",
    "pair": "id of the pair, shared by its two rows",
}


def statistics_row(part: str, rows: Sequence[JudgedStory]) -> tuple[str, ...]:
    """One row of statistics, under `HEADINGS`; `–` where the set has no such information."""

    def different(column: str) -> str:
        return f"{len({row[column] for row in rows if column in row}):,}"  # type: ignore[literal-required]

    ratings = {len(row["ratings"]) for row in rows if "ratings" in row}
    criteria = {name for row in rows for name in row.get("criteria", ())}  # may differ between stories
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


def render_card(judged_set: JudgedSet, parts: Mapping[str, Sequence[JudgedStory]]) -> str:
    """The `README.md` of a built folder: the files of the parts for `datasets`, counts, columns and licence."""
    front: dict[str, Any] = {
        "pretty_name": judged_set.title,
        "language": "en",
        "license": "unknown" if judged_set.licence.startswith("none") else "other",
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
        "",
        f"# {judged_set.title}",
        "",
        f"{judged_set.judgments} Described in {judged_set.paper}. {GENERATED_MARKER} {judged_set.published}.",
        "",
        "Do not train on it.",
        "",
        "## Counts",
        "",
        *_table([HEADINGS, *(statistics_row(name, rows) for name, rows in parts.items())]),
        "",
        "## Columns",
        "",
        *_table([("column", "content"), *((f"`{name}`", _COLUMNS[name]) for name in present)]),
        "",
        "## Licence",
        "",
        f"Licence of the authors' release: {judged_set.licence}. This folder was built for your own use.",
        "",
    ]
    return join_card(front, "\n".join(lines))


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]
