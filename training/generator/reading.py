"""How the two kinds of model read a plot and go on with its story, a token at a time, many stories at once."""

from typing import Any, Protocol

import torch
from torch import Tensor

from metrics.encoder import Marks, pad


class StoryReader(Protocol):
    """A batch of stories being written."""

    def logits(self, token: Tensor | None) -> Tensor:
        """Logits (stories, vocabulary) of what comes after the tokens (stories, 1) drawn last; None at first."""
        ...

    def keep(self, places: Tensor) -> None:
        """Goes on with the stories at `places` alone."""
        ...


def story_reader(model: Any, marks: Marks, sources: list[list[int]]) -> StoryReader:
    """The reader of plots' token ids that the model's kind asks for."""
    kind = EncodedPlots if model.config.is_encoder_decoder else PlotsAsBeginnings
    return kind(model, marks, sources)


class EncodedPlots:
    """An encoder reads the plots, a decoder writes."""

    def __init__(self, model: Any, marks: Marks, sources: list[list[int]]) -> None:
        self.model, self.cache = model, None
        ids, self.mask = (tensor.to(model.device) for tensor in pad(sources, marks.padding))
        self.state = model.get_encoder()(input_ids=ids, attention_mask=self.mask).last_hidden_state
        self.first = torch.full((len(sources), 1), marks.start, device=model.device)

    def logits(self, token: Tensor | None) -> Tensor:
        output = self.model(
            encoder_outputs=(self.state,),
            attention_mask=self.mask,
            decoder_input_ids=self.first if token is None else token,
            past_key_values=self.cache,
            use_cache=True,
        )
        self.cache = output.past_key_values
        logits: Tensor = output.logits[:, -1]
        return logits

    def keep(self, places: Tensor) -> None:
        cache: Any = self.cache
        cache.batch_select_indices(places)
        self.state, self.mask = self.state[places], self.mask[places]


class PlotsAsBeginnings:
    """A decoder alone goes on from the plots, which are padded on the left."""

    def __init__(self, model: Any, marks: Marks, sources: list[list[int]]) -> None:
        self.model, self.cache = model, None
        ids, mask = pad([source[::-1] for source in sources], marks.padding)
        self.ids, self.mask = ids.flip(1).to(model.device), mask.flip(1).to(model.device)

    def logits(self, token: Tensor | None) -> Tensor:
        if token is not None:
            self.ids = token
            self.mask = torch.cat([self.mask, torch.ones_like(token)], dim=1)
        places = (self.mask.cumsum(1) - 1).clamp(min=0)[:, -self.ids.shape[1] :]
        output = self.model(
            input_ids=self.ids,
            attention_mask=self.mask,
            position_ids=places,
            past_key_values=self.cache,
            use_cache=True,
            logits_to_keep=1,
        )
        self.cache = output.past_key_values
        logits: Tensor = output.logits[:, -1]
        return logits

    def keep(self, places: Tensor) -> None:
        cache: Any = self.cache
        cache.batch_select_indices(places)
        self.mask = self.mask[places]
