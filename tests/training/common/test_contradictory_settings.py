"""Settings that contradict each other, or leave nothing to learn, are rejected when a configuration is read."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from openmeva.training.bleurt.config import BleurtConfig
from openmeva.training.common.config import config_file, read_config
from openmeva.training.discriminator.config import DiscriminatorConfig
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.ppl.config import PplConfig
from openmeva.training.ruber_bert.config import RuberConfig
from openmeva.training.union.config import UnionConfig

NO_LOSS = ["label_weight=0", "rank_weight=0", "error_type_weight=0", "token_weight=0", "distillation_weight=0",
           "states_weight=0", "token_share=0"]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "folder", "changes", "message"),
    [
        (PlotCoherenceConfig, "plot_coherence", NO_LOSS, "states_weight: expected one above 0, got 0 for all"),
        (DiscriminatorConfig, "discriminator", NO_LOSS, "label_weight, rank_weight, "),
        (PlotCoherenceConfig, "plot_coherence", ["token_share=0.5", "token_weight=0"],
         "token_share: expected 0 without a token_weight, got 0.5"),
        (PlotCoherenceConfig, "plot_coherence", ["window=64", "shorter_window=64"],
         "shorter_window: expected less than 64, the window, got 64"),
        (PlotCoherenceConfig, "plot_coherence", ["window=null", "max_length=64", "shorter_window=99"],
         "shorter_window: expected less than 64, the max_length, got 99"),
        (UnionConfig, "union", ["label_weight=0", "reconstruction_weight=0", "distillation_weight=0", "states_weight=0"],
         "label_weight, reconstruction_weight, distillation_weight, states_weight: expected one above 0"),
        (RuberConfig, "ruber_bert", ["in_batch=0", "sampled=0"], "in_batch, sampled: expected one above 0"),
        (RuberConfig, "ruber_bert", ["sampled=2"], "sampled: expected 0 or 1, got 2"),
        (RuberConfig, "ruber_bert", ["encoder=rnn", "adapter={rank: 4, alpha: 8}"],
         "adapter: expected null with the encoder rnn"),
        (RuberConfig, "ruber_bert", ["start=null", "adapter=null", "frozen=false"],
         "adapter: expected its rank with frozen: false, got null"),
        (RuberConfig, "ruber_bert", ["batch=9", "in_batch=9"], "in_batch: expected less than the batch of 9, got 9"),
        (RuberConfig, "ruber_bert", ["sampled=0", "nearest=3"], "nearest: expected null with sampled: 0, got 3"),
        (DiscriminatorConfig, "discriminator", ["group_size=1"], "group_size: input should be greater than or equal to 2"),
        (PplConfig, "ppl", ["spacing=6"], "spacing: expected only with the masked model, got 6"),
        (PplConfig, "ppl", ["model=masked"], "which is the shared encoder without training, got 'encoder', None and 60000"),
        (PplConfig, "ppl", ["model=masked", "stories=0", "base=gpt2"], "base, start, stories: expected encoder, null and 0"),
        (PplConfig, "ppl", ["model=masked", "stories=0", "start=a"], "got 'encoder', 'a' and 0"),
        (BleurtConfig, "bleurt", ["validation_pairs=1"], "pairs, validation_pairs: expected 2 or more"),
        (BleurtConfig, "bleurt", ["ways={}"], "ways: expected one with a weight above 0, got {}"),
        (BleurtConfig, "bleurt", ["ways={negatives: 0}"], "ways: expected one with a weight above 0"),
    ],
)  # fmt: skip
def test_contradictory_settings_are_rejected(
    kind: type[Any], folder: str, changes: Sequence[str], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_config(kind, config_file(folder, "roc"), changes)
