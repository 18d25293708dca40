"""RUBER's trainer learns which story belongs to a context, and writes what the metric loads."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from openmeva.metrics.core.checkpoint import load_checkpoint, merge_adapter, read_tensors
from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.ruber_bert.scoring import RuberScorer
from openmeva.training.common import backbone
from openmeva.training.common.adapters import adapter_tensors
from openmeva.training.common.config import parse
from openmeva.training.files import save_tensors
from openmeva.training.ruber_bert import trainer as ruber_bert
from openmeva.training.ruber_bert.config import RuberConfig
from openmeva.training.ruber_bert.data import TextBatcher, frozen_features, load_pairs, nearest_contexts
from openmeva.training.ruber_bert.losses import relatedness_loss
from openmeva.training.ruber_bert.model import build_model
from tests.killing import interrupt_at_call
from tests.tiny.models import tiny_model, write_encoder

TOPICS = {
    "the dog": ("the dog ran", "the park", "a dog walked to the park"),
    "the cat": ("the cat slept", "home", "a cat slept home"),
    "she": ("she ate", "she", "and she ate not"),
    "he": ("he did n't", "he", "he was not to walk"),
}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stories on four subjects, each with a first sentence on its subject; and a tiny encoder."""
    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")

    def stories(marks: tuple[str, ...]) -> list[str]:
        ends = ("ran", "slept")
        return [
            f"{first} {end} {mark} {mark} {more} {mark}"
            for first, _, more in TOPICS.values()
            for end in ends
            for mark in marks
        ]

    for name, marks in (("stories", (".",)), ("held_out", ("?", "!"))):
        rows = "".join(json.dumps({"story": f"{s} {s}"}) + "\n" for s in stories(marks))
        (tmp_path / f"{name}.jsonl").write_text(rows)
    return tmp_path


def configuration(**changes: Any) -> RuberConfig:
    config = {
        "metric": "ruber_bert",
        "name": "tiny",
        "corpus": {"train": ["stories.jsonl"], "validation": ["held_out.jsonl"]},
        "prompts": None,
        "encoder": "bert",
        "pooling": "mean",
        "hidden": 32,
        "frozen": True,
        "start": None,
        "adapter": None,
        "max_length": 64,
        "pairs": 100,
        "validation_pairs": 16,
        "loss": "margin",
        "margin": 0.5,
        "in_batch": 3,
        "sampled": 1,
        "nearest": None,
        "epochs": 120,
        "batch": 8,
        "learning_rate": 5e-3,
        "warmup_share": 0.1,
        "seed": 3,
    }
    return parse(RuberConfig, {**config, **changes})


def write_start(data: Path) -> Path:
    """An adapter of rank 2 on the tiny encoder."""
    model, _, _ = build_model(configuration(frozen=False, adapter={"rank": 2, "alpha": 2}))
    torch.manual_seed(5)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.2)
    tensors = {name: tensor for name, tensor in adapter_tensors(model).items() if name.startswith("bert.")}
    save_tensors(data / "begun" / "adapter.safetensors", tensors)
    return data / "begun"


def run(data: Path, name: str, config: RuberConfig, resume: bool = False) -> dict[str, Any]:
    out = data / "weights" / name
    return ruber_bert.train(config, data, out, data / f"run-{name}", data / "cache", resume)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"pooling": "max", "loss": "cross_entropy", "sampled": 0},
        {"pooling": "cls", "nearest": 5},
        {"frozen": False, "adapter": {"rank": 2, "alpha": 4}, "nearest": 5, "epochs": 60},
        {"start": "begun", "adapter": {"rank": 2, "alpha": 2}},
        {"encoder": "rnn", "frozen": False, "epochs": 60},
    ],
    ids=["frozen", "cross-entropy", "nearest", "adapted", "started", "recurrent"],
)
def test_model_learns_and_the_metric_loads_it(data: Path, changes: dict[str, Any]) -> None:
    if changes.get("start"):
        changes = {**changes, "start": str(write_start(data))}
    manifest = run(data, "learnt", configuration(**changes))
    folder = data / "weights" / "learnt"
    (folder / "encoder").symlink_to(data / "encoder")
    scorer = RuberScorer(load_checkpoint(folder, "ruber_bert"))
    texts = [json.loads(line)["story"] for line in (data / "stories.jsonl").read_text().splitlines()]
    sentences = [[" ".join(words) for words in Normalizer().sentences(text)] for text in texts]
    contexts, stories = [s[0] for s in sentences], [" ".join(s[1:]) for s in sentences]
    other = [*stories[2:], *stories[:2]]  # on the next subject
    true, _ = scorer.score(stories, contexts, dtype="float32")
    false, _ = scorer.score(other, contexts, dtype="float32")
    assert sum(a > b for a, b in zip(true, false, strict=True)) >= 7, "of the eight that it was trained on"
    assert 0 <= manifest["validation"]["accuracy_nearest"] <= 1
    assert 0 <= manifest["validation"]["accuracy"] <= 1
    for low, high in manifest["validation"]["ranges"].values():
        assert low < high
    tensors = load_file(folder / "adapter.safetensors")
    assert any(name.endswith("lora_A") for name in tensors) == bool(changes.get("adapter"))
    assert not any("embeddings" in name for name in tensors)
    card = (folder / "README.md").read_text()
    assert manifest["data"]["stories.jsonl"] in card
    assert "{" not in card.split("```bibtex")[0]


