"""The model: initialised from layers of the shared story encoder, or a model of the Hub."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import torch
from peft import PeftModel
from tokenizers import Tokenizer
from torch import Tensor
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    BertConfig,
    BertLMHeadModel,
    BertModel,
    EncoderDecoderConfig,
    EncoderDecoderModel,
    PreTrainedModel,
)

from openmeva.metrics.core.backbone import encoder_tokenizer
from openmeva.metrics.core.checkpoint import read_tensors
from openmeva.metrics.core.classifier import max_positions
from openmeva.metrics.core.files import ADAPTER, FULL_MODEL
from openmeva.metrics.core.runtime import token_id
from openmeva.training.common.adapters import adapter_tensors, load_adapter, with_adapter
from openmeva.training.common.backbone import backbone_tokenizer, find_backbone, load_causal
from openmeva.training.common.checkpoint import config_dict
from openmeva.training.common.config import as_mapping, parse
from openmeva.training.common.perplexity import load_perplexity
from openmeva.training.files import checksum, save_tensors, write_text
from openmeva.training.paths import resolve_path
from openmeva.training.plot_guided.generator.config import GeneratorConfig

SETTINGS = "config.json"
TOKENIZER = "tokenizer.json"


class Generator(NamedTuple):
    """A trained generator.

    Attributes:
        model: in evaluation mode.
        tokenizer: its tokenizer.
        prose: whether its plots and stories are prose.
    """

    model: PreTrainedModel
    tokenizer: Tokenizer
    prose: bool = False


def build_generator(config: GeneratorConfig) -> tuple[PreTrainedModel, Tokenizer]:
    """The untrained model and its tokenizer.

    With `base: encoder`, it has the layers `encoder_layers` and `decoder_layers` of the shared story encoder. Token
    embeddings are shared and frozen; cross-attention is initialised from its layer's self-attention. Any other `base`
    is a sequence-to-sequence model (BART), or a causal language model (SmolLM2), with the plot as the prefix of the
    text. The latter splits names' placeholders into subwords, so it has no new embedding to learn. A folder of
    perplexity's weights is a causal language model that was trained on stories of the corpus.

    Raises:
        ValueError: perplexity's weights of a model that is not causal.
    """
    torch.manual_seed(config.seed)
    if tuned := load_perplexity(config.base):
        return tuned[0].model, tuned[1].tokenizer
    base = find_backbone(config.base)
    if base.gguf or not (base.is_shared or base.config.is_encoder_decoder):
        return load_causal(base)
    if not base.is_shared:
        seq2seq_tokenizer = encoder_tokenizer(base.folder)
        model = AutoModelForSeq2SeqLM.from_pretrained(base.folder, dtype=torch.float32)
        model.resize_token_embeddings(seq2seq_tokenizer.get_vocab_size())
        return model, seq2seq_tokenizer
    tokenizer = backbone_tokenizer(base)
    model = _initialize_empty(config, base.folder, tokenizer)
    _warm_start(model, config, read_tensors(base.folder / FULL_MODEL))
    encoder_part: Any = model.encoder
    decoder_part: Any = model.decoder
    for part in (encoder_part.embeddings, decoder_part.bert.embeddings):
        part.word_embeddings.weight.requires_grad = False
    return model, tokenizer


def base_checksum(base: str) -> str | None:
    """SHA-256 of the weights that a generator's `base` names: of perplexity's adapter, if it is their folder."""
    adapter = resolve_path(base) / ADAPTER
    return checksum(adapter) if adapter.is_file() else find_backbone(base).sha256


def recorded_base(folder: Path) -> str | None:
    """SHA-256 of the base model of a trained generator's adapter; None without an adapter, or if it was not recorded."""
    if not (folder / ADAPTER).is_file():
        return None
    recorded: str | None = json.loads((folder / SETTINGS).read_text(encoding="utf-8")).get("base_sha256")
    return recorded


