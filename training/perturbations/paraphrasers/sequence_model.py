"""Paraphrases by a sequence-to-sequence model of your choice."""

from pathlib import Path
from typing import Any

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.text.sentence import Sentence


class SequenceModel:
    """A model of transformers that rewrites one sentence, loaded at the first use.

    It uses beam search, so the results are deterministic.

    Args:
        model: folder or Hub id.
        prefix: text that the model expects before a sentence ("paraphrase: ").
        beams: number of beams, and of paraphrases to return.
        max_tokens: maximum number of generated tokens.
        device: "cpu", "cuda", …

    Raises:
        ValueError: `beams` or `max_tokens` is below 1; at the first use, the model cannot be loaded.
    """

    name = "sequence_model"

    def __init__(
        self, model: str | Path, prefix: str = "", beams: int = 4, max_tokens: int = 96, device: str = "cpu"
    ) -> None:
        for name, value in (("beams", beams), ("max_tokens", max_tokens)):
            if value < 1:
                raise ValueError(f"{name}: expected 1 or more, got {value}")
        self.model = str(model)
        self.prefix = prefix
        self.beams = beams
        self.max_tokens = max_tokens
        self.device = device
        self._loaded: tuple[Any, Any] | None = None

    def paraphrases(self, sentence: Sentence, rng: BufferedRandom) -> list[str]:
        """The model's outputs for a sentence, the most likely first, without the sentence itself."""
        return [text for text in self.answers(sentence.text) if text.lower() != sentence.text.lower()]

    def answers(self, text: str) -> list[str]:
        """The model's outputs for a text, the most likely first, without blank ones.

        Raises:
            ValueError: the model cannot be loaded.
        """
        import torch

        tokenizer, network = self._load()
        inputs = tokenizer(self.prefix + text, return_tensors="pt", truncation=False).to(self.device)
        with torch.inference_mode():
            answers = network.generate(
                **inputs,
                num_beams=self.beams,
                num_return_sequences=self.beams,
                max_new_tokens=self.max_tokens,
                do_sample=False,
            )
        texts = tokenizer.batch_decode(answers, skip_special_tokens=True)
        return [generated for generated in dict.fromkeys(answer.strip() for answer in texts) if generated]

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

            try:
                tokenizer = AutoTokenizer.from_pretrained(self.model, trust_remote_code=False)
                network = AutoModelForSeq2SeqLM.from_pretrained(self.model, trust_remote_code=False)
            except (OSError, ValueError) as error:
                raise ValueError(f"no sequence-to-sequence model at {self.model!r}: {error}") from error
            self._loaded = tokenizer, network.to(self.device).eval()
        return self._loaded
