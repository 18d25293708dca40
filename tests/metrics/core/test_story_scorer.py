"""Scoring shared by story classifiers: contexts, windows, gains."""

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.contexts import is_beginning
from openmeva.metrics.union.scoring import UnionScorer
from tests.tiny.models import write_checkpoint

# computed by `metrics/union` before windows, batches and gains moved to the core
GOLDEN_SCORES = [0.2072667, 0.3146689, 0.2971542]
GOLDEN_GAINS = [-0.0805803, -0.0495903]


@pytest.mark.parametrize(
    ("context", "story", "expected"),
    [
        ("Ann was hungry.", "She ate. She slept.", True),
        ("ann was hungry .", "she ate . she slept .", True),
        ("Ann was so hungry!", "She ate.", True),
        ("[FEMALE] was hungry .", "she ate .", True),
        ("the boss told [ male ] to go .", "he went .", True),
        ("[ WP ] you can read minds .", "i heard him .", False),
        ("Why was Ann hungry?", "She ate.", False),
        ("Ann was hungry. It was late.", "She ate.", False),
        ("[WP] You can read minds.", "I heard him.", False),
        ("You wake up and nobody is there", "I rubbed my eyes.", False),
        ("Write a horror story with no gore.", "She ate.", False),
        ("please describe a day without rain .", "it was dry .", False),
        ("Make me side with a thief.", "He ran.", False),
        ("You 're elected president .", "I rubbed my eyes .", False),
        ("Your best friend is a ghost.", "I rubbed my eyes.", False),
        ("Writers like Tom never sleep.", "He slept.", True),
        ("Young Tom made a cake.", "He ate it.", True),
        ("Ann was hungry.", "She ate. " * 10, True),
        ("Ann was hungry.", "She ate. " * 11, False),
        ("", "She ate.", False),
    ],
)
def test_beginning_is_one_declarative_sentence_before_a_short_story(
    context: str, story: str, expected: bool
) -> None:
    assert is_beginning(context, story) is expected


def test_context_rule_decides_per_story(tmp_path: Path) -> None:
    scorer = UnionScorer(load_checkpoint(write_checkpoint(tmp_path, context="auto"), "union"))
    stories, contexts = ["She ate.", "She ate."], ["Ann ran home.", "Was Ann home?"]
    by_rule, _ = scorer.score(stories, contexts, dtype="float32")
    joined, _ = scorer.score(stories, contexts, dtype="float32", joins_context=True)
    apart, _ = scorer.score(stories, contexts, dtype="float32", joins_context=False)
    whole = [f"{context} {story}" for context, story in zip(contexts, stories, strict=True)]
    assert scorer.score(whole, contexts, dtype="float32", joins_context=True)[0] == joined
    assert by_rule == pytest.approx([joined[0], apart[1]], abs=1e-6)
    assert abs(joined[0] - apart[0]) > 1e-4
    assert abs(joined[1] - apart[1]) > 1e-4


def test_unknown_context_setting_is_reported(tmp_path: Path) -> None:
    checkpoint = load_checkpoint(write_checkpoint(tmp_path, context="promt"), "union")
    with pytest.raises(
        ValueError, match="context: expected one of first_sentence, prompt, auto, got 'promt'"
    ):
        UnionScorer(checkpoint)


def test_union_scores_equal_those_before_sharing_code(tmp_path: Path) -> None:
    scorer = UnionScorer(load_checkpoint(write_checkpoint(tmp_path), "union"))
    long = "she ran home and ate the cat . the dog slept . he did n't walk to the park . " * 8
    scores, explanations = scorer.score(
        ["Ann ran home. She ate.", "The dog slept.", long], dtype="float32", explain=True
    )
    assert explanations is not None
    assert scores == pytest.approx(GOLDEN_SCORES, abs=1e-5)
    assert [s["gain"] for s in explanations[0]["sentences"]] == pytest.approx(GOLDEN_GAINS, abs=1e-5)
    _, cheap = scorer.score(["Ann ran home. She ate."], dtype="float32", explain=True, costs=False)
    texts = [{"text": sentence["text"]} for sentence in explanations[0]["sentences"]]
    assert cheap == [{**explanations[0], "sentences": texts}]


def test_scoring_in_bfloat16_keeps_float32_weights(tmp_path: Path) -> None:
    scorer = UnionScorer(load_checkpoint(write_checkpoint(tmp_path), "union"))
    before, _ = scorer.score(["Ann ran home. She ate."], dtype="float32")
    rounded, _ = scorer.score(["Ann ran home. She ate."], dtype="bfloat16")
    after, _ = scorer.score(["Ann ran home. She ate."], dtype="float32")
    assert rounded != before
    assert after == before


