"""BLEURT's training: synthetic pairs, and fitting to ratings without the scored stories."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch

from openmeva.metrics.bleurt.modeling import ENTAILMENT, SIGNALS, BleurtModel
from openmeva.metrics.bleurt.scoring import BleurtScorer
from openmeva.training.benchmark.tables.sections import read_published
from openmeva.training.bleurt import data as bleurt_data
from openmeva.training.bleurt import ratings as tuning
from openmeva.training.bleurt.config import BleurtConfig
from openmeva.training.bleurt.data import PairRows, collate, signal_statistics
from openmeva.training.bleurt.pairs import UNKNOWN, WAYS, Pair, make_pairs
from openmeva.training.bleurt.ratings import Ridge, choose_penalty, cross_validate, fit, folds, read_ratings
from openmeva.training.bleurt.trainer import BleurtTrainer
from openmeva.training.common.config import parse
from openmeva.training.common.cross_validated import cross_validated_scores
from openmeva.training.negatives import TaggedStory
from tests.tiny.bleurt import write_bleurt
from tests.tiny.language import TinyLanguage
from tests.tiny.models import tiny_model, tiny_tokenizer

STORIES = [
    TaggedStory(
        [["she", "ran", "home", "."], ["she", "ate", "."]], [["PRP", "VBD", "NN", "."], ["PRP", "VBD", "."]]
    ),
    TaggedStory([["a", "dog", "slept", "."], ["it", "was", "a", "park", "."]], [["X"] * 4, ["X"] * 5]),
]


class NoSampler:
    """Finds no negative sample."""

    def sample(self, index: int, epoch: int = 0) -> None:
        return None


def fake_infill(stories, sentences, shares, rng, batch_size=64):  # type: ignore[no-untyped-def]
    """Replaces the language model: the chosen sentence becomes "cat"."""
    return [["cat"] * len(story[index]) for story, index in zip(stories, sentences, strict=True)]


def tiny_config(folder: Path, pairs: int) -> BleurtConfig:
    """A configuration of `pairs` training and validation pairs; writes two stories for each to `folder`."""
    for name, end in (("stories", "."), ("held_out", "!")):
        rows = [{"story": f"She ran home {end} He ate ."}, {"story": f"A dog slept {end} It was a park ."}]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = {"train": ["stories.jsonl"], "validation": ["held_out.jsonl"]}
    ways = dict.fromkeys(WAYS, 1.0)
    settings = {"name": "tiny", "learning_rate": 0.1, "corpus": corpus, "ways": ways}
    return parse(BleurtConfig, {**settings, "pairs": pairs, "validation_pairs": pairs})


@pytest.mark.parametrize("count", ["-1", "0", "1"])
def test_number_of_folds_is_checked(count: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        tuning.main(["cross-validate", "--data", str(tmp_path), "--folds", count])
    assert f"--folds: expected 2 or more, got {count}" in capsys.readouterr().err


def test_pairs_of_every_method_have_the_known_signals() -> None:
    pairs = make_pairs(
        STORIES, NoSampler(), fake_infill, dict.fromkeys(WAYS, 1.0), 300, np.random.default_rng(0)
    )  # type: ignore[arg-type]
    assert len(pairs) == 300
    by_method = {method: [pair for pair in pairs if pair.way == method] for method in WAYS}
    originals = {" ".join(story.flat_words()) for story in STORIES}
    assert {pair.reference for pair in pairs} == originals
    assert not by_method.pop("negatives"), "the sampler finds none, so words are dropped instead"
    assert all(by_method.values())
    assert all(pair.text == pair.reference for pair in by_method["same"])
    assert all("cat" in pair.text.split() and pair.entailment == UNKNOWN for pair in by_method["masks"])
    for pair in by_method["shuffles"]:
        assert pair.text != pair.reference
        assert sorted(pair.text.split()) == sorted(pair.reference.split())
    for pair in by_method["drops"]:
        assert len(pair.text.split()) <= len(pair.reference.split())
        assert pair.entailment == ENTAILMENT.index("entailed")
    assert {pair.entailment for pair in by_method["others"]} == {ENTAILMENT.index("neutral")}
    again = make_pairs(
        STORIES, NoSampler(), fake_infill, dict.fromkeys(WAYS, 1.0), 300, np.random.default_rng(0)
    )  # type: ignore[arg-type]
    assert again == pairs


def test_unknown_methods_are_rejected() -> None:
    with pytest.raises(ValueError, match="got typos"):
        make_pairs(STORIES, NoSampler(), fake_infill, {"typos": 1.0}, 3, np.random.default_rng(0))  # type: ignore[arg-type]


def test_no_pairs_are_made_if_none_are_wanted() -> None:
    rng = np.random.default_rng(0)
    assert make_pairs(STORIES, NoSampler(), fake_infill, {"same": 1.0}, 0, rng) == []  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected stories to make pairs of, got none"):
        make_pairs([], NoSampler(), fake_infill, {"same": 1.0}, 3, rng)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [2, 7, 8])
def test_fewer_than_eight_pairs_have_none_by_negation_alone(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bleurt_data, "Infiller", lambda: fake_infill)
    monkeypatch.setattr(bleurt_data, "English", TinyLanguage)
    pairs = bleurt_data.load_pairs(tiny_config(tmp_path, count), tmp_path, tmp_path / "cache")
    assert {split: len(made) for split, made in pairs.items()} == {"train": count, "validation": count}


def test_signals_that_are_all_the_same_are_reported_with_the_files(tmp_path: Path) -> None:
    config = tiny_config(tmp_path, 2)
    values = np.arange(2.0 * len(SIGNALS)).reshape(2, -1)
    mean, deviation = signal_statistics(values, config)
    assert ((values - mean) / deviation).tolist() == [[-1.0] * len(SIGNALS), [1.0] * len(SIGNALS)]
    values[:, 1] = 0.3
    message = rf"stories\.jsonl, held_out\.jsonl: expected .* differ in every signal, got 2 .* the same {SIGNALS[1]}:"
    with pytest.raises(ValueError, match=message):
        signal_statistics(values, config)


def test_loss_is_the_sum_of_both_squared_errors_and_the_known_entailment() -> None:
    class Fixed(torch.nn.Module):
        def encode(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
            return torch.eye(3)[: len(ids)]

        score = staticmethod(lambda state: state[:, :1] * 0.5)
        signals = staticmethod(lambda state: state[:, :2])
        entailment = staticmethod(lambda state: torch.log_softmax(state * 2.0, dim=-1))

    inputs = {
        **dict.fromkeys(
            ("input_ids", "attention_mask", "token_type_ids"), torch.zeros(3, 2, dtype=torch.long)
        ),
        "labels": torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]),
        "entailment": torch.tensor([0, UNKNOWN, 1]),
    }
    trainer = BleurtTrainer.__new__(BleurtTrainer)
    loss, outputs = trainer.batch_loss(Fixed(), inputs)
    score = ((0.5 - 0.5) ** 2 + (0 - 1.0) ** 2 + 0) / 3
    signals = (0 + 0 + 0 + (1 - 2.0) ** 2 + 0 + 0) / 6
    total = math.log(math.exp(2) + 2)
    entailment = ((total - 2) + total) / 2  # the story of unknown meaning does not count
    assert float(loss) == pytest.approx(score + signals + 0.3 * entailment, abs=1e-6)
    assert outputs["labels"].tolist() == [0.5, 1.0, 0.0]


def test_replaced_end_adds_a_sentence_of_the_other_story() -> None:
    long = [["he", "ran", str(n), "."] for n in range(8)]
    stories = [
        TaggedStory(long, [["PRP", "VBD", "CD", "."]] * 8),
        TaggedStory([["she", "sat", "."]], [["PRP", "VBD", "."]]),
    ]
    pairs = make_pairs(stories, NoSampler(), fake_infill, {"others": 1.0}, 60, np.random.default_rng(0))  # type: ignore[arg-type]
    assert pairs
    assert not any(pair.reference.startswith(pair.text) for pair in pairs)


def test_tiny_model_learns_its_pairs() -> None:
    torch.manual_seed(0)
    pairs = [
        Pair("she ran home", "she ran home", "same", 0),
        Pair("she ran home", "a dog slept", "others", 1),
    ]
    targets = np.stack([np.ones(len(SIGNALS)), -np.ones(len(SIGNALS))])
    rows = PairRows(pairs, targets, tiny_tokenizer(), 32)
    batch = collate([rows[0], rows[1]])
    model = BleurtModel(tiny_model().config)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(60):
        predicted = model(batch["input_ids"], batch["attention_mask"], batch["token_type_ids"])
        loss = ((predicted - batch["labels"].mean(dim=1)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05


@pytest.mark.parametrize("rows", [30, 8])
def test_ridge_equals_scikit_learn(rows: int) -> None:
    from sklearn.linear_model import Ridge as Reference
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    states, scores, fresh = rng.normal(2, 3, (rows, 12)), rng.normal(size=rows), rng.normal(size=(4, 12))
    scaler = StandardScaler().fit(states)
    expected = Reference(alpha=10.0).fit(scaler.transform(states), scores).predict(scaler.transform(fresh))
    ridge = Ridge(states, scores, 10.0)
    assert ridge(fresh) == pytest.approx(expected)
    weights, bias = ridge.layer()
    assert fresh @ weights + bias == pytest.approx(expected)


def test_cross_validation_keeps_prompts_in_one_fold() -> None:
    """States and ratings depend only on the prompt, so scores of seen prompts would be almost exact."""
    rng = np.random.default_rng(1)
    prompts = [f"prompt {i // 5}" for i in range(100)]
    states = np.eye(20)[[i // 5 for i in range(100)]] * 5 + rng.normal(0, 0.01, (100, 20))
    ratings = rng.normal(size=20)[[i // 5 for i in range(100)]]
    fitted = Ridge(states, ratings, 0.1)(states)
    assert np.corrcoef(fitted, ratings)[0, 1] > 0.95
    predicted = cross_validate(states, ratings, prompts, 5, np.random.default_rng(0))
    assert abs(np.corrcoef(predicted, ratings)[0, 1]) < 0.6
    fold = folds(prompts, 5, np.random.default_rng(0))
    assert all(len(set(fold[i : i + 5].tolist())) == 1 for i in range(0, 100, 5))
    with pytest.raises(ValueError, match="at least 30 prompts, one per fold, got 20"):
        folds(prompts, 30, rng)


def test_chosen_penalty_is_smaller_for_predictive_states() -> None:
    rng = np.random.default_rng(2)
    states = rng.normal(size=(200, 5))
    groups = [str(i // 4) for i in range(200)]
    predictable, noise = states @ np.arange(5.0), rng.normal(size=200)
    assert choose_penalty(states, predictable, groups, rng) < choose_penalty(states, noise, groups, rng)


def test_fit_writes_a_checkpoint_that_predicts_the_ratings(tmp_path: Path) -> None:
    start = write_bleurt(tmp_path / "start")
    config = json.loads((start / "config.json").read_text())
    config["bleurt"]["encoder"]["path"] = "encoder"
    (start / "config.json").write_text(json.dumps(config))
    words = ["she", "he", "the dog", "a cat", "the park"]
    rows = [
        {"reference": f"{a} ran home.", "story": f"{b} ate.", "score": float(i + j)}
        for i, a in enumerate(words)
        for j, b in enumerate(words)
    ]
    ratings = tmp_path / "ratings.jsonl"
    ratings.write_text("".join(json.dumps(row) + "\n" for row in rows))
    provenance = fit(ratings, start, tmp_path / "out", seed=0)
    assert provenance["ratings"] == 25
    scorer = BleurtScorer(tmp_path / "out")
    scores = scorer.scores([r["story"] for r in rows], [[r["reference"]] for r in rows], dtype="float32")
    assert np.corrcoef(scores, [row["score"] for row in rows])[0, 1] > 0.7
    ratings.write_text('{"reference": "a", "story": "b"}\n')
    with pytest.raises(ValueError, match="line 1: expected a number in 'score', got None"):
        read_ratings(ratings)


@pytest.mark.parametrize("command", ["fit", "cross-validate", "union"])
def test_transformers_model_cannot_be_the_start(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert", "num_labels": 1}')
    paths = {"ratings": "none.jsonl", "out": "out", "data": "."}
    given = [f"--{name}={tmp_path / path}" for name, path in paths.items()]
    with pytest.raises(SystemExit, match="2"):
        tuning.main([command, *given, "--start", str(tmp_path)])
    assert "expected a section 'bleurt', got keys ['model_type', 'num_labels']" in capsys.readouterr().err


def test_layer_tuned_on_union_ratings_scores_mans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Lengths:
        """Replaces the encoder: the state of a story is its length."""

        revision = "r"

        def __init__(self, start: Path) -> None: ...

        def features(self, stories: list[str], references: list[str]) -> np.ndarray:
            return np.array([[len(story), 1.0] for story in stories], float)

    union_rows = [
        {"story": "a" * n, "reference": f"b{n % 6}", "score": n / 30} for n in range(1, 30)
    ]  # longer is better
    mans_rows = [{"story": "a" * n, "reference": "b", "prompt": "c", "score": n % 3} for n in (5, 1, 3)]
    monkeypatch.setattr(tuning, "BleurtScorer", Lengths)
    monkeypatch.setattr(tuning, "read_mans", lambda folder, corpus: mans_rows)
    with pytest.raises(ValueError, match=r"union: expected stories with references"):
        tuning.score_mans_tuned_on_union(tmp_path, ["roc"], tmp_path, 0, tmp_path)
    rows_by_corpus = {
        "ROCStories": union_rows[::2],
        "WritingPrompts": [
            *union_rows[1::2],
            {"story": "no reference", "score": 1.0},
            {"story": "with a reference of MANS", "reference": "B", "score": 1.0},
        ],
    }
    for corpus in rows_by_corpus:
        (tmp_path / "union" / corpus / "ant_data").mkdir(parents=True)
    monkeypatch.setattr(tuning, "read_union_judgments", lambda folder: rows_by_corpus[folder.parent.name])
    tuning.score_mans_tuned_on_union(tmp_path, ["roc"], tmp_path, 0, tmp_path)
    (title, row), *others = cross_validated_scores("mans_roc", mans_rows, tmp_path).items()
    assert (title, row["metric"], others) == ("BLEURT (UNION's ratings)", "bleurt", [])
    assert "29 stories of UNION" in row["signature"], "of both corpora"
    assert np.argsort(row["scores"]).tolist() == [1, 2, 0]
    assert title in read_published()["table_11"]["ours"]["BLEURT"]
