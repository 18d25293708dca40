"""Scores agree with a plain loop over the model, for any batch size, order or length."""

from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.union.modeling import IGNORE_INDEX
from openmeva.metrics.union.scoring import UnionScorer
from tests.tiny.models import tiny_model, write_checkpoint

STORIES = [
    "Ann ran home. She ate.",
    "The dog slept.",
    "Tom and Ann walked to the park. The cat slept! He did n't walk home. Was she not home?",
    "she ran . he ran . the cat ran .",
]


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> UnionScorer:
    return UnionScorer(load_checkpoint(write_checkpoint(tmp_path_factory.mktemp("union")), "union"))


def plain_score(scorer: UnionScorer, text: str) -> float:
    """Equation 2 for one story, written out."""
    ids = scorer.tokenizer.encode(scorer.normalizer(text), add_special_tokens=False).ids
    with torch.no_grad():
        hidden = (
            scorer.model.float()
            .bert(torch.tensor([[scorer.special_tokens.start, *ids, scorer.special_tokens.end]]))
            .last_hidden_state
        )
        logit = hidden[0, 0] @ scorer.model.classifier.weight[0] + scorer.model.classifier.bias[0]
    return float(1 / (1 + torch.exp(-logit)))


@pytest.mark.parametrize("batch_size", [1, 2, 64])
def test_scores_equal_equation_2(scorer: UnionScorer, batch_size: int) -> None:
    scores, _ = scorer.score(STORIES, batch_size=batch_size, dtype="float32")
    assert scores == pytest.approx([plain_score(scorer, s) for s in STORIES], abs=1e-5)
    assert len(set(scores)) == len(STORIES)


def test_scores_do_not_depend_on_order_or_batch(scorer: UnionScorer) -> None:
    scores, _ = scorer.score(STORIES, dtype="float32")
    backwards, _ = scorer.score(STORIES[::-1], dtype="float32", batch_size=3)
    alone = [scorer.score([s], dtype="float32")[0][0] for s in STORIES]
    assert backwards[::-1] == pytest.approx(scores, abs=1e-6)
    assert alone == pytest.approx(scores, abs=1e-6)


def test_bfloat16_scores_are_close_to_float32(scorer: UnionScorer) -> None:
    exact, _ = scorer.score(STORIES, dtype="float32")
    near, _ = scorer.score(STORIES, dtype="bfloat16")
    again, _ = scorer.score(STORIES, dtype="float32")
    assert near == pytest.approx(exact, abs=0.08)
    assert again == pytest.approx(exact, abs=0.08)


def test_context_is_the_first_sentence(scorer: UnionScorer) -> None:
    joined, _ = scorer.score(["Ann ran home. She ate."], dtype="float32")
    apart, _ = scorer.score(["She ate."], ["Ann ran home."], dtype="float32")
    assert apart == pytest.approx(joined, abs=1e-6)


def test_prompt_is_not_part_of_the_story(tmp_path: Path) -> None:
    scorer = UnionScorer(load_checkpoint(write_checkpoint(tmp_path, context="prompt"), "union"))
    with_prompt, _ = scorer.score(["She ate."], ["Ann ran home."], dtype="float32")
    without, _ = scorer.score(["She ate."], dtype="float32")
    assert with_prompt == without


def test_long_stories_are_scored_by_windows(scorer: UnionScorer) -> None:
    sentences = ["she ran home and ate the cat .", "the dog slept .", "he did n't walk to the park ."] * 8
    limit = scorer.max_length - 2
    prepared = scorer.prepare([" ".join(sentences)], None)[0]
    assert len(prepared.windows) > 1
    total = weight = 0.0
    for start, end in prepared.windows:
        tokens = sum(len(prepared.tokens[i]) for i in range(start, end))
        assert tokens <= limit
        total += tokens * plain_score(scorer, " ".join(sentences[start:end]))
        weight += tokens
    score, _ = scorer.score([" ".join(sentences)], dtype="float32")
    assert score[0] == pytest.approx(total / weight, abs=1e-5)


