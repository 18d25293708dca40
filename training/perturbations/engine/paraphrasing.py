"""Selects paraphrases: similar in meaning, with little word overlap."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.engine.overlap import bleu_1
from openmeva.training.perturbations.engine.similarity import any_similar
from openmeva.training.text.phrases import phrases_and_openings
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.tokens import plain_word, token_spans


def good_paraphrase(sentence: Sentence, rng: BufferedRandom, material: PerturbationMaterial) -> str | None:
    """The first paraphrase above the threshold of similarity and below that of overlap (Table 1); else None.

    The thresholds and avoided phrases are the same for every source.

    Raises:
        ValueError: the material lacks a paraphraser or a similarity.
    """
    if material.paraphraser is None or material.similarity is None:
        raise ValueError("expected a paraphraser and a similarity, got none")
    for candidate in material.paraphraser.paraphrases(sentence, rng):
        if word_overlap(candidate, sentence.text) >= material.thresholds.overlap:
            continue
        if material.avoided and material.avoided & (
            phrases_and_openings(candidate) - phrases_and_openings(sentence.text)
        ):
            continue
        # one by one: the first is mostly accepted, and encoding takes most of the time
        if any_similar(material.similarity, [(sentence.text, candidate)], material.thresholds.similarity):
            return candidate
    return None


def word_overlap(paraphrase: str, original: str) -> float:
    """BLEU-1 of a paraphrase with its original, 0..1, on lower-cased tokens, punctuation included.

    It is as in Table 14 for four of its five pairs; the last, .89 there, is 1 here.
    """
    return bleu_1(_words(paraphrase), _words(original))


def _words(text: str) -> list[str]:
    return [plain_word(text[start:end]).lower() for start, end in token_spans(text)]
