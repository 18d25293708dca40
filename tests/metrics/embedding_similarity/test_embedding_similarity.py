"""The evaluate module with the shipped weights: the `bert_score` package and documented properties."""

import warnings
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest

from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.embedding_similarity.embedding import TextEncoder
from openmeva.metrics.embedding_similarity.scoring import BERT_SCORES, SCORES, SimilarityScorer
from tests.mini_stories import mini_rows_of
from tests.tiny.models import write_bert

ROOT = Path(__file__).parents[3]
ENCODER = ROOT / "metrics" / "weights" / "encoder"
# Table 14 of OpenMEVA, from least to most similar.
PAIRS = [
    ("I filled it with the sodas.", "I put music into the world and enjoy it."),
    ("He went several more miles out of his way.", "He has made kilometers more."),
    ("She screamed loudly to attract the attention of her audience.",
     "She yelled out loud for the attention of the public."),
    ("He hired an attorney.", "He employed a lawyer."),
    ("She watched a video of the play later.", "She later watched a video of the play."),
]  # fmt: skip
FIRST, SECOND = map(list, zip(*PAIRS, strict=True))


@pytest.fixture(scope="module")
def similarity() -> Any:
    return evaluate.load(str(ROOT / "metrics" / "embedding_similarity"))


@pytest.fixture(scope="module")
def similarity_without_adapter() -> Any:
    """On the story encoder's own weights, which the package `bert_score` can load."""
    return evaluate.load(str(ROOT / "metrics" / "embedding_similarity"), "encoder")


def per_story_scores(result: dict[str, Any]) -> dict[str, Any]:
    return {name: values for name, values in result.items() if name.endswith("_scores")}


@pytest.mark.parametrize("name", ["default", "encoder"])
def test_all_scores_rank_paraphrases(name: str) -> None:
    similarity = evaluate.load(str(ROOT / "metrics" / "embedding_similarity"), name)
    result = similarity.compute(predictions=FIRST, references=SECOND)
    assert set(result) == {*SCORES, *(f"{name}_scores" for name in SCORES), "warnings"}
    for name in SCORES:
        scores = result[f"{name}_scores"]
        assert max(scores[:2]) < min(scores[2:])
        assert result[name] == pytest.approx(np.mean(scores))
    if name == "encoder":  # AUTOS's threshold for a paraphrase is .4, on this scale .25
        moved = result["moverscore_1_scores"]
        assert max(moved[:2]) < 0.1
        assert min(moved[2:]) >= 0.25


