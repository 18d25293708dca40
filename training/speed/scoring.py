"""Speed of UNION's scoring compared with BERT-base run as in the papers."""

from collections.abc import Callable, Sequence

import torch
from torch.nn import functional as F
from transformers import BertConfig

from openmeva.metrics.core.checkpoint import Checkpoint, load_checkpoint
from openmeva.metrics.core.runtime import choose_device, choose_dtype
from openmeva.metrics.union.modeling import UnionModel
from openmeva.metrics.union.scoring import UnionScorer
from openmeva.training.paths import ROOT
from openmeva.training.speed.parts import Rows, bench_stories, seconds


def bert_base() -> UnionScorer:
    """A UNION model of BERT-base's size with random weights, in this project's scorer."""
    torch.manual_seed(0)
    shared = load_checkpoint(ROOT / "metrics" / "union" / "weights" / "roc", "union")
    config = BertConfig(vocab_size=shared.model_config.vocab_size)
    state = UnionModel(config).state_dict()
    return UnionScorer(
        Checkpoint(
            shared.folder,
            shared.settings,
            config,
            state,
            shared.tokenizer,
            shared.names_file,
            shared.revision,
        )
    )


def score_as_in_papers(scorer: UnionScorer, stories: Sequence[str]) -> None:
    """The papers' method: float32, ten stories per batch, each padded to 200 tokens."""
    model = scorer.model.float()
    with torch.inference_mode():
        for start in range(0, len(stories), 10):
            rows = [
                [
                    scorer.special_tokens.start,
                    *scorer.tokenizer.encode(s.lower(), add_special_tokens=False).ids[:198],
                    scorer.special_tokens.end,
                ]
                for s in stories[start : start + 10]
            ]
            ids = torch.tensor([row + [0] * (200 - len(row)) for row in rows])
            torch.sigmoid(model.score(model.encode(ids, (ids != 0).long()))).tolist()


def matrix_products(config: BertConfig, batch: int, tokens: int, dtype: torch.dtype) -> Callable[[], None]:
    """A function that computes only the matrix products of one forward pass, in its shapes and dtype."""
    width, inner, heads = config.hidden_size, config.intermediate_size, config.num_attention_heads
    x, up = torch.randn(batch * tokens, width, dtype=dtype), torch.randn(batch * tokens, inner, dtype=dtype)
    square, wide = torch.randn(width, width, dtype=dtype), torch.randn(inner, width, dtype=dtype)
    narrow = torch.randn(width, inner, dtype=dtype)
    bias, wide_bias = torch.randn(width, dtype=dtype), torch.randn(inner, dtype=dtype)
    q = torch.randn(batch, heads, tokens, width // heads, dtype=dtype)
    weights = torch.randn(batch, heads, tokens, tokens, dtype=dtype)

    def work() -> None:
        with torch.inference_mode():
            for _ in range(config.num_hidden_layers):
                for _ in range(4):
                    F.linear(x, square, bias)
                torch.matmul(q, q.transpose(-1, -2))
                torch.matmul(weights, q)
                F.linear(x, wide, wide_bias)
                F.linear(up, narrow, bias)

    return work


def scoring_rows() -> Rows:
    """Rows for UNION, for BERT-base run as in the papers, and for BERT-base with this project's batching."""
    stories = bench_stories(1000)
    device = choose_device("cpu")
    faster = choose_dtype("auto", device) is torch.bfloat16
    union = UnionScorer(load_checkpoint(ROOT / "metrics" / "union" / "weights" / "roc", "union"))
    big = bert_base()
    score_as_in_papers(big, stories[:10])
    usual = 40 / seconds(lambda: score_as_in_papers(big, stories[:40]), 2)
    rows: Rows = [
        ("BERT-base as in the papers (fp32, batch 10, padded to 200)", f"{usual:.1f} stories/s", "1", "")
    ]
    union.score(stories[:64], device="cpu")
    ours = 1000 / seconds(lambda: union.score(stories, device="cpu"), 2)
    rows.append(
        ("UNION roc, 1,000 stories, text to score", f"{ours:.0f} stories/s", f"{ours / usual:.1f}", "40")
    )
    for dtype, target in (("float32", 3), ("bfloat16", 8)):
        if dtype == "bfloat16" and not faster:
            rows.append(
                ("BERT-base with this project's batching, bfloat16", "not faster here", "-", str(target))
            )
            continue
        big.score(stories[:64], device="cpu", dtype=dtype)
        rate = 320 / seconds(lambda dtype=dtype: big.score(stories[:320], device="cpu", dtype=dtype))  # type: ignore[misc]
        rows.append(
            (
                f"BERT-base with this project's batching, {dtype}",
                f"{rate:.1f} stories/s",
                f"{rate / usual:.1f}",
                str(target),
            )
        )
    rows.append(product_share(union, stories))
    return rows


def product_share(union: UnionScorer, stories: Sequence[str]) -> tuple[str, str, str, str]:
    """The share of a forward pass at batch size 64 that is spent on its matrix products."""
    dtype = choose_dtype("auto", torch.device("cpu"))
    model = union.model.to(dtype)
    prepared = union.prepare(stories[:64], None)
    tokens = max(sum(map(len, story.tokens)) for story in prepared) + 2
    ids = torch.randint(10, 1000, (64, tokens))
    mask = torch.ones_like(ids)
    products = matrix_products(model.config, 64, tokens, dtype)

    def forward() -> None:
        with torch.inference_mode():
            model.score(model.encode(ids, mask))

    forward()
    products()
    forward_seconds, product_seconds = seconds(forward, 12), seconds(products, 12)
    return (
        f"matrix products' share of the forward pass, 64 x {tokens}, {str(dtype).removeprefix('torch.')}",
        f"{1000 * product_seconds:.0f} of {1000 * forward_seconds:.0f} ms",
        f"{product_seconds / forward_seconds:.2f}",
        "0.60",
    )
