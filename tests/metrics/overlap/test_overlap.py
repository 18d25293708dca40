"""BLEU, ROUGE and METEOR: against other implementations, and against the scores that OpenMEVA released."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import evaluate
import nltk
import numpy as np
import pytest
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from rouge import Rouge
from scipy.stats import spearmanr

from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.overlap import meteor as meteor_module
from openmeva.metrics.overlap.meteor import find_wordnet, meteor
from openmeva.metrics.overlap.scoring import OverlapScorer
from tests.papers_data import DATA

ROOT = Path(__file__).resolve().parents[3]
STORIES = [
    "Ann's cat climbed a tall tree. She couldn't get it down, so she called a neighbor. He brought a ladder.",
    "Tom wanted to bake bread. The oven was broken. He asked his sister for help.",
    "It rained.",
]
REFERENCES = [
    "Ann's cat sat in a tree. Ann couldn't reach it. A neighbor came with his ladder and got the cat down.",
    "Tom was hungry and wanted bread. His oven did not work. His sister baked for him.",
    "It rained all day, and the river rose.",
]


@pytest.fixture(scope="module")
def overlap() -> Any:
    return evaluate.load(str(ROOT / "metrics" / "overlap"))


def words(text: str) -> list[str]:
    return Normalizer()(text).split()


def rouge_f(prediction: list[str], reference: list[str], order: int) -> float:
    """F1 of clipped n-gram counts, from the definition."""
    grams = [
        Counter(zip(*(text[i:] for i in range(order)), strict=False)) for text in (prediction, reference)
    ]
    shared = sum((grams[0] & grams[1]).values())
    return 2 * shared / (sum(grams[0].values()) + sum(grams[1].values())) if shared else 0.0


def longest_common_subsequence(first: list[str], second: list[str]) -> int:
    table = np.zeros((len(first) + 1, len(second) + 1), dtype=int)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            table[i + 1, j + 1] = table[i, j] + 1 if a == b else max(table[i, j + 1], table[i + 1, j])
    return int(table[-1, -1])


def test_bleu_equals_nltk_with_smoothing_method_1(overlap: Any) -> None:
    result = overlap.compute(predictions=STORIES[:2], references=REFERENCES[:2], scores="bleu")["bleu_scores"]
    expected = [
        sentence_bleu([words(r)], words(s), smoothing_function=SmoothingFunction().method1)
        for s, r in zip(STORIES[:2], REFERENCES[:2], strict=True)
    ]
    assert result == pytest.approx(expected, abs=1e-9)


def test_rouge_equals_its_definition(overlap: Any) -> None:
    result = overlap.compute(
        predictions=STORIES, references=REFERENCES, scores=["rouge1", "rouge2", "rougeL"]
    )
    for row, (story, reference) in enumerate(zip(STORIES, REFERENCES, strict=True)):
        first, second = (
            nltk.RegexpTokenizer(r"[a-z0-9]+").tokenize(Normalizer()(text)) for text in (story, reference)
        )
        assert result["rouge1_scores"][row] == pytest.approx(rouge_f(first, second, 1))
        assert result["rouge2_scores"][row] == pytest.approx(rouge_f(first, second, 2))
        longest = 2 * longest_common_subsequence(first, second) / (len(first) + len(second))
        assert result["rougeL_scores"][row] == pytest.approx(longest)


def test_meteor_equals_manual_computation() -> None:
    find_wordnet()
    # five of six words match, in one chunk of three and one of two: F = 10PR/(R+9P), penalty .5 (2/5)^3
    prediction, reference = "the cat sat on a mat".split(), "the cat sat under a mat".split()
    assert meteor(prediction, [reference]) == pytest.approx(5 / 6 * (1 - 0.5 * (2 / 5) ** 3))
    short, long = ["the", "cat", "sat"], ["the", "cat", "sat", "on", "a", "mat"]
    penalty = 1 - 0.5 * (1 / 3) ** 3  # one chunk of three matches
    assert meteor(short, [long]) == pytest.approx(0.5 / (0.9 * 1 + 0.1 * 0.5) * penalty), "recall is half"
    assert meteor(long, [short]) == pytest.approx(0.5 / (0.9 * 0.5 + 0.1 * 1) * penalty), "precision is half"
    assert meteor(["hired", "attorney"], [["hire", "lawyer"]]) > 0.9, "a stem and a synonym"
    assert meteor(prediction, [["nothing"], reference]) == meteor(prediction, [reference])


def test_only_requested_rouge_scores_are_computed(overlap: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rouge_score.rouge_scorer._score_lcs", None)  # whose table grows quadratically
    result = overlap.compute(predictions=["He ran home."], references=["He ran."], scores=["rouge1"])
    assert result["rouge1"] == pytest.approx(0.8)


def test_best_of_several_references_counts(overlap: Any) -> None:
    """The best reference counts; BLEU uses all of them together, so a further one never lowers it."""
    one = overlap.compute(predictions=STORIES[:1], references=REFERENCES[:1])
    several = overlap.compute(predictions=STORIES[:1], references=[[REFERENCES[1], REFERENCES[0]]])
    for name in ("rouge1", "rouge2", "rougeL", "meteor"):
        assert several[name] == pytest.approx(one[name])
    assert several["bleu"] >= one["bleu"]


def test_scores_of_identical_and_disjoint_texts(overlap: Any) -> None:
    same = overlap.compute(predictions=STORIES, references=STORIES)
    for name in ("bleu", "rouge1", "rougeL"):
        assert same[f"{name}_scores"] == pytest.approx([1.0] * 3)
    assert all(0.9 < score <= 1 for score in same["meteor_scores"])
    apart = overlap.compute(predictions=["He slept"], references=["Nobody came"])
    assert [apart[name] for name in ("bleu", "rouge1", "rouge2", "rougeL", "meteor")] == [0.0] * 5


def test_rouge_ignores_characters_other_than_a_to_z_and_digits(overlap: Any) -> None:
    """As the card says."""
    stories, references = ["Zoë!", "[MALE]", "Ο σκύλος έτρεξε."], ["Zo", "male", "Ο σκύλος έτρεξε."]
    result = overlap.compute(predictions=stories, references=references, scores=["rouge1"])
    assert result["rouge1_scores"] == [1, 1, 0]


def test_tokenisation_does_not_change_scores(overlap: Any) -> None:
    raw = overlap.compute(predictions=STORIES, references=REFERENCES)
    tokenised = overlap.compute(
        predictions=[Normalizer()(s) for s in STORIES], references=[Normalizer()(r) for r in REFERENCES]
    )
    assert raw == tokenised


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictions": ["a b", "c"], "references": ["a b"]}, "references: expected 2"),
        ({"predictions": ["a b"], "references": [""]}, "references, row 0: expected a text, got a blank"),
        ({"predictions": ["a b"], "references": [[]]}, "references, row 0: expected at least one"),
        ({"predictions": ["a b", None], "references": ["a", "b"]}, "predictions, row 1: expected a string"),
        (
            {"predictions": ["a", "\x07"], "references": ["a", "b"]},
            "predictions, row 1: expected a text with",
        ),
        ({"predictions": ["a b"]}, "references: expected 1"),
        ({"predictions": ["a b"], "references": ["a"], "scores": ["chrf"]}, "expected some of bleu, rouge1"),
    ],
)
def test_bad_input_error_names_the_row(overlap: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        overlap.compute(**arguments)
    assert overlap.compute(predictions=["a b"], references=["a b"], scores="rouge1")["rouge1"] == 1.0


def test_missing_wordnet_skips_meteor_or_names_the_install_command(
    overlap: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meteor_module, "_resource_folders", lambda: [tmp_path])
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    overlap.add_batch(predictions=["a b"], references=["a b"])
    with pytest.raises(ValueError, match="make resources"):
        overlap.compute(scores=["bleu", "meteor"])
    assert overlap.compute(scores=["bleu"])["bleu_scores"] == [1.0], "rows that were added stay"
    with pytest.warns(UserWarning, match="METEOR needs WordNet, .* skipped: run `make resources`") as warned:
        result = overlap.compute(predictions=["a b"], references=["a b"])
    assert len(warned) == 1
    assert {"meteor", "meteor_scores"}.isdisjoint(result)
    assert result["rougeL"] == 1.0
    assert overlap.compute(predictions=["a b"], references=["a b"], scores=["bleu"])["bleu"] == 1.0


def test_wordnet_is_found_where_the_commands_put_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(meteor_module, "_resource_folders", lambda: [tmp_path / "none", tmp_path / "cache"])
    assert not meteor_module.has_wordnet()
    monkeypatch.setattr(nltk.data, "path", [])
    (tmp_path / "cache" / "nltk_data" / "corpora" / "wordnet").mkdir(parents=True)
    assert meteor_module.has_wordnet()


def test_signature(overlap: Any) -> None:
    before = OverlapScorer().signature()
    assert "smooth:floor[0.10]" in overlap.signature()
    assert before in overlap.signature(), "the signature does not depend on earlier calls"


@pytest.fixture(scope="module")
def released() -> list[tuple[str, str, dict[str, float]]]:
    text = (DATA / "mans" / "mans_roc_peer_scores.json").read_text(encoding="utf-8")
    return [
        (one["text"], entry["reference"], one["score"])
        for entry in json.loads(text)
        for one in entry["gen"].values()
    ]


@pytest.mark.data
def test_released_rouge_equals_the_rouge_package(
    released: list[tuple[str, str, dict[str, float]]],
) -> None:
    result = Rouge().get_scores([s for s, _, _ in released], [r for _, r, _ in released])
    for kind in "12l":
        assert [one[f"rouge-{kind}"]["f"] for one in result] == pytest.approx(
            [score[f"rouge{kind}-f"] for _, _, score in released], abs=1e-9
        )


@pytest.mark.data
def test_released_bleu_splits_placeholders(
    overlap: Any, released: list[tuple[str, str, dict[str, float]]]
) -> None:
    """NLTK's method 1 on runs of letters and of punctuation: `[MALE]` is three words."""
    expected = [score["sentence_bleu"] for _, _, score in released]
    tokens = [(nltk.wordpunct_tokenize(s), nltk.wordpunct_tokenize(r)) for s, r, _ in released]
    method = SmoothingFunction().method1
    found = [sentence_bleu([r], s, smoothing_function=method) for s, r in tokens]
    assert found == pytest.approx(expected, abs=1e-9)
    # and where no text has a placeholder or an apostrophe, the module agrees
    plain = [i for i, (s, r, _) in enumerate(released) if not set("['-,") & set(s + r)]
    assert len(plain) > 50
    ours = overlap.compute(
        predictions=[released[i][0] for i in plain],
        references=[released[i][1] for i in plain],
        scores=["bleu"],
    )["bleu_scores"]
    assert spearmanr(ours, [expected[i] for i in plain])[0] > 0.99


@pytest.mark.data
def test_released_meteor_uses_sets_of_words(released: list[tuple[str, str, dict[str, float]]]) -> None:
    """Each score is METEOR for some number of matches and chunks, with the sizes of the word sets as lengths."""
    for story, reference, score in released:
        lengths = len(set(story.split())), len(set(reference.split()))
        possible = [
            10 * m / (lengths[0] + 9 * lengths[1]) * (1 - 0.5 * (chunks / m) ** 3)
            for m in range(1, min(lengths) + 1)
            for chunks in range(1, m + 1)
        ]
        assert min(abs(one - score["meteor"]) for one in possible) < 1e-9
