"""The trainer learns, and a run that was killed goes on to the same weights."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from openmeva.metrics.core.checkpoint import file_digest, load_checkpoint
from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.union.scoring import UnionScorer
from openmeva.training.common import backbone
from openmeva.training.common.config import parse
from openmeva.training.papers.ablation import run_row
from openmeva.training.union import trainer as union
from openmeva.training.union.config import UnionConfig
from tests.killing import interrupted
from tests.tiny import tiny_model, write_encoder

SUBJECTS = ("she", "he", "the dog", "the cat")
ENDINGS = ("ran home", "ate", "slept", "walked to the park")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sixteen stories whose sentences come in one order, and a tiny encoder."""
    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    stories = [
        f"{a} ran home . {a} ate the cat and {b} . {a} slept ! {b} was not home ."
        for a in SUBJECTS
        for b in ENDINGS
    ]
    (tmp_path / "stories.jsonl").write_text("".join(json.dumps({"story": s}) + "\n" for s in stories))
    (tmp_path / "held_out.jsonl").write_text(
        "".join(json.dumps({"story": f"not {s}"}) + "\n" for s in stories[:6])
    )
    return tmp_path


def settings(**changes: Any) -> dict[str, Any]:
    config = {
        "metric": "union",
        "name": "tiny",
        "corpus": {"train": ["stories.jsonl"], "validation": ["held_out.jsonl"]},
        "sampling": {"keep": 1},
        "base": "encoder",
        "adapter": {"rank": 4, "alpha": 8},
        "max_length": 64,
        "pairs": 32,
        "batch_pairs": 4,
        "learning_rate": 5e-3,
        "warmup_share": 0.1,
        "reconstruction_weight": 0.1,
        "copied_share": 0.5,
        "seed": 7,
    }
    return {**config, **changes}


def configuration(**changes: Any) -> UnionConfig:
    return parse(UnionConfig, settings(**changes))


def run(data: Path, name: str, config: UnionConfig, resume: bool = False) -> dict[str, Any]:
    return union.train(config, data, data / "weights" / name, data / f"run-{name}", data / "cache", resume)


def test_a_killed_run_resumes_to_the_same_weights(data: Path) -> None:
    run(data, "whole", configuration())
    with interrupted(union.UnionTrainer, "compute_loss", 6):
        run(data, "killed", configuration())
    assert not (data / "weights" / "killed" / "adapter.safetensors").exists()
    run(data, "killed", configuration(), resume=True)
    whole, resumed = (load_file(data / "weights" / n / "adapter.safetensors") for n in ("whole", "killed"))
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


@pytest.mark.parametrize(
    ("adapter", "rate"), [({"rank": 8, "alpha": 16}, 5e-3), (None, 2e-3)], ids=["adapter", "all weights"]
)
def test_it_learns_a_tiny_corpus_and_the_metric_loads_what_was_saved(
    data: Path, adapter: Any, rate: float
) -> None:
    manifest = run(
        data, "learnt", configuration(pairs=2400, batch_pairs=8, adapter=adapter, learning_rate=rate)
    )
    folder = data / "weights" / "learnt"
    if adapter:
        (folder / "encoder").symlink_to(data / "encoder")
    scorer = UnionScorer(load_checkpoint(folder, "union"))
    stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").read_text().splitlines()]
    sentences = [Normalizer().sentences(story) for story in stories]
    moved = [" ".join(w for line in [s[0], s[2], s[1], *s[3:]] for w in line) for s in sentences]
    scores, _ = scorer.score(stories + moved, dtype="float32")
    right = sum(high > low for high, low in zip(scores[:16], scores[16:], strict=True))
    assert right >= 14, "it has learnt the order of the sentences of its sixteen stories"
    assert (
        "{"
        not in (folder / "README.md").read_text().replace("{guan", "").replace("{{", "").split("```bibtex")[0]
    )
    assert manifest["data"]["stories.jsonl"] in (folder / "README.md").read_text()


def test_what_it_goes_on_from_is_trained_first(data: Path) -> None:
    (data / "first.yaml").write_text(json.dumps(settings(name="tiny-first", learning_rate=1e-3)))
    config = configuration(start=str(data / "begun"), first=str(data / "first.yaml"), pairs=8)
    manifest = run(data, "second", config)
    begun = load_file(data / "begun" / "adapter.safetensors")
    assert manifest["start"] == file_digest(data / "begun" / "adapter.safetensors")
    second = load_file(data / "weights" / "second" / "adapter.safetensors")
    assert any(not torch.equal(begun[name], second[name]) for name in begun)
    written = (data / "begun" / "manifest.json").stat().st_mtime_ns
    run(data, "again", config)
    assert (data / "begun" / "manifest.json").stat().st_mtime_ns == written, "it is there"
    again = load_file(data / "weights" / "again" / "adapter.safetensors")
    assert all(torch.equal(second[name], again[name]) for name in second)


def test_a_run_of_another_configuration_is_not_resumed(data: Path) -> None:
    run(data, "one", configuration(pairs=8))
    with pytest.raises(ValueError, match=r"config.seed: 7, not 8"):
        run(data, "one", configuration(pairs=8, seed=8), resume=True)
    (data / "stories.jsonl").write_text(
        (data / "stories.jsonl").read_text() + '{"story": "she ran home ."}\n'
    )
    with pytest.raises(ValueError, match=r"data.stories.jsonl"):
        run(data, "one", configuration(pairs=8), resume=True)


def test_a_row_of_the_ablation_of_another_configuration_is_refused(data: Path) -> None:
    base = configuration(max_length=32)
    first = run_row("UNION", {}, base, 4, data, data / "rows")
    written = (first / "manifest.json").stat().st_mtime_ns
    assert run_row("UNION", {}, base, 4, data, data / "rows") == first
    assert (first / "manifest.json").stat().st_mtime_ns == written, "it is there"
    with pytest.raises(ValueError, match=r"config.pairs: 4, not 8"):
        run_row("UNION", {}, base, 8, data, data / "rows")
