"""The teacher of a knowledge distillation: its logits and hidden states of tokenised stories."""

import torch
from torch import Tensor

from openmeva.metrics.core.runtime import PrecisionCache, choose_device, choose_dtype
from openmeva.metrics.core.story_scorer import StoryScorer
from openmeva.training.classifier.data import ExampleMaker
from openmeva.training.classifier.hidden_states import word_states


class TeacherModel:
    """A teacher on this process's device, in the faster precision; its outputs are stored, or computed for each batch.

    Args:
        scorer: of the teacher's checkpoint.
        limit: maximum number of tokens per story, as for the student.

    Attributes:
        device: of the outputs.
        make: tokenises a row for the teacher.
        padding: token id of padding.
    """

    def __init__(self, scorer: StoryScorer, limit: int) -> None:
        self.device = choose_device(None)
        self.make = ExampleMaker(scorer.tokenizer, scorer.normalizer, limit)
        self.padding: int = scorer.special_tokens.padding
        self._model = PrecisionCache(scorer.model.eval()).get(self.device, choose_dtype("auto", self.device))

    @torch.no_grad()
    def __call__(self, ids: Tensor, mask: Tensor, words: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """The logits (n,) and the states (n, count, width) of each word, both float32: see `word_states`.

        Args:
            ids: (n, tokens), made by `make` and padded.
            mask: (n, tokens), the attention mask.
            words: (n, tokens), the word numbers.
            count: 1 + the maximum number of words.
        """
        hidden = self._model.encode(ids.to(self.device), mask.to(self.device))
        states = word_states(hidden.float(), words.to(self.device), count)
        return self._model.score(hidden).float(), states
