"""Cost of the papers' settings: every configuration is listed, and each type of step is run and measured."""

import pytest
import torch
import transformers

from openmeva.training.common import trainer
from openmeva.training.papers import manifest
from openmeva.training.papers.manifest import Measurement, Run, main, manifest_row, measure, paper_runs
from openmeva.training.paths import CONFIGS

TINY = {
    "vocab_size": 40,
    "hidden_size": 8,
    "num_attention_heads": 2,
    "num_hidden_layers": 1,
    "intermediate_size": 8,
}
SMALL = {
    "bert-base-uncased": lambda: transformers.BertConfig(**TINY),
    "longformer-base-4096": lambda: transformers.LongformerConfig(**TINY, attention_window=4),
    "bart-base": lambda: transformers.BartConfig(
        vocab_size=40,
        d_model=8,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
    ),
    "gpt2": lambda: transformers.GPT2Config(vocab_size=40, n_embd=8, n_layer=1, n_head=2),
}


def test_every_paper_setting_has_a_row() -> None:
    runs = {run.name: run for run in paper_runs()}
    expected = {f"{file.parent.name}/{file.stem}" for file in CONFIGS.glob("*/*_paper.yaml")}
    assert runs.keys() == expected
    assert (runs["union/roc_paper"].batch, runs["union/roc_paper"].steps) == (10, 40_000)
    assert (runs["plot_coherence/wp_paper"].batch, runs["plot_coherence/wp_paper"].tokens) == (4, 1024)
    assert runs["plot_coherence/roc_paper"].steps == 3 * 94_200 / 8
    assert (runs["generator/roc_paper"].steps, runs["generator/roc_paper"].batch) == (21_000, 8)
    assert runs["plot_negatives/wp_paper"].story == 1024


@pytest.mark.parametrize(
    ("base", "task", "story"),
    [
        ("bert-base-uncased", "masked", 0),
        ("bert-base-uncased", "frozen", 0),
        ("longformer-base-4096", "classify", 0),
        ("bart-base", "rewrite", 6),
        ("bart-base", "write", 6),
        ("gpt2", "causal", 0),
    ],
)
def test_training_step_of_each_task_is_measured(
    base: str, task: str, story: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "SHAPES", SMALL)
    measurement = measure(Run("x/y", base, task, 4, 8, 100, story), steps=1, share=0.5)
    assert 0 < measurement.parameters < 1
    assert 0 < measurement.seconds < 20
    assert 0.1 < measurement.gigabytes < 100


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_step_is_measured_in_the_training_precision(
    dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    autocast: list[bool] = []
    monkeypatch.setattr(manifest, "SHAPES", SMALL)
    monkeypatch.setattr(manifest, "_loss", lambda *_: autocast.append(torch.is_autocast_enabled("cpu")))
    monkeypatch.setattr(trainer, "choose_dtype", lambda *_: dtype)
    measure(Run("x/y", "gpt2", "causal", 4, 8, 100), steps=1)
    assert autocast == [dtype is torch.bfloat16]


def test_manifest_row_is_formatted_and_invalid_options_are_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = manifest_row(
        Run("generator/roc_paper", "bart-base", "rewrite", 8, 78, 21_000, 200), Measurement(139.4, 0.25, 3.21)
    )
    assert row == "| `generator/roc_paper` | bart-base, 139M | 8 of 78 + 200 | 21,000 | 0.25 | 3.2 | 1.5 |"
    for options, message in (
        (["--share", "0"], "above 0 and up to 1, got 0"),
        (["--steps", "0"], "1 or more, got 0"),
    ):
        with pytest.raises(SystemExit):
            main(options)
        assert message in capsys.readouterr().err
