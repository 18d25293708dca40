"""From stories to UNION scores and the reasons for them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .encoder import Checkpoint, choose_device, choose_dtype, pad, token_id
from .inference import Normalizer, length_batches, sentence_windows
from .modeling import UnionModel

Progress = Callable[[Iterable[Any], int], Iterable[Any]]


@dataclass(frozen=True)
class Story:
    """A story ready for the encoder: by sentence, its normalised words and its token ids."""

    words: list[list[str]]
    tokens: list[list[int]]
    windows: list[tuple[int, int]]

    def ids(self, window: tuple[int, int], without: int | None = None) -> list[int]:
        """Token ids of the sentences in `window`, one of them left out."""
        return [t for i in range(*window) if i != without for t in self.tokens[i]]


class UnionScorer:
    """Scores stories with one checkpoint, loaded once and kept for each device and dtype used last."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        settings = checkpoint.settings
        self.joins_context = settings["context"] == "first_sentence"
        self.max_length: int = settings["max_length"]
        self.tokenizer = checkpoint.tokenizer
        names = checkpoint.names_file if settings["delexicalize"] else None
        self.normalizer = Normalizer.load(names) if names else Normalizer()
        self.model = UnionModel(checkpoint.model_config).eval()
        missing, _ = self.model.load_state_dict(checkpoint.state, strict=False)
        missing = [name for name in missing if "decoder" not in name]
        if missing:
            raise ValueError(f"{checkpoint.folder}: weights missing: {', '.join(missing)}")
        self.model.tie_weights()
        self.cls, self.sep, self.pad = (
            token_id(self.tokenizer, token) for token in ("[CLS]", "[SEP]", "[PAD]")
        )

    def prepare(self, stories: Sequence[str], contexts: Sequence[str] | None) -> list[Story]:
        """Normalises and tokenises; the context joins the story where it is the story's first sentence.

        Raises:
            ValueError: a story without a single word (its row).
        """
        if contexts is not None and self.joins_context:
            stories = [f"{c.strip()} {s.strip()}" for c, s in zip(contexts, stories, strict=True)]
        limit = self.max_length - 2
        prepared = []
        for row, text in enumerate(stories):
            sentences = [list(words) for words in self.normalizer.sentences(text)]
            encodings = self.tokenizer.encode_batch(
                [" ".join(words) for words in sentences], add_special_tokens=False
            )
            words, tokens = [], []
            for sentence, encoding in zip(sentences, encodings, strict=True):
                for start in range(
                    0, len(encoding.ids), limit
                ):  # a sentence past the limit counts as several
                    tokens.append(encoding.ids[start : start + limit])
                    words.append(sentence if start == 0 else [])
            if not tokens:
                raise ValueError(f"predictions, row {row}: expected a text with words, got {text[:60]!r}")
            prepared.append(Story(words, tokens, sentence_windows([len(t) for t in tokens], limit)))
        return prepared

    def probabilities(
        self,
        sequences: Sequence[Sequence[int]],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
        progress: Progress | None = None,
    ) -> list[float]:
        """The score of each sequence of token ids (without [CLS] and [SEP]), in order."""
        self.model.to(device=device, dtype=dtype)
        scores = [0.0] * len(sequences)
        batches: Iterable[list[int]] = list(length_batches([len(ids) for ids in sequences], batch_size))
        if progress:
            batches = progress(batches, len(sequences))
        with torch.inference_mode():
            for batch in batches:
                ids, mask = pad([[self.cls, *sequences[i], self.sep] for i in batch], self.pad)
                logits = self.model.score(self.model.encode(ids.to(device), mask.to(device)))
                for index, score in zip(batch, torch.sigmoid(logits).tolist(), strict=True):
                    scores[index] = score
        return scores

    def score(
        self,
        stories: Sequence[str],
        contexts: Sequence[str] | None = None,
        batch_size: int = 64,
        device: str | torch.device | None = None,
        dtype: str = "auto",
        explain: bool = False,
        progress: Progress | None = None,
    ) -> tuple[list[float], list[dict[str, Any]] | None]:
        """Scores in 0..1, higher is better, in order, and the explanations where asked for.

        A story longer than `max_length` tokens is scored by overlapping windows of whole sentences, whose
        mean, weighted by length, is its score.
        """
        chosen = choose_device(device)
        kind = choose_dtype(dtype, chosen)
        prepared = self.prepare(stories, contexts)
        jobs = [(s, w, None) for s, story in enumerate(prepared) for w in story.windows]
        scores = self._weighted(prepared, jobs, batch_size, chosen, kind, progress)
        if not explain:
            return scores, None
        return scores, self._explain(prepared, batch_size, chosen, kind, progress)

    def _weighted(
        self,
        prepared: Sequence[Story],
        jobs: Sequence[tuple[int, tuple[int, int], int | None]],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
        progress: Progress | None,
    ) -> list[float]:
        sequences = [prepared[s].ids(window, without) for s, window, without in jobs]
        totals, weights = [0.0] * len(prepared), [0] * len(prepared)
        found = self.probabilities(sequences, batch_size, device, dtype, progress)
        for (s, _, _), ids, score in zip(jobs, sequences, found, strict=True):
            totals[s] += score * len(ids)
            weights[s] += len(ids)
        return [total / weight for total, weight in zip(totals, weights, strict=True)]

    def _explain(
        self,
        prepared: Sequence[Story],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
        progress: Progress | None,
    ) -> list[dict[str, Any]]:
        """What each sentence costs its story, and the words that the reconstruction head would change."""
        explanations: list[dict[str, Any]] = []
        whole: list[tuple[int, tuple[int, int], int]] = []  # story, window, sentence
        for s, story in enumerate(prepared):
            for i in range(len(story.tokens)):
                window = min(
                    story.windows, key=lambda w: (not w[0] <= i < w[1], abs(w[0] + w[1] - 1 - 2 * i))
                )
                whole.append((s, window, i))
        kept = [prepared[s].ids(window) for s, window, _ in whole]
        dropped = [prepared[s].ids(window, i) for s, window, i in whole]
        unique = {tuple(ids): 0.0 for ids in (*kept, *dropped) if ids}
        for ids, score in zip(
            unique, self.probabilities(list(unique), batch_size, device, dtype, progress), strict=True
        ):
            unique[ids] = score
        gains: list[list[float]] = [[] for _ in prepared]
        for (s, _, _), with_it, without in zip(whole, kept, dropped, strict=True):
            gains[s].append(unique[tuple(without)] - unique[tuple(with_it)] if without else 0.0)
        for story, gain in zip(prepared, gains, strict=True):
            edits = self._edits(story, device)
            sentences: list[dict[str, Any]] = []
            for words, value in zip(story.words, gain, strict=True):
                if words:  # the rest of a sentence past the limit belongs to its beginning
                    sentences.append({"text": " ".join(words), "gain": value})
                else:
                    sentences[-1]["gain"] += value
            explanations.append({"sentences": sentences, "edits": edits})
        return explanations

    def _edits(self, story: Story, device: torch.device) -> list[dict[str, Any]]:
        """Words whose first token the reconstruction head would change, or delete (suggestion "")."""
        predicted: list[Tensor] = [torch.empty(0, dtype=torch.long)] * len(story.tokens)
        with torch.inference_mode():
            for window in story.windows:
                ids, mask = pad([[self.cls, *story.ids(window), self.sep]], self.pad)
                hidden = self.model.encode(ids.to(device), mask.to(device))[0, 1:-1]
                best = self.model.reconstruct(hidden).argmax(-1).cpu()
                for i, part in zip(
                    range(*window), best.split([len(t) for t in story.tokens[slice(*window)]]), strict=True
                ):
                    predicted[i] = part
        edits = []
        sentence = -1
        for words, tokens, best in zip(story.words, story.tokens, predicted, strict=True):
            if not words:
                continue
            sentence += 1
            position = 0
            for index, word in enumerate(words):
                length = len(self.tokenizer.encode(word, add_special_tokens=False).ids)
                if position + length > len(tokens):
                    break
                if length and int(best[position]) != tokens[position]:
                    edits.append(
                        {
                            "token": word,
                            "suggestion": self._word(best[position : position + length].tolist()),
                            "sentence": sentence,
                            "start": index,
                            "end": index + 1,
                        }
                    )
                position += length
        return edits

    def _word(self, ids: list[int]) -> str:
        pieces = [self.tokenizer.id_to_token(i) for i in ids if i != self.pad]
        return "".join(piece.removeprefix("##") for piece in pieces if piece)
