"""Perturbs one story and scores it before and after."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openmeva.spaces import wordnet
from openmeva.spaces.limits import check_text
from openmeva.spaces.scorer import Score, Scorer
from openmeva.spaces.texts import Text, check_corpus
from openmeva.training.files import read_rows
from openmeva.training.paths import STORIES
from openmeva.training.perturbations import (
    ASPECTS,
    PerturbationMaterial,
    Perturbed,
    Perturber,
    StoryPool,
    parse,
)
from openmeva.training.perturbations.engine.similarity import MoverSimilarity
from openmeva.training.perturbations.paraphrasers import RuleParaphraser
from openmeva.training.text.knowledge import resources

MAX_SEED = 1_000_000
_SENTENCES = 2_000  # whose vectors are cached: about 40 MB
LOOKS_FOR = {
    "lexical_repetition": "a sentence of several words",
    "semantic_repetition": "a sentence that the rules can paraphrase",
    "character_behavior": "two people, or pronouns that can be replaced by another person's",
    "common_sense": "words that have relations in ConceptNet",
    "consistency": "words with an antonym, or a verb to negate",
    "relatedness": "nouns or verbs to replace, or a sentence after the first",
    "causal_relationship": "a cause and an effect joined by a word such as “because”",
    "temporal_relationship": "events in time: “before”, “after”, “then”, or two sentences on one person's actions",
    "synonym": "words with a synonym that fits",
    "paraphrase": "a sentence that the rules can paraphrase",
    "punctuation": "commas or other marks inside sentences",
    "contraction": "forms such as “did not” or “didn't”",
    "typo": "longer words",
}
"""What a story must contain for an aspect to change it."""


@dataclass(frozen=True)
class Case:
    """A story before and after perturbation, with both scores; `perturbed` is None where nothing could be changed."""

    aspect: str
    text: Text
    corpus: str
    perturbed: Perturbed | None
    before: tuple[Score, ...] = ()
    after: tuple[Score, ...] = ()

    @property
    def should_worsen(self) -> bool:
        """Whether the perturbation should make the story worse; otherwise it should not change the quality."""
        return ASPECTS[self.aspect].kind == "discrimination"


class Lab:
    """The aspects and their resources, loaded once; used by one thread at a time."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self._lock = threading.Lock()
        self._cached_materials: tuple[PerturbationMaterial, PerturbationMaterial] | None = None
        self._has_wordnet = False  # whether WordNet was available when `_cached_materials` was created

    def start(self) -> None:
        """Fetches WordNet where it is missing, and loads all resources in the background."""
        self.scorer.start()
        threading.Thread(target=self._prepare, name="perturbations", daemon=True).start()

    def _prepare(self) -> None:
        wordnet.fetch_or_retry()
        with self._lock:
            _ = self._materials

    def missing_resources(self, aspect: str) -> str:
        """The resources that an aspect needs and this Space lacks, as a sentence; blank where none is missing."""
        needs = {*ASPECTS[aspect].needs}
        if "paraphraser" in needs:
            needs.add("wordnet")  # read by the rules for paraphrases
        missing = [name for name in resources.COMMANDS if name in needs and not resources.find_resource(name)]
        names = {"wordnet": "WordNet", "conceptnet": "ConceptNet"}
        return (
            f"This aspect needs {' and '.join(names[name] for name in missing)}, which is not available here."
            if missing
            else ""
        )

    @property
    def _materials(self) -> tuple[PerturbationMaterial, PerturbationMaterial]:
        """Material without and with a first sentence that is never changed.

        It is created again once WordNet is available, which the pool of other stories needs.
        """
        if self._cached_materials is None or (not self._has_wordnet and resources.find_resource("wordnet")):
            self._has_wordnet = bool(resources.find_resource("wordnet"))
            self._cached_materials = self._load_materials()
        return self._cached_materials

    def _load_materials(self) -> tuple[PerturbationMaterial, PerturbationMaterial]:
        corpus = None
        if resources.find_resource("wordnet"):
            rows = [row.values for row in read_rows(STORIES)]
            corpus = StoryPool(parse([row["story"] for row in rows if row["kind"] == "roc"]))
        similarity, paraphraser = MoverSimilarity(max_cached=_SENTENCES), RuleParaphraser()
        none, first = (PerturbationMaterial(keep, corpus, paraphraser, similarity) for keep in (0, 1))
        return none, first

    def case(self, story: object, aspect: str, seed: object, corpus: str) -> Case:
        """The perturbed story, and the scores of both versions.

        Raises:
            ValueError: a text that is blank or too long, an unknown aspect, a seed out of range, or a missing resource.
            MissingResourceError: a resource that the aspect needs is missing.
        """
        perturbed = self.perturb(story, aspect, seed, corpus)
        text = Text(check_text(story, "The story"))
        if perturbed is None:
            return Case(aspect, text, corpus, None)
        before, after = self.scorer.score([text, Text(perturbed.story)], corpus)
        return Case(aspect, text, corpus, perturbed, tuple(before), tuple(after))

    def perturb(self, story: object, aspect: str, seed: object, corpus: str) -> Perturbed | None:
        """The perturbed story, or None where the aspect finds nothing to change; errors as `case`."""
        text = check_text(story, "The story")
        check_corpus(corpus)
        if aspect not in ASPECTS:
            raise ValueError(f"The aspect is one of {', '.join(ASPECTS)}, not {str(aspect)[:30]!r}.")
        if (
            isinstance(seed, bool)
            or not isinstance(seed, int | float)
            or not 0 <= seed <= MAX_SEED
            or seed % 1
        ):
            raise ValueError(f"The seed is a whole number from 0 to {MAX_SEED:,}.")
        lacking = self.missing_resources(aspect)
        if lacking:
            raise ValueError(lacking)
        with self._lock:
            material = self._materials[1 if corpus == "roc" else 0]
            return Perturber(aspect, int(seed), material=material).perturb(text, "typed")

    def all_cases(self, story: object, seed: object, corpus: str) -> list[Case]:
        """A case for each available aspect, scored in one batch; errors as `case`."""
        text = Text(check_text(story, "The story"))
        perturbed_by_aspect = {
            name: self.perturb(story, name, seed, corpus)
            for name in ASPECTS
            if not self.missing_resources(name)
        }
        changed = {
            name: perturbed for name, perturbed in perturbed_by_aspect.items() if perturbed is not None
        }
        before, *after = self.scorer.score(
            [text, *(Text(perturbed.story) for perturbed in changed.values())], corpus
        )
        scores = dict(zip(changed, after, strict=True))
        return [
            Case(name, text, corpus, perturbed, tuple(before), tuple(scores.get(name, ())))
            for name, perturbed in perturbed_by_aspect.items()
        ]