def test_frozen_encoder_has_the_initial_weights(data: Path) -> None:
    folder = write_start(data)
    config = configuration(start=str(folder), adapter={"rank": 2, "alpha": 2}, epochs=1)
    manifest = run(data, "started", config)
    (data / "weights" / "started" / "encoder").symlink_to(data / "encoder")
    expected = merge_adapter(
        read_tensors(data / "encoder" / "model.safetensors"), read_tensors(folder / "adapter.safetensors")
    )
    state = load_checkpoint(data / "weights" / "started", "ruber_bert").state
    for name in (name for name in expected if ".encoder.layer." in name):
        torch.testing.assert_close(state[name].float(), expected[name].float(), rtol=1e-2, atol=2e-3)
    assert manifest["start"]
    for changes in ({"start": str(folder)}, {"adapter": {"rank": 2, "alpha": 2}}):
        with pytest.raises(ValueError, match="start and adapter"):
            build_model(configuration(**changes))


def test_interrupted_run_resumes_to_the_same_weights(data: Path) -> None:
    config = configuration(epochs=12)
    run(data, "whole", config)
    with interrupt_at_call(ruber_bert.RuberTrainer, "compute_loss", 9):
        run(data, "killed", config)
    run(data, "killed", config, resume=True)
    whole, resumed = (load_file(data / "weights" / n / "adapter.safetensors") for n in ("whole", "killed"))
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


def test_losses_equal_hand_computed_values() -> None:
    class Model:
        def head(self, contexts: torch.Tensor, stories: torch.Tensor) -> torch.Tensor:
            return (contexts * stories).sum(-1)

    contexts, stories = torch.tensor([[1.0], [2.0]]), torch.tensor([[0.5], [-1.0]])
    inputs = {"contexts": contexts, "stories": stories, "sampled": torch.tensor([[1.0], [0.0]])}
    true = torch.sigmoid(torch.tensor([0.5, -2.0]))
    false = torch.sigmoid(torch.tensor([[1.0, 0.0], [-1.0, 1.0]]))  # sampled; the other story of the batch
    config = configuration(in_batch=1)
    expected = (0.5 - true + false).clamp_min(0).mean()
    assert float(relatedness_loss(Model(), inputs, config)) == pytest.approx(float(expected))
    config = configuration(in_batch=1, loss="cross_entropy")
    expected = (-true.log().mean() - (1 - false).log().mean()) / 2
    assert float(relatedness_loss(Model(), inputs, config)) == pytest.approx(float(expected))


def test_nearest_contexts_exclude_equal_contexts() -> None:
    contexts = torch.tensor([[1.0, 0.0], [0.9, 0.1], [0.1, 1.0], [1.0, 0.0]])
    nearest = nearest_contexts(contexts, 2)
    assert [set(nearest[index].tolist()) for index in (0, 1, 3)] == [{1, 2}, {0, 3}, {1, 2}]
    assert nearest[2][0] == 1
    assert [len(row) for row in nearest_contexts(contexts[[0, 3]], 2)] == [0, 0]


