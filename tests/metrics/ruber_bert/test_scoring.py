"""RUBER's parts compared with formulas written out in NumPy, on hidden states computed with transformers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import BertModel

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.ruber_bert.blending import BLENDS, hybrid
from openmeva.metrics.ruber_bert.scoring import RuberScorer, plain_context
from tests.tiny.ruber import write_ruber_checkpoint

STORIES = [
    "She ran home and ate the cat.",
    "He slept.",
    "The dog was not in the park! She walked to the dog.",
]
CONTEXTS = ["Ann was a cat.", "[ WP ] He ran to the park.", "The dog ate."]
REFERENCES = [
    "She ate and slept.",
    "The dog ran home, and she did n't.",
    "The dog was not in the park! She ran.",
]
LISTED = [[reference] for reference in REFERENCES]


def load_scorer(folder: Path) -> RuberScorer:
    return RuberScorer(load_checkpoint(folder, "ruber_bert"))


def encoder_states(folder: Path, scorer: RuberScorer, text: str) -> tuple[np.ndarray, np.ndarray]:
    """The state at [CLS] and those of the text's tokens."""
    bert = BertModel.from_pretrained(folder / "encoder", add_pooling_layer=False).eval()
    ids = scorer.tokenizer.encode(scorer.normalizer(text), add_special_tokens=False).ids
    with torch.no_grad():
        result = bert(torch.tensor([[scorer.cls, *ids, scorer.sep]])).last_hidden_state[0].numpy()
    return result[0], result[1:-1]


def head_by_hand(weights: dict[str, Any], first: np.ndarray, second: np.ndarray) -> float:
    """RUBER's equation 4 with the features of this implementation, then the sigmoid."""
    w = {name.removeprefix("head."): tensor.numpy() for name, tensor in weights.items()}

    def norm(x: np.ndarray) -> np.ndarray:
        return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * w["norm.weight"] + w["norm.bias"]

    c, r = norm(first), norm(second)
    features = np.concatenate([c, r, c * r, abs(c - r), [c @ w["bilinear"] @ r]])
    hidden = np.maximum(0, w["hidden.weight"] @ features + w["hidden.bias"])
    return float(1 / (1 + np.exp(-(w["output.weight"] @ hidden + w["output.bias"])[0])))


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_both_parts_equal_their_formulas(tmp_path: Path, pooling: str) -> None:
    folder = write_ruber_checkpoint(tmp_path / "c", pooling=pooling)
    scorer = load_scorer(folder)
    weights = load_file(folder / "adapter.safetensors")
    found = {
        size: scorer.score(STORIES, CONTEXTS, LISTED, batch_size=size, dtype="float32") for size in (1, 2, 64)
    }
    for row, (story, context, reference) in enumerate(zip(STORIES, CONTEXTS, REFERENCES, strict=True)):
        pooled, ends = [], []
        for text in (context.removeprefix("[ WP ] "), story, reference):
            cls, tokens = encoder_states(folder, scorer, text)
            pooled.append({"cls": cls, "mean": tokens.mean(0), "max": tokens.max(0)}[pooling])
            ends.append(np.concatenate([tokens.max(0), tokens.min(0)]))
        cosine = ends[1] @ ends[2] / np.linalg.norm(ends[1]) / np.linalg.norm(ends[2])
        for unreferenced, referenced in found.values():
            assert unreferenced[row] == pytest.approx(head_by_hand(weights, pooled[0], pooled[1]), abs=1e-5)
            assert referenced is not None
            assert referenced[row] == pytest.approx(float(cosine), abs=1e-5)


