"""Perplexity's trainer learns, resumes to the same weights, and writes what the metric loads."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional as F
from transformers import PreTrainedTokenizerBase

from openmeva.metrics.core.runtime import pad
from openmeva.metrics.ppl.loading import load_model
from openmeva.metrics.ppl.scoring import PerplexityScorer
from openmeva.training import paths
from openmeva.training.common import backbone
from openmeva.training.common.config import config_file, parse, read_config
from openmeva.training.files import checksum
from openmeva.training.ppl import model
from openmeva.training.ppl import trainer as ppl
from openmeva.training.ppl.config import PplConfig
from openmeva.training.ppl.data import count_words, token_rows
from openmeva.training.ppl.losses import next_token_loss
from tests.killing import interrupt_at_call
from tests.tiny.models import tiny_model, write_encoder, write_gpt2

SUBJECTS = ("she", "he", "the dog", "the cat")
ENDINGS = ("ran home", "ate", "slept", "walked to the park")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sixteen stories of one pattern, and a tiny encoder."""
    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    stories = [f"{a} ran home . {a} ate the cat and {b} . {a} slept !" for a in SUBJECTS for b in ENDINGS]
    (tmp_path / "stories.jsonl").write_text("".join(json.dumps({"story": s}) + "\n" for s in stories))
    (tmp_path / "held_out.jsonl").write_text(
        "".join(json.dumps({"story": f"not {s}"}) + "\n" for s in stories[:6])
    )
    return tmp_path


def configuration(**changes: Any) -> PplConfig:
    config = {
        "metric": "ppl",
        "name": "tiny",
        "corpus": {"train": ["stories.jsonl"], "validation": ["held_out.jsonl"]},
        "base": "encoder",
        "start": None,
        "adapter": {"rank": 4, "alpha": 8},
        "max_length": 64,
        "stories": 48,
        "batch": 4,
        "learning_rate": 1e-2,
        "warmup_share": 0.1,
        "seed": 7,
    }
    return parse(PplConfig, {**config, **changes})


def run(data: Path, name: str, config: PplConfig, resume: bool = False) -> dict[str, Any]:
    return ppl.train(config, data, data / "weights" / name, data / f"run-{name}", resume)


def test_loss_equals_that_of_transformers(data: Path) -> None:
    untrained, tokenizer = model.build_model(configuration())
    rows = token_rows(
        [[["she", "ran", "home", "."]], [["he", "ate", "."], ["she", "slept", "!"]]], tokenizer, 64
    )
    ids, mask = pad(rows, 0)
    assert rows[0] == [2, *tokenizer.encode("she ran home .", add_special_tokens=False).ids, 3]
    labels = ids.masked_fill(mask == 0, -100)
    expected = untrained(ids, attention_mask=mask, labels=labels).loss
    assert float(next_token_loss(untrained, ids, mask)) == pytest.approx(float(expected), abs=1e-5)


def test_interrupted_run_resumes_to_the_same_weights(data: Path) -> None:
    run(data, "whole", configuration())
    with interrupt_at_call(ppl.LanguageModelTrainer, "compute_loss", 8):
        run(data, "killed", configuration())
    assert not (data / "weights" / "killed" / "adapter.safetensors").exists()
    manifest = run(data, "killed", configuration(), resume=True)
    assert manifest["resumed"] is True
    whole, resumed = (load_file(data / "weights" / n / "adapter.safetensors") for n in ("whole", "killed"))
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


@pytest.mark.parametrize(
    ("base", "adapter", "rate"),
    [("encoder", {"rank": 8, "alpha": 16}, 1e-2), ("scratch", None, 5e-3)],
    ids=["adapter", "from scratch"],
)
def test_model_learns_a_tiny_corpus_and_the_metric_loads_it(
    data: Path, base: str, adapter: Any, rate: float
) -> None:
    config = configuration(base=base, adapter=adapter, learning_rate=rate, stories=1600, batch=8)
    manifest = run(data, "learnt", config)
    folder = data / "weights" / "learnt"
    if adapter:
        (folder / "encoder").symlink_to(data / "encoder")
    scorer = PerplexityScorer(load_model(str(folder), {}))
    stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").read_text().splitlines()]
    swapped = [" . ".join([s.split(" . ")[1], s.split(" . ")[0], s.split(" . ")[2]]) for s in stories]
    good = scorer.score(stories, dtype="float32")["perplexities"]
    bad = scorer.score(swapped, dtype="float32")["perplexities"]
    assert all(original < changed for original, changed in zip(good, bad, strict=True))
    assert sum(good) / 16 < 8, "the vocabulary has 37 tokens, and one pattern is easy to learn"
    card = (folder / "README.md").read_text()
    assert manifest["data"]["stories.jsonl"] in card
    assert f"{manifest['validation']['perplexity_per_word']:.1f} per" in card
    assert "{" not in card.split("```bibtex")[0]


