"""Trains perplexity's language model: `python -m training.ppl --config training/configs/ppl_roc.yaml --data DIR`.

The shared encoder under a causal mask (`BertLMHeadModel`, an adapter on frozen weights) or a model of the
same shape from scratch, by transformers' `Trainer`: so `accelerate launch -m training.ppl …` uses several GPUs,
and `--resume` goes on from the last checkpoint. The weights, the run's manifest and a model card are written
to `metrics/ppl/weights/NAME/`.
"""

import argparse
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import yaml
from tokenizers import Tokenizer
from torch import Tensor
from transformers import BertConfig, BertLMHeadModel

from openmeva.metrics.core.checkpoint import file_digest, read_tensors
from openmeva.metrics.core.runtime import pad, token_id
from openmeva.training.common.adapters import adapter_tensors, add_adapters, load_adapter
from openmeva.training.common.trainer import (
    StoryTrainer,
    data_checksums,
    encoder_reference,
    last_checkpoint,
    training_arguments,
)
from openmeva.training.corpora.splits import CorpusConfig, Sentences, load_corpus
from openmeva.training.files import save_tensors, write_text
from openmeva.training.paths import ENCODER, ROOT
from openmeva.training.ppl.card import write_ppl_card
from openmeva.training.ppl.losses import vocabulary_loss
from openmeva.training.ppl.masked import save_masked

HEADS = ("cls.",)
VALIDATION_STORIES = 1000


class LanguageModelTrainer(StoryTrainer):
    """Next-token loss at every position, the vocabulary's logits never held at once."""

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        loss = next_token_loss(model, inputs["input_ids"], inputs["attention_mask"])
        return (loss, {}) if return_outputs else loss

    def prediction_step(
        self, model: Any, inputs: Any, prediction_loss_only: bool, ignore_keys: Any = None
    ) -> Any:
        inputs = self._prepare_inputs(inputs)
        with torch.no_grad(), self.compute_loss_context_manager():
            return self.compute_loss(model, inputs), None, None


def next_token_loss(model: Any, ids: Tensor, mask: Tensor) -> Tensor:
    """Mean loss in nats of the tokens (n, tokens) after the first, given those before; `mask` is 1 at tokens.

    Padding stands on the right, where a causal mask hides it.
    """
    hidden = model.bert(ids, use_cache=False).last_hidden_state[:, :-1]
    at = mask[:, 1:].bool()
    hidden = model.cls.predictions.transform(hidden[at])
    # autocast leaves layer norm's output in float32: the product with the vocabulary would be, too
    narrow = torch.is_autocast_enabled(ids.device.type)
    return vocabulary_loss(
        hidden,
        model.bert.embeddings.word_embeddings.weight,
        model.cls.predictions.bias,
        ids[:, 1:][at],
        dtype=torch.get_autocast_dtype(ids.device.type) if narrow else torch.float32,
    )


class LanguageModelCollator:
    """Pads token ids on the right."""

    def __init__(self, padding: int) -> None:
        self.padding = padding

    def __call__(self, rows: list[list[int]]) -> dict[str, Tensor]:
        ids, mask = pad(rows, self.padding)
        return {"input_ids": ids, "attention_mask": mask}


def build_model(config: dict[str, Any]) -> tuple[BertLMHeadModel, Tokenizer]:
    """The untrained model with the shared encoder's shape and tokenizer, and its weights unless from scratch."""
    torch.manual_seed(config["seed"])
    shape = BertConfig.from_pretrained(ENCODER)
    shape.is_decoder, shape.use_cache = True, False
    shape.dtype = torch.float32
    shape._attn_implementation = "eager"  # the fastest for short sequences on a processor
    model = BertLMHeadModel(shape)
    if config["base"] == "encoder":
        state = {name: tensor.float() for name, tensor in read_tensors(ENCODER / "model.safetensors").items()}
        model.load_state_dict(state, strict=False)
    elif config["base"] != "scratch":
        raise ValueError(f"base: expected 'encoder' or 'scratch', got {config['base']!r}")
    model.tie_weights()
    if config["adapter"]:
        add_adapters(model, config["adapter"]["rank"], config["adapter"]["alpha"], HEADS)
        if config.get("start"):
            load_adapter(model, read_tensors(ROOT / config["start"] / "adapter.safetensors"))
    return model, Tokenizer.from_file(str(ENCODER / "tokenizer.json"))


def token_rows(stories: Sequence[Sentences], tokenizer: Tokenizer, limit: int) -> list[list[int]]:
    """Token ids of each story, [CLS] before and [SEP] after it; cut at `limit` tokens."""
    cls, sep = token_id(tokenizer, "[CLS]"), token_id(tokenizer, "[SEP]")
    texts = [" ".join(word for sentence in story for word in sentence) for story in stories]
    return [
        [cls, *encoding.ids, sep][:limit]
        for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)
    ]


def perplexities(model: Any, stories: Sequence[Sentences], rows: list[list[int]]) -> dict[str, float]:
    """Loss and perplexity of held-out stories by token ([SEP] included) and by word.

    Words are those of the tokenised text, plus the story's end.
    """
    model.eval()
    order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
    total, tokens = 0.0, 0
    with torch.no_grad(), torch.autocast(model.device.type, torch.bfloat16):
        for start in range(0, len(order), 32):
            ids, mask = pad([rows[index] for index in order[start : start + 32]], 0)
            count = int(mask[:, 1:].sum())
            total += float(next_token_loss(model, ids.to(model.device), mask.to(model.device))) * count
            tokens += count
    words = sum(len(sentence) for story in stories for sentence in story) + len(stories)
    return {
        "loss_per_token": round(total / tokens, 4),
        "perplexity_per_token": round(math.exp(total / tokens), 2),
        "perplexity_per_word": round(math.exp(total / words), 2),
        "stories": len(stories),
        "tokens": tokens,
        "words": words,
    }


