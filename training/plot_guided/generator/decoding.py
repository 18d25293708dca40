"""Incremental decoding with the two kinds of model, for batches of stories."""

from typing import Any, Protocol

import torch
from torch import Tensor

from openmeva.metrics.core.runtime import SpecialTokens, pad


class StoryReader(Protocol):
    """A batch of stories during generation."""

    def logits(self, token: Tensor | None) -> Tensor:
        """Logits (stories, vocabulary) of the next token, after the last tokens (stories, 1); None in the first step."""
        ...

    def keep(self, places: Tensor) -> None:
        """Keeps only the stories at indices `places`."""
        ...


def story_reader(model: Any, marks: SpecialTokens, sources: list[list[int]]) -> StoryReader:
    """The reader for this kind of model, initialised with the plots' token ids."""
    kind = EncodedPlots if model.config.is_encoder_decoder else PlotsAsBeginnings
    return kind(model, marks, sources)


class _Cached:
    """A model and its key-value cache."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.cache: Any = None

    def read(self, **inputs: Any) -> Tensor:
        """Logits (stories, vocabulary) after the last token."""
        output = self.model(**inputs, past_key_values=self.cache, use_cache=True)
        self.cache = output.past_key_values
        logits: Tensor = output.logits[:, -1]
        return logits


class EncodedPlots(_Cached):
    """An encoder-decoder: the encoder reads the plots."""

    def __init__(self, model: Any, marks: SpecialTokens, sources: list[list[int]]) -> None:
        super().__init__(model)
        ids, self.mask = (tensor.to(model.device) for tensor in pad(sources, marks.padding))
        self.state = model.get_encoder()(input_ids=ids, attention_mask=self.mask).last_hidden_state
        self.first = torch.full((len(sources), 1), marks.start, device=model.device)

    def logits(self, token: Tensor | None) -> Tensor:
        return self.read(
            encoder_outputs=(self.state,),
            attention_mask=self.mask,
            decoder_input_ids=self.first if token is None else token,
        )

    def keep(self, places: Tensor) -> None:
        self.cache.batch_select_indices(places)
        self.state, self.mask = self.state[places], self.mask[places]


class PlotsAsBeginnings(_Cached):
    """A decoder-only model with the plots as left-padded prefixes."""

    def __init__(self, model: Any, marks: SpecialTokens, sources: list[list[int]]) -> None:
        super().__init__(model)
        ids, mask = pad([source[::-1] for source in sources], marks.padding)
        self.ids, self.mask = ids.flip(1).to(model.device), mask.flip(1).to(model.device)

    def logits(self, token: Tensor | None) -> Tensor:
        if token is not None:
            self.ids = token
            self.mask = torch.cat([self.mask, torch.ones_like(token)], dim=1)
        places = (self.mask.cumsum(1) - 1).clamp(min=0)[:, -self.ids.shape[1] :]
        return self.read(input_ids=self.ids, attention_mask=self.mask, position_ids=places, logits_to_keep=1)

    def keep(self, places: Tensor) -> None:
        self.cache.batch_select_indices(places)
        self.mask = self.mask[places]
