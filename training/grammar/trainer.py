"""Trains the grammaticality classifier that filters AUTOS (OpenMEVA, appendix B.2): an adapter on the encoder, on CoLA."""

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from openmeva.metrics.core.runtime import choose_dtype, pad
from openmeva.training.common.backbone import SHARED, Backbone, backbone_tokenizer, find_backbone
from openmeva.training.common.checkpoint import save_checkpoint, save_manifest
from openmeva.training.files import checksum, write_text
from openmeva.training.grammar.card import card
from openmeva.training.grammar.config import Settings
from openmeva.training.grammar.data import FILES, SentenceTokenizer, read_cola
from openmeva.training.grammar.model import GrammarModel, GrammarScorer, new_model
from openmeva.training.text.story import Story


def fit(
    model: GrammarModel,
    pieces: SentenceTokenizer,
    sentences: Sequence[str],
    labels: Sequence[int],
    settings: Settings,
) -> list[float]:
    """Train in place; returns the mean loss of each epoch.

    The sentences of a batch have similar lengths; batches are in random order. The loss is weighted so that both labels have
    the same total weight.
    """
    rng = np.random.default_rng(settings.seed)
    dtype = choose_dtype("auto", torch.device("cpu"))  # bfloat16 if the processor is faster in it
    rows = [pieces(sentence) for sentence in sentences]
    share = sum(labels) / len(labels)
    weight = torch.tensor((1 - share) / share) if 0 < share < 1 else torch.tensor(1.0)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=settings.learning_rate, weight_decay=0.01)
    total = settings.epochs * math.ceil(len(rows) / settings.batch)
    warmup = max(1, int(total * settings.warmup_share))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warmup, max(0.0, (total - step) / max(1, total - warmup)))
    )
    losses = []
    for epoch in range(settings.epochs):
        model.train()
        noisy = [len(row) + rng.random() * 4 for row in rows]  # different batches in each epoch
        order = np.argsort(noisy)
        batches = [order[start : start + settings.batch] for start in range(0, len(order), settings.batch)]
        total_loss = 0.0
        for number in rng.permutation(len(batches)):
            chosen = batches[number]
            ids, mask = pad([rows[index] for index in chosen], pieces.padding)
            target = torch.tensor([float(labels[index]) for index in chosen])
            with torch.autocast("cpu", dtype, enabled=dtype != torch.float32):
                logits = model(ids, attention_mask=mask)
            loss = F.binary_cross_entropy_with_logits(logits.float(), target, pos_weight=weight)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()
            total_loss += loss.item() * len(chosen)
        losses.append(total_loss / len(rows))
        print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}", file=sys.stderr, flush=True)
    return losses


def matthews(labels: Sequence[int], predicted: Sequence[int]) -> float:
    """Matthews correlation coefficient of two binary sequences, -1..1; 0 where one of them is constant.

    >>> round(matthews([1, 1, 0, 0], [1, 1, 1, 0]), 3)
    0.577
    """
    if len(set(labels)) < 2 or len(set(predicted)) < 2:
        return 0.0
    return float(np.corrcoef(labels, predicted)[0, 1])


def evaluate(scorer: GrammarScorer, folder: Path) -> dict[str, dict[str, float]]:
    """Matthews correlation, and accuracy at a threshold of .5, on both development sets of CoLA."""
    results = {}
    for name in ("in_domain", "out_of_domain"):
        sentences, labels = read_cola(folder / FILES[name])
        predicted = [int(score >= 0.5) for score in scorer(sentences)]
        accuracy = float(np.mean([a == b for a, b in zip(predicted, labels, strict=True)]))
        results[name] = {"mcc": matthews(labels, predicted), "accuracy": accuracy, "sentences": len(labels)}
    return results


def pass_rates(scorer: Callable[[Sequence[str]], list[float]], stories: Sequence[str]) -> dict[str, float]:
    """Shares of human stories that score at least .5; all are assumed to be grammatical, as in appendix B.2.

    Returns:
        `stories` and `sentences` (their numbers), and three shares: `each_sentence` (stories whose sentences all pass, which
        is AUTOS' rule for new sentences), `single` (sentences) and `whole` (stories scored as one text).
    """
    sentences = [[sentence.text for sentence in Story(story).sentences] for story in stories]
    scores = iter(scorer([text for texts in sentences for text in texts]))
    passed = [[next(scores) >= 0.5 for _ in texts] for texts in sentences]
    count = sum(map(len, sentences))
    return {
        "stories": len(stories),
        "sentences": count,
        "each_sentence": sum(map(all, passed)) / len(stories),
        "single": sum(map(sum, passed)) / count,
        "whole": sum(score >= 0.5 for score in scorer(stories)) / len(stories),
    }


def train(
    folder: Path,
    out: Path,
    settings: Settings,
    encoder: Path | None = None,
    human: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Train on CoLA and write checkpoint, manifest and card; returns the manifest.

    Args:
        folder: folder of CoLA's files.
        out: folder of the weights.
        settings: settings of the training.
        encoder: folder of an encoder to use instead of the shared one.
        human: corpus to human stories, on which the share that passes is measured.
    """
    started = time.time()
    cola = {name: read_cola(folder / file) for name, file in FILES.items()}
    base = Backbone(SHARED, encoder, {}) if encoder else find_backbone(SHARED)
    model = new_model(base, settings)
    tokenizer = backbone_tokenizer(base)
    losses = fit(model, SentenceTokenizer(tokenizer), *cola["train"], settings)
    with TemporaryDirectory() as temporary:  # earlier weights are replaced when these are evaluated
        save_checkpoint(Path(temporary), "grammar", {}, model, base)
        scorer = GrammarScorer.load(Path(temporary))  # the weights as written, in half precision
        results = evaluate(scorer, folder)
        human_rates = {name: pass_rates(scorer, stories) for name, stories in (human or {}).items()}
    save_checkpoint(out, "grammar", {}, model, base)
    manifest = {
        "settings": vars(settings),
        "data": {name: checksum(folder / file) for name, file in FILES.items()},
        "losses": losses,
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
        "results": results,
        "human": human_rates,
    }
    save_manifest(out, manifest)
    write_text(out / "README.md", card(manifest))
    return manifest