def test_validation_perplexity_by_token_and_word(data: Path) -> None:
    untrained, tokenizer = model.build_model(configuration())
    stories = [[["she", "walked", "home", "."]], [["he", "ate", "."]]]
    rows = token_rows(stories, tokenizer, 64)
    measured = ppl.perplexities(untrained, rows, count_words(stories, rows, tokenizer, 3))
    total = 0.0
    for row in rows:
        logits = untrained(torch.tensor([row])).logits[0, :-1]
        total += float(F.cross_entropy(logits.detach(), torch.tensor(row[1:]), reduction="sum"))
    assert (measured["tokens"], measured["words"]) == (10, 9)  # walk ##ed; seven words and two ends
    assert measured["loss_per_token"] == pytest.approx(total / 10, rel=0.02)
    assert measured["perplexity_per_word"] == pytest.approx(math.exp(total / 9), rel=0.1)


def test_only_words_before_truncation_are_counted(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, tokenizer = model.build_model(configuration())
    stories = [[["she", "walked", "home", "."]] * 50, [["he", "ate", "."]]]
    rows = token_rows(stories, tokenizer, 8)
    assert (
        count_words(stories, rows, tokenizer, 3) == 6 + 4
    )  # she walk ##ed home . she walk; three and the end
    long = [f"{n} {'she ran home . ' * 30}" for n in range(40)]
    (data / "long.jsonl").write_text("".join(json.dumps({"story": story}) + "\n" for story in long))
    corpus = {"train": ["long.jsonl"], "validation_share": 0.2}
    manifest = run(data, "cut", configuration(corpus=corpus, max_length=16, stories=4))
    assert "40 of 40 stories are longer than max_length; set corpus.block_words" in capsys.readouterr().err
    validation = manifest["validation"]
    assert validation["perplexity_per_word"] >= validation["perplexity_per_token"]
    assert validation["words"] <= validation["tokens"] == 15 * validation["stories"]


def test_missing_held_out_stories_are_reported_before_training(data: Path) -> None:
    config = configuration(corpus={"train": ["stories.jsonl"], "validation_share": 0})
    with pytest.raises(ValueError, match=r"stories\.jsonl: no story held out \(validation_share 0 of 16\)"):
        run(data, "none", config)


def test_training_starts_from_another_adapter(data: Path) -> None:
    run(data, "first", configuration())
    config = configuration(start="weights/first", stories=4, learning_rate=1e-9)
    manifest = run(data, "second", config)
    first, second = (load_file(data / "weights" / n / "adapter.safetensors") for n in ("first", "second"))
    assert all(torch.allclose(first[name], second[name], atol=2e-3) for name in first)
    assert len(manifest["start"]) == 64


def test_fine_tuned_gpt2_is_loaded_like_a_hub_model(data: Path) -> None:
    stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").open()]
    base = str(write_gpt2(data / "gpt2", stories))
    manifest = run(data, "tuned", configuration(base=base, adapter=None, stories=96))
    folder = data / "weights" / "tuned"
    assert manifest["weights"] == json.loads((folder / "manifest.json").read_text())["weights"]
    tuned, untuned = (
        PerplexityScorer(load_model(str(f), {})).score(stories[:4])["nll"] for f in (folder, base)
    )
    assert all(a < b for a, b in zip(tuned, untuned, strict=True))
    run(data, "first", configuration(stories=4))
    with pytest.raises(ValueError, match=r"start: expected null with .*gpt2, got weights/first"):
        run(data, "further", configuration(base=base, start="weights/first"))


def test_gpt2_adapter_is_loaded_with_its_base(data: Path) -> None:
    stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").read_text().splitlines()]
    base = write_gpt2(data / "gpt2", stories)
    config = configuration(base=str(base), stories=240, batch=8, learning_rate=2e-2)
    manifest = run(data, "on-gpt2", config)
    folder = data / "weights" / "on-gpt2"
    assert manifest["encoder"] == checksum(base / "model.safetensors")
    assert {path.name for path in folder.iterdir()} == {
        "README.md", "adapter.safetensors", "config.json", "manifest.json", "names.json",
    }  # fmt: skip
    assert not any("wte" in name or "lm_head" in name for name in load_file(folder / "adapter.safetensors"))
    settings = json.loads((folder / "config.json").read_text())["ppl"]
    assert settings["backbone"]["sha256"] == manifest["encoder"], "the metric checks it"
    losses = PerplexityScorer(load_model(str(folder), {})).score(stories, dtype="float32")["nll"]
    untrained = PerplexityScorer(load_model(str(base), {})).score(stories, dtype="float32")["nll"]
    assert all(tuned < untuned for tuned, untuned in zip(losses, untrained, strict=True))
    held_out = [json.loads(line)["story"] for line in (data / "held_out.jsonl").read_text().splitlines()]
    scored = PerplexityScorer(load_model(str(folder), {})).score(held_out, dtype="float32", explain=True)
    token_counts = [len(explanation["tokens"]) for explanation in scored["explanations"]]
    mean = sum(n * loss for n, loss in zip(token_counts, scored["nll"], strict=True)) / sum(token_counts)
    assert mean == pytest.approx(manifest["validation"]["loss_per_token"], rel=0.01), (
        "bfloat16 in the manifest"
    )
    assert sum(token_counts) == manifest["validation"]["tokens"]
    adapter = load_file(folder / "adapter.safetensors")
    save_file({**adapter, "other.lora_A": torch.zeros(4, 4)}, folder / "adapter.safetensors")
    with pytest.raises(
        ValueError, match=r"adapter\.safetensors: expected low-rank factors .*, got other\.weight"
    ):
        load_model(str(folder), {})
    whole = run(data, "on-gpt2", configuration(base=str(base), stories=8, batch=8, adapter=None))
    assert not (folder / "adapter.safetensors").exists(), "of the training before"
    assert whole["weights"] == checksum(folder / "model.safetensors")
    assert not (folder / "README.md").exists(), "the card of the adapter"


@pytest.mark.parametrize("adapter", [None, {"rank": 2, "alpha": 4}])
def test_diverged_gpt2_does_not_replace_earlier_weights(data: Path, adapter: dict[str, int] | None) -> None:
    stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").read_text().splitlines()]
    settings = {"base": str(write_gpt2(data / "gpt2", stories)), "stories": 8, "batch": 4}
    other = {"rank": 2, "alpha": 4} if adapter is None else None  # the earlier weights are of the other kind
    run(data, "kept", configuration(**settings, adapter=other))
    before = {path.name: path.read_bytes() for path in (data / "weights" / "kept").iterdir()}
    with pytest.raises(ValueError, match=r"not written, because .* are not finite"):
        run(data, "kept", configuration(**settings, adapter=adapter, learning_rate=1e30))
    assert {path.name: path.read_bytes() for path in (data / "weights" / "kept").iterdir()} == before


def test_full_disk_keeps_the_earlier_gpt2(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").read_text().splitlines()]
    base = str(write_gpt2(data / "gpt2", stories))
    run(data, "kept", configuration(base=base, stories=8, batch=4, adapter=None))
    before = {path.name: path.read_bytes() for path in (data / "weights" / "kept").iterdir()}

    def fill_disk(*_: Any, **__: Any) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(PreTrainedTokenizerBase, "save_pretrained", fill_disk)
    with pytest.raises(OSError, match="no space left"):
        run(data, "kept", configuration(base=base, stories=8, batch=4, adapter=None, seed=8))
    assert {path.name: path.read_bytes() for path in (data / "weights" / "kept").iterdir()} == before


@pytest.mark.parametrize("name", ["roc_gpt2_paper", "wp_gpt2_paper"])
def test_paper_setting_fine_tunes_all_of_gpt2(name: str) -> None:
    config = read_config(PplConfig, config_file("ppl", name))
    assert (config.base, config.adapter, config.start) == ("gpt2", None, None)


def test_masked_model_is_configured_and_scored(data: Path) -> None:
    config = {
        "metric": "ppl",
        "model": "masked",
        "name": "pll",
        "corpus": {"train": [], "validation": ["held_out.jsonl"], "delexicalize": True},
        "max_length": 64,
        "learning_rate": 1e-3,
        "spacing": 3,
        "validation_stories": 4,
    }
    out = data / "weights" / "pll"
    manifest = ppl.train(parse(PplConfig, config), data, out, data / "run-pll")
    (out / "encoder").symlink_to(data / "encoder")
    loaded = load_model(str(out), {})
    scores = PerplexityScorer(loaded).score(["not she ran home . she ate the cat and ate ."])
    assert scores["perplexities"][0] > 1
    assert -1 <= manifest["validation"]["pearson_of_both"] <= 1
    assert "{" not in (out / "README.md").read_text().split("```bibtex")[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"base": "scratch"}, "base: expected scratch without an adapter"),
        ({"start": "a", "adapter": None}, "start: expected only with an adapter, got a"),
    ],
)
def test_unsupported_start_or_base_is_rejected(data: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(data, "one", configuration(**changes))


def test_run_with_another_configuration_is_not_resumed(data: Path) -> None:
    run(data, "one", configuration(stories=4))
    with pytest.raises(ValueError, match=r"config.stories: 4, not 8"):
        run(data, "one", configuration(stories=8), resume=True)
