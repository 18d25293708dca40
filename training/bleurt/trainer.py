"""Trains BLEURT: `python -m training.bleurt --config training/configs/bleurt_roc.yaml --data DIR`.

An adapter on the shared encoder learns, from synthetic pairs of a story and a changed copy, this project's own
scores of the pair and what the change did to the meaning (Sellam et al., ACL 2020, section 4); the score is the mean
of the standardised signals. Human ratings come later: `python -m training.bleurt.ratings`. Weights, manifest and
card go to `metrics/bleurt/weights/NAME/`.
"""

import argparse
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from scipy.stats import pearsonr
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F
from transformers import BertConfig

from openmeva.metrics.bleurt.modeling import ENTAILMENT, SIGNALS, BleurtModel
from openmeva.metrics.core.checkpoint import read_tensors
from openmeva.metrics.core.runtime import pad
from openmeva.training.bleurt.card import write_bleurt_card
from openmeva.training.bleurt.pairs import UNKNOWN, Pair, describe, make_pairs, signals
from openmeva.training.common.adapters import adapter_tensors, add_adapters
from openmeva.training.common.trainer import (
    StoryTrainer,
    data_checksums,
    encoder_reference,
    last_checkpoint,
    training_arguments,
)
from openmeva.training.corpora.splits import CorpusConfig, load_corpus
from openmeva.training.files import save_tensors, write_text
from openmeva.training.negatives import UnionSampler, UnionSampling, tag_corpus
from openmeva.training.negatives.infill import Infiller
from openmeva.training.paths import ENCODER, ROOT
from openmeva.training.text.knowledge.english import English

HEADS = ("score", "signals", "entailment")


