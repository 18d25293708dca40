"""BLEURT's scores of pairs of a reference and a text."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification

from openmeva.metrics.bleurt.modeling import BleurtModel
from openmeva.metrics.core.batching import Progress, length_batches
from openmeva.metrics.core.checkpoint import (
    load_checkpoint,
    load_normalizer,
    read_model_config,
    read_tokenizer,
    weights_checksum,
)
from openmeva.metrics.core.classifier import max_positions
from openmeva.metrics.core.files import FULL_MODEL
from openmeva.metrics.core.inputs import no_words
from openmeva.metrics.core.runtime import (
    PrecisionCache,
    build_model,
    choose_device,
    choose_dtype,
    float32_initialization,
    inference,
    load_pretrained,
    pad,
)
from openmeva.metrics.core.text import Normalizer

FEATURES_BATCH = 64


class BleurtScorer:
    """Scores pairs with one checkpoint, loaded once; a copy of the model is kept for each dtype.

    In addition to this project's checkpoints it takes any sequence-classification model of transformers with one
    output, in safetensors: for example a PyTorch port of the original BLEURT. Such a model's texts are not normalised.

    Attributes:
        max_length: maximum number of tokens of a pair; the longer of the two texts is truncated first.
        settings: the metric's settings in the checkpoint, empty for other models.
        revision: the first 12 digits of the SHA-256 of the weights.
    """

    def __init__(self, folder: Path) -> None:
        """Loads the checkpoint in `folder`.

        Raises:
            ValueError: files are missing or damaged, or the model does not have exactly one output.
        """
        self.normalizer: Normalizer | None = None
        if "bleurt" in read_model_config(folder):
            checkpoint = load_checkpoint(folder, "bleurt")
            self.normalizer = load_normalizer(checkpoint.names_file)
            self.settings: dict[str, Any] = checkpoint.settings
            self.max_length: int = checkpoint.settings["max_length"]
            self.tokenizer = checkpoint.tokenizer
            self.revision = checkpoint.revision
            self.model: Any = build_model(
                lambda: BleurtModel(checkpoint.model_config), checkpoint.state, folder
            )
        else:
            self._load_transformers_model(folder)
        self.model.eval()
        self._precisions = PrecisionCache(self.model)
        self.tokenizer.enable_truncation(self.max_length, strategy="longest_first")
        self.tokenizer.no_padding()

    @float32_initialization()
    def _load_transformers_model(self, folder: Path) -> None:
        self.settings = {}
        self.revision = weights_checksum(folder / FULL_MODEL)[:12]
        outputs = AutoConfig.from_pretrained(folder).num_labels
        if outputs != 1:
            raise ValueError(f"{folder}: expected a model with one output, got {outputs}")
        self.model = load_pretrained(
            AutoModelForSequenceClassification, folder, dtype=torch.float32, use_safetensors=True
        )
        # like this project's heads, its last layer runs in float32 at any precision (see PrecisionCache)
        layers = {name: child for name, child in self.model.named_children() if list(child.parameters())}
        last, layer = layers.popitem()
        self.model._keep_in_fp32_modules_strict = {last}
        layer.register_forward_pre_hook(_in_float32)
        self.tokenizer = read_tokenizer(folder)
        self.max_length = min(512, max_positions(self.model.config) or 512)

    def pair(self, reference: str, text: str) -> tuple[list[int], list[int]]:
        """Token ids of a pair, and the type of each: 0 in the reference, 1 in the text."""
        normal = self.normalizer or str.strip
        encoding = self.tokenizer.encode(normal(reference), normal(text))
        return encoding.ids, encoding.type_ids

    def scores(
        self,
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        batch_size: int = 64,
        device: str | None = None,
        dtype: str = "auto",
        progress: Progress | None = None,
    ) -> list[float]:
        """One score per row, unbounded, higher is better: the highest over the row's references.

        Raises:
            ValueError: a text without words (the row is named).
        """
        rows = [row for row, texts in enumerate(references) for _ in texts]
        pairs = []
        for row, (text, texts) in enumerate(zip(predictions, references, strict=True)):
            self._check(text, "predictions", row)
            for reference in texts:
                self._check(reference, "references", row)
                pairs.append(self.pair(reference, text))
        values = self.run_model(pairs, self._outputs, batch_size, device, dtype, progress)
        best = [float("-inf")] * len(predictions)
        for row, score in zip(rows, values.tolist(), strict=True):
            best[row] = max(best[row], score)
        return best

    def features(self, predictions: Sequence[str], references: Sequence[str]) -> np.ndarray:
        """Hidden states of [CLS] (rows, width), float32: the scoring layer's input; for this project's checkpoints."""
        pairs = [self.pair(reference, text) for text, reference in zip(predictions, references, strict=True)]
        return self.run_model(pairs, lambda *inputs: self.model.encode(*inputs), FEATURES_BATCH)

    def run_model(
        self,
        pairs: Sequence[tuple[list[int], list[int]]],
        model: Callable[..., Any],
        batch_size: int,
        device: str | None = None,
        dtype: str = "auto",
        progress: Progress | None = None,
    ) -> np.ndarray:
        """The output of `model` for token ids, mask and types of each pair, in order, float32."""
        target_device = choose_device(device)
        self.model = self._precisions.get(target_device, choose_dtype(dtype, target_device))
        outputs: list[Any] = [None] * len(pairs)
        padding = self.model.config.get_text_config().pad_token_id  # some models find a text's end by it
        if padding is None:
            padding = self.tokenizer.token_to_id("[PAD]") or 0
        for batch in length_batches([len(ids) for ids, _ in pairs], batch_size, progress):
            ids, mask = pad([pairs[i][0] for i in batch], padding)
            types, _ = pad([pairs[i][1] for i in batch], 0)
            with inference(target_device):
                values = model(ids.to(target_device), mask.to(target_device), types.to(target_device))
            for i, value in zip(batch, values.float().cpu().numpy(), strict=True):
                outputs[i] = value
        return np.stack(outputs)

    def _outputs(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        inputs = {"input_ids": ids, "attention_mask": mask}
        if getattr(self.model.config, "type_vocab_size", 0) > 1:  # RoBERTa and DistilBERT have no types
            inputs["token_type_ids"] = types
        output = self.model(**inputs)
        return output if isinstance(output, torch.Tensor) else output.logits.squeeze(-1)

    def _check(self, text: str, column: str, row: int) -> None:
        if any(c.isascii() and c.isalnum() for c in text):
            return
        normal = self.normalizer or str.strip
        if not self.tokenizer.encode(normal(text), add_special_tokens=False).ids:  # rare characters have none
            raise no_words(column, row, text)


def _in_float32(layer: Any, states: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    return tuple(state.float() for state in states)
