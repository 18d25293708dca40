"""SENTAVG loaded with evaluate, with a tiny random checkpoint."""

import inspect
from pathlib import Path
from typing import Any

import evaluate
import pytest
import torch
from safetensors.torch import load_file

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.sentavg.scoring import SentAvgScorer
from tests.tiny.models import tiny_tokenizer
from tests.tiny.sentavg import write_sentavg

ROOT = Path(__file__).resolve().parents[3]
STORIES = ["She ran home. She ate.", "The dog slept.", "He ran. The cat slept. He ate the cat!"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sentavg(tmp_path_factory.mktemp("checkpoint"))


@pytest.fixture(scope="module")
def metric(folder: Path) -> Any:
    return evaluate.load(str(ROOT / "metrics" / "sentavg"), str(folder))


@torch.no_grad()
def test_scores_equal_torch_layers(folder: Path, metric: Any) -> None:
    """By hand: an LSTM's last state for each sentence, their mean, tanh, a sigmoid."""
    state = load_file(folder / "adapter.safetensors")
    table = load_file(folder / "encoder" / "model.safetensors")["bert.embeddings.word_embeddings.weight"]
    lstm = torch.nn.LSTM(16, 6)
    lstm.load_state_dict({n.removeprefix("lstm."): t for n, t in state.items() if n.startswith("lstm.")})
    tokenizer = tiny_tokenizer()
    result = metric.compute(predictions=STORIES)["scores"]
    sentences = (
        ("she ran home .", "she ate ."),
        ("the dog slept .",),
        ("he ran .", "the cat slept .", "he ate the cat !"),
    )
    for texts, score in zip(sentences, result, strict=True):
        last = []
        for text in texts:
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            output, _ = lstm((table / table.std())[ids][:, None])
            last.append(output[-1, 0])
        hidden = torch.tanh(state["hidden.weight"] @ torch.stack(last).mean(0) + state["hidden.bias"])
        expected = torch.sigmoid(state["out.weight"] @ hidden + state["out.bias"])
        assert score == pytest.approx(float(expected), abs=1e-5)


def test_scores_do_not_depend_on_batches_or_order(metric: Any) -> None:
    whole = metric.compute(predictions=STORIES)
    assert whole["score"] == pytest.approx(sum(whole["scores"]) / 3)
    turned = metric.compute(predictions=STORIES[::-1], batch_size=1)["scores"]
    assert turned[::-1] == pytest.approx(whole["scores"], abs=1e-6)
    swapped = metric.compute(predictions=["She ate. She ran home."])["score"]
    assert swapped == pytest.approx(whole["scores"][0], abs=1e-6), (
        "the mean does not depend on sentence order"
    )


def test_context_is_joined_unless_disabled(metric: Any) -> None:
    def score(story: str, **options: Any) -> float:
        return metric.compute(predictions=[story], **options)["score"]

    joined = score("She ate.", contexts=["She ran home."])
    assert joined == pytest.approx(score(STORIES[0]), abs=1e-6)
    apart = score("She ate.", contexts=["She ran home."], context_is_part_of_story=False)
    assert apart == pytest.approx(score("She ate."), abs=1e-6)
    assert apart != pytest.approx(joined, abs=1e-6)


def test_bad_input_is_reported(metric: Any, bad_input: tuple[dict[str, Any], str]) -> None:
    arguments, message = bad_input
    with pytest.raises(ValueError, match=message):
        metric.compute(**arguments)
    assert metric.compute(predictions=["She ate."])["scores"]


def test_signature(metric: Any) -> None:
    fields = dict(part.split(":", 1) for part in metric.signature().split("|")[1:])
    assert (fields["context"], fields["dtype"]) == ("first_sentence", "float32")
    assert "|dtype:bfloat16|" in metric.signature("bfloat16")


def test_default_precision_is_float32(metric: Any) -> None:
    result = metric.compute(predictions=STORIES)["scores"]
    assert result == metric.compute(predictions=STORIES, dtype="float32")["scores"]
    assert result != metric.compute(predictions=STORIES, dtype="bfloat16")["scores"]


def test_explain_is_not_an_option(metric: Any) -> None:
    assert "explain" not in inspect.signature(metric._compute).parameters


def test_mean_over_many_sentences_is_accurate_in_bfloat16(folder: Path) -> None:
    model = SentAvgScorer(load_checkpoint(folder, "sentavg")).model
    vectors = torch.rand(1000, model.hidden.in_features)
    story = torch.zeros(1000, dtype=torch.long)
    whole = model.score(vectors, story, 1)
    half = model.to(torch.bfloat16).score(vectors.to(torch.bfloat16), story, 1)
    assert half.item() == pytest.approx(whole.item(), abs=0.05)
