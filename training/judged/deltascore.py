"""The judged stories of DeltaScore (Xie et al., Findings of EMNLP 2023): mean ratings of five criteria, 1 to 5."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

from openmeva.training.files import read_rows, text_of
from openmeva.training.judged.rows import JudgedStory, find_file, rating_of

RATERS = ("crowdsource", "inhouse")
CORPORA = ("roc", "wp")
CRITERIA = ("fluency", "coherence", "relatedness", "logicality", "interestingness")


def read_deltascore(folder: str | Path, raters: str, corpus: str) -> list[JudgedStory]:
    """The stories with judgments by one group of raters, in the order of `<raters>/<corpus>.jsonl`.

    A line holds `title` (the models' input), `story`, `model`, `reference`, and the mean rating of each criterion;
    individual ratings are not published. The score is the mean over the criteria.

    Args:
        folder: `data` of the authors' repository.
        raters: `crowdsource` or `inhouse`.
        corpus: `roc` or `wp`.

    Raises:
        ValueError: no such file, a line of another layout, or a rating outside 1..5.
    """
    path = find_file(Path(folder) / raters, (f"{corpus}.jsonl",))
    rows: list[JudgedStory] = []
    for row in read_rows(path, "jsonl"):
        criteria = {name: rating_of(row, name) for name in CRITERIA}
        rows.append(
            {
                "story_id": str(row.number),
                "prompt": text_of(row, "title"),
                "reference": text_of(row, "reference"),
                "story": text_of(row, "story").strip(),
                "source_model": text_of(row, "model"),
                "score": mean(criteria.values()),
                "criteria": criteria,
            }
        )
    return rows
