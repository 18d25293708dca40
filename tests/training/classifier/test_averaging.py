"""The average of adapters adds the mean of their weight updates; a training with several seeds saves it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from scipy.special import logit
from torch import Tensor

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.metrics.core.files import ADAPTER
from openmeva.training.classifier.averaging import average_checkpoints, average_with_start, mean_adapter
from openmeva.training.classifier.model import build_classifier
from openmeva.training.common import backbone
from openmeva.training.common.adapters import adapter_tensors
from openmeva.training.common.config import parse
from openmeva.training.files import save_tensors
from openmeva.training.negatives.groups import write_groups
from openmeva.training.plot_coherence import trainer
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.plot_coherence.trainer import train
from tests.tiny.groups import rows
from tests.tiny.models import tiny_model, write_encoder


def adapter(seed: int, rank: int) -> dict[str, Tensor]:
    """Factors of `rank` for a layer of 7 by 9, padded with zeros to rank 4, and a head."""
    torch.manual_seed(seed)
    down, up = torch.zeros(4, 9), torch.zeros(7, 4)
    down[:rank], up[:, :rank] = torch.randn(rank, 9), torch.randn(7, rank)
    return {"layer.lora_A": down, "layer.lora_B": up, "head.weight": torch.randn(1, 7)}


def weight_update(factors: dict[str, Tensor]) -> Tensor:
    return factors["layer.lora_B"] @ factors["layer.lora_A"]


def test_average_is_exact_if_the_rank_suffices() -> None:
    adapters = [adapter(1, 2), adapter(2, 2)]
    mean = mean_adapter(adapters)
    torch.testing.assert_close(
        weight_update(mean), (weight_update(adapters[0]) + weight_update(adapters[1])) / 2
    )
    torch.testing.assert_close(
        mean["head.weight"], (adapters[0]["head.weight"] + adapters[1]["head.weight"]) / 2
    )
    assert {name: t.shape for name, t in mean.items()} == {name: t.shape for name, t in adapters[0].items()}


def test_average_has_the_rank_of_the_first_adapter() -> None:
    first, lower = adapter(1, 2), adapter(2, 1)
    lower |= {"layer.lora_A": lower["layer.lora_A"][:1], "layer.lora_B": lower["layer.lora_B"][:, :1]}
    mean = mean_adapter([first, lower])
    torch.testing.assert_close(weight_update(mean), (weight_update(first) + weight_update(lower)) / 2)
    assert {name: t.shape for name, t in mean.items()} == {name: t.shape for name, t in first.items()}


def test_shares_weight_the_average() -> None:
    adapters = [adapter(1, 2), adapter(2, 2)]
    mean = mean_adapter(adapters, [0.75, 0.25])
    torch.testing.assert_close(
        weight_update(mean), weight_update(adapters[0]) * 0.75 + weight_update(adapters[1]) * 0.25
    )
    torch.testing.assert_close(
        mean["head.weight"], adapters[0]["head.weight"] * 0.75 + adapters[1]["head.weight"] * 0.25
    )
    with pytest.raises(ValueError, match="shares: expected one for each of 2 adapters"):
        mean_adapter(adapters, [0.5])


def test_average_of_higher_rank_is_the_best_approximation() -> None:
    adapters = [adapter(seed, 4) for seed in range(3)]
    exact = sum(weight_update(factors) for factors in adapters) / 3
    u, values, v = torch.linalg.svd(exact, full_matrices=False)
    expected = u[:, :4] * values[:4] @ v[:4]
    torch.testing.assert_close(weight_update(mean_adapter(adapters)), expected, atol=1e-5, rtol=1e-4)


def test_missing_factors_count_as_zero() -> None:
    adapters = [adapter(1, 2), adapter(2, 2)]
    expected = weight_update(adapters[1]) * 0.25
    del adapters[0]["layer.lora_A"], adapters[0]["layer.lora_B"]
    torch.testing.assert_close(weight_update(mean_adapter(adapters, [0.75, 0.25])), expected)


def tiny_corpus(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small encoder in place of the shipped one, and groups to train on, `rows.parquet`."""
    write_encoder(folder / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", folder / "encoder")
    write_groups(folder / "rows.parquet", rows())


def test_adapters_with_different_tensors_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"adapter 1: expected the tensors of the first one.*head"):
        mean_adapter([adapter(1, 2), {k: t for k, t in adapter(2, 2).items() if "lora" in k}])
    with pytest.raises(ValueError, match="at least one"):
        mean_adapter([])


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1.5), (0.4, 0.6 * 1.5 + 0.4 * 7)])
def test_initial_adapter_has_its_share_of_the_average(tmp_path: Path, share: float, expected: float) -> None:
    for name, value in {"one": 1.0, "two": 2.0, "start": 7.0}.items():
        heads = {f"classifier.{part}": torch.full((2,), value) for part in ("weight", "bias")}
        save_tensors(tmp_path / name / ADAPTER, heads)
        (tmp_path / name / "config.json").write_text(json.dumps({"tiny": {"encoder": {}}}))
    trained = [tmp_path / "one", tmp_path / "two"]
    average_with_start(trained, tmp_path / "start", share, tmp_path / "out", temperature=2.0)
    for tensor in load_file(tmp_path / "out" / ADAPTER).values():
        assert tensor.tolist() == pytest.approx([expected / 2] * 2, abs=2e-3)


