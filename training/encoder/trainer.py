"""The shared story encoder: `python -m training.encoder --data DIR` prunes the vocabulary and adapts the base.

Writes `metrics/weights/encoder/`: a `BertForMaskedLM` in half precision that transformers loads by itself,
its tokenizer, and a manifest of what it was made from. Every metric's adapter sits on these weights, so
changing them means training every adapter again.
"""

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from datasets import Dataset
from torch import Tensor
from torch.nn import functional as F
from transformers import BertForMaskedLM, BertTokenizer, Trainer, TrainingArguments

from openmeva.metrics.core.text import PLACEHOLDERS
from openmeva.training.common.packages import checked, package_folder
from openmeva.training.corpora.splits import CorpusConfig, cut_blocks, load_corpus
from openmeva.training.encoder.card import write_encoder_card
from openmeva.training.files import checksum, read_lines, save_tensors, write_text
from openmeva.training.paths import ENCODER, ROOT

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# The names whose mean vector each placeholder starts from.
STAND_INS = {
    "[MALE]": ("john", "tom", "james", "david", "michael"),
    "[FEMALE]": ("mary", "anna", "sarah", "lucy", "jane"),
    "[NEUTRAL]": ("alex", "sam", "chris", "taylor", "morgan"),
}


def base_folder(config: dict[str, str]) -> str:
    """Folder or Hub id of the base encoder; a local copy is checked against its SHA-256.

    Raises:
        ValueError: the package's weights are not the official ones.
    """
    package = package_folder(config["package"])
    if package is None:
        return config["hub"]
    folder = package / "model"
    checked(folder / "model.safetensors", config["sha256"])
    return str(folder)


def prune_vocabulary(tokenizer: BertTokenizer, texts: Iterable[str], size: int) -> list[str]:
    """The `size` wordpieces to keep: special tokens, placeholders, single characters, then by frequency."""
    vocabulary = tokenizer.get_vocab()
    keep = [*SPECIAL, *PLACEHOLDERS]
    stand_ins = {name for names in STAND_INS.values() for name in names}
    keep += sorted(
        p for p in vocabulary if (len(p.removeprefix("##")) == 1 and p.isascii()) or p in stand_ins
    )
    counts: Counter[str] = Counter()
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == 1000:
            for encoding in tokenizer.backend_tokenizer.encode_batch(batch, add_special_tokens=False):
                counts.update(encoding.tokens)
            batch = []
    for encoding in tokenizer.backend_tokenizer.encode_batch(batch, add_special_tokens=False):
        counts.update(encoding.tokens)
    known = set(keep)
    ranked = sorted((p for p in counts if p not in known), key=lambda p: (-counts[p], p))
    rest = sorted(p for p in vocabulary if p not in known and p not in counts and not p.startswith("["))
    return [*keep, *ranked, *rest][:size]


def pruned_model(base: str, pieces: Sequence[str], old: BertTokenizer) -> BertForMaskedLM:
    """The base encoder with the embedding rows of `pieces`; placeholders start as the mean of names."""
    model = BertForMaskedLM.from_pretrained(base)
    embeddings: Any = model.get_input_embeddings()
    table, vocabulary = embeddings.weight.data, old.get_vocab()
    rows = [
        table[[vocabulary[name] for name in STAND_INS[piece] if name in vocabulary]].mean(0)
        if piece in STAND_INS
        else table[vocabulary[piece]]
        for piece in pieces
    ]
    model.resize_token_embeddings(len(pieces))
    resized: Any = model.get_input_embeddings()
    resized.weight.data.copy_(torch.stack(rows))
    model.cls.predictions.bias.data.zero_()
    torch.nn.init.eye_(model.cls.predictions.transform.dense.weight)  # no head comes with the base
    model.tie_weights()
    return model


