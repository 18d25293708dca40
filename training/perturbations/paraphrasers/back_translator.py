"""Back translation by two translation models (the paper uses UDA's, footnote to Table 1)."""

from pathlib import Path

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.paraphrasers.sequence_model import SequenceModel
from openmeva.training.text.sentence import Sentence


class BackTranslator:
    """Two models of transformers, loaded at the first use, such as `Helsinki-NLP/opus-mt-en-de` and `…-de-en`.

    Both use beam search, so the results are deterministic.

    Args:
        forward: folder or Hub id of the model from English.
        backward: folder or Hub id of the model into English.
        beams: number of beams of each model; the most likely translation is translated back.
        max_tokens: maximum number of generated tokens.
        device: "cpu", "cuda", …

    Raises:
        ValueError: `beams` or `max_tokens` is below 1; at the first use, a model cannot be loaded.
    """

    name = "back_translator"

    def __init__(
        self,
        forward: str | Path,
        backward: str | Path,
        beams: int = 4,
        max_tokens: int = 96,
        device: str = "cpu",
    ) -> None:
        self.forward = SequenceModel(forward, beams=beams, max_tokens=max_tokens, device=device)
        self.backward = SequenceModel(backward, beams=beams, max_tokens=max_tokens, device=device)

    def paraphrases(self, sentence: Sentence, rng: BufferedRandom) -> list[str]:
        """The back-translations of a sentence, the most likely first, without the sentence itself."""
        translated = self.forward.answers(sentence.text)[:1]
        texts = [
            sentence.capitalize_start(text)
            for translation in translated
            for text in self.backward.answers(translation)
        ]
        return [text for text in dict.fromkeys(texts) if text.lower() != sentence.text.lower()]
