"""Makes the adapter of `embedding_similarity`: `python -m training.embedding_similarity --data DIR`.

Masked language modelling on stories, which made the shared encoder, bends its last layer to the prediction of words
and away from their meaning. The adapter takes it back towards the base that the encoder began as (a sentence
encoder): its factors begin as the truncated singular value decomposition of the difference of each layer's weights,
and are then trained until the states equal the base's, token by token, on the corpora's texts. Both read the same
word pieces; where the base has no placeholder such as `[MALE]`, it reads the mean of some names. Weights, the baseline
of BERTScore, manifest and card go to `metrics/embedding_similarity/weights/NAME/`.
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
from transformers import BertConfig, BertModel, BertTokenizer

from openmeva.metrics.core.checkpoint import read_tensors
from openmeva.metrics.core.runtime import pad
from openmeva.metrics.embedding_similarity.embedding import TextEncoder
from openmeva.metrics.embedding_similarity.matching import bert_score
from openmeva.metrics.embedding_similarity.scoring import SimilarityScorer
from openmeva.training.common.adapters import adapter_tensors, add_adapters, difference, load_adapter
from openmeva.training.common.trainer import (
    StoryTrainer,
    encoder_reference,
    last_checkpoint,
    training_arguments,
)
from openmeva.training.embedding_similarity.baseline import baseline
from openmeva.training.embedding_similarity.card import write_similarity_card
from openmeva.training.encoder.trainer import base_folder, load_texts, pruned_model
from openmeva.training.files import checksum, save_tensors, write_text
from openmeva.training.paths import ENCODER, ROOT


class Student(torch.nn.Module):
    """The shared encoder; its parameters bear the names of the checkpoint's."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.bert = BertModel(config, add_pooling_layer=False)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """States (n, tokens, width) float32 of the last layer."""
        return self.bert(input_ids, attention_mask=attention_mask).last_hidden_state.float()


def relative_error(states: Tensor, wanted: Tensor, mask: Tensor) -> Tensor:
    """Squared error of states (n, tokens, width) over the square of what is wanted, at tokens; 0 is best."""
    weights = mask[..., None].float()
    return ((states - wanted).square() * weights).sum() / (wanted.square() * weights).sum()


class SimilarityTrainer(StoryTrainer):
    """The relative squared error of the student's states, the teacher's wanted."""

    teacher: Any

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        with torch.no_grad():
            wanted = self.teacher(**inputs).last_hidden_state.float()
        loss = relative_error(model(**inputs), wanted, inputs["attention_mask"])
        return (loss, {}) if return_outputs else loss

    def prediction_step(
        self, model: Any, inputs: Any, prediction_loss_only: bool, ignore_keys: Any = None
    ) -> Any:
        inputs = self._prepare_inputs(inputs)
        with torch.no_grad(), self.compute_loss_context_manager():
            return self.compute_loss(model, inputs).detach(), None, None


def collate(rows: Sequence[Sequence[int]]) -> dict[str, Tensor]:
    """A batch of token ids, padded."""
    ids, mask = pad(rows, 0)
    return {"input_ids": ids, "attention_mask": mask}


def encoder_state() -> dict[str, Tensor]:
    """The shared encoder's weights, float32."""
    return {name: tensor.float() for name, tensor in read_tensors(ENCODER / "model.safetensors").items()}


def build_student(state: dict[str, Tensor]) -> Student:
    """The encoder with these weights, and no adapter."""
    # the fastest attention for short sequences on a processor
    student = Student(BertConfig.from_pretrained(ENCODER, attn_implementation="eager", dtype=torch.float32))
    student.load_state_dict(state, strict=False)
    return student


def build_models(config: dict[str, Any]) -> tuple[Student, BertModel, Tokenizer]:
    """The student, its adapter the difference to the base; the teacher on the same word pieces; their tokenizer."""
    torch.manual_seed(config["seed"])
    state = encoder_state()
    tokenizer = Tokenizer.from_file(str(ENCODER / "tokenizer.json"))
    pieces = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().__getitem__)
    base = base_folder(config["base"])
    teacher = pruned_model(base, pieces, BertTokenizer.from_pretrained(base)).bert
    wanted = {f"bert.{name}": tensor for name, tensor in teacher.float().state_dict().items()}
    rank = config["adapter"]["rank"]
    factors, vectors = difference(wanted, state, rank)
    student = build_student({**state, **vectors})
    add_adapters(student, rank, config["adapter"]["alpha"], ())
    load_adapter(student, factors)
    for name, parameter in student.named_parameters():
        if name.replace(".base_layer", "") in vectors:
            parameter.requires_grad = True
    return student, teacher.float().eval().requires_grad_(False), tokenizer


def load_blocks(config: dict[str, Any], data: Path) -> tuple[list[str], list[str]]:
    """Texts to train on and held-out ones: as many of each length in `block_words`, drawn by the seed."""
    rng = np.random.default_rng(config["seed"])
    splits: tuple[list[str], list[str]] = ([], [])
    counts = (config["texts"], config["validation_texts"])
    for words in config["block_words"]:
        for split, texts, count in zip(
            splits, load_texts({**config, "block_words": words}, data), counts, strict=True
        ):
            share = count // len(config["block_words"])
            split += [texts[i] for i in sorted(rng.permutation(len(texts))[:share])]
    return splits


