"""Pairs of a context and its story for RUBER, and negatives: contexts with the continuation of another story."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.progress import track
from tokenizers import Tokenizer
from torch import Tensor

from openmeva.metrics.core.runtime import SpecialTokens, pad
from openmeva.metrics.core.text import Normalizer, join_words
from openmeva.metrics.ruber_bert.modeling import RuberModel, inner_tokens, pool
from openmeva.metrics.ruber_bert.scoring import plain_context
from openmeva.training.common.buffered_random import evenly_spaced
from openmeva.training.common.trainer import training_autocast
from openmeva.training.corpora.named_files import resolve_corpus_files
from openmeva.training.corpora.splits import judged_keys, load_corpus, truncate_sentences
from openmeva.training.corpora.stories import is_held_out, story_key, without_line_breaks
from openmeva.training.files import read_rows, text_of
from openmeva.training.ruber_bert.config import RuberConfig

Pair = tuple[list[int], list[int]]
CONTEXT_SENTENCES = 1  # number of sentences of the context if there is no prompt


@dataclass(frozen=True)
class PairSplit:
    """Token ids of contexts and stories, without [CLS] and [SEP]."""

    train: list[Pair]
    validation: list[Pair]


def load_pairs(config: RuberConfig, data: Path, names: Path, tokenizer: Tokenizer) -> PairSplit:
    """The pairs of a configuration: prompts with their stories, and first sentences with the rest of their stories.

    The first sentence is the context for stories without a prompt. Of each file of prompts, too, at most
    `corpus.max_stories` stories are read. Stories are held out by their own text, and several may have one context: no
    pair is trained on whose context is also held out.

    Args:
        config: the configuration.
        data: folder of the files.
        names: `names.json` of the encoder.
        tokenizer: tokenizer of the encoder.

    Raises:
        ValueError: fewer than two training or held-out pairs: negatives need the story of another context.
    """
    settings = config.corpus
    corpus = load_corpus(settings, data, names, () if config.prompts else ("train", "validation"))
    name_normalizer = Normalizer.load(names)
    normalizer = name_normalizer if settings.delexicalize else Normalizer()
    judged = judged_keys(settings.exclude, data, name_normalizer) if config.prompts else set()
    train: list[tuple[str, str]] = []
    validation: list[tuple[str, str]] = []
    prompted: set[str] = set()
    for file in resolve_corpus_files(config.prompts or (), data):
        rows = list(prompted_stories(data / file))
        rows = rows if settings.max_stories is None else evenly_spaced(rows, settings.max_stories)
        for prompt, story in track(rows, f"normalising {file}"):
            sentences = truncate_sentences(normalizer.sentences(story), settings.max_words)
            context = normalizer(plain_context(prompt))
            key = story_key(name_normalizer.sentences(story))
            if not context or not sentences or key in judged:
                continue
            split = validation if is_held_out(key, settings.validation_share) else train
            split.append((context, join_words(sentences)))
            prompted.add(join_words(sentences[:3]))
    for split, stories in ((train, corpus.train), (validation, corpus.validation)):
        for sentences in stories:
            if len(sentences) > CONTEXT_SENTENCES and join_words(sentences[:3]) not in prompted:
                split.append(
                    (join_words(sentences[:CONTEXT_SENTENCES]), join_words(sentences[CONTEXT_SENTENCES:]))
                )
    held_out = {context for context, _ in validation}
    train = [pair for pair in train if pair[0] not in held_out]
    rng = np.random.default_rng(config.seed)
    splits = [
        [split[i] for i in rng.permutation(len(split))[:count]]
        for split, count in ((train, config.pairs), (validation, config.validation_pairs))
    ]
    for split, purpose in zip(splits, ("to train on", "held out"), strict=True):
        if len(split) < 2:
            files = ", ".join(dict.fromkeys([*settings.train, *settings.validation, *(config.prompts or ())]))
            raise ValueError(
                f"{files}: expected at least two pairs of a context and its story {purpose}, got {len(split)}"
            )
    return PairSplit(*(_tokens(split, tokenizer, config.max_length - 2) for split in splits))


def prompted_stories(path: Path) -> Iterator[tuple[str, str]]:
    """Prompts (`prompt`, or `context`) and stories of a file's rows, without line-break tokens.

    Rows without a prompt are skipped.

    Raises:
        ValueError: a file without any prompt.
    """
    count = 0
    for row in read_rows(path):
        column = next((name for name in ("prompt", "context") if row.values.get(name)), None)
        prompt = text_of(row, column) if column else ""
        story = without_line_breaks(text_of(row))  # as in `load_corpus`
        if prompt.strip() and story.strip():
            count += 1
            yield prompt, story
    if not count:
        raise ValueError(f"{path}: expected stories with a 'prompt' or 'context', got none")


def _tokens(pairs: Sequence[tuple[str, str]], tokenizer: Tokenizer, limit: int) -> list[Pair]:
    columns = [
        [e.ids[:limit] for e in tokenizer.encode_batch([*texts], add_special_tokens=False)]
        for texts in zip(*pairs, strict=True)
    ]
    return list(zip(*columns, strict=True))


class TextBatcher:
    """Adds [CLS] and [SEP] to token ids and pads them to `input_ids` and `attention_mask`."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        special_tokens = SpecialTokens.from_tokenizer(tokenizer)
        self.cls, self.sep, self.pad = special_tokens.start, special_tokens.end, special_tokens.padding

    def __call__(self, rows: Sequence[list[int]]) -> dict[str, Tensor]:
        ids, mask = pad([[self.cls, *row, self.sep] for row in rows], self.pad)
        return {"input_ids": ids, "attention_mask": mask}


