"""Perplexity compared with the method of evaluate's `perplexity`, with the same model and stories."""

import multiprocessing
from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional as F
from transformers import GPT2Config, GPT2LMHeadModel

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.ppl.causal_model import CausalModel
from openmeva.metrics.ppl.loading import from_checkpoint
from openmeva.metrics.ppl.texts import TokenizedStory
from openmeva.training import processes
from openmeva.training.paths import ROOT
from openmeva.training.speed.parts import Rows, bench_stories, seconds

GPT2_VOCABULARY = 50_257
CPU = torch.device("cpu")


def losses_as_in_evaluate(model: Any, rows: Sequence[list[int]]) -> list[float]:
    """evaluate's method: float32, batches of 16 in the given order, padded to the longest of a batch, loss over all logits at once."""
    model = model.float()
    mean_losses: list[float] = []
    with torch.inference_mode():
        for start in range(0, len(rows), 16):
            batch = rows[start : start + 16]
            longest = max(map(len, batch))
            ids = torch.tensor([row + [0] * (longest - len(row)) for row in batch])
            mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in batch])
            logits = model(ids, attention_mask=mask).logits
            shifted, labels = logits[..., :-1, :].contiguous(), ids[..., 1:].contiguous()
            weights = mask[..., 1:].contiguous()
            losses = F.cross_entropy(shifted.transpose(1, 2), labels, reduction="none") * weights
            mean_losses += (losses.sum(1) / weights.sum(1)).tolist()
    return mean_losses


def gpt2(layers: int, width: int) -> Any:
    """A model with the architecture and vocabulary of GPT-2 and random weights."""
    torch.manual_seed(0)
    shape = GPT2Config(vocab_size=GPT2_VOCABULARY, n_layer=layers, n_embd=width, n_head=width // 64)
    return GPT2LMHeadModel(shape).eval()


def random_stories(count: int, tokens: int) -> list[TokenizedStory]:
    """`count` stories of `tokens` random tokens each."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(1, GPT2_VOCABULARY, (count, tokens), generator=generator).tolist()
    return [TokenizedStory(row, 0, "", [(0, 0)] * tokens, [(0, 0)], tokens) for row in ids]


def peak_memory(ours: bool) -> int:
    """Peak memory in bytes of a new process that scores 16 x 512 tokens with a vocabulary of 50,257."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_score_once, (ours,))


def _score_once(ours: bool) -> int:
    torch.set_num_threads(1)
    model = gpt2(2, 256)
    stories = random_stories(16, 511)
    if ours:
        CausalModel(model, 0, 1024).token_losses(stories, 16, CPU, torch.float32)
    else:
        losses_as_in_evaluate(model, [[0, *story.ids] for story in stories])
    return processes.peak_memory()


def language_model_rows() -> Rows:
    """Stories per second with this project's model and with one of GPT-2's architecture, and peak memory."""
    rows: Rows = []
    loaded = from_checkpoint(load_checkpoint(ROOT / "metrics" / "ppl" / "weights" / "roc", "ppl"))
    ppl_stories = loaded.reader(bench_stories(160), None)
    big = CausalModel(gpt2(6, 384), 0, 1024)
    lengths = [len(story.ids) for story in ppl_stories]
    same_lengths = [
        TokenizedStory(story.ids[:n], 0, "", [(0, 0)] * n, [(0, 0)], n)
        for story, n in zip(random_stories(len(ppl_stories), max(lengths)), lengths, strict=True)
    ]
    for name, model, stories in (
        ("ppl roc", loaded.model, ppl_stories),
        ("a GPT-2 of 6 layers", big, same_lengths),
    ):
        assert isinstance(model, CausalModel)
        texts = [[model.start, *story.ids] for story in stories]
        losses_as_in_evaluate(model.model, texts[:16])
        usual = len(texts) / seconds(lambda: losses_as_in_evaluate(model.model, texts))  # noqa: B023
        rows.append((f"{name}, evaluate's method (fp32, batch 16)", f"{usual:.1f} stories/s", "1", ""))
        for dtype, target in ((torch.float32, ""), (torch.bfloat16, "3")):
            model.token_losses(stories[:16], 32, CPU, dtype)
            rate = len(texts) / seconds(lambda: model.token_losses(stories, 32, CPU, dtype))  # noqa: B023
            kind = str(dtype).removeprefix("torch.")
            rows.append((f"{name}, {kind}", f"{rate:.1f} stories/s", f"{rate / usual:.1f}", target))
    usual_peak, peak = peak_memory(False), peak_memory(True)
    rows.append(
        (
            "peak memory, 16 x 512 tokens, vocabulary of 50,257, compared with evaluate's method",
            f"{peak / 2**20:.0f} of {usual_peak / 2**20:.0f} MiB",
            f"{peak / usual_peak:.2f}",
            "0.50",
        )
    )
    return rows
