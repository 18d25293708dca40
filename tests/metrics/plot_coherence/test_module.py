"""Plot coherence loaded with evaluate: valid input, invalid input, contexts, explanations."""

import json
from pathlib import Path
from typing import Any

import evaluate
import pytest
import torch

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from tests.tiny.classifier import ERROR_TYPES, write_classifier

ROOT = Path(__file__).resolve().parents[3]
MODULE = str(ROOT / "metrics" / "plot_coherence")
STORIES = ["Ann ran home. She ate.", "The dog slept."]
LONG = "she ran home and ate the cat . the dog slept . he did n't walk to the park . " * 8


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_classifier(tmp_path_factory.mktemp("checkpoint"), "plot_coherence"))


@pytest.fixture(scope="module")
def metric(checkpoint: str) -> Any:
    return evaluate.load(MODULE, checkpoint)


def test_scores_are_the_sigmoid_of_the_classifiers_logit(metric: Any, checkpoint: str) -> None:
    result = metric.compute(predictions=STORIES, dtype="float32")
    scorer = ClassifierScorer(load_checkpoint(Path(checkpoint), "plot_coherence"))
    for story, score in zip(STORIES, result["scores"], strict=True):
        ids = scorer.tokenizer.encode(scorer.normalizer(story), add_special_tokens=False).ids
        with torch.no_grad():
            hidden = scorer.model.bert(
                torch.tensor([[scorer.special_tokens.start, *ids, scorer.special_tokens.end]])
            ).last_hidden_state
            logit = hidden[0, 0] @ scorer.model.classifier.weight[0] + scorer.model.classifier.bias[0]
        assert score == pytest.approx(float(torch.sigmoid(logit)), abs=1e-5)
    assert result["score"] == pytest.approx(sum(result["scores"]) / 2)


def test_scores_do_not_depend_on_order_or_batch(metric: Any) -> None:
    stories = [*STORIES, LONG]
    scores = metric.compute(predictions=stories, dtype="float32")["scores"]
    backwards = metric.compute(predictions=stories[::-1], dtype="float32", batch_size=1)["scores"]
    assert backwards[::-1] == pytest.approx(scores, abs=1e-6)


def test_contexts_follow_the_rule_unless_overridden(metric: Any) -> None:
    def scores(contexts: list[str], part: bool | None) -> list[float]:
        return metric.compute(
            predictions=["She ate."] * 2,
            contexts=contexts,
            context_is_part_of_story=part,
            dtype="float32",
        )["scores"]

    contexts = ["Ann ran home.", "Was Ann home?"]
    by_rule, joined, apart = scores(contexts, None), scores(contexts, True), scores(contexts, False)
    assert by_rule == pytest.approx([joined[0], apart[1]], abs=1e-6)
    assert joined[0] == pytest.approx(
        metric.compute(predictions=STORIES[:1], dtype="float32")["scores"][0], abs=1e-6
    )
    with pytest.raises(ValueError, match="context_is_part_of_story: expected True, False or None, got 'yes'"):
        scores(contexts, "yes")  # type: ignore[arg-type]


def test_signature_names_the_context_rule(metric: Any) -> None:
    def fields(**options: Any) -> dict[str, str]:
        return dict(part.split(":", 1) for part in metric.signature(**options).split("|")[1:])

    assert fields()["context"] == "joined if one declarative sentence, no prompt, before at most 10"
    assert fields(context_is_part_of_story=True)["context"] == "first_sentence"
    assert fields()["max_length"] == "64"
    assert len(fields()["checkpoint"].rpartition("@")[2]) == 12


def test_explain_returns_sentence_gains_and_error_types(metric: Any) -> None:
    explanations = metric.compute(predictions=[*STORIES, LONG], explain=True, dtype="float32")["explanations"]
    assert [s["text"] for s in explanations[0]["sentences"]] == ["[FEMALE] ran home .", "she ate ."]
    for explanation in explanations:
        assert list(explanation["error_types"]) == ERROR_TYPES
        assert all(0 <= p <= 1 for p in explanation["error_types"].values())
    assert explanations[0]["error_types"] != explanations[1]["error_types"]
    json.dumps(explanations)


