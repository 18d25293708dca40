"""Pairs of a context and its story for RUBER, and negatives: contexts with another story's continuation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.progress import track
from tokenizers import Tokenizer
from torch import Tensor

from openmeva.metrics.core.runtime import pad, token_id
from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.ruber_bert.modeling import RuberModel, extremes, inner_tokens, pool
from openmeva.metrics.ruber_bert.scoring import plain_context
from openmeva.training.corpora.splits import CorpusConfig, Sentences, cut, load_corpus
from openmeva.training.corpora.stories import is_held_out
from openmeva.training.files import read_rows, text_of

Pair = tuple[list[int], list[int]]
BEGINNING = 1  # sentences that are the context where there is no prompt


@dataclass(frozen=True)
class PairSplit:
    """Token ids of contexts and stories, without [CLS] and [SEP]."""

    train: list[Pair]
    validation: list[Pair]


def load_pairs(config: dict[str, Any], data: Path, names: Path, tokenizer: Tokenizer) -> PairSplit:
    """The pairs of a configuration: prompts with their stories where the corpus has some, and beginnings.

    A story without a prompt gives its first sentence as the context of the others.

    Args:
        config: `corpus` as in `CorpusConfig`, `prompts` (files with the fields `prompt` and `story`), `pairs`
            (of training, at most), `validation_pairs` (at most) and `seed`.
        data: folder of the files.
        names: `names.json` of the encoder.
        tokenizer: the encoder's.
    """
    settings = CorpusConfig.from_mapping(config["corpus"])
    corpus = load_corpus(settings, data, names)
    normalizer = Normalizer.load(names) if settings.delexicalize else Normalizer()
    train: list[tuple[str, str]] = []
    validation: list[tuple[str, str]] = []
    prompted: set[str] = set()
    for file in config.get("prompts") or []:
        for prompt, story in track(list(prompted_stories(data / file)), f"normalising {file}"):
            sentences = cut(normalizer.sentences(story), settings.max_words)
            context = normalizer(plain_context(prompt))
            if not context or not sentences:
                continue
            split = validation if is_held_out(sentences, settings.validation_share) else train
            split.append((context, _text(sentences)))
            prompted.add(_text(sentences[:3]))
    for split, stories in ((train, corpus.train), (validation, corpus.validation)):
        for sentences in stories:
            if len(sentences) > BEGINNING and _text(sentences[:3]) not in prompted:
                split.append((_text(sentences[:BEGINNING]), _text(sentences[BEGINNING:])))
    rng = np.random.default_rng(config["seed"])
    kept = [
        [split[i] for i in rng.permutation(len(split))[:count]]
        for split, count in ((train, config["pairs"]), (validation, config["validation_pairs"]))
    ]
    return PairSplit(*(_tokens(split, tokenizer, config["max_length"] - 2) for split in kept))


def prompted_stories(path: Path) -> Iterator[tuple[str, str]]:
    """Prompts and stories of a file's rows, as written; rows without a prompt are left out."""
    for row in read_rows(path):
        prompt, story = row.values.get("prompt") or "", text_of(row)
        if prompt.strip() and story.strip():
            yield prompt, story


def _text(sentences: Sentences) -> str:
    return " ".join(word for sentence in sentences for word in sentence)


def _tokens(pairs: Sequence[tuple[str, str]], tokenizer: Tokenizer, limit: int) -> list[Pair]:
    columns = [
        [e.ids[:limit] for e in tokenizer.encode_batch([*texts], add_special_tokens=False)]
        for texts in zip(*pairs, strict=True)
    ]
    return list(zip(*columns, strict=True))


class TextBatcher:
    """Pads token ids to `input_ids` and `attention_mask`, [CLS] and [SEP] put around them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.cls, self.sep, self.pad = (token_id(tokenizer, t) for t in ("[CLS]", "[SEP]", "[PAD]"))

    def __call__(self, rows: Sequence[list[int]]) -> dict[str, Tensor]:
        ids, mask = pad([[self.cls, *row, self.sep] for row in rows], self.pad)
        return {"input_ids": ids, "attention_mask": mask}


@torch.inference_mode()
def frozen_features(model: RuberModel, texts: Sequence[list[int]], batcher: TextBatcher) -> dict[str, Tensor]:
    """Each pooling of each text by the frozen encoder, (n, width) float32, and `extremes` (n, 2, width)."""
    found: dict[str, Any] = {}
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    device = next(model.parameters()).device
    for start in track(range(0, len(order), 64), "encoding"):
        batch = order[start : start + 64]
        inputs = {k: v.to(device) for k, v in batcher([texts[i] for i in batch]).items()}
        with torch.autocast(device.type, torch.bfloat16):
            states = model.bert(**inputs).last_hidden_state.float()
        inner = inner_tokens(inputs["attention_mask"])
        pooled = {how: pool(states, inner, how) for how in ("cls", "mean", "max")}
        for name, values in {**pooled, "extremes": extremes(states, inner)}.items():
            found.setdefault(name, torch.empty(len(texts), *values.shape[1:]))[batch] = values.cpu()
    return {name: values.clone() for name, values in found.items()}


@torch.inference_mode()
def nearest_contexts(contexts: Tensor, count: int) -> Tensor:
    """Indices (n, count) of the contexts most alike to each, itself and its doubles left out."""
    unit = torch.nn.functional.normalize(contexts, dim=-1)
    found = []
    for part in unit.split(1024):
        alike = part @ unit.T
        alike[alike > 0.999] = -1
        found.append(alike.topk(min(count, len(unit) - 1), dim=-1).indices)
    return torch.cat(found)
