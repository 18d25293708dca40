"""Trains UNION: `python -m training.union --config training/configs/union_roc.yaml --data DIR`.

Stories and their negative samples (section 3.2), the loss of equation 6, transformers' `Trainer`: so
`accelerate launch -m training.union …` uses several GPUs, and `--resume` goes on from the last checkpoint.
The weights, the run's manifest and a model card are written to `metrics/union/weights/NAME/`.
"""

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from scipy.stats import mannwhitneyu
from tokenizers import Tokenizer
from torch import Tensor
from transformers import BertConfig, EvalPrediction

from openmeva.metrics.core.checkpoint import merge_adapter, read_tensors
from openmeva.metrics.core.runtime import token_id
from openmeva.metrics.union.modeling import UnionModel
from openmeva.training.common.adapters import adapter_tensors, add_adapters, load_adapter
from openmeva.training.common.hub_tokenizer import hub_tokenizer
from openmeva.training.common.model_card import write_union_card
from openmeva.training.common.trainer import (
    StoryTrainer,
    data_checksums,
    encoder_reference,
    first_configuration,
    last_checkpoint,
    start_digest,
    training_arguments,
)
from openmeva.training.corpora.splits import CorpusConfig, load_corpus
from openmeva.training.files import checksum, save_tensors, write_text
from openmeva.training.negatives import UnionSampler, UnionSampling, tag_corpus
from openmeva.training.paths import ENCODER, ROOT
from openmeva.training.text.knowledge.english import English
from openmeva.training.text.knowledge.resources import find, require
from openmeva.training.union.data import UnionCollator, UnionPairs

HEADS = ("classifier", "cls.")


class UnionTrainer(StoryTrainer):
    """The loss of equation 6; batches of stories of similar length."""

    reconstruction_weight = 0.1

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        output = model(**inputs, reconstruction_weight=self.reconstruction_weight)
        return (output["loss"], output) if return_outputs else output["loss"]

    def prediction_step(
        self, model: Any, inputs: Any, prediction_loss_only: bool, ignore_keys: Any = None
    ) -> Any:
        inputs = self._prepare_inputs(inputs)
        with torch.no_grad(), self.compute_loss_context_manager():
            output = model(**inputs, reconstruction_weight=self.reconstruction_weight)
        return output["loss"].detach(), output["logits"].detach(), inputs["labels"]


def accuracy_and_auc(prediction: EvalPrediction) -> dict[str, float]:
    """Validation accuracy at .5, and the area under the ROC curve, of logits against labels."""
    logits, labels = np.asarray(prediction.predictions), np.asarray(prediction.label_ids)
    positive, negative = logits[labels == 1], logits[labels == 0]
    auc = mannwhitneyu(positive, negative).statistic / (len(positive) * len(negative))
    return {"accuracy": float(((logits > 0) == labels).mean()), "auc": float(auc)}


def build_model(config: dict[str, Any]) -> tuple[UnionModel, Tokenizer, Path | None]:
    """The untrained model, its tokenizer, and the shared encoder's folder where it sits on that."""
    torch.manual_seed(config["seed"])
    shared = ENCODER if config["base"] == "encoder" else None
    if shared:
        model = UnionModel(BertConfig.from_pretrained(shared))
        model.load_state_dict(
            {name: tensor.float() for name, tensor in read_tensors(shared / "model.safetensors").items()},
            strict=False,
        )
        model.tie_weights()
        tokenizer = Tokenizer.from_file(str(shared / "tokenizer.json"))
    else:
        model = UnionModel.from_pretrained(config["base"], dtype=torch.float32)
        tokenizer = hub_tokenizer(config["base"])
        # odd sizes multiply slowly
        model.resize_token_embeddings(tokenizer.get_vocab_size(), pad_to_multiple_of=64)
    if config["adapter"]:
        add_adapters(model, config["adapter"]["rank"], config["adapter"]["alpha"], HEADS)
        if config.get("start"):
            load_adapter(model, read_tensors(ROOT / config["start"] / "adapter.safetensors"))
    return model, tokenizer, shared


