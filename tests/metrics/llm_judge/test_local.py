"""A judge on this machine: a tiny causal model, against a computation by hand."""

import shutil
from pathlib import Path
from typing import Any

import evaluate
import pytest
import torch
from transformers import AutoTokenizer, GPT2LMHeadModel

from openmeva.metrics.llm_judge import reading
from openmeva.metrics.llm_judge.answers import NoAnswer, Request
from openmeva.metrics.llm_judge.local import LocalJudge
from openmeva.metrics.llm_judge.prompts import SHIPPED
from openmeva.training.paths import ROOT
from tests.tiny_ppl import write_gpt2

MODULE = str(Path(__file__).resolve().parents[3] / "metrics" / "llm_judge")
STORIES = ["Ann ran home. She ate.", "The dog slept."]
TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<judge>{% endif %}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gpt2(tmp_path_factory.mktemp("judge"), positions=2048)


@pytest.fixture(autouse=True)
def _untrained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its probability is not on the ratings, as that of a model that can be asked would be."""
    monkeypatch.setattr(reading, "LEAST_MASS", 0.0)


def by_hand(folder: Path, text: str) -> float:
    """The expected rating after a text, from the whole distribution over the next token."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), GPT2LMHeadModel.from_pretrained(folder)
    with torch.no_grad():
        probabilities = model(torch.tensor([tokenizer(text)["input_ids"]])).logits[0, -1].softmax(0)
    masses = {
        rating: float(probabilities[tokenizer.convert_tokens_to_ids(str(rating))]) for rating in range(1, 6)
    }
    return sum(rating * mass for rating, mass in masses.items()) / sum(masses.values())


def test_the_expected_rating(folder: Path, tmp_path: Path) -> None:
    judge = evaluate.load(MODULE, str(folder))
    given: dict[str, Any] = {
        "predictions": STORIES,
        "dtype": "float32",
        "cache": str(tmp_path),
        "show_progress": False,
    }
    result = judge.compute(**given, aspects=["fluency", "overall"])
    for number, story in enumerate(STORIES):
        wanted = by_hand(folder, SHIPPED.render("fluency", story) + "\n\nRating:")
        assert result["scores"][number] == pytest.approx(wanted, abs=1e-5)
    assert result["fluency_scores"] != result["overall_scores"]
    assert "|method:probabilities|" in result["signature"]
    assert "|at:local|revision:" in result["signature"]
    again = judge.compute(**given, aspects=["overall", "fluency"])
    assert again["fluency_scores"] == result["fluency_scores"]
    assert again["usage"]["answers"] == 0, "kept"
    with pytest.raises(ValueError, match="chosen on loading"):
        judge.compute(**given, model="other")


def test_a_model_of_chats_is_asked_in_its_own_form(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "chat")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "chat")
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(tmp_path / "chat")
    judge = LocalJudge(str(tmp_path / "chat"), dtype="float32")
    answer = judge.ask(Request("How good?"))
    assert answer.tokens is not None
    value, _, _ = reading.expected_rating(answer.text, answer.tokens)
    assert value == pytest.approx(by_hand(folder, "<user>How good?<judge>"), abs=1e-5)


def test_a_prompt_that_is_too_long_is_not_cut(tmp_path: Path) -> None:
    judge = LocalJudge(str(write_gpt2(tmp_path / "short", positions=64)))
    with pytest.raises(NoAnswer, match="tokens, expected at most 64"):
        judge.ask(Request("How good? " * 50))


def test_stories_that_are_too_long_are_unscored_and_the_others_scored(tmp_path: Path) -> None:
    place = str(write_gpt2(tmp_path / "short", positions=2048))
    judge = evaluate.load(str(ROOT / "metrics" / "llm_judge"), place)
    stories = [f"He ran {n} miles. " * 900 for n in range(12)] + ["He ran home and slept."]
    result = judge.compute(predictions=stories, cache=str(tmp_path / "kept"), show_progress=False)
    assert [score is None for score in result["scores"]] == [True] * 12 + [False]
    assert "method:probabilities" in result["signature"]


def test_little_probability_on_the_ratings_is_no_rating(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    answer = LocalJudge(str(folder)).ask(Request("How good?"))
    assert answer.tokens is not None
    value, _, reason = reading.expected_rating(answer.text, answer.tokens)
    assert value is None
    assert "of the probability is on the ratings 1 to 5, expected 10%" in reason


def test_other_weights_are_another_judge(folder: Path, tmp_path: Path) -> None:
    here, there = LocalJudge(str(folder)), LocalJudge(str(write_gpt2(tmp_path / "other", positions=32)))
    assert here.identity["revision"] != there.identity["revision"]
    assert len(here.identity["revision"]) == 12


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a folder or Hub id of a causal language model"):
        LocalJudge(str(tmp_path))
