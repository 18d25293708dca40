"""The stories whose diagnoses are tested, with every score that these need: `python -m tests.spaces.diagnoses`.

Scores of the shipped weights take minutes, so they are kept in `diagnoses.json`, by texts' digests: written anew where
the weights of plot coherence or UNION change, or where `spaces.story_scorer.diagnosis` asks for other repairs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openmeva.spaces import verdicts
from openmeva.spaces.story_scorer import diagnosis
from openmeva.spaces.story_scorer.diagnosis import Diagnosis, diagnose
from openmeva.spaces.story_scorer.examples import EXAMPLES
from openmeva.training.paths import STORIES

KEPT = Path(__file__).with_name("diagnoses.json")
METRICS = ("plot_coherence", "union")
THRICE = (
    "Nora's bike had a flat tire. She walked it to the shop. She walked it to the shop. She walked it to the shop. "
    "She rode home before it got dark."
)


def stories() -> dict[str, tuple[str, str]]:
    """Name to corpus and story: the examples of the app, 40 human stories, and a sentence repeated three times."""
    by_name = {name: (corpus, text.whole(corpus)) for name, (corpus, text) in EXAMPLES.items()}
    lines = STORIES.read_text(encoding="utf-8").splitlines()[:40]
    rows = [json.loads(line) for line in lines]
    by_name |= {row["story_id"]: (row["kind"], row["story"]) for row in rows}
    return {**by_name, "said thrice": ("roc", THRICE)}


def digest(text: str) -> str:
    """Key of a stored score."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def diagnosed(kept: dict[str, Any], story: str) -> Diagnosis | None:
    """The diagnosis of a story from stored scores; a KeyError where it needs a score that was not stored."""

    def rescore(texts: Sequence[str]) -> list[float]:
        return [kept["scores"][digest(text)] for text in texts]

    return diagnose(story, kept["explanation"], kept["score"], lambda value: value <= kept["low"], rescore)


def _scored() -> dict[str, Any]:
    from openmeva.spaces.catalogue import read_catalogue
    from openmeva.spaces.scorer import Scorer
    from openmeva.spaces.texts import Text

    catalogue = read_catalogue()
    scorer = Scorer({name: catalogue[name] for name in METRICS})
    entries: dict[str, Any] = {}
    for name, (corpus, story) in stories().items():
        score = verdicts.recommended_score(scorer.score([Text(story)], corpus)[0])
        rank = verdicts.human_percentile_rank(score) if score else None
        if score is None or rank is None:
            raise SystemExit("error: plot coherence, or its scores of human stories, are not available")
        explained = scorer.explain(Text(story), corpus)
        entry: dict[str, Any] = {
            "checkpoints": {metric: scorer.checkpoint(metric, corpus) for metric in METRICS},
            "score": score.value,
            "low": rank.quantiles[int(verdicts.LOW_PERCENTILE)],
            "explanation": {
                "sentences": explained["plot_coherence"]["sentences"],
                "edits": explained["union"]["edits"],
            },
            "scores": {},
        }

        def rescore(
            texts: Sequence[str], corpus: str = corpus, kept: dict[str, float] = entry["scores"]
        ) -> list[float]:
            rows = scorer.score([Text(text) for text in texts], corpus, only=["plot_coherence"])
            values = [row[0].value or 0.0 for row in rows]
            kept.update(zip(map(digest, texts), values, strict=True))
            return values

        result = diagnosis.diagnose(
            story, entry["explanation"], entry["score"], lambda value, low=entry["low"]: value <= low, rescore
        )
        print(
            name,
            round(entry["score"], 3),
            result and result.errors,
            result and round(result.after, 3),
            flush=True,
        )
        entries[name] = entry
    return entries


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in _scored().items()]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
