"""Applies one aspect's perturbations to stories; results do not depend on the order or the number of processes."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.common.fields import story_id_of
from openmeva.training.corpora.story_rows import context_of, num_context_sentences
from openmeva.training.perturbations.aspects.registry import find_aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.engine.perturbed import Perturbed
from openmeva.training.perturbations.engine.similarity import MoverSimilarity
from openmeva.training.text.edits import apply_edits
from openmeva.training.text.knowledge import resources
from openmeva.training.text.story import Story


class Perturber:
    """Perturbs stories in one aspect; also a function for `datasets.Dataset.map`.

    The result for a story depends only on the seed and its id.

    Args:
        aspect: a name of `registry.ASPECTS`.
        seed: any non-negative integer.
        techniques: the aspect's techniques to choose from; default: all. One is sampled for each story, and
            replaced by another if it does not apply.
        material: corpus, paraphraser, similarity and settings, as far as the aspect needs them. Default: paraphrases by
            rules, and no corpus, which `relatedness` needs; a row's first sentence is kept if it is the context, as with
            `openmeva perturb`.

    Raises:
        ValueError: an unknown aspect or technique (the known ones are listed), a negative seed, or material
            without what the aspect needs.
        MissingResourceError: WordNet or ConceptNet is needed and has not been downloaded; names the command.

    >>> result = Perturber("typo", seed=1, material=PerturbationMaterial(keep=0)).perturb("He walked home.", "s1")
    >>> result.technique, result.story
    ('swap', 'He wlaked home.')
    """

    def __init__(
        self,
        aspect: str,
        seed: int = 0,
        techniques: Sequence[str] | None = None,
        material: PerturbationMaterial | None = None,
    ) -> None:
        self.aspect = find_aspect(aspect)
        self.techniques = techniques_of(aspect, techniques)
        if seed < 0:
            raise ValueError(f"expected a seed of 0 or more, got {seed}")
        self.seed = seed
        self.material = material or _default_material(self.aspect.needs)
        self._keeps_contexts = material is None
        check_requirements(aspect, self.aspect.needs, self.material)

    def perturb(self, story: Story | str, story_id: str) -> Perturbed | None:
        """The story perturbed, or None where it does not qualify.

        Args:
            story: raw or tokenised text, or a parsed `Story`.
            story_id: with the seed, determines all random choices.

        Raises:
            ValueError: the story is blank.
        """
        return self._perturbed(Story(story) if isinstance(story, str) else story, story_id, self.material)

    def _perturbed(self, story: Story, story_id: str, material: PerturbationMaterial) -> Perturbed | None:
        if not story.sentences:
            raise ValueError(f"story {story_id!r}: expected a story, got {story.text[:40]!r}")
        rng = BufferedRandom(np.random.default_rng(story_entropy(self.seed, self.aspect.name, story_id)))
        for name in rng.shuffled(self.techniques):
            edits = self.aspect.techniques[name](story, rng, material)
            if edits:
                text, spans = apply_edits(story.text, edits)
                if text != story.text:
                    return Perturbed(text, self.aspect.name, name, spans)
        return None

    def perturb_all(self, stories: Sequence[Story], story_ids: Sequence[str]) -> list[Perturbed | None]:
        """The results of `perturb` for stories, in order; faster where sentences have to be encoded.

        Raises:
            ValueError: as `perturb`, or stories and ids differ in number.
        """
        similarity = self.material.similarity
        if "similarity" not in self.aspect.needs or not isinstance(similarity, MoverSimilarity):
            return [self.perturb(*pair) for pair in zip(stories, story_ids, strict=True)]
        guesses = [self._guess(*pair) for pair in zip(stories, story_ids, strict=True)]
        similarity.prepare([text for _, pairs in guesses for pair in pairs for text in pair])
        least = self.material.thresholds.similarity
        return [
            guess if all(similarity.are_similar(pairs, least)) else self.perturb(story, story_id)
            for story, story_id, (guess, pairs) in zip(stories, story_ids, guesses, strict=True)
        ]

    def _guess(self, story: Story, story_id: str) -> tuple[Perturbed | None, list[tuple[str, str]]]:
        """The result of `perturb` if all compared texts are similar, and the pairs of these texts."""
        compared: list[tuple[str, str]] = []

        def all_similar(pairs: Sequence[tuple[str, str]]) -> list[float]:
            compared.extend(pairs)
            return [1.0] * len(pairs)

        return self._perturbed(story, story_id, replace(self.material, similarity=all_similar)), compared

    def __call__(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The columns to add to a row with `story` and optionally `story_id` (or `id`) and `context` (or `prompt`).

        Returns:
            `perturbed` (None where the story does not qualify), `aspect`, `technique` and `changed_spans`
            (`original_start, original_end, start, end`, in characters). Without an id, random choices depend on
            the story's text.

        Raises:
            ValueError: `story` is blank or not a text.
        """
        story, story_id = row.get("story"), story_id_of(row)
        if not isinstance(story, str) or not story.strip():
            raise ValueError(f"row {story_id or ''!r}: expected a text in 'story', got {story!r}")
        parsed, material = Story(story), self.material
        if self._keeps_contexts:
            context = context_of(row, "".join(sentence.text for sentence in parsed.sentences[:1]))
            material = replace(material, keep=num_context_sentences(story.strip(), context))
        result = self._perturbed(parsed, story_id or story, material)
        return {
            "perturbed": result and result.story,
            "aspect": self.aspect.name,
            "technique": result and result.technique,
            "changed_spans": [span._asdict() for span in result.spans] if result else [],
        }


