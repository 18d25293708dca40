"""Incremental decoding with the two kinds of model, for batches of stories."""

from typing import Any, Protocol

import torch
from torch import Tensor

from openmeva.metrics.core.runtime import SpecialTokens, pad


class StoryDecoder(Protocol):
    """A batch of stories during generation."""

    def logits(self, token: Tensor | None) -> Tensor:
        """Logits (stories, vocabulary) of the next token, after the last tokens (stories, 1); None in the first step."""
        ...

    def keep(self, indices: Tensor) -> None:
        """Keeps only the stories at indices `indices`."""
        ...


def story_decoder(model: Any, special_tokens: SpecialTokens, sources: list[list[int]]) -> StoryDecoder:
    """The decoder for this kind of model, initialised with the plots' token ids."""
    kind = Seq2SeqDecoder if model.config.is_encoder_decoder else CausalDecoder
    return kind(model, special_tokens, sources)


class _CachedModel:
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


class Seq2SeqDecoder(_CachedModel):
    """An encoder-decoder: the encoder reads the plots."""

    def __init__(self, model: Any, special_tokens: SpecialTokens, sources: list[list[int]]) -> None:
        super().__init__(model)
        ids, self.mask = (tensor.to(model.device) for tensor in pad(sources, special_tokens.padding))
        self.state = model.get_encoder()(input_ids=ids, attention_mask=self.mask).last_hidden_state
        self.first = torch.full((len(sources), 1), special_tokens.start, device=model.device)

    def logits(self, token: Tensor | None) -> Tensor:
        return self.read(
            encoder_outputs=(self.state,),
            attention_mask=self.mask,
            decoder_input_ids=self.first if token is None else token,
        )

    def keep(self, indices: Tensor) -> None:
        self.cache.batch_select_indices(indices)
        self.state, self.mask = self.state[indices], self.mask[indices]


class CausalDecoder(_CachedModel):
    """A decoder-only model with the plots as left-padded prefixes."""

    def __init__(self, model: Any, special_tokens: SpecialTokens, sources: list[list[int]]) -> None:
        super().__init__(model)
        ids, mask = pad([source[::-1] for source in sources], special_tokens.padding)
        self.ids, self.mask = ids.flip(1).to(model.device), mask.flip(1).to(model.device)

    def logits(self, token: Tensor | None) -> Tensor:
        if token is not None:
            self.ids = token
            self.mask = torch.cat([self.mask, torch.ones_like(token)], dim=1)
        places = (self.mask.cumsum(1) - 1).clamp(min=0)[:, -self.ids.shape[1] :]
        return self.read(input_ids=self.ids, attention_mask=self.mask, position_ids=places, logits_to_keep=1)

    def keep(self, indices: Tensor) -> None:
        self.cache.batch_select_indices(indices)
        self.mask = self.mask[indices]