def check_lengths(model: PreTrainedModel, **lengths: int) -> None:
    """Checks that a plot and a story have positions: both together in a language model, each in an encoder or a decoder.

    Args:
        model: the generator's model.
        lengths: maximum lengths of a plot and a story in tokens, by the name of the setting.

    Raises:
        ValueError: a greater length than the model's positions.
    """
    config: Any = model.config
    parts: list[Any] = (
        [config.encoder, config.decoder] if isinstance(config, EncoderDecoderConfig) else [config]
    )
    positions = [limit for part in parts if (limit := max_positions(part)) is not None]
    if not positions:
        return
    if not config.is_encoder_decoder:
        lengths = {" + ".join(lengths): sum(lengths.values())}
    for name, length in lengths.items():
        if length > min(positions):
            raise ValueError(
                f"{name}: expected {min(positions)} or less, the positions of the model, got {length}"
            )


def _initialize_empty(config: GeneratorConfig, encoder: Path, tokenizer: Tokenizer) -> EncoderDecoderModel:
    values: dict[str, Any] = json.loads((encoder / SETTINGS).read_text(encoding="utf-8"))
    for name in ("architectures", "dtype", "transformers_version", "is_decoder", "add_cross_attention"):
        values.pop(name, None)
    attention: dict[str, Any] = {"attn_implementation": "eager"}  # the fastest for short texts on a CPU
    source = BertConfig(**{**values, "num_hidden_layers": len(config.encoder_layers)}, **attention)
    target = BertConfig(
        **{**values, "num_hidden_layers": len(config.decoder_layers)},
        **attention,
        is_decoder=True,
        add_cross_attention=True,
    )
    special_ids: dict[str, Any] = {
        "pad_token_id": token_id(tokenizer, "[PAD]"),
        "decoder_start_token_id": token_id(tokenizer, "[CLS]"),
        "eos_token_id": token_id(tokenizer, "[SEP]"),
    }
    shape = EncoderDecoderConfig(encoder=source.to_dict(), decoder=target.to_dict(), **special_ids)
    return _build_seq2seq(shape, source, target)


def _build_seq2seq(
    shape: EncoderDecoderConfig, source: BertConfig, target: BertConfig
) -> EncoderDecoderModel:
    return EncoderDecoderModel(
        config=shape,
        encoder=BertModel(source, add_pooling_layer=False),
        decoder=BertLMHeadModel(target),
    )


def _warm_start(model: EncoderDecoderModel, config: GeneratorConfig, weights: dict[str, Tensor]) -> None:
    """Copies embeddings, the chosen layers and the prediction head of the shared encoder's masked language model."""
    chosen = {"encoder": config.encoder_layers, "decoder.bert": config.decoder_layers}
    state: dict[str, Tensor] = {}
    for part, layers in chosen.items():
        for name, tensor in weights.items():
            if name.startswith("bert.embeddings."):
                state[f"{part}.{name.removeprefix('bert.')}"] = tensor.float()
        for index, layer in enumerate(layers):
            old = f"bert.encoder.layer.{layer}."
            for name, tensor in weights.items():
                if name.startswith(old):
                    new = f"{part}.encoder.layer.{index}.{name.removeprefix(old)}"
                    state[new] = tensor.float()
                    if part != "encoder" and ".attention." in new:
                        state[new.replace(".attention.", ".crossattention.")] = tensor.float()
    state.update(
        {f"decoder.{name}": tensor.float() for name, tensor in weights.items() if name.startswith("cls.")}
    )
    missing, unexpected = model.load_state_dict(state, strict=False)
    missing_names = [name for name in missing if "decoder.cls.predictions.decoder" not in name]
    if missing_names or unexpected:
        raise ValueError(
            f"the shared encoder does not fit: lacks {missing_names[:3]}, has {list(unexpected)[:3]}"
        )
    model.decoder.tie_weights()