class PairRows(torch.utils.data.Dataset[dict[str, Any]]):
    """Pairs as token ids with standardised signals.

    Args:
        pairs: reference and text, normalised.
        values: their signals (pairs, signals), standardised.
        tokenizer: of the encoder.
        max_length: tokens of a pair.
    """

    def __init__(
        self, pairs: Sequence[Pair], values: np.ndarray, tokenizer: Tokenizer, max_length: int
    ) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length, strategy="longest_first")
        encodings = tokenizer.encode_batch([(pair.reference, pair.text) for pair in pairs])
        self.rows = [
            {"ids": e.ids, "types": e.type_ids, "signals": v, "entailment": p.entailment}
            for e, v, p in zip(encodings, values.astype(np.float32), pairs, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]

    def lengths(self) -> list[int]:
        """Tokens of each pair."""
        return [len(row["ids"]) for row in self.rows]


def collate(rows: list[dict[str, Any]]) -> dict[str, Tensor]:
    """A batch of `PairRows`, padded."""
    ids, mask = pad([row["ids"] for row in rows], 0)
    return {
        "input_ids": ids,
        "attention_mask": mask,
        "token_type_ids": pad([row["types"] for row in rows], 0)[0],
        "labels": torch.tensor(np.stack([row["signals"] for row in rows])),
        "entailment": torch.tensor([row["entailment"] for row in rows]),
    }


class BleurtTrainer(StoryTrainer):
    """Squared errors of the score and of each signal, and the cross-entropy of the meaning, where known."""

    entailment_weight = 0.3

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        state = model.encode(inputs["input_ids"], inputs["attention_mask"], inputs["token_type_ids"])
        wanted = inputs["labels"]
        scores = model.score(state).squeeze(-1).float()
        loss = F.mse_loss(scores, wanted.mean(dim=1)) + F.mse_loss(model.signals(state).float(), wanted)
        known = inputs["entailment"] != UNKNOWN
        if self.entailment_weight and known.any():
            logits = model.entailment(state[known]).float()
            loss = loss + self.entailment_weight * F.cross_entropy(logits, inputs["entailment"][known])
        return (loss, {"scores": scores}) if return_outputs else loss

    def prediction_step(
        self, model: Any, inputs: Any, prediction_loss_only: bool, ignore_keys: Any = None
    ) -> Any:
        inputs = self._prepare_inputs(inputs)
        with torch.no_grad(), self.compute_loss_context_manager():
            loss, output = self.compute_loss(model, inputs, return_outputs=True)
        return loss.detach(), output["scores"].detach(), inputs["labels"].mean(dim=1)


def build_model(config: dict[str, Any]) -> tuple[BleurtModel, Tokenizer]:
    """The untrained model on the shared encoder, adapters in place, and its tokenizer."""
    torch.manual_seed(config["seed"])
    # the fastest attention for short sequences on a processor
    shape = BertConfig.from_pretrained(ENCODER, attn_implementation="eager", dtype=torch.float32)
    model = BleurtModel(shape)
    state = {name: tensor.float() for name, tensor in read_tensors(ENCODER / "model.safetensors").items()}
    model.load_state_dict(state, strict=False)
    add_adapters(model, config["adapter"]["rank"], config["adapter"]["alpha"], HEADS)
    return model, Tokenizer.from_file(str(ENCODER / "tokenizer.json"))


def load_pairs(config: dict[str, Any], data: Path, cache: Path) -> dict[str, list[Pair]]:
    """Synthetic pairs of the training and of the held-out stories."""
    corpus = load_corpus(CorpusConfig.from_mapping(config["corpus"]), data, ENCODER / "names.json")
    infill = Infiller()
    found = {}
    for place, (split, stories, count) in enumerate(
        (
            ("train", corpus.train, config["pairs"]),
            ("validation", corpus.validation, config["validation_pairs"]),
        )
    ):
        tagged = tag_corpus(stories[:count], cache)
        # half of the negatives by negation alone, whose meaning is known
        mixed, negated = (
            UnionSampler(tagged, English(), UnionSampling(keep=0, without=without), seed=config["seed"])
            for without in ((), ("repetition", "substitution", "reordering"))
        )
        rng = np.random.default_rng([config["seed"], place])
        pairs = make_pairs(tagged, mixed, infill, config["ways"], count - count // 8, rng)
        found[split] = pairs + make_pairs(tagged, negated, infill, {"negatives": 1.0}, count // 8, rng)
    return found


def train(
    config: dict[str, Any], data: Path, out: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Trains one configuration and writes checkpoint, manifest and card to `out`; returns the manifest."""
    started = time.time()
    pairs = load_pairs(config, data, cache)
    values = {split: signals(rows) for split, rows in pairs.items()}
    mean, deviation = values["train"].mean(axis=0), values["train"].std(axis=0)
    prepared = time.time()
    model, tokenizer = build_model(config)
    rows = {
        split: PairRows(pairs[split], (values[split] - mean) / deviation, tokenizer, config["max_length"])
        for split in pairs
    }
    steps = math.ceil(len(rows["train"]) / config["batch"])
    trainer = BleurtTrainer(
        model=model,
        args=training_arguments(run, config, steps, config["batch"], label_names=["labels"]),
        train_dataset=rows["train"],
        eval_dataset=rows["validation"],
        data_collator=collate,
    )
    trainer.lengths = rows["train"].lengths()
    trainer.entailment_weight = config["entailment_weight"]
    trainer.train(resume_from_checkpoint=last_checkpoint(run, resume))
    predicted = trainer.predict(rows["validation"])
    manifest = {
        "metric": "bleurt",
        "config": config,
        "data": data_checksums(config, data),
        "pairs": {split: describe(pairs[split], values[split]) for split in pairs},
        "signals": {
            name: {"mean": round(float(m), 5), "deviation": round(float(d), 5)}
            for name, m, d in zip(SIGNALS, mean, deviation, strict=True)
        },
        "entailment": list(ENTAILMENT),
        "steps": trainer.state.global_step,
        "validation": {
            "pairs": len(rows["validation"]),
            "loss": round(float((predicted.metrics or {})["test_loss"]), 4),
            "pearson": round(float(pearsonr(predicted.predictions, predicted.label_ids).statistic), 4),
        },
        "minutes": {
            "pairs": round((prepared - started) / 60, 1),
            "training": round((time.time() - prepared) / 60, 1),
        },
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }
    if trainer.is_world_process_zero():
        settings = {"max_length": config["max_length"], "encoder": encoder_reference(ENCODER, out)}
        save_tensors(out / "adapter.safetensors", adapter_tensors(model))
        write_text(out / "config.json", json.dumps({"bleurt": settings}, indent=2) + "\n")
        write_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")
        write_bleurt_card(out, manifest)
    return manifest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", type=Path, required=True, help="a file of training/configs")
    parser.add_argument("--data", type=Path, required=True, help="the folder that the corpus lies in")
    parser.add_argument("--out", type=Path, help="default: metrics/bleurt/weights/NAME")
    parser.add_argument("--run", type=Path, help="checkpoints to resume from; default: runs/bleurt-NAME")
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "tags", help="tagged corpora")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --run")
    parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="e.g. pairs=500")
    arguments = parser.parse_args()
    config = yaml.safe_load(arguments.config.read_text(encoding="utf-8"))
    for setting in arguments.set:
        key, separator, value = setting.partition("=")
        if not separator or key not in config:
            parser.error(f"--set: expected KEY=VALUE with a key of {sorted(config)}, got {setting!r}")
        config[key] = yaml.safe_load(value)
    out = arguments.out or ROOT / "metrics" / "bleurt" / "weights" / config["name"]
    run = arguments.run or ROOT / "runs" / f"bleurt-{config['name']}"
    manifest = train(config, arguments.data, out, run, arguments.cache, arguments.resume)
    print(json.dumps({key: manifest[key] for key in ("pairs", "steps", "validation", "minutes")}, indent=2))