@pytest.mark.parametrize("frozen", [True, False])
def test_frozen_features_are_computed_on_the_device_of_the_training(
    data: Path, frozen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(model: torch.nn.Module, *_: Any) -> None:
        raise RuntimeError(f"encodes on {next(model.parameters()).device}")

    monkeypatch.setattr(ruber_bert, "training_device", lambda: torch.device("meta"))
    monkeypatch.setattr(ruber_bert, "frozen_features", stop)
    adapter = None if frozen else {"rank": 2, "alpha": 4}
    with pytest.raises(RuntimeError, match="encodes on meta"):
        run(data, "there", configuration(frozen=frozen, adapter=adapter, nearest=5))


def test_frozen_features_are_computed_without_dropout(data: Path) -> None:
    model, tokenizer, _ = build_model(configuration())
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.5
    texts = [tokenizer.encode("he ate .", add_special_tokens=False).ids]
    first, second = (frozen_features(model.train(), texts, TextBatcher(tokenizer)) for _ in range(2))
    assert torch.equal(first["mean"], second["mean"])


@pytest.mark.parametrize("column", ["prompt", "context"])
def test_prompts_are_contexts_and_stories_are_not_repeated(column: str, data: Path) -> None:
    rows = [
        {column: "[ WP ] the dog ran .", "story": f"he ate . <newline> she {v} . he slept !"}
        for v in ("ran", "ate")
    ]
    (data / "prompted.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    config = configuration(
        corpus={"train": ["prompted.jsonl"], "validation": ["held_out.jsonl"], "validation_share": 0.0},
        prompts=["prompted.jsonl"],
    )
    _, tokenizer, _ = build_model(config)
    pairs = load_pairs(config, data, data / "encoder" / "names.json", tokenizer).train
    decoded = sorted(tuple(tokenizer.decode(ids).replace(" ", "") for ids in pair) for pair in pairs)
    assert decoded == [
        ("thedogran.", "heate.sheate.heslept!"),
        ("thedogran.", "heate.sheran.heslept!"),
    ]
    (data / "prompted.jsonl").write_text(json.dumps({"story": "he ate . she ran ."}) + "\n")
    with pytest.raises(ValueError, match="expected stories with a 'prompt' or 'context', got none"):
        load_pairs(config, data, data / "encoder" / "names.json", tokenizer)


def test_no_context_is_both_trained_on_and_held_out(data: Path) -> None:
    words = ("ran", "ate", "slept", "walked", "was", "home", "park", "dog", "cat")
    rows = [
        {"prompt": f"the {first} {second} .", "story": f"he {first} . she {second} {end} . he {end} !"}
        for first in words
        for second in words
        for end in ("ran", "ate")
    ]
    (data / "prompted.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = {"train": ["prompted.jsonl"], "validation_share": 0.1}
    config = configuration(corpus=corpus, prompts=["prompted.jsonl"])
    _, tokenizer, _ = build_model(config)
    names = data / "encoder" / "names.json"
    pairs = load_pairs(config, data, names, tokenizer)
    train, held_out = ([tuple(context) for context, _ in split] for split in (pairs.train, pairs.validation))
    assert len(set(train)) < len(train), "several stories have one prompt"
    assert held_out
    assert not set(train) & set(held_out)
    few = configuration(corpus={**corpus, "max_stories": 40}, prompts=["prompted.jsonl"])
    pairs = load_pairs(few, data, names, tokenizer)
    assert 20 < len(pairs.train) + len(pairs.validation) <= 40


@pytest.mark.parametrize(
    ("file", "story", "message"),
    [
        ("held_out", "he ate .", r"held_out\.jsonl: expected at least two .* held out, got 0"),
        ("held_out", "he ate . she ran .", r"held_out\.jsonl: expected at least two .* held out, got 1"),
        ("stories", "he ate . she ran .", "expected at least two pairs .* to train on, got 1"),
    ],
)
def test_too_few_pairs_are_reported_before_training(
    data: Path, file: str, story: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (data / f"{file}.jsonl").write_text(json.dumps({"story": story}) + "\n")
    monkeypatch.setattr(ruber_bert.RuberTrainer, "train", lambda *_, **__: pytest.fail("trained"))
    with pytest.raises(ValueError, match=message):
        run(data, "few", configuration(epochs=1))
    corpus = {"train": ["stories.jsonl"], "validation_share": 0.0}
    with pytest.raises(ValueError, match=r"stories\.jsonl: no story held out \(validation_share 0 of"):
        run(data, "none", configuration(epochs=1, corpus=corpus))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"loss": "squared"}, "loss: input should be 'margin' or 'cross_entropy', got 'squared'"),
        ({"pooling": "sum"}, "pooling: input should be 'max', 'mean' or 'cls'"),
        ({"encoder": "lstm"}, "encoder: input should be 'bert' or 'rnn'"),
    ],
)
def test_invalid_settings_are_reported(data: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(data, "bad", configuration(**changes))


def test_run_with_another_configuration_is_not_resumed(data: Path) -> None:
    run(data, "one", configuration(epochs=1))
    with pytest.raises(ValueError, match=r"config.margin: 0.5, not 0.4"):
        run(data, "one", configuration(epochs=1, margin=0.4), resume=True)