def test_two_window_sizes_give_the_lower_score_or_the_mean(tmp_path: Path) -> None:
    """With a shorter window, a long story is scored twice; one that fits the shorter window is scored once."""
    checkpoint = load_checkpoint(write_checkpoint(tmp_path), "union")
    sentences = ["she ran home and ate the cat .", "the dog slept .", "he did n't walk to the park ."]
    stories = [" ".join(sentences * count) for count in (1, 5, 9)]

    def scores(**settings: int | str) -> list[float]:
        checkpoint.settings |= settings
        return UnionScorer(checkpoint).score(stories, dtype="float32")[0]

    whole, parts = scores(max_length=64), scores(max_length=32)
    lower = scores(max_length=64, shorter_window=32)
    assert abs(whole[1] - parts[1]) > 1e-4 < abs(whole[2] - parts[2])
    assert lower == pytest.approx([min(pair) for pair in zip(whole, parts, strict=True)], abs=1e-6)
    mean = scores(max_length=64, shorter_window=32, readings="mean")
    assert mean == pytest.approx([sum(pair) / 2 for pair in zip(whole, parts, strict=True)], abs=1e-6)
    assert scores(max_length=32, shorter_window=64) == pytest.approx(parts, abs=1e-6)


@pytest.mark.parametrize("shorter_window", [None, 24])  # 24: two parts of a split sentence share a window
def test_sentence_gain_uses_the_window_where_it_is_most_central(
    tmp_path: Path, shorter_window: int | None
) -> None:
    checkpoint = load_checkpoint(write_checkpoint(tmp_path), "union")
    checkpoint.settings |= {"shorter_window": shorter_window}
    scorer = UnionScorer(checkpoint)
    endless = " ".join(["the cat ran home and slept"] * 12)  # a sentence longer than a window
    story = "she ran home . the dog slept . he ate the cat . " * 6 + endless + " . she ate ."
    result = scorer.prepare([story], None)[0]
    assert len(result.windows) > 2
    assert [] in result.words

    def score(*parts: list[int]) -> float:
        ids = [token for part in parts for token in part]
        return scorer.score_sequences([ids], 1, torch.device("cpu"), torch.float32)[0].score

    starts = [i for i, words in enumerate(result.words) if words]
    costs: list[float] = []
    for first, after in zip(starts, [*starts[1:], len(result.words)], strict=True):
        parts = set(range(first, after))
        most = max(len(parts & set(range(*window))) for window in result.windows)
        holding = [window for window in result.windows if len(parts & set(range(*window))) == most]
        start, end = min(
            holding, key=lambda window: abs((window[0] + window[1] - 1) / 2 - (first + after - 1) / 2)
        )
        others = [result.tokens[i] for i in range(start, end) if i not in parts]
        costs.append(score(*others) - score(*result.tokens[start:end]) if others else 0.0)
    _, explanations = scorer.score([story], dtype="float32", explain=True)
    assert explanations is not None
    assert [sentence["gain"] for sentence in explanations[0]["sentences"]] == pytest.approx(costs, abs=1e-6)


def test_truncating_and_padding_tokenizer_does_not_change_scores(tmp_path: Path) -> None:
    """Tokenizers of sentence-transformers, such as all-mpnet-base-v2's, truncate texts at 128 tokens."""
    folder, story = write_checkpoint(tmp_path), "She ran home and ate the cat. The dog slept."
    expected = UnionScorer(load_checkpoint(folder, "union")).score([story], dtype="float32")
    file = folder / "encoder" / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=16)
    tokenizer.save(str(file))
    assert UnionScorer(load_checkpoint(folder, "union")).score([story], dtype="float32") == expected


def test_windows_fit_the_maximum_length_of_the_model(tmp_path: Path) -> None:
    """Special tokens included, since a model has no further positions."""
    scorer = UnionScorer(load_checkpoint(write_checkpoint(tmp_path, max_length=16), "union"))
    for sentence in ("she ran .", "she ran home and ate ."):
        (story,) = scorer.prepare([f"{sentence} " * 9], None)
        assert max(len(story.ids(window)) for window in story.windows) <= 16 - 2
    (story,) = scorer.prepare(["the cat ran home and slept " * 9], None)
    assert max(map(len, story.tokens)) <= 16 - 2
