"""Paraphrases by two translation models: into another language, and back (the paper has UDA's, footnote to Table 1)."""

from pathlib import Path

from openmeva.training.common.draws import Draws
from openmeva.training.perturbations.paraphrasers.sequence_model import SequenceModel
from openmeva.training.text.sentence import Sentence


class BackTranslator:
    """Two models of transformers, loaded at the first use; as `Helsinki-NLP/opus-mt-en-de` and `…-de-en`.

    Beams are searched both ways, so the answers do not depend on chance.

    Args:
        there: a folder or a Hub id: from English.
        back: a folder or a Hub id: into English.
        beams: how many beams to search each way; of the first model the likeliest answer is translated back.
        max_tokens: the longest answer.
        device: "cpu", "cuda", …

    Raises:
        ValueError: `beams` or `max_tokens` under 1; at the first use, a model that can't be loaded.
    """

    name = "back_translator"

    def __init__(
        self, there: str | Path, back: str | Path, beams: int = 4, max_tokens: int = 96, device: str = "cpu"
    ) -> None:
        self.there = SequenceModel(there, beams=beams, max_tokens=max_tokens, device=device)
        self.back = SequenceModel(back, beams=beams, max_tokens=max_tokens, device=device)

    def paraphrases(self, sentence: Sentence, draws: Draws) -> list[str]:
        """What comes back of a sentence, the likeliest first, the sentence itself left out."""
        translated = self.there.answers(sentence.text)[:1]
        found = [sentence.opening(text) for one in translated for text in self.back.answers(one)]
        return [text for text in dict.fromkeys(found) if text.lower() != sentence.text.lower()]
