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

from openmeva.metrics.core.checkpoint import ADAPTER, load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.training.classifier.averaging import average_checkpoints, mean_adapter
from openmeva.training.classifier.model import build_classifier
from openmeva.training.common import backbone
from openmeva.training.common.adapters import adapter_tensors
from openmeva.training.common.config import parse
from openmeva.training.files import save_tensors
from openmeva.training.negatives.groups import write_groups
from openmeva.training.plot_coherence import trainer
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.plot_coherence.trainer import train
from tests.tiny import tiny_model, write_encoder
from tests.tiny_groups import rows


def adapter(seed: int, rank: int) -> dict[str, Tensor]:
    """Factors of `rank` for a layer of 7 by 9, padded with zeros to rank 4, and a head."""
    torch.manual_seed(seed)
    down, up = torch.zeros(4, 9), torch.zeros(7, 4)
    down[:rank], up[:, :rank] = torch.randn(rank, 9), torch.randn(7, rank)
    return {"layer.lora_A": down, "layer.lora_B": up, "head.weight": torch.randn(1, 7)}


def product(factors: dict[str, Tensor]) -> Tensor:
    return factors["layer.lora_B"] @ factors["layer.lora_A"]


def test_what_is_added_is_the_mean_where_the_rank_suffices() -> None:
    both = [adapter(1, 2), adapter(2, 2)]
    mean = mean_adapter(both)
    torch.testing.assert_close(product(mean), (product(both[0]) + product(both[1])) / 2)
    torch.testing.assert_close(mean["head.weight"], (both[0]["head.weight"] + both[1]["head.weight"]) / 2)
    assert {name: t.shape for name, t in mean.items()} == {name: t.shape for name, t in both[0].items()}


def test_the_mean_has_the_first_ones_rank() -> None:
    first, lower = adapter(1, 2), adapter(2, 1)
    lower |= {"layer.lora_A": lower["layer.lora_A"][:1], "layer.lora_B": lower["layer.lora_B"][:, :1]}
    mean = mean_adapter([first, lower])
    torch.testing.assert_close(product(mean), (product(first) + product(lower)) / 2)
    assert {name: t.shape for name, t in mean.items()} == {name: t.shape for name, t in first.items()}


def test_shares_say_how_much_of_each() -> None:
    both = [adapter(1, 2), adapter(2, 2)]
    mean = mean_adapter(both, [0.75, 0.25])
    torch.testing.assert_close(product(mean), product(both[0]) * 0.75 + product(both[1]) * 0.25)
    torch.testing.assert_close(
        mean["head.weight"], both[0]["head.weight"] * 0.75 + both[1]["head.weight"] * 0.25
    )
    with pytest.raises(ValueError, match="shares: expected one for each of 2 adapters"):
        mean_adapter(both, [0.5])


def test_of_a_greater_rank_the_best_approximation_is_kept() -> None:
    several = [adapter(seed, 4) for seed in range(3)]
    wanted = sum(product(one) for one in several) / 3
    u, values, v = torch.linalg.svd(wanted, full_matrices=False)
    best = u[:, :4] * values[:4] @ v[:4]
    torch.testing.assert_close(product(mean_adapter(several)), best, atol=1e-5, rtol=1e-4)


def test_factors_that_an_adapter_lacks_add_nothing() -> None:
    both = [adapter(1, 2), adapter(2, 2)]
    wanted = product(both[1]) * 0.25
    del both[0]["layer.lora_A"], both[0]["layer.lora_B"]
    torch.testing.assert_close(product(mean_adapter(both, [0.75, 0.25])), wanted)


def tiny_corpus(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small encoder in place of the shipped one, and groups to train on, `rows.parquet`."""
    write_encoder(folder / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", folder / "encoder")
    write_groups(folder / "rows.parquet", rows())


def test_unlike_adapters_are_refused() -> None:
    with pytest.raises(ValueError, match=r"adapter 1: expected the tensors of the first one.*head"):
        mean_adapter([adapter(1, 2), {k: t for k, t in adapter(2, 2).items() if "lora" in k}])
    with pytest.raises(ValueError, match="at least one"):
        mean_adapter([])


def of_two_seeds(name: str, folder: Path) -> dict[str, Any]:
    """Settings of a training on the rows of `tiny_corpus`."""
    return {
        "name": name,
        "seeds": [1, 2],
        "files": [{"path": str(folder / "rows.parquet"), "share": 0.2}],
        "adapter": {"rank": 4, "alpha": 8},
        "max_length": 64,
        "batch_groups": 8,
    }


def test_a_training_of_several_seeds_keeps_their_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_corpus(tmp_path, monkeypatch)
    config = parse(PlotCoherenceConfig, of_two_seeds("tiny", tmp_path))
    out, run = tmp_path / "out", tmp_path / "run"
    manifest = train(config, tmp_path, out, run, tmp_path)
    parts = [load_file(run / f"tiny-seed-{seed}" / "adapter.safetensors") for seed in (1, 2)]
    mean = load_file(out / "adapter.safetensors")
    assert not torch.equal(parts[0]["classifier.weight"], parts[1]["classifier.weight"])
    expected = (parts[0]["classifier.weight"].float() + parts[1]["classifier.weight"].float()) / 2
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
    before = (out / "adapter.safetensors").read_bytes()
    train(config, tmp_path, out, run, tmp_path)
    assert (out / "adapter.safetensors").read_bytes() == before, "a second run trains nothing"


def test_a_finished_mean_is_left_alone_and_says_what_was_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_corpus(tmp_path, monkeypatch)
    settings = of_two_seeds("first", tmp_path)
    (tmp_path / "first.yaml").write_text(json.dumps(settings))
    begun = tmp_path / "first" / "final"
    there = {"start": str(begun), "first": str(tmp_path / "first.yaml")}
    first, second = (
        parse(PlotCoherenceConfig, settings | more) for more in ({}, {"name": "second", **there})
    )
    trained = []
    real = trainer.train_classifier

    def counted(config: PlotCoherenceConfig, *arguments: Any) -> dict[str, Any]:
        trained.append((config.name, config.seed))
        return real(config, *arguments)

    monkeypatch.setattr(trainer, "train_classifier", counted)
    train(second, tmp_path, tmp_path / "out", tmp_path / "run", tmp_path)
    assert trained == [("first", 1), ("first", 2), ("second", 1), ("second", 2)]
    train(first, tmp_path, begun, begun.parent, tmp_path)  # as the teacher of another training
    assert len(trained) == 4, "its seeds are in another run's folder"
    of_a_seed = tmp_path / "run" / "first-seed-2" / "manifest.json"
    of_a_seed.write_text(json.dumps(json.loads(of_a_seed.read_text()) | {"resumed": True}))
    manifest = train(first, tmp_path, tmp_path / "again", tmp_path / "run", tmp_path)
    assert len(trained) == 4, "seeds of each configuration have a folder of their own"
    assert manifest["resumed"]
    assert "groups_a_second" not in manifest


def test_a_start_with_other_heads_is_refused_before_a_seed_is_trained(
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
    other = replace(config, start=str(start), start_share=0.5, seeds=(1, 2), token_weight=0.0)
    told = r"start_share: .*adapter\.safetensors: expected the tensors of this .* differs in \['tokens\.bias'"
    with pytest.raises(ValueError, match=told):
        train(other, tmp_path, tmp_path / "out", tmp_path / "run", tmp_path)
    assert not (tmp_path / "run").exists()
