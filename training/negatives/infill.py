"""Hard negatives by masked language modelling: words resampled with the shared encoder."""

from collections.abc import Sequence

import numpy as np
import torch
from rich.progress import track
from tokenizers import Tokenizer
from transformers import BertForMaskedLM

from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.runtime import choose_device, choose_dtype, pad, token_id
from openmeva.training.common.backbone import SHARED, backbone_tokenizer, build_on_backbone, find_backbone

TOP = 50  # k of top-k sampling


class Infiller:
    """Resamples words that are single wordpieces with a masked language model, given their context.

    Args:
        temperature: sampling temperature.
        model, tokenizer: default: the shared encoder's.
    """

    def __init__(
        self,
        temperature: float = 1.0,
        model: BertForMaskedLM | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self.temperature = temperature
        self.device = choose_device(None)
        dtype = choose_dtype("auto", self.device) if model is None else torch.float32
        self.tokenizer = tokenizer or backbone_tokenizer(find_backbone(SHARED))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.model = (model or _shared_encoder()).eval().to(self.device, dtype)
        self.first, self.last, self.padding, self.mask = (
            token_id(self.tokenizer, token) for token in ("[CLS]", "[SEP]", "[PAD]", "[MASK]")
        )
        vocabulary = self.tokenizer.get_vocab()
        # only whole lower-case words: no subwords, numbers, punctuation or special tokens
        self.words = {number: word for word, number in vocabulary.items() if word.isalpha()}
        self._excluded = torch.ones(len(vocabulary), dtype=torch.bool)
        self._excluded[list(self.words)] = False

    def __call__(
        self,
        stories: Sequence[Sequence[Sequence[str]]],
        sentences: Sequence[int],
        shares: Sequence[float],
        rng: np.random.Generator,
        batch_size: int = 64,
    ) -> list[list[str]]:
        """Sentence `sentences[i]` of story i with about `shares[i]` of its words resampled; its length is unchanged.

        A sampled word may equal the original. A sentence in which no word can be resampled is returned unchanged.
        If a story exceeds the model's maximum length, the model sees the text around the sentence.
        """
        rows, places, new_sentences = [], [], [list(s[at]) for s, at in zip(stories, sentences, strict=True)]
        for story, at, share in zip(stories, sentences, shares, strict=True):
            ids, chosen = self._row(story, at, share, rng)
            rows.append(ids)
            places.append(chosen)
        generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
        batches = list(length_batches([len(row) for row in rows], batch_size))
        with torch.inference_mode():
            for batch in track(batches, f"resampling words in {len(rows):,} sentences"):
                self._sample_words(batch, rows, places, generator)
        for i, chosen in enumerate(places):
            for token, word in chosen:
                new_sentences[i][word] = self.words[rows[i][token]]
        return new_sentences

    def _row(
        self, story: Sequence[Sequence[str]], at: int, share: float, rng: np.random.Generator
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Token ids of a story, and (index of the token, index of the word) for the words to resample."""
        ids: list[int] = []
        candidates: list[tuple[int, int]] = []
        for number, sentence in enumerate(story):
            for index, word in enumerate(sentence):
                pieces = self.tokenizer.encode(word, add_special_tokens=False).ids
                if number == at and len(pieces) == 1 and pieces[0] in self.words:
                    candidates.append((len(ids), index))
                ids.extend(pieces)
        room = self.model.config.max_position_embeddings - 2
        middle = candidates[len(candidates) // 2][0] if candidates else 0
        left = max(0, min(len(ids) - room, middle - room // 2))
        seen = [(token - left + 1, word) for token, word in candidates if left <= token < left + room]
        count = max(1, round(share * len(seen)))
        order = rng.permutation(len(seen))[:count]
        return [self.first, *ids[left : left + room], self.last], [seen[i] for i in order]

    def _sample_words(
        self,
        batch: list[int],
        rows: list[list[int]],
        places: list[list[tuple[int, int]]],
        generator: torch.Generator,
    ) -> None:
        """Samples the words at `places` and writes them to `rows`."""
        ids, mask = pad([rows[i] for i in batch], self.padding)
        wanted = [(row, token) for row, i in enumerate(batch) for token, _ in places[i]]
        if not wanted:
            return
        at = torch.tensor(wanted)
        ids[at[:, 0], at[:, 1]] = self.mask
        read = self.model.bert(ids.to(self.device), attention_mask=mask.to(self.device))
        hidden = read.last_hidden_state[at[:, 0], at[:, 1]]
        logits = self.model.cls(hidden).float().cpu()[:, : len(self._excluded)]  # sampling is on the CPU
        logits = logits.masked_fill(self._excluded, float("-inf")) / self.temperature
        best = logits.topk(min(TOP, len(self.words)), dim=1)
        sampled = torch.multinomial(best.values.softmax(-1), 1, generator=generator)
        for (row, token), number in zip(wanted, best.indices.gather(1, sampled)[:, 0].tolist(), strict=True):
            rows[batch[row]][token] = number


def _shared_encoder() -> BertForMaskedLM:
    model, _ = build_on_backbone(BertForMaskedLM, find_backbone(SHARED), attn_implementation="eager")
    model.tie_weights()
    return model
