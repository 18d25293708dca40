"""Perplexity loaded with evaluate: valid and invalid input."""

import json
import math
import sys
from pathlib import Path
from typing import Any

import evaluate
import pytest
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForMaskedLM

from tests.tiny.ppl import plain_tokenizer, write_gpt2, write_ppl_checkpoint

ROOT = Path(__file__).resolve().parents[3]
MODULE = str(ROOT / "metrics" / "ppl")
STORIES = ["Ann ran home. She ate.", "The dog slept."]
KEYS = {
    "score", "scores", "perplexities", "mean_perplexity", "nll", "log_scores", "word_perplexities", "warnings",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def ppl(folder: Path) -> Any:
    return evaluate.load(MODULE, str(write_ppl_checkpoint(folder / "ours", max_length=64)))


@pytest.fixture(scope="module")
def gpt2(folder: Path) -> Any:
    return evaluate.load(MODULE, str(write_gpt2(folder / "gpt2")))


def test_model_without_all_its_weights_is_refused(tmp_path: Path) -> None:
    weights = write_gpt2(tmp_path) / "model.safetensors"
    tensors = load_file(weights)
    del tensors["transformer.h.1.ln_1.weight"]
    save_file(tensors, weights, metadata={"format": "pt"})
    with pytest.raises(ValueError, match=r"weights of a GPT2LMHeadModel, which lack transformer\.h\.1\.ln_1"):
        evaluate.load(MODULE, str(tmp_path)).compute(predictions=STORIES)


def test_masked_language_model_is_refused(tmp_path: Path) -> None:
    tokenizer = plain_tokenizer()
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        initializer_range=0.4,
    )
    BertForMaskedLM(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(
        ValueError, match="expected a causal language model, got one that reads the words to come"
    ):
        evaluate.load(MODULE, str(tmp_path)).compute(predictions=STORIES)


def test_compute(ppl: Any) -> None:
    result = ppl.compute(predictions=STORIES)
    assert set(result) == KEYS
    assert result["scores"] == pytest.approx([-math.exp(loss) for loss in result["nll"]])
    assert result["log_scores"] == [-loss for loss in result["nll"]]
    assert result["perplexities"] == [-score for score in result["scores"]]
    assert result["mean_perplexity"] == pytest.approx(-result["score"])
    assert result["score"] == pytest.approx(sum(result["scores"]) / 2)


def test_losses_do_not_depend_on_order_or_batch(gpt2: Any) -> None:
    stories = [*STORIES, "He walked to the park, and she ran home. The cat slept!"]
    together = gpt2.compute(predictions=stories, dtype="float32")["nll"]
    backwards = gpt2.compute(predictions=stories[::-1], dtype="float32", batch_size=1)["nll"]
    assert together == pytest.approx(backwards[::-1], abs=1e-5)


def test_context_is_conditioned_on_but_not_scored(ppl: Any) -> None:
    alone = ppl.compute(predictions=["She ate."], explain=True, dtype="float32")
    after = ppl.compute(predictions=["She ate."], contexts=["Ann ran home."], explain=True, dtype="float32")
    tokens = [t["token"] for t in after["explanations"][0]["tokens"]]
    assert tokens == ["she", "ate", ".", "[SEP]"]
    assert after["nll"] != pytest.approx(alone["nll"], abs=1e-3)
    blank = ppl.compute(predictions=["She ate."], contexts=[" "], dtype="float32")
    assert blank["nll"] == pytest.approx(alone["nll"], abs=1e-6)
    # a word that is a name in the context is one in the story
    named = ppl.compute(predictions=["Rose ate."], contexts=["The dog and Rose ran."], explain=True)
    assert named["explanations"][0]["tokens"][0]["token"] == "[FEMALE]"
    assert (
        ppl.compute(predictions=["Rose ate."], explain=True)["explanations"][0]["tokens"][0]["token"]
        != "[FEMALE]"
    )


@pytest.mark.parametrize("which", ["ppl", "gpt2"])
def test_explanations_add_up(which: str, request: pytest.FixtureRequest) -> None:
    metric: Any = request.getfixturevalue(which)
    contexts = ["He was not in the park.", ""]
    result = metric.compute(predictions=STORIES, contexts=contexts, explain=True, dtype="float32")
    for nll, explanation in zip(result["nll"], result["explanations"], strict=True):
        losses = [token["nll"] for token in explanation["tokens"]]
        assert nll == pytest.approx(sum(losses) / len(losses))
        for number, sentence in enumerate(explanation["sentences"]):
            own = [t["nll"] for t in explanation["tokens"] if t["sentence"] == number]
            assert sentence["tokens"] == len(own) > 0
            assert sentence["nll"] == pytest.approx(sum(own) / len(own))
    json.dumps(result)
    first = [s["text"] for s in result["explanations"][0]["sentences"]]
    assert first == (
        ["[FEMALE] ran home .", "she ate ."] if which == "ppl" else ["Ann ran home.", "She ate."]
    )
    if which == "gpt2":
        tokens = [t["token"] for t in result["explanations"][0]["tokens"]]
        assert "".join(tokens).strip() == "Ann ran home. She ate."


def test_repeated_tokens_are_excluded_from_corrected_scores(ppl: Any) -> None:
    story = "She ran home. She ran home. He ate."
    result = ppl.compute(predictions=[story], repeated_ngram=2, explain=True, dtype="float32")
    losses = [token["nll"] for token in result["explanations"][0]["tokens"]]
    # she ran home . she | ran home . | he ate . [SEP]: "ran", "home" and "." end a bigram seen before
    kept = losses[:5] + losses[8:]
    assert result["repeated_shares"] == [3 / 12]
    assert result["corrected_log_scores"][0] == pytest.approx(-sum(kept) / len(kept))
    assert result["corrected_scores"][0] == pytest.approx(-math.exp(sum(kept) / len(kept)))
    after = ppl.compute(predictions=["She ran home."], contexts=["Home she ran."], repeated_ngram=1)
    assert after["repeated_shares"] == [4 / 5], "all tokens but the end token are in the context"


def test_signature(ppl: Any, gpt2: Any) -> None:
    fields = dict(part.split(":", 1) for part in ppl.signature().split("|")[1:])
    assert fields["max_length"] == "64"
    assert len(fields["checkpoint"].rpartition("@")[2]) == 12
    assert gpt2.signature().startswith("ppl|checkpoint:")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictions": []}, "expected at least one story"),
        ({}, "expected at least one story"),
        ({"predictions": "a story"}, "expected a list of strings, got str"),
        ({"predictions": ["She ate.", ""]}, "predictions, row 1: expected a text, got a blank one"),
        ({"predictions": ["She ate.", None]}, "predictions, row 1: expected a string, got NoneType"),
        ({"predictions": ["She ate.", "\x07\x08"]}, "predictions, row 1: expected a text with words"),
        ({"predictions": ["She ate.", "\uf8ff"]}, "predictions, row 1: expected a text with words"),
        (
            {"predictions": STORIES, "contexts": ["He ran."]},
            "contexts: expected 2, one per prediction, got 1",
        ),
        ({"predictions": STORIES, "contexts": ["He ran.", 3]}, "contexts, row 1: expected a string, got int"),
        ({"predictions": STORIES, "batch_size": 0}, "batch_size: expected a whole number above 0, got 0"),
        ({"predictions": STORIES, "dtype": "float16"}, "expected dtype 'auto', 'float32' or 'bfloat16'"),
        ({"predictions": STORIES, "padding_side": "top"}, "padding_side: expected one of"),
        ({"predictions": STORIES, "repeated_ngram": 0}, "repeated_ngram: expected a whole number above 0"),
    ],
)
def test_bad_input_is_reported_and_leaves_the_module_usable(
    ppl: Any, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ppl.compute(**arguments)
    assert len(ppl.compute(predictions=STORIES[:1])["scores"]) == 1


def test_masked_model_rejects_left_padding_and_texts_without_tokens(folder: Path) -> None:
    masked = evaluate.load(MODULE, str(write_ppl_checkpoint(folder / "masked", "masked", max_length=64)))
    # The tokenizer drops these characters, so there is nothing to predict.
    for text in ("\ue000\ue001", "\uf8ff", "\u0301"):
        with pytest.raises(ValueError, match="predictions, row 1: expected a text with words"):
            masked.compute(predictions=["She ate.", text])
    with pytest.raises(ValueError, match="expected 'right' for a masked language model"):
        masked.compute(predictions=STORIES, padding_side="left")
    result = masked.compute(predictions=STORIES, explain=True)
    assert [t["token"] for t in result["explanations"][1]["tokens"]] == ["the", "dog", "slept", "."]


def test_unknown_and_damaged_models_are_reported(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"expected a configuration \(base, pll, roc, .*wp\), or a folder"):
        evaluate.load(MODULE, "no_such_model")
    damaged = write_ppl_checkpoint(folder / "damaged")
    (damaged / "adapter.safetensors").write_bytes(b"not tensors")
    with pytest.raises(ValueError, match=r"adapter\.safetensors: missing or damaged"):
        evaluate.load(MODULE, str(damaged))
    bare = write_gpt2(folder / "bare")
    (bare / "model.safetensors").unlink()
    with pytest.raises(ValueError, match="safetensors"):
        evaluate.load(MODULE, str(bare))


def test_scores_do_not_depend_on_the_working_directory(
    folder: Path, ppl: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results do not depend on the working directory; `test_standing_alone.py` starts a Python without the library elsewhere."""
    expected = ppl.compute(predictions=["She ate."], dtype="float32")["nll"]
    monkeypatch.chdir(tmp_path)
    again = evaluate.load(MODULE, str(folder / "ours"))
    assert again.compute(predictions=["She ate."], dtype="float32")["nll"] == pytest.approx(
        expected, abs=1e-6
    )


def test_word_of_very_many_tokens_has_a_finite_perplexity(gpt2: Any) -> None:
    result = gpt2.compute(predictions=["zq" * 400])
    assert sum(result["nll"]) * 400 > 709, "its perplexity as one word exceeds the largest float"
    assert json.loads(json.dumps(result, allow_nan=False))["word_perplexities"] == [sys.float_info.max]


def test_story_of_repeated_tokens_only_has_its_largest_loss(gpt2: Any) -> None:
    """There is no token to average over: GPT-2 has no end token, which would never be repeated."""
    result = gpt2.compute(
        predictions=["She ran home."], contexts=["She ran home. She ran home."], repeated_ngram=1, explain=True,
        dtype="float32",
    )  # fmt: skip
    losses = [token["nll"] for token in result["explanations"][0]["tokens"]]
    assert result["repeated_shares"] == [1.0]
    assert len(set(losses)) > 1
    assert result["corrected_log_scores"] == [pytest.approx(-max(losses))]
    assert result["corrected_scores"] == [pytest.approx(-math.exp(max(losses)))]