def two_seed_settings(name: str, folder: Path) -> dict[str, Any]:
    """Settings of a training on the rows of `tiny_corpus`."""
    return {
        "name": name,
        "seeds": [1, 2],
        "files": [{"path": str(folder / "rows.parquet"), "share": 0.2}],
        "adapter": {"rank": 4, "alpha": 8},
        "max_length": 64,
        "batch_groups": 8,
    }


def test_training_with_several_seeds_saves_their_average(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_corpus(tmp_path, monkeypatch)
    config = parse(PlotCoherenceConfig, two_seed_settings("tiny", tmp_path))
    out, run = tmp_path / "out", tmp_path / "run"
    manifest = train(config, tmp_path, out, run, tmp_path)
    adapters = [load_file(run / f"tiny-seed-{seed}" / "adapter.safetensors") for seed in (1, 2)]
    mean = load_file(out / "adapter.safetensors")
    assert not torch.equal(adapters[0]["classifier.weight"], adapters[1]["classifier.weight"])
    expected = (adapters[0]["classifier.weight"].float() + adapters[1]["classifier.weight"].float()) / 2
    torch.testing.assert_close(mean["classifier.weight"].float(), expected, atol=1e-3, rtol=1e-3)
    assert list(manifest["seeds"]) == ["1", "2"]
    assert json.loads((out / "manifest.json").read_text())["config"]["seeds"] == [1, 2]
    plain = ClassifierScorer(load_checkpoint(out, "plot_coherence")).score(["She ran home."], None)[0][0]
    assert 0 < plain < 1
    average_checkpoints([run / "tiny-seed-1", run / "tiny-seed-2"], tmp_path / "flat", temperature=2.0)
    flat = ClassifierScorer(load_checkpoint(tmp_path / "flat", "plot_coherence"))
    assert logit(flat.score(["She ran home."], None)[0][0]) == pytest.approx(logit(plain) / 2, abs=1e-3)
    with pytest.raises(ValueError, match="temperature: expected 1 without seeds, got 2"):
        train(replace(config, seeds=(), temperature=2.0), tmp_path, out, run, tmp_path)
    written = (run / "tiny-seed-1" / "adapter.safetensors").stat().st_mtime_ns
    assert (
        train(replace(config, note="Of both."), tmp_path, out, run, tmp_path)["config"]["note"] == "Of both."
    )
    assert (run / "tiny-seed-1" / "adapter.safetensors").stat().st_mtime_ns == written, (
        "a note trains nothing anew"
    )
    average_before = (out / "adapter.safetensors").read_bytes()
    train(config, tmp_path, out, run, tmp_path)
    assert (out / "adapter.safetensors").read_bytes() == average_before, "a second run trains nothing"


def test_finished_average_is_not_retrained_and_records_resumed_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_corpus(tmp_path, monkeypatch)
    settings = two_seed_settings("first", tmp_path)
    (tmp_path / "first.yaml").write_text(json.dumps(settings))
    start = tmp_path / "first" / "final"
    start_settings = {"start": str(start), "first": str(tmp_path / "first.yaml")}
    first, second = (
        parse(PlotCoherenceConfig, settings | changes)
        for changes in ({}, {"name": "second", **start_settings})
    )
    trained = []
    train_classifier = trainer.train_classifier

    def record_training(config: PlotCoherenceConfig, *arguments: Any) -> dict[str, Any]:
        trained.append((config.name, config.seed))
        return train_classifier(config, *arguments)

    monkeypatch.setattr(trainer, "train_classifier", record_training)
    train(second, tmp_path, tmp_path / "out", tmp_path / "run", tmp_path)
    assert trained == [("first", 1), ("first", 2), ("second", 1), ("second", 2)]
    train(first, tmp_path, start, start.parent, tmp_path)  # as the teacher of another training
    assert len(trained) == 4, "its seeds were trained in another run's folder"
    seed_manifest = tmp_path / "run" / "first-seed-2" / "manifest.json"
    seed_manifest.write_text(json.dumps(json.loads(seed_manifest.read_text()) | {"resumed": True}))
    manifest = train(first, tmp_path, tmp_path / "again", tmp_path / "run", tmp_path)
    assert len(trained) == 4, "seeds of each configuration have a folder of their own"
    assert manifest["resumed"]
    assert "groups_per_second" not in manifest


def test_start_with_other_heads_is_rejected_before_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_corpus(tmp_path, monkeypatch)
    settings = {
        "name": "tiny",
        "files": [{"path": str(tmp_path / "rows.parquet"), "share": 0.2}],
        "adapter": {"rank": 4, "alpha": 8},
        "token_weight": 0.3,
    }
    config = parse(PlotCoherenceConfig, settings)
    start = tmp_path / "start"
    save_tensors(start / ADAPTER, adapter_tensors(build_classifier(config)[0]))
    other_config = replace(config, start=str(start), start_share=0.5, seeds=(1, 2), token_weight=0.0)
    message = (
        r"start_share: .*adapter\.safetensors: expected the tensors of this .* differs in \['tokens\.bias'"
    )
    with pytest.raises(ValueError, match=message):
        train(other_config, tmp_path, tmp_path / "out", tmp_path / "run", tmp_path)
    assert not (tmp_path / "run").exists()