def save_tokenizer(pieces: Sequence[str], folder: Path) -> BertTokenizer:
    """Saves a tokenizer over `pieces` that keeps the placeholders whole."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = folder / "vocab.txt"
    write_text(vocabulary, "\n".join(pieces) + "\n")
    tokenizer = BertTokenizer(
        vocab={piece: i for i, piece in enumerate(pieces)}, do_lower_case=True, model_max_length=512
    )
    tokenizer.add_tokens(list(PLACEHOLDERS), special_tokens=True)
    tokenizer.save_pretrained(folder)
    return tokenizer


@dataclass
class MaskingCollator:
    """Masks tokens as BERT does (80 % [MASK], 10 % random, 10 % kept), and pads."""

    tokenizer: BertTokenizer
    probability: float
    seed: int

    def __call__(self, rows: list[dict[str, Any]]) -> dict[str, Tensor]:
        length = max(len(row["input_ids"]) for row in rows)
        ids = torch.zeros(len(rows), length, dtype=torch.long)
        labels = torch.full_like(ids, -100)
        for i, row in enumerate(rows):
            rng = np.random.default_rng([self.seed, row["index"]])
            tokens = np.array(row["input_ids"])
            inner = np.arange(1, len(tokens) - 1)
            chosen = rng.permutation(inner)[: max(1, round(self.probability * len(inner)))]
            labels[i, chosen] = torch.from_numpy(tokens[chosen])
            draw = rng.random(len(chosen))
            tokens[chosen[draw < 0.8]] = self.tokenizer.mask_token_id
            replaced = chosen[(draw >= 0.8) & (draw < 0.9)]
            tokens[replaced] = rng.integers(
                len(SPECIAL) + len(PLACEHOLDERS), len(self.tokenizer), len(replaced)
            )
            ids[i, : len(tokens)] = torch.from_numpy(tokens)
        return {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": labels}


class MaskedLanguageModelTrainer(Trainer):
    """Computes the vocabulary's logits at masked positions only: a third of the time otherwise goes there."""

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        hidden = model.bert(inputs["input_ids"], attention_mask=inputs["attention_mask"]).last_hidden_state
        at = inputs["labels"] != -100
        logits = model.cls(hidden[at])
        loss = F.cross_entropy(logits.float(), inputs["labels"][at])
        return (loss, {"logits": logits, "labels": inputs["labels"][at]}) if return_outputs else loss

    def prediction_step(
        self, model: Any, inputs: Any, prediction_loss_only: bool, ignore_keys: Any = None
    ) -> Any:
        with torch.no_grad(), self.compute_loss_context_manager():
            return self.compute_loss(model, inputs).detach(), None, None


def load_texts(config: dict[str, Any], data: Path) -> tuple[list[str], list[str]]:
    """Training and validation blocks of normalised text; the held-out stories are those of every metric."""
    train: set[str] = set()
    validation: set[str] = set()
    for corpus in config["corpora"].values():
        loaded = load_corpus(CorpusConfig.from_mapping(corpus), data, ENCODER / "names.json")
        for split, texts in ((loaded.train, train), (loaded.validation, validation)):
            for sentences in split:
                blocks = cut_blocks(sentences, config["block_words"])[: config["blocks_per_story"]]
                texts.update(" ".join(word for line in block for word in line) for block in blocks)
    return sorted(train), sorted(validation)