def test_recurrent_network_equals_manual_gru(tmp_path: Path) -> None:
    """A bidirectional GRU over word vectors, run by hand, one text at a time."""
    folder = write_ruber_checkpoint(tmp_path / "c", encoder="rnn")
    scorer = load_scorer(folder)
    weights = load_file(folder / "adapter.safetensors")
    words = load_file(folder / "encoder" / "model.safetensors")[
        "bert.embeddings.word_embeddings.weight"
    ].numpy()

    def sigmoid(x: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-x))

    def direction(inputs: np.ndarray, suffix: str) -> np.ndarray:
        wi, wh, bi, bh = (
            weights[f"rnn.{kind}_l0{suffix}"].numpy()
            for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        h = np.zeros(6)
        for x in inputs:
            (ir, iz, inn), (hr, hz, hn) = np.split(wi @ x + bi, 3), np.split(wh @ h + bh, 3)
            r, z = sigmoid(ir + hr), sigmoid(iz + hz)
            h = (1 - z) * np.tanh(inn + r * hn) + z * h
        return h

    def vector(text: str) -> tuple[np.ndarray, np.ndarray]:
        ids = scorer.tokenizer.encode(scorer.normalizer(text), add_special_tokens=False).ids
        x = words[ids]
        return np.concatenate([direction(x, ""), direction(x[::-1], "_reverse")]), x

    unreferenced, referenced = scorer.score(STORIES, CONTEXTS, LISTED, dtype="float32")
    assert referenced is not None
    for row, (story, context, reference) in enumerate(zip(STORIES, CONTEXTS, REFERENCES, strict=True)):
        expected = head_by_hand(
            {k: v for k, v in weights.items() if k.startswith("head.")},
            vector(context.removeprefix("[ WP ] "))[0],
            vector(story)[0],
        )
        assert unreferenced[row] == pytest.approx(expected, abs=1e-5)
        ends = [np.concatenate([x.max(0), x.min(0)]) for x in (vector(story)[1], vector(reference)[1])]
        cosine = ends[0] @ ends[1] / np.linalg.norm(ends[0]) / np.linalg.norm(ends[1])
        assert referenced[row] == pytest.approx(float(cosine), abs=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_long_text_is_encoded_in_pieces(tmp_path: Path, pooling: str) -> None:
    folder = write_ruber_checkpoint(tmp_path / "c", pooling=pooling, max_length=8)
    scorer = load_scorer(folder)
    ids = list(range(8, 23))
    vectors, ends = scorer.encode(scorer.model, [ids, ids[:4]], 2)
    bert = BertModel.from_pretrained(folder / "encoder", add_pooling_layer=False).eval()
    pieces = []
    for start in (0, 6, 12):
        with torch.no_grad():
            row = torch.tensor([[scorer.cls, *ids[start : start + 6], scorer.sep]])
            pieces.append(bert(row).last_hidden_state[0, 1:-1])
    tokens = torch.cat(pieces)
    expected = tokens.amax(0) if pooling == "max" else tokens.mean(0)
    assert torch.allclose(vectors[0], expected, atol=1e-5)
    assert torch.allclose(ends[0], torch.stack([tokens.amax(0), tokens.amin(0)]), atol=1e-5)


def test_story_equal_to_its_reference_has_similarity_1(tmp_path: Path) -> None:
    scorer = load_scorer(write_ruber_checkpoint(tmp_path / "c"))
    _, referenced = scorer.score(STORIES, CONTEXTS, [[story] for story in STORIES], dtype="float32")
    assert referenced == pytest.approx([1.0] * 3, abs=1e-6)


def test_bfloat16_scores_are_close_and_float32_weights_unchanged(tmp_path: Path) -> None:
    scorer = load_scorer(write_ruber_checkpoint(tmp_path / "c"))
    exact = scorer.score(STORIES, CONTEXTS, LISTED, dtype="float32")
    near = scorer.score(STORIES, CONTEXTS, LISTED, dtype="bfloat16")
    assert near[0] == pytest.approx(exact[0], abs=0.05)
    assert scorer.score(STORIES, CONTEXTS, LISTED, dtype="float32") == exact


@pytest.mark.parametrize("how", BLENDS)
def test_blends_of_calibrated_parts(how: str) -> None:
    ranges = {"referenced": [0.5, 1.0], "unreferenced": [0.0, 0.5]}
    by_hand = {"mean": 0.55, "geometric": 0.4898979486, "min": 0.3, "max": 0.8}
    result = hybrid([0.9, 1.5, 0.2], [0.15, 0.9, 0.0], ranges, how, "calibrated")
    # .9 -> .8 and .15 -> .3; past the ranges: clipped
    assert result == pytest.approx([by_hand[how], 1.0, 0.0])


def test_blend_without_normalization() -> None:
    ranges = {"referenced": [0.8, 0.9], "unreferenced": [0.0, 0.5]}
    assert hybrid([0.9, 0.7, -0.2], [0.1, 0.3, 0.5], ranges, "mean", "none") == pytest.approx(
        [0.5, 0.5, 0.25]
    )


def test_batch_normalization_depends_on_the_batch() -> None:
    ranges = {"referenced": [0.0, 1.0], "unreferenced": [0.0, 1.0]}
    three = hybrid([0.9, 0.8, 0.7], [0.1, 0.3, 0.5], ranges, "mean", "batch")
    assert three == pytest.approx([0.5, 0.5, 0.5])
    two = hybrid([0.9, 0.8], [0.1, 0.3], ranges, "max", "batch")
    assert two == pytest.approx([1.0, 1.0])
    assert hybrid([0.9], [0.1], ranges, "mean", "batch") == [0.5]
    alone = hybrid([0.9], [0.1], ranges, "mean", "calibrated")
    assert alone == pytest.approx(hybrid([0.9, 0.1], [0.1, 0.9], ranges, "mean", "calibrated")[:1])


@pytest.mark.parametrize(
    ("context", "plain"),
    [
        ("[WP] You wake up.", "You wake up."),
        ("[ FF ] [ MP ] A song", "A song"),
        ("[MALE] ran home.", "[MALE] ran home."),
        ("She said [ no ] .", "She said [ no ] ."),
        ("[WP]", "[WP]"),
    ],
)
def test_prompt_tags_are_removed(context: str, plain: str) -> None:
    assert plain_context(context) == plain


def test_highest_similarity_of_several_references_counts(tmp_path: Path) -> None:
    scorer = load_scorer(write_ruber_checkpoint(tmp_path / "c"))
    single = [
        scorer.score(STORIES, CONTEXTS, [[reference]] * 3, dtype="float32")[1] for reference in REFERENCES
    ]
    _, referenced = scorer.score(
        STORIES, CONTEXTS, [REFERENCES, REFERENCES[:2], REFERENCES[2:]], dtype="float32"
    )
    (a, b, c), (d, e, _), (f, _, g) = single[0], single[1], single[2]
    assert referenced == pytest.approx([max(a, d, f), max(b, e), g], abs=1e-6)
    assert c is not None