def case_rows(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Cases as rows of a download, in the format of `openmeva perturb`, with the scores.

    Each number has columns for `before`, `after` and `better` (`higher` or `lower`).
    """
    rows = []
    for case in cases:
        if case.perturbed is None:
            continue
        scores = {
            f"{column}: {score.number.title}": value
            for when, numbers in (("before", case.before), ("after", case.after))
            for score in numbers
            if score.value is not None
            for column, value in ((when, score.value), ("better", score.number.better))
        }
        rows.append(
            {
                "aspect": case.aspect,
                "technique": case.perturbed.technique,
                "original": case.text.story,
                "story": case.perturbed.story,
                "changed_spans": json.dumps([span._asdict() for span in case.perturbed.spans]),
                **scores,
            }
        )
    return rows


def case_dict(case: Case) -> dict[str, Any]:
    """The case as a JSON object: what the API's `/perturb` returns; `story` is null where nothing changed."""
    return {
        "aspect": case.aspect,
        "expected": "worse" if case.should_worsen else "as good",
        "technique": case.perturbed and case.perturbed.technique,
        "story": case.perturbed and case.perturbed.story,
        "changed_spans": [span._asdict() for span in case.perturbed.spans] if case.perturbed else [],
        "scores": [
            {
                "metric": a.metric,
                "name": a.number.title,
                "before": a.value,
                "after": b.value,
                "better": a.number.better,
            }
            for a, b in zip(case.before, case.after, strict=True)
        ],
    }