@torch.inference_mode()
def agreement(student: Student, teacher: Any, rows: Sequence[list[int]]) -> dict[str, float]:
    """How near the student's states are to the teacher's on held-out texts.

    Returns:
        `error` (relative and squared), `cosine` (mean over tokens), and `bertscore_pearson`: of BERTScore's F1 by
        the two, over pairs of texts that begin alike (neighbours in the order of `rows`).
    """
    student.eval()
    errors, cosines, scores = [], [], []
    last: list[np.ndarray] = []
    for row in rows:
        inputs = collate([row])
        states, wanted = student(**inputs), teacher(**inputs).last_hidden_state.float()
        errors.append(float(relative_error(states, wanted, inputs["attention_mask"])))
        cosines.append(float(torch.cosine_similarity(states, wanted, dim=-1).mean()))
        found = [states[0].numpy(), wanted[0].numpy()]
        if last:
            ones = [np.ones(len(one)) for one in (found[0], last[0])]
            scores.append([bert_score(a, b, *ones)[2] for a, b in zip(found, last, strict=True)])
        last = found
    ours, theirs = zip(*scores, strict=True)
    return {
        "error": round(float(np.mean(errors)), 4),
        "cosine": round(float(np.mean(cosines)), 4),
        "bertscore_pearson": round(float(pearsonr(ours, theirs).statistic), 4),
    }


def train(config: dict[str, Any], data: Path, out: Path, run: Path, resume: bool = False) -> dict[str, Any]:
    """Trains one configuration and writes checkpoint, manifest and card to `out`; returns the manifest."""
    started = time.time()
    student, teacher, tokenizer = build_models(config)
    train_texts, validation_texts = load_blocks(config, data)
    tokenizer.no_padding()
    tokenizer.enable_truncation(config["max_length"])
    rows, held_out = (
        [encoding.ids for encoding in tokenizer.encode_batch(texts)]
        for texts in (train_texts, validation_texts)
    )
    results = {
        "encoder": agreement(build_student(encoder_state()), teacher, held_out),
        "decomposition": agreement(student, teacher, held_out),
    }
    steps = math.ceil(len(rows) / config["batch"])
    arguments = training_arguments(run, config, steps, config["batch"], eval_strategy="no")
    trainer = SimilarityTrainer(model=student, args=arguments, train_dataset=rows, data_collator=collate)
    trainer.teacher = teacher
    trainer.teacher.to(trainer.args.device)
    trainer.lengths = [len(row) for row in rows]
    if rows:
        trainer.train(resume_from_checkpoint=last_checkpoint(run, resume))
    student.cpu()
    results["trained"] = agreement(student, teacher.cpu(), held_out)
    manifest = {
        "metric": "embedding_similarity",
        "config": config,
        "data": {
            file: checksum(data / file)
            for corpus in config["corpora"].values()
            for key in ("train", "validation", "exclude")
            for file in corpus.get(key, [])
        },
        "texts": {"train": len(rows), "validation": len(held_out)},
        "steps": trainer.state.global_step,
        "validation": results,
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }
    if trainer.is_world_process_zero():
        settings: dict[str, Any] = {"max_length": 512, "encoder": encoder_reference(ENCODER, out)}
        save_tensors(out / "adapter.safetensors", adapter_tensors(student))
        write_text(out / "config.json", json.dumps({"embedding_similarity": settings}, indent=1) + "\n")
        scorer = SimilarityScorer(TextEncoder(out))
        whole = [text for text in validation_texts if len(text.split()) > 30]
        settings["baseline"] = baseline(scorer, whole, config["baseline_pairs"], config["seed"])
        write_text(out / "config.json", json.dumps({"embedding_similarity": settings}, indent=1) + "\n")
        write_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")
        write_similarity_card(out, manifest)
    return manifest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--config",
        type=Path,
        default=ROOT / "training" / "configs" / "embedding_similarity_default.yaml",
        help="a file of training/configs",
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder that the corpora lie in")
    parser.add_argument("--out", type=Path, help="default: metrics/embedding_similarity/weights/NAME")
    parser.add_argument(
        "--run", type=Path, help="checkpoints to resume from; default: runs/embedding_similarity-NAME"
    )
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --run")
    parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="e.g. texts=500")
    given = parser.parse_args()
    config = yaml.safe_load(given.config.read_text(encoding="utf-8"))
    for setting in given.set:
        key, separator, value = setting.partition("=")
        if not separator or key not in config:
            parser.error(f"--set: expected KEY=VALUE with a key of {sorted(config)}, got {setting!r}")
        config[key] = yaml.safe_load(value)
    out = given.out or ROOT / "metrics" / "embedding_similarity" / "weights" / config["name"]
    run = given.run or ROOT / "runs" / f"embedding_similarity-{config['name']}"
    manifest = train(config, given.data, out, run, given.resume)
    print(json.dumps({key: manifest[key] for key in ("texts", "steps", "validation", "minutes")}, indent=2))
