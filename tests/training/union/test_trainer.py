"""The trainer learns, and a run that was killed goes on to the same weights."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from openmeva.metrics.core.checkpoint import weights_checksum
from openmeva.training.common.config import config_file, parse, read_config
from openmeva.training.papers import ablation
from openmeva.training.papers.ablation import row_config, run_row
from openmeva.training.union import trainer as union
from openmeva.training.union.config import UnionConfig
from tests.killing import interrupt_at_call
from tests.tiny.models import write_gpt2
from tests.tiny.union import SETTINGS, count_ranked_correctly, write_files


def settings(**changes: Any) -> dict[str, Any]:
    defaults = {"adapter": {"rank": 4, "alpha": 8}, "pairs": 32, "batch_pairs": 4, "copied_share": 0.5}
    return {**SETTINGS, **defaults, "warmup_share": 0.1, **changes}


def configuration(**changes: Any) -> UnionConfig:
    return parse(UnionConfig, settings(**changes))


def run(data: Path, name: str, config: UnionConfig, resume: bool = False) -> dict[str, Any]:
    return union.train(config, data, data / "weights" / name, data / f"run-{name}", data / "cache", resume)


def test_interrupted_run_resumes_to_the_same_weights(data: Path) -> None:
    run(data, "whole", configuration())
    with interrupt_at_call(union.UnionTrainer, "compute_loss", 6):
        run(data, "killed", configuration())
    assert not (data / "weights" / "killed" / "adapter.safetensors").exists()
    run(data, "killed", configuration(), resume=True)
    whole, resumed = (load_file(data / "weights" / n / "adapter.safetensors") for n in ("whole", "killed"))
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


def check_order_learned(folder: Path) -> None:
    assert count_ranked_correctly(folder) >= 14, (
        "it has learnt the order of the sentences of its sixteen stories"
    )
    card = (folder / "README.md").read_text()
    assert "{" not in card.replace("{guan", "").replace("{{", "").split("```bibtex")[0]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["data"]["stories.jsonl"] in card


def test_adapter_learns_a_tiny_corpus_and_the_metric_loads_it(trained_union: Path) -> None:
    check_order_learned(trained_union)


def test_full_fine_tuning_learns_a_tiny_corpus(data: Path) -> None:
    config = configuration(pairs=2400, batch_pairs=8, adapter=None, learning_rate=2e-3)
    run(data, "learnt", config)
    check_order_learned(data / "weights" / "learnt")


def test_diverged_training_keeps_earlier_weights(data: Path) -> None:
    run(data, "kept", configuration(pairs=8))
    before = (data / "weights" / "kept" / "adapter.safetensors").read_bytes()
    with pytest.raises(ValueError, match=r"kept/adapter\.safetensors: not written, because .* learning_rate"):
        run(data, "kept", configuration(pairs=8, learning_rate=1e30))
    assert (data / "weights" / "kept" / "adapter.safetensors").read_bytes() == before


def test_no_copied_position_needs_to_be_learned(data: Path) -> None:
    manifest = run(data, "none copied", configuration(pairs=4, copied_share=0))
    assert manifest["config"]["copied_share"] == 0
    assert all(math.isfinite(value) for value in manifest["validation"].values())


def test_window_beyond_the_positions_is_refused(data: Path) -> None:
    with pytest.raises(ValueError, match=r"^window: expected \d+ or less"):
        run(data, "long", configuration(pairs=4, window=9000))


def test_missing_initial_weights_are_trained_first(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "first.yaml").write_text(json.dumps(settings(name="tiny-first", learning_rate=1e-3)))
    config = configuration(start=str(data / "begun"), first=str(data / "first.yaml"), pairs=8)
    manifest = run(data, "second", config)
    announced = f"{data / 'begun'}: no weights; training tiny-first first"
    assert announced in capsys.readouterr().err
    start = load_file(data / "begun" / "adapter.safetensors")
    assert manifest["start"] == weights_checksum(data / "begun" / "adapter.safetensors")
    second = load_file(data / "weights" / "second" / "adapter.safetensors")
    assert any(not torch.equal(start[name], second[name]) for name in start)
    written = (data / "begun" / "manifest.json").stat().st_mtime_ns
    run(data, "again", config)
    assert announced not in capsys.readouterr().err
    assert (data / "begun" / "manifest.json").stat().st_mtime_ns == written, "it is not trained again"
    again = load_file(data / "weights" / "again" / "adapter.safetensors")
    assert all(torch.equal(second[name], again[name]) for name in second)


def test_initial_weights_of_other_settings_or_data_are_rejected(data: Path) -> None:
    first = settings(name="tiny-first", pairs=4)
    (data / "first.yaml").write_text(json.dumps(first))
    config = configuration(start=str(data / "begun"), first=str(data / "first.yaml"), pairs=4)
    run(data, "second", config)
    (data / "first.yaml").write_text(json.dumps({**first, "pairs": 6, "note": "Of the card alone."}))
    message = r"begun: expected weights of .*first\.yaml and of this data, got others:\n  config\.pairs: 4, not 6\nRemove"
    with pytest.raises(ValueError, match=message):
        run(data, "second", config)
    (data / "first.yaml").write_text(json.dumps(first))
    other_data = data / "other"
    write_files(other_data)
    (other_data / "stories.jsonl").write_text((data / "stories.jsonl").read_text().replace("dog", "cat"))
    with pytest.raises(
        ValueError, match=r"got others:\n  data\.stories\.jsonl: \"\w+\", not \"\w+\"\nRemove"
    ):
        union.train(config, other_data, data / "out", data / "run", data / "cache")
    assert not (data / "out").exists()


def test_causal_base_is_rejected(tmp_path: Path) -> None:
    """Its first token's state would not depend on the story."""
    base = write_gpt2(tmp_path, ["a dog ran"])
    changes = [f"base={base}", "start=null", "first=null", "teacher=null", "others=null", "epochs=1",
               "distillation_weight=0", "states_weight=0"]  # fmt: skip
    config = read_config(UnionConfig, config_file("union", "roc"), changes)
    with pytest.raises(ValueError, match="base: expected an encoder, got the causal model"):
        union.check(config, tmp_path)


def test_run_with_another_configuration_is_not_resumed(data: Path) -> None:
    run(data, "one", configuration(pairs=8))
    with pytest.raises(ValueError, match=r"config.seed: 7, not 8"):
        run(data, "one", configuration(pairs=8, seed=8), resume=True)
    (data / "stories.jsonl").write_text(
        (data / "stories.jsonl").read_text() + '{"story": "she ran home ."}\n'
    )
    with pytest.raises(ValueError, match=r"data.stories.jsonl"):
        run(data, "one", configuration(pairs=8), resume=True)


def test_missing_held_out_stories_are_reported_before_training(data: Path) -> None:
    config = configuration(corpus={"train": ["stories.jsonl"], "validation_share": 0})
    with pytest.raises(ValueError, match=r"stories\.jsonl: no story held out \(validation_share 0 of 16\)"):
        run(data, "none", config)


def test_ablation_row_of_another_configuration_is_rejected(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ablation, "CACHE", data / "cache")
    few, more = (row_config("UNION", {}, configuration(max_length=32), pairs) for pairs in (4, 8))
    first = run_row(few, data, data / "rows")
    written = (first / "manifest.json").stat().st_mtime_ns
    assert run_row(few, data, data / "rows") == first
    assert (first / "manifest.json").stat().st_mtime_ns == written, "it is not trained again"
    with pytest.raises(ValueError, match=r"config.pairs: 4, not 8"):
        run_row(more, data, data / "rows")