def train(
    config: dict[str, Any], data: Path, out: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Trains one configuration, after the one that it goes on from; writes checkpoint, manifest and card to `out`.

    Args:
        config: see `training/configs/union_roc.yaml`; `first`: the configuration that is trained where the adapter's
            folder `start` is not there yet.
        data: the folder that the corpora lie in.
        out: the checkpoint's folder.
        run: of the training's checkpoints.
        cache: of tagged corpora.
        resume: whether to go on from the last checkpoint.

    Returns:
        The manifest.
    """
    if first := first_configuration(config):
        train(first, data, ROOT / config["start"], run / f"training-{first['name']}", cache, resume)
    started = time.time()
    corpus = load_corpus(CorpusConfig.from_mapping(config["corpus"]), data, ENCODER / "names.json")
    stories, held_out = (tag_corpus(split, cache) for split in (corpus.train, corpus.validation))
    sampling = UnionSampling.from_mapping(config["sampling"])
    model, tokenizer, shared = build_model(config)
    sampler = UnionSampler(stories, English(), sampling, seed=config["seed"])
    pairs = UnionPairs(stories, sampler, tokenizer, config["max_length"], config["pairs"])
    validation_sampler = UnionSampler(
        held_out, English(), sampling, seed=config["seed"], keywords=sampler.material.keywords
    )
    validation = UnionPairs(
        held_out, validation_sampler, tokenizer, config["max_length"], min(1000, len(held_out))
    )
    steps = math.ceil(config["pairs"] / config["batch_pairs"])
    arguments = training_arguments(run, config, steps, config["batch_pairs"], label_names=["labels"])
    trainer = UnionTrainer(
        model=model,
        args=arguments,
        train_dataset=pairs,
        eval_dataset=validation,
        data_collator=UnionCollator(token_id(tokenizer, "[PAD]"), config["copied_share"], config["seed"]),
        compute_metrics=accuracy_and_auc,
    )
    trainer.reconstruction_weight = config["reconstruction_weight"]
    trainer.lengths = pairs.lengths()
    trainer.train(resume_from_checkpoint=last_checkpoint(run, resume))
    results = trainer.evaluate()
    manifest = {
        "metric": "union",
        "config": config,
        "data": data_checksums(config, data),
        **start_digest(config),
        "lexicon": {name: checksum(path) for name, path in lexicon_files().items()},
        "stories": {"train": len(stories), "validation": len(held_out)},
        "steps": trainer.state.global_step,
        "validation": {
            key.removeprefix("eval_"): round(results[key], 4)
            for key in ("eval_loss", "eval_accuracy", "eval_auc")
        },
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }
    if trainer.is_world_process_zero():
        save(model, tokenizer, shared, config, manifest, out)
    return manifest


def lexicon_files() -> dict[str, Path]:
    """The knowledge that negative samples drew on: WordNet always, ConceptNet where it has been fetched."""
    wordnet, conceptnet = require("wordnet"), find("conceptnet")
    files = {"wordnet": wordnet if wordnet.is_file() else wordnet / "data.noun"}
    return {**files, "conceptnet": conceptnet} if conceptnet else files


def save(
    model: UnionModel,
    tokenizer: Tokenizer,
    shared: Path | None,
    config: dict[str, Any],
    manifest: dict[str, Any],
    out: Path,
) -> None:
    """Writes a checkpoint that `metrics/union` loads: an adapter on the shared encoder, or a whole model."""
    settings: dict[str, Any] = {
        "delexicalize": config["corpus"].get("delexicalize", True),
        "context": config["corpus"].get("context", "first_sentence"),
        "max_length": config.get("window") or config["max_length"],
    }
    written: dict[str, Any] = {"union": settings}
    if shared and config["adapter"]:
        settings["encoder"] = encoder_reference(shared, out)
        save_tensors(out / "adapter.safetensors", adapter_tensors(model))
    else:
        written = {
            **model.config.to_dict(),
            **written,
            "vocab_size": model.bert.embeddings.word_embeddings.num_embeddings,
        }
        save_tensors(out / "model.safetensors", whole_tensors(model, shared))
        with_names = (ENCODER / "names.json").read_text(encoding="utf-8")
        write_text(out / "names.json", with_names)
        write_text(out / "tokenizer.json", tokenizer.to_str())
    write_text(out / "config.json", json.dumps(written, indent=2) + "\n")
    write_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    write_union_card(out, manifest)


def whole_tensors(model: UnionModel, shared: Path | None) -> dict[str, Tensor]:
    """All weights in half precision, adapters merged, tied ones once."""
    state = {name: tensor for name, tensor in model.state_dict().items() if "lora_" not in name}
    if shared and any("lora_" in name for name in model.state_dict()):
        state = merge_adapter(read_tensors(shared / "model.safetensors"), adapter_tensors(model))
    return {
        name: tensor.detach().cpu().to(torch.float16).contiguous()
        for name, tensor in state.items()
        if not name.startswith("cls.predictions.decoder")
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", type=Path, required=True, help="a file of training/configs")
    parser.add_argument(
        "--data", type=Path, required=True, help="the folder that the configuration's files lie in"
    )
    parser.add_argument("--out", type=Path, help="default: metrics/union/weights/NAME")
    parser.add_argument("--run", type=Path, help="checkpoints to resume from; default: runs/union-NAME")
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "tags", help="tagged corpora")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --run")
    parser.add_argument(
        "--set", nargs="*", default=[], metavar="KEY=VALUE", help="e.g. pairs=2000 adapter=null"
    )
    arguments = parser.parse_args()
    config = yaml.safe_load(arguments.config.read_text(encoding="utf-8"))
    for setting in arguments.set:
        key, separator, value = setting.partition("=")
        if not separator or key not in config:
            parser.error(f"--set: expected KEY=VALUE with a key of {sorted(config)}, got {setting!r}")
        config[key] = yaml.safe_load(value)
    name = config["name"]
    out = arguments.out or ROOT / "metrics" / "union" / "weights" / name
    run = arguments.run or ROOT / "runs" / f"union-{name}"
    manifest = train(config, arguments.data, out, run, arguments.cache, arguments.resume)
    print(json.dumps({key: manifest[key] for key in ("stories", "steps", "validation", "minutes")}, indent=2))