@torch.inference_mode()
def frozen_features(model: RuberModel, texts: Sequence[list[int]], batcher: TextBatcher) -> dict[str, Tensor]:
    """The poolings `cls`, `mean` and `max` of each text by the frozen encoder, (n, width), float32."""
    model.eval()  # without dropout, as in the metric
    features: dict[str, Tensor] = {}
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    device = next(model.parameters()).device
    for start in track(range(0, len(order), 64), "encoding"):
        batch = order[start : start + 64]
        inputs = {k: v.to(device) for k, v in batcher([texts[i] for i in batch]).items()}
        with training_autocast(device):
            states = model.bert(**inputs).last_hidden_state.float()
        inner = inner_tokens(inputs["attention_mask"])
        for pooling in ("cls", "mean", "max"):
            values = pool(states, inner, pooling)
            features.setdefault(pooling, torch.empty(len(texts), values.shape[1]))[batch] = values.cpu()
    return {name: values.clone() for name, values in features.items()}


@torch.inference_mode()
def nearest_contexts(contexts: Tensor, count: int) -> list[Tensor]:
    """For each context (n, width), the indices of at most `count` nearest ones, without itself and its duplicates."""
    unit = torch.nn.functional.normalize(contexts, dim=-1)
    nearest: list[Tensor] = []
    for block in unit.split(1024):
        similarities = block @ unit.T
        similarities[similarities > 0.999] = -torch.inf
        best = similarities.topk(min(count, len(unit) - 1), dim=-1)
        nearest += [row[kept] for row, kept in zip(best.indices, best.values.isfinite(), strict=True)]
    return nearest


class RuberCollator:
    """Pairs of a batch with one sampled story each, as vectors if features are given, else as tokens.

    A story is sampled from `neighbours` of the context if it has any, else from all stories; the sample depends only on the
    seed and the pair's position in the run.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        batcher: TextBatcher,
        features: dict[str, Tensor] | None,
        neighbours: Sequence[Tensor] | None,
        seed: int,
    ) -> None:
        self.pairs, self.batcher, self.features = pairs, batcher, features
        self.neighbours, self.seed = neighbours, seed

    def __call__(self, indices: list[int]) -> dict[str, Any]:
        count = len(self.pairs)
        own_pairs = [index % count for index in indices]
        sampled = [self._sample_story(index, index % count) for index in indices]
        if self.features is not None:
            contexts, stories = self.features["contexts"], self.features["stories"]
            return {
                "contexts": contexts[own_pairs],
                "stories": stories[own_pairs],
                "sampled": stories[sampled],
            }
        return {
            "contexts": self.batcher([self.pairs[i][0] for i in own_pairs]),
            "stories": self.batcher([self.pairs[i][1] for i in own_pairs]),
            "sampled": self.batcher([self.pairs[i][1] for i in sampled]),
        }

    def _sample_story(self, index: int, own_pair: int) -> int:
        rng = np.random.default_rng([self.seed, index])
        if self.neighbours is not None and len(self.neighbours[own_pair]):
            return int(rng.choice(self.neighbours[own_pair]))
        story = int(rng.integers(len(self.pairs) - 1))
        return story + (story >= own_pair)