def train(config: dict[str, Any], data: Path, out: Path, run: Path, resume: bool = False) -> dict[str, Any]:
    """Prunes, adapts and writes the encoder to `out`; returns the manifest that is saved beside it."""
    started = time.time()
    base = base_folder(config["base"])
    old = BertTokenizer.from_pretrained(base)
    texts, held_out = load_texts(config, data)
    kept = run / "vocab.txt"  # a resumed run keeps its vocabulary: checkpoints' rows are in its order
    if not (resume and kept.exists()):
        write_text(kept, "\n".join(prune_vocabulary(old, texts, config["vocabulary_size"])) + "\n")
    pieces = [line for _, line in read_lines(kept)]
    tokenizer = save_tokenizer(pieces, out)
    torch.manual_seed(config["seed"])
    model = pruned_model(base, pieces, old)
    model.config.hidden_dropout_prob = model.config.attention_probs_dropout_prob = 0.0
    model.config.vocab_size = len(pieces)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0  # one short pass over the data: nothing to overfit, and dropout costs a fifth

    def rows(texts: list[str]) -> Dataset:
        ids = [e.ids[:256] for e in tokenizer.backend_tokenizer.encode_batch(texts)]
        return Dataset.from_dict(
            {"input_ids": ids, "index": list(range(len(ids))), "length": [len(i) for i in ids]}
        )

    training, validation = rows(texts), rows(held_out[:2000])
    mean_length = sum(training["length"]) / len(training)
    batch = max(1, round(config["batch_tokens"] / mean_length))
    steps = math.ceil(len(training) * config["epochs"] / batch)
    arguments = TrainingArguments(
        output_dir=str(run),
        per_device_train_batch_size=batch,
        per_device_eval_batch_size=batch,
        num_train_epochs=config["epochs"],
        learning_rate=config["learning_rate"],
        lr_scheduler_type="linear",
        warmup_steps=int(config["warmup_share"] * steps),
        weight_decay=0.01,
        optim="adamw_torch_fused",
        bf16=not torch.cuda.is_available() or torch.cuda.is_bf16_supported(),
        use_cpu=not torch.cuda.is_available(),
        train_sampling_strategy="group_by_length",
        length_column_name="length",
        remove_unused_columns=False,
        seed=config["seed"],
        logging_steps=50,
        eval_strategy="steps",
        eval_steps=500,
        save_steps=250,
        save_total_limit=1,
        report_to=[],
        dataloader_num_workers=0,
    )
    trainer = MaskedLanguageModelTrainer(
        model=model,
        args=arguments,
        train_dataset=training,
        eval_dataset=validation,
        data_collator=MaskingCollator(tokenizer, config["mask_probability"], config["seed"]),
    )
    before = trainer.evaluate()["eval_loss"]
    trainer.train(resume_from_checkpoint=True if resume and any(run.glob("checkpoint-*")) else None)
    after = trainer.evaluate()["eval_loss"]
    save_half(model, out)
    manifest = {
        "config": config,
        "data": {
            file: checksum(data / file) for corpus in config["corpora"].values() for file in corpus["train"]
        },
        "blocks": len(training),
        "tokens": sum(training["length"]),
        "steps": trainer.state.global_step,
        "masked_loss_before": before,
        "masked_loss_after": after,
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
    }
    write_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    write_encoder_card(out, manifest)
    return manifest


def save_half(model: BertForMaskedLM, out: Path) -> None:
    """Saves `model` in half precision as `model.safetensors` and `config.json`."""
    tensors = {
        name: tensor.detach().to(torch.float16).contiguous()
        for name, tensor in model.state_dict().items()
        if name not in {"cls.predictions.decoder.weight", "cls.predictions.decoder.bias"}
        and "position_ids" not in name
    }
    save_tensors(out / "model.safetensors", tensors)
    model.config.dtype = torch.float16
    model.config.architectures = ["BertForMaskedLM"]
    model.config._name_or_path = ""
    write_text(out / "config.json", model.config.to_json_string())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds roc/ and wp/")
    parser.add_argument("--config", type=Path, default=ROOT / "training" / "configs" / "encoder.yaml")
    parser.add_argument("--out", type=Path, default=ENCODER)
    parser.add_argument(
        "--run", type=Path, default=ROOT / "runs" / "encoder", help="checkpoints to resume from"
    )
    parser.add_argument("--resume", action="store_true")
    arguments = parser.parse_args()
    config = yaml.safe_load(arguments.config.read_text())
    print(json.dumps(train(config, arguments.data, arguments.out, arguments.run, arguments.resume), indent=2))