def test_error_types_of_a_long_story_are_the_maxima_over_its_windows(metric: Any, checkpoint: str) -> None:
    scorer = ClassifierScorer(load_checkpoint(Path(checkpoint), "plot_coherence"))
    (story,) = scorer.prepare([LONG + "the cat ate . she ran to the dog !"], None)
    by_window = []
    for window in story.windows:
        ids = torch.tensor([[scorer.special_tokens.start, *story.ids(window), scorer.special_tokens.end]])
        with torch.no_grad():
            hidden = scorer.model.encode(ids, torch.ones_like(ids))
            by_window.append(torch.sigmoid(scorer.model.kinds(hidden[0, 0])).tolist())
    expected = [max(values) for values in zip(*by_window, strict=True)]
    assert expected != by_window[-1]
    assert len(by_window) > 2
    (explanation,) = metric.compute(
        predictions=[LONG + "the cat ate . she ran to the dog !"], explain=True, costs=False, dtype="float32"
    )["explanations"]
    assert list(explanation["error_types"].values()) == pytest.approx(expected, abs=1e-5)


def test_sentence_gain_is_a_difference_of_scores(metric: Any) -> None:
    with_it, without = metric.compute(predictions=["She ate. He ran.", "He ran."], dtype="float32")["scores"]
    (explanation,) = metric.compute(predictions=["She ate. He ran."], dtype="float32", explain=True)[
        "explanations"
    ]
    assert explanation["sentences"][0]["gain"] == pytest.approx(without - with_it, abs=1e-6)


def test_score_mixes_in_token_scores_by_token_share(tmp_path: Path) -> None:
    folder = write_classifier(tmp_path, "plot_coherence", token_share=0.3)
    scorer = ClassifierScorer(load_checkpoint(folder, "plot_coherence"))
    scores, _ = scorer.score([*STORIES, "He ate. The cat ran home and slept!"], dtype="float32")
    for story, score in zip(STORIES, scores[:-1], strict=True):
        ids = scorer.tokenizer.encode(scorer.normalizer(story), add_special_tokens=False).ids
        with torch.no_grad():
            ends = torch.tensor([[scorer.special_tokens.start, *ids, scorer.special_tokens.end]])
            hidden = scorer.model.encode(ends, torch.ones_like(ends))
            whole = torch.sigmoid(scorer.model.classifier(hidden[0, 0]))
            tokens = torch.sigmoid(scorer.model.tokens(hidden[0, 1:-1])).mean()
        assert score == pytest.approx(float(0.7 * whole + 0.3 * tokens), abs=1e-5)


def test_checkpoint_without_error_types_explains_only_sentences(tmp_path: Path) -> None:
    plain = evaluate.load(MODULE, str(write_classifier(tmp_path, "plot_coherence", error_types=False)))
    (explanation,) = plain.compute(predictions=STORIES[:1], explain=True)["explanations"]
    assert set(explanation) == {"sentences"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictions": []}, "expected at least one story"),
        ({}, "expected at least one story"),
        ({"predictions": "a story"}, "expected a list of strings, got str"),
        ({"predictions": ["She ate.", ""]}, "predictions, row 1: expected a text, got a blank one"),
        ({"predictions": ["She ate.", None]}, "predictions, row 1: expected a string, got NoneType"),
        ({"predictions": ["She ate.", "\x07\x08"]}, "predictions, row 1: expected a text with words"),
        (
            {"predictions": STORIES, "contexts": ["Ann ran."]},
            "contexts: expected 2, one per prediction, got 1",
        ),
        ({"predictions": STORIES, "batch_size": 0}, "batch_size: expected a whole number above 0, got 0"),
        ({"predictions": STORIES, "dtype": "int8"}, "expected dtype"),
    ],
)
def test_bad_input_is_reported_and_leaves_the_module_usable(
    metric: Any, arguments: dict, message: str
) -> None:
    before = metric.compute(predictions=STORIES)["scores"]
    with pytest.raises(ValueError, match=message):
        metric.compute(**arguments)
    assert metric.compute(predictions=STORIES)["scores"] == before


def test_unknown_configuration_lists_the_available_ones() -> None:
    with pytest.raises(ValueError, match="the configurations of plot_coherence are base, mix, roc"):
        evaluate.load(MODULE, "rocstories")


def test_checkpoint_of_another_metric_is_rejected(tmp_path: Path) -> None:
    other = write_classifier(tmp_path, "discriminator")
    with pytest.raises(ValueError, match="expected a section 'plot_coherence'"):
        evaluate.load(MODULE, str(other))