def test_sentence_longer_than_the_window_is_not_truncated(scorer: UnionScorer) -> None:
    text = "she ran and " * 80 + "home ."
    prepared = scorer.prepare([text], None)[0]
    assert sum(map(len, prepared.tokens)) == 80 * 3 + 2
    changed = text.replace("home .", "not .")
    (a, b), _ = scorer.score([text, changed], dtype="float32")
    assert a != b, "the last word counts"


def test_gain_is_the_score_without_the_sentence_minus_the_score(scorer: UnionScorer) -> None:
    sentences = ["she ran home .", "the cat slept .", "he ate the dog ."]
    scores, explanations = scorer.score([" ".join(sentences)], dtype="float32", explain=True)
    assert explanations is not None
    for i, found in enumerate(explanations[0]["sentences"]):
        rest = " ".join(s for j, s in enumerate(sentences) if j != i)
        assert found["text"] == sentences[i]
        assert found["gain"] == pytest.approx(plain_score(scorer, rest) - scores[0], abs=1e-5)


def test_edits_are_where_the_reconstruction_head_differs(scorer: UnionScorer) -> None:
    text = "she walked home . the cat did n't sleeps ."
    _, explanations = scorer.score([text], dtype="float32", explain=True)
    assert explanations is not None
    words = text.split()
    ids = [scorer.tokenizer.encode(w, add_special_tokens=False).ids for w in words]
    with torch.no_grad():
        flat = torch.tensor(
            [[scorer.special_tokens.start, *(i for word in ids for i in word), scorer.special_tokens.end]]
        )
        best = scorer.model.cls(scorer.model.bert(flat).last_hidden_state)[0, 1:-1].argmax(-1).tolist()
    expected, position = [], 0
    for index, (word, pieces) in enumerate(zip(words, ids, strict=True)):
        if best[position] != pieces[0]:
            expected.append((word, int(index > 3), index if index < 4 else index - 4))
        position += len(pieces)
    found = [(e["token"], e["sentence"], e["start"]) for e in explanations[0]["edits"]]
    assert expected
    assert found == expected


def test_edits_cover_a_sentence_longer_than_the_window(scorer: UnionScorer) -> None:
    words = ("she ran and " * 80 + "home .").split()
    _, explanations = scorer.score([" ".join(words)], dtype="float32", explain=True)
    assert explanations is not None
    edits = explanations[0]["edits"]
    assert all(words[edit["start"]] == edit["token"] and edit["sentence"] == 0 for edit in edits)
    assert max(edit["start"] for edit in edits) > len(words) - 10


@pytest.mark.parametrize(
    "story",
    [
        "\ud800 she ran .",
        "😀😀😀",
        "she\x00ran\x07home",
        "??!!",
        "한국어 이야기 .",
        "a" * 5000,
        "<b>she</b> ran & ate",
    ],
)
def test_unusual_text_is_scored(scorer: UnionScorer, story: str) -> None:
    scores, _ = scorer.score([story], explain=True)
    assert 0 <= scores[0] <= 1


def test_reconstruction_loss_is_a_weighted_sum_over_the_targets() -> None:
    model = tiny_model()
    hidden = torch.randn(2, 3, model.config.hidden_size, generator=torch.Generator().manual_seed(0))
    targets = torch.tensor([[4, IGNORE_INDEX, 9], [IGNORE_INDEX, 1, 1]])
    weights = torch.tensor([[2.0, 7.0, 0.5], [7.0, 1.0, 0.0]])
    with torch.no_grad():
        losses = F.cross_entropy(model.reconstruct(hidden).flatten(0, 1), targets.flatten(), reduction="none")
        total = model.reconstruction_loss(hidden, targets, weights)
    assert float(total) == pytest.approx(float(2 * losses[0] + 0.5 * losses[2] + losses[4]), rel=1e-5)
