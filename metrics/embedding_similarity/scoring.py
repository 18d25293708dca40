"""From texts to MoverScore: embeddings of their words by the shared encoder."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import BertModel

from .encoder import Checkpoint, choose_device, choose_dtype, pad
from .inference import Normalizer, length_batches
from .mover_score import mover_score

Progress = Callable[[Iterable[Any], int], Iterable[Any]]


class MoverScorer:
    """Scores pairs of texts with one checkpoint, loaded once.

    A text's words are those of `Normalizer`, marks left out unless it has nothing else; a word's embedding is
    the mean of the last layer over its pieces, as the paper's unigrams are.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.max_length: int = checkpoint.settings["max_length"]
        self.tokenizer = checkpoint.tokenizer
        self.normalizer = Normalizer()
        self.model = BertModel(checkpoint.model_config, add_pooling_layer=False).eval()
        state = {name.removeprefix("bert."): tensor for name, tensor in checkpoint.state.items()}
        missing, _ = self.model.load_state_dict(state, strict=False)
        if missing:
            raise ValueError(f"{checkpoint.folder}: weights missing: {', '.join(missing)}")
        self.cls, self.sep, self.pad = (
            _token_id(self.tokenizer, token) for token in ("[CLS]", "[SEP]", "[PAD]")
        )

    def scores(
        self,
        pairs: Sequence[tuple[str, str]],
        batch_size: int = 64,
        device: str | None = None,
        dtype: str = "auto",
        progress: Progress | None = None,
    ) -> list[float]:
        """MoverScore of each pair, in order, -1 to 1, higher is more alike; each text is encoded once.

        Raises:
            ValueError: a text without a word, or longer than the encoder reads (its beginning is named).
        """
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        embedded = dict(zip(texts, self.embed(texts, batch_size, device, dtype, progress), strict=True))
        return [mover_score(embedded[first], embedded[second]) for first, second in pairs]

    def embed(
        self,
        texts: Sequence[str],
        batch_size: int = 64,
        device: str | None = None,
        dtype: str = "auto",
        progress: Progress | None = None,
    ) -> list[np.ndarray]:
        """Embeddings (words, width), float32, of each text, in order; see `scores`."""
        place = choose_device(device)
        self.model.to(device=place, dtype=choose_dtype(dtype, place))
        ids, owners = zip(*map(self._pieces, texts), strict=True) if texts else ((), ())
        batches: Iterable[list[int]] = list(length_batches([len(row) for row in ids], batch_size))
        found: list[np.ndarray] = [np.empty(0)] * len(texts)
        for batch in progress(batches, len(texts)) if progress else batches:
            tokens, mask = pad([ids[row] for row in batch], self.pad)
            with torch.inference_mode():
                hidden = self.model(tokens.to(place), attention_mask=mask.to(place)).last_hidden_state
            for row, states in zip(batch, hidden.float().cpu().numpy(), strict=True):
                found[row] = _means(states, owners[row])
        return found

    def _pieces(self, text: str) -> tuple[list[int], list[int]]:
        """Token ids of a text and, for each, the number of its word, -1 for what does not count."""
        words = [word for sentence in self.normalizer.sentences(text) for word in sentence]
        if not words:
            raise ValueError(f"expected a text with words, got {text[:60]!r}")
        counts = [any(map(str.isalnum, word)) for word in words]
        ids, owners = [self.cls], [-1]
        for number, encoding in enumerate(self.tokenizer.encode_batch(words, add_special_tokens=False)):
            ids += encoding.ids
            owners += [number if counts[number] or not any(counts) else -1] * len(encoding.ids)
        if len(ids) + 1 > self.max_length:
            raise ValueError(
                f"expected a text of at most {self.max_length} tokens, got {len(ids) + 1}: {text[:60]!r}"
            )
        return [*ids, self.sep], [*owners, -1]


def _token_id(tokenizer: Tokenizer, token: str) -> int:
    found = tokenizer.token_to_id(token)
    if found is None:
        raise ValueError(f"the tokenizer has no {token}")
    return found


def _means(states: np.ndarray, owners: Sequence[int]) -> np.ndarray:
    """Mean state of each word, (words, width)."""
    numbers = np.array(owners)
    rows = [
        states[: len(numbers)][numbers == number].mean(axis=0)
        for number in dict.fromkeys(owners)
        if number >= 0
    ]
    return np.stack(rows)