def perturb(
    aspect: str,
    seed: int = 0,
    techniques: Sequence[str] | None = None,
    material: PerturbationMaterial | None = None,
) -> Perturber:
    """A function for `datasets.Dataset.map`: `stories.map(perturb("typo", seed=1))`; see `Perturber`."""
    return Perturber(aspect, seed, techniques, material)


def techniques_of(aspect: str, techniques: Sequence[str] | None) -> tuple[str, ...]:
    """The requested techniques of an aspect (default: all).

    Raises:
        ValueError: unknown techniques, or an empty sequence.
    """
    available = tuple(find_aspect(aspect).techniques)
    chosen = available if techniques is None else tuple(techniques)
    for name in chosen:
        if name not in available:
            raise ValueError(f"{aspect}: unknown technique {name!r}: expected one of {', '.join(available)}")
    if not chosen:
        raise ValueError(f"{aspect}: expected at least one technique, got none")
    return chosen


def check_requirements(aspect: str, needs: Sequence[str], material: PerturbationMaterial) -> None:
    """Checks that everything an aspect needs is available.

    Raises:
        ValueError: no corpus, paraphraser or similarity in the material.
        MissingResourceError: WordNet or ConceptNet has not been downloaded.
    """
    for need in needs:
        if need in resources.COMMANDS:
            resources.require_resource(need)
        elif getattr(material, need) is None:
            raise ValueError(
                f"{aspect}: expected a {need} in the material, got none (material=PerturbationMaterial({need}=…))"
            )


def _default_material(needs: Sequence[str]) -> PerturbationMaterial:
    """Paraphrases by rules, and their similarity, where an aspect needs them."""
    from openmeva.training.perturbations.paraphrasers import find_paraphraser

    return PerturbationMaterial(
        paraphraser=find_paraphraser("rules") if "paraphraser" in needs else None,
        similarity=MoverSimilarity() if "similarity" in needs else None,
    )


def story_entropy(seed: int, purpose: str, story_id: str) -> list[int]:
    """Entropy for `numpy.random.default_rng`: equal for equal arguments on every machine.

    Args:
        seed: 0 or more.
        purpose: what is sampled, such as the name of an aspect; each samples independently.
        story_id: of the story.
    """
    digest = hashlib.sha256(f"{purpose}\n{story_id}".encode("utf-8", "surrogatepass")).digest()
    return [seed, *np.frombuffer(digest[:16], dtype="<u4").tolist()]