@pytest.mark.parametrize(("idf", "layer"), [(False, None), (True, None), (False, 4)])
def test_bertscore_equals_the_bert_score_package(
    similarity_without_adapter: Any, idf: bool, layer: int | None
) -> None:
    from bert_score import BERTScorer

    normalizer = Normalizer()
    first, second = [*map(normalizer, FIRST)], [*map(normalizer, SECOND)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = BERTScorer(
            model_type=str(ENCODER), num_layers=layer or 6, idf=idf, idf_sents=second, device="cpu"
        )
        package._model.float()  # transformers loads the files' half precision
        expected = package.score(first, second)
    result = similarity_without_adapter.compute(
        predictions=FIRST, references=SECOND, idf=idf, layer=layer, dtype="float32", scores=list(BERT_SCORES)
    )
    for name, values in zip(BERT_SCORES, expected, strict=True):
        assert result[f"{name}_scores"] == pytest.approx(values.tolist(), abs=1e-5)


def test_scores_do_not_depend_on_batches_order_or_tokenisation(similarity: Any) -> None:
    options = {"dtype": "float32", "idf": True}
    whole = per_story_scores(similarity.compute(predictions=FIRST, references=SECOND, **options))
    turned = per_story_scores(
        similarity.compute(predictions=FIRST[::-1], references=SECOND[::-1], batch_size=2, **options)
    )
    for name, values in whole.items():
        assert turned[name][::-1] == pytest.approx(values, abs=1e-5)
    same = similarity.compute(predictions=["He didn't go."], references=["he did n't go ."], dtype="float32")
    assert [same[name] for name in SCORES] == pytest.approx([1.0] * 9, abs=1e-5)


def test_tokens_in_every_reference_have_equal_weights(similarity: Any) -> None:
    """Their idf is 0 and special tokens are ignored, but the weighted mean must be defined."""
    result = similarity.compute(
        predictions=["He ran."], references=["He ran."], idf=True, scores=list(BERT_SCORES), dtype="float32"
    )
    assert [result[name] for name in BERT_SCORES] == pytest.approx([1.0] * 3, abs=1e-6)


def test_best_of_several_references_counts(similarity: Any) -> None:
    apart = [
        per_story_scores(similarity.compute(predictions=FIRST[3:4], references=[text], dtype="float32"))
        for text in (SECOND[0], SECOND[3])
    ]
    result = per_story_scores(
        similarity.compute(predictions=FIRST[3:4], references=[[SECOND[0], SECOND[3]]], dtype="float32")
    )
    for name, (score,) in result.items():
        assert score == pytest.approx(max(one[name][0] for one in apart), abs=1e-5)


def test_bertscore_is_rescaled_with_baseline(similarity: Any) -> None:
    given = dict.fromkeys(BERT_SCORES, 0.4)
    plain = similarity.compute(predictions=FIRST, references=SECOND, scores=["bertscore_f1", "moverscore_1"])
    result = similarity.compute(
        predictions=FIRST,
        references=SECOND,
        scores=["bertscore_f1", "moverscore_1"],
        rescale_with_baseline=given,
    )
    assert result["bertscore_f1"] == pytest.approx((plain["bertscore_f1"] - 0.4) / 0.6)
    assert result["moverscore_1"] == plain["moverscore_1"]
    stories = [row["story"] for row in mini_rows_of("roc")[:12]]
    unrelated = similarity.compute(
        predictions=stories,
        references=[*stories[5:], *stories[:5]],
        scores="bertscore_f1",
        rescale_with_baseline=True,
    )
    assert abs(unrelated["bertscore_f1"]) < 0.15


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictions": ["   "], "references": ["He ran."]}, "predictions, row 0: expected a text"),
        (
            {"predictions": ["He", "\x07"], "references": ["He", "I"]},
            "predictions, row 1: expected a text with",
        ),
        ({"predictions": ["He"], "references": [["He", "\x07"]]}, "references, row 0: expected a text with"),
        (
            {"predictions": ["He", "\ue005\uf8ff"], "references": ["He", "I"]},
            "predictions, row 1: expected a text with words",
        ),
        ({"predictions": ["He"], "references": ["\u0301\u0302"]}, "references, row 0: expected a text with"),
        ({"predictions": ["He"]}, "references: expected 1"),
        ({"predictions": ["He"], "references": ["He"], "batch_size": 0}, "batch_size"),
        ({"predictions": ["He"], "references": ["He"], "layer": 7}, "layer: expected 1 to 6, got 7"),
        (
            {"predictions": ["He"], "references": ["He"], "scores": ["bleu"]},
            "expected some of greedy_matching",
        ),
        (
            {"predictions": ["He"], "references": ["He"], "rescale_with_baseline": {"f1": 0.1}},
            "expected a bool or a dict",
        ),
        (
            {
                "predictions": ["He"],
                "references": ["He"],
                "rescale_with_baseline": dict.fromkeys(BERT_SCORES, "0.4"),
            },
            "rescale_with_baseline, bertscore_precision: expected a number from -1 to below 1, got '0.4'",
        ),
        ({"predictions": ["He"], "references": ["He"], "scores": [[]]}, r"expected some of .*, got \[\[\]\]"),
    ],
)
def test_bad_input_is_reported(similarity: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        similarity.compute(**arguments)
    assert similarity.compute(predictions=["He ran."], references=["He ran."], scores="bertscore_f1")[
        "bertscore_f1"
    ] == pytest.approx(1.0, abs=0.01)


def test_signature(similarity: Any) -> None:
    assert "|layer:6|idf:no|" in similarity.signature()
    with pytest.raises(ValueError, match="layer: expected 1 to 6, got 99"):
        similarity.signature(layer=99)


@pytest.fixture(scope="module")
def short_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder in transformers' own format that reads 20 tokens."""
    return write_bert(tmp_path_factory.mktemp("encoder"), max_position_embeddings=20)


def test_other_encoder_and_texts_beyond_its_length(short_encoder: Path) -> None:
    encoder = TextEncoder(short_encoder)
    long = "she ran home . " * 30
    (one,) = encoder.embed([long], dtype="float32")
    assert len(one.ids) == 122  # each of the words once, [CLS] and [SEP]
    assert one.words[:3] == ("she", "ran", "home")
    assert len(one.words) == len(one.vectors) == 90
    result = SimilarityScorer(encoder).scores(
        [long, "the dog ate"], [[long], ["the cat ate"]], dtype="float32"
    )
    for values in result.values():
        assert values[0] == pytest.approx(1.0, abs=1e-5)
        assert values[1] < values[0]


def test_each_text_is_encoded_once(short_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = TextEncoder(short_encoder)
    texts = ["she ran home", "the dog ate", "a cat slept"]
    read: list[int] = []
    forward = encoder._forward
    monkeypatch.setattr(encoder, "_forward", lambda rows, *a: (read.append(len(rows)), forward(rows, *a))[1])
    monkeypatch.setattr("openmeva.metrics.embedding_similarity.scoring._ROWS", 2)
    predictions = [texts[i % 3] for i in range(9)]
    SimilarityScorer(encoder).scores(predictions, [[texts[0], texts[i % 2]] for i in range(9)], idf=True)
    assert sum(read) == 3


def test_few_texts_are_kept_for_later_rows(short_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference of all rows is encoded once; of others that recur, only the latest are in memory."""
    encoder = TextEncoder(short_encoder)
    module = "openmeva.metrics.embedding_similarity.scoring"
    embedded: list[str] = []
    embed = encoder.embed
    monkeypatch.setattr(encoder, "embed", lambda new, *a: (embedded.extend(new), embed(new, *a))[1])
    monkeypatch.setattr(f"{module}._ROWS", 1)
    common, others = "she ran home", [f"the {noun} ate" for noun in ("dog", "cat", "boss", "park")]
    predictions = [*others, *others]
    scorer = SimilarityScorer(encoder)
    expected = scorer.scores(predictions, [[common]] * 8, dtype="float32")
    assert len(embedded) == 5
    embedded.clear()
    monkeypatch.setattr(f"{module}._CHARACTERS", 24)  # two texts
    assert scorer.scores(predictions, [[common]] * 8, dtype="float32") == expected
    assert embedded == [others[0], common, *others[1:], *others[:3]]


def test_long_texts_are_embedded_in_groups(short_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their embeddings need as much memory as they have tokens, in however many rows."""
    encoder = TextEncoder(short_encoder)
    predictions = [
        f"the {noun} ate . " * count for noun, count in (("dog", 1), ("cat", 30), ("boss", 1), ("park", 1))
    ]
    references = [["she ran home"]] * 4
    expected = SimilarityScorer(encoder).scores(predictions, references, dtype="float32")
    groups: list[int] = []
    embed = encoder.embed
    monkeypatch.setattr(encoder, "embed", lambda new, *a: (groups.append(len(new)), embed(new, *a))[1])
    monkeypatch.setattr("openmeva.metrics.embedding_similarity.scoring._CHARACTERS", 50)
    scores = SimilarityScorer(encoder).scores(predictions, references, dtype="float32")
    assert groups == [2, 1, 2], "the reference is kept for the second group, and the third has two rows"
    for name, values in expected.items():
        assert scores[name] == pytest.approx(values, abs=1e-5)


def test_missing_encoder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"config\.json: missing or damaged"):
        TextEncoder(tmp_path)


def test_texts_too_long_to_compare_are_reported(similarity: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openmeva.metrics.embedding_similarity.scoring.MAX_PAIRS", 60)
    long = "He ran home. " * 4
    with pytest.raises(
        ValueError, match=r"predictions, row 1: .*at most 60 pairs of tokens.*got 18 and 6 tokens"
    ):
        similarity.compute(predictions=["He ran.", long], references=["He sat.", "He ran home."])
    assert (
        len(similarity.compute(predictions=["He ran."], references=["He sat."])["moverscore_1_scores"]) == 1
    )