def save_generator(model: Any, tokenizer: Tokenizer, config: GeneratorConfig, folder: Path) -> None:
    """Writes the configuration and, in half precision, the adapter, or all weights (tied ones once) with the tokenizer.

    Args:
        model: the model, with its adapter (`with_adapter`) if the configuration has one.
        tokenizer: its tokenizer.
        config: the configuration of its training.
        folder: the folder to write to.
    """
    if config.adapter:
        save_tensors(folder / ADAPTER, adapter_tensors(model))
    else:
        tensors, seen = {}, set()
        for name, tensor in model.state_dict().items():
            if tensor.data_ptr() not in seen:
                seen.add(tensor.data_ptr())
                tensors[name] = tensor.detach().cpu().to(torch.float16).contiguous()
        save_tensors(folder / FULL_MODEL, tensors)
        write_text(folder / TOKENIZER, tokenizer.to_str())
    for file_name in (FULL_MODEL, TOKENIZER) if config.adapter else (ADAPTER,):
        (folder / file_name).unlink(missing_ok=True)  # left over from an earlier training
    settings: dict[str, Any] = {"generator": as_mapping(config), "model": config_dict(model)}
    if config.adapter:
        settings["base_sha256"] = base_checksum(config.base)
    write_text(folder / SETTINGS, json.dumps(settings, indent=2, default=str) + "\n")


def load_generator(folder: Path) -> Generator:
    """A trained generator. If the folder has an adapter, its base model is needed, too.

    Raises:
        ValueError: a file that is missing, damaged or of another shape (the message names it), or an adapter whose
            base model is not available or has other weights than in its training.
    """
    adapter = (folder / ADAPTER).is_file()
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        tokenizer = None if adapter else Tokenizer.from_file(str(folder / TOKENIZER))
        values, base = settings["model"], settings["generator"]["base"]
        as_prose = bool(settings["generator"].get("prose"))
    except Exception as error:  # tokenizers raises plain Exceptions
        raise ValueError(f"{folder}: expected a trained generator ({error})") from error
    if tokenizer is None:
        config = parse(GeneratorConfig, settings["generator"], str(folder / SETTINGS))
        recorded = settings.get("base_sha256")  # not in generators of earlier versions
        if recorded and recorded != (found := base_checksum(config.base)):
            raise ValueError(
                f"{folder}: expected {config.base} with the SHA-256 {recorded}, on which its adapter was trained, got {found}"
            )
        plain, tokenizer = build_generator(config)
        return Generator(
            load_adapted_model(plain, config, folder).merge_and_unload().eval(), tokenizer, as_prose
        )
    if base == "encoder":
        shape = EncoderDecoderConfig.from_dict(values)
        parts = [
            BertConfig.from_dict(values[part], attn_implementation="eager") for part in ("encoder", "decoder")
        ]
        model: PreTrainedModel = _build_seq2seq(shape, *parts)
    else:
        model_config = AutoConfig.for_model(**values)
        kind = AutoModelForSeq2SeqLM if model_config.is_encoder_decoder else AutoModelForCausalLM
        model = kind.from_config(model_config)
    load_weights(model, folder)
    return Generator(model.eval(), tokenizer, as_prose)


def load_adapted_model(
    model: PreTrainedModel, config: GeneratorConfig, folder: Path | None = None
) -> PeftModel:
    """A model with the adapter of a configuration, whose weights come from a trained generator in `folder`, if given.

    Raises:
        ValueError: no adapter in the configuration or the folder, or the adapter of another model.
    """
    if config.adapter is None:
        raise ValueError("adapter: expected its rank and alpha, got none")
    under = with_adapter(model, config.adapter)
    if folder:
        load_adapter(under, read_tensors(folder / ADAPTER))
    return under


def load_weights(model: PreTrainedModel, folder: Path) -> None:
    """Loads the weights of a trained generator into a model of the same shape."""
    tensors = {name: tensor.float() for name, tensor in read_tensors(folder / FULL_MODEL).items()}
    try:
        missing, unexpected = model.load_state_dict(tensors, strict=False)
    except RuntimeError as error:
        raise ValueError(f"{folder / FULL_MODEL} is of another shape: {error}") from error
    tied = set(getattr(model, "all_tied_weights_keys", {}))
    missing_names = [
        name for name in missing if name not in tied and not name.endswith("predictions.decoder.bias")
    ]
    if unexpected or missing_names:
        raise ValueError(
            f"{folder / FULL_MODEL}: unknown {list(unexpected)[:3]}, missing {missing_names[:3]}"
        )
    model.tie_weights()