def train(config: dict[str, Any], data: Path, out: Path, run: Path, resume: bool = False) -> dict[str, Any]:
    """Trains one configuration and writes checkpoint, manifest and card to `out`; returns the manifest."""
    started = time.time()
    corpus = load_corpus(CorpusConfig.from_mapping(config["corpus"]), data, ENCODER / "names.json")
    model, tokenizer = build_model(config)
    held_out = corpus.validation[:VALIDATION_STORIES]
    generator = torch.Generator().manual_seed(config["seed"])
    order = torch.randperm(len(corpus.train), generator=generator).tolist()
    passes = math.ceil(config["stories"] / len(order))
    rows = token_rows([corpus.train[i] for i in order], tokenizer, config["max_length"])
    rows = (rows * passes)[: config["stories"]]
    validation = token_rows(held_out, tokenizer, config["max_length"])
    steps = math.ceil(len(rows) / config["batch"])
    arguments = training_arguments(
        run, config, steps, config["batch"], save_steps=max(1, min(250, steps // 4)), max_grad_norm=1.0
    )
    trainer = LanguageModelTrainer(
        model=model,
        args=arguments,
        train_dataset=rows,
        eval_dataset=validation[:200],
        data_collator=LanguageModelCollator(token_id(tokenizer, "[PAD]")),
    )
    trainer.lengths = [len(row) for row in rows]
    prepared = time.time()
    resumed = last_checkpoint(run, resume)
    trainer.train(resume_from_checkpoint=resumed)
    seconds = time.time() - prepared
    manifest = {
        "metric": "ppl",
        "config": config,
        "data": data_checksums(config, data),
        **(
            {"start": file_digest(ROOT / config["start"] / "adapter.safetensors")}
            if config.get("start")
            else {}
        ),
        "stories": {"train": len(corpus.train), "validation": len(held_out)},
        "tokens": sum(map(len, rows)) - len(rows),
        "steps": trainer.state.global_step,
        "validation": perplexities(model, held_out, validation),
        # of a resumed run, the seconds and minutes are those of its last part
        **({"resumed": True} if resumed else {"stories_a_second": round(len(rows) / seconds, 1)}),
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }
    if trainer.is_world_process_zero():
        save(model, tokenizer, config, manifest, out)
    return manifest


def save(
    model: BertLMHeadModel, tokenizer: Tokenizer, config: dict[str, Any], manifest: dict[str, Any], out: Path
) -> None:
    """Writes a checkpoint that `metrics/ppl` loads: an adapter on the shared encoder, or a whole model."""
    settings: dict[str, Any] = {
        "model": "causal",
        "delexicalize": config["corpus"].get("delexicalize", True),
        "max_length": config["max_length"],
    }
    written: dict[str, Any] = {"ppl": settings}
    if config["adapter"]:
        settings["encoder"] = encoder_reference(ENCODER, out)
        save_tensors(out / "adapter.safetensors", adapter_tensors(model))
    else:
        written = {**model.config.to_dict(), **written}
        state = {
            name: tensor.detach().cpu().to(torch.float16).contiguous()
            for name, tensor in model.state_dict().items()
            if not name.startswith("cls.predictions.decoder")
        }
        save_tensors(out / "model.safetensors", state)
        write_text(out / "names.json", (ENCODER / "names.json").read_text(encoding="utf-8"))
        write_text(out / "tokenizer.json", tokenizer.to_str())
    write_text(out / "config.json", json.dumps(written, indent=2, default=str) + "\n")
    write_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    write_ppl_card(out, manifest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", type=Path, required=True, help="a file of training/configs")
    parser.add_argument(
        "--data", type=Path, required=True, help="the folder that the configuration's files lie in"
    )
    parser.add_argument("--out", type=Path, help="default: metrics/ppl/weights/NAME")
    parser.add_argument("--run", type=Path, help="checkpoints to resume from; default: runs/ppl-NAME")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --run")
    parser.add_argument(
        "--set",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help="e.g. stories=2000 base=scratch adapter=null",
    )
    arguments = parser.parse_args()
    config = yaml.safe_load(arguments.config.read_text(encoding="utf-8"))
    for setting in arguments.set:
        key, separator, value = setting.partition("=")
        if not separator or key not in config:
            parser.error(f"--set: expected KEY=VALUE with a key of {sorted(config)}, got {setting!r}")
        config[key] = yaml.safe_load(value)
    name = config["name"]
    out = arguments.out or ROOT / "metrics" / "ppl" / "weights" / name
    run = arguments.run or ROOT / "runs" / f"ppl-{name}"
    if config.get("model") == "masked":
        manifest = save_masked(config, arguments.data, out)
    else:
        manifest = train(config, arguments.data, out, run, arguments.resume)
    shown = ("stories", "tokens", "steps", "validation", "stories_a_second", "minutes")
    print(json.dumps({key: manifest[key] for key in shown if key in manifest}, indent=2))
