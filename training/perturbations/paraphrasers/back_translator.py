"""Back translation by two translation models (the paper uses UDA's, footnote to Table 1)."""

from pathlib import Path

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.paraphrasers.sequence_model import SequenceModel
from openmeva.training.text.sentence import Sentence


class BackTranslator:
    """Two models of transformers, loaded at the first use, such as `Helsinki-NLP/opus-mt-en-de` and `…-de-en`.

    Both use beam search, so the results are deterministic.

    Args:
        there: folder or Hub id of the model from English.
        back: folder or Hub id of the model into English.
        beams: number of beams of each model; the most likely translation is translated back.
        max_tokens: maximum number of generated tokens.
        device: "cpu", "cuda", …

    Raises:
        ValueError: `beams` or `max_tokens` is below 1; at the first use, a model cannot be loaded.
    """

    name = "back_translator"

    def __init__(
        self, there: str | Path, back: str | Path, beams: int = 4, max_tokens: int = 96, device: str = "cpu"
    ) -> None:
        self.there = SequenceModel(there, beams=beams, max_tokens=max_tokens, device=device)
        self.back = SequenceModel(back, beams=beams, max_tokens=max_tokens, device=device)

    def paraphrases(self, sentence: Sentence, draws: BufferedRandom) -> list[str]:
        """The back-translations of a sentence, the most likely first, without the sentence itself."""
        translated = self.there.answers(sentence.text)[:1]
        found = [sentence.capitalize_start(text) for one in translated for text in self.back.answers(one)]
        return [text for text in dict.fromkeys(found) if text.lower() != sentence.text.lower()]
