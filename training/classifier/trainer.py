"""Trains story classifiers: an adapter on the shared encoder, from groups of a human story and worse ones.

Grown out of sections 4 and 5 of Ghazarian et al. (NAACL 2021). The metrics that use it (plot_coherence,
discriminator) differ in the rows that they hand over and in their configuration. transformers' `Trainer`
does the training: so `accelerate launch -m training.plot_coherence …` uses several GPUs, and a run that was
stopped goes on from its last checkpoint.
"""

import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.stats import mannwhitneyu
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F
from transformers import AutoConfig, AutoModel, BertConfig, EvalPrediction

from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.checkpoint import read_tensors
from openmeva.metrics.core.classifier import StoryClassifier, is_decoder
from openmeva.metrics.core.text import Normalizer
from openmeva.training.classifier.data import Example, ExampleMaker, GroupCollator, Groups
from openmeva.training.common.adapters import adapter_tensors, add_adapters, load_adapter, merge_adapters
from openmeva.training.common.hub_tokenizer import hub_tokenizer
from openmeva.training.common.packages import packaged_checkpoint, packaged_decoder
from openmeva.training.common.trainer import (
    StoryTrainer,
    encoder_reference,
    last_checkpoint,
    start_digest,
    training_arguments,
)
from openmeva.training.files import checksum, save_tensors, write_text
from openmeva.training.negatives.draft import KINDS
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.paths import ENCODER, ROOT

HEADS = ("classifier", "kinds", "tokens")
TEACHER_SPREAD = 1.5  # standard deviation, in logits, that a teacher's judgments are given
DEFAULTS: dict[str, Any] = {
    "delexicalize": True,
    "context": "first_sentence",
    "base": "encoder",
    "start": None,
    "adapter": {"rank": 32, "alpha": 64},
    "max_length": 128,
    "window": None,
    "group_size": 4,
    "batch_groups": 8,
    "passes": 1,
    "learning_rate": 4.0e-4,
    "warmup_share": 0.05,
    "dropout": 0.0,
    "frozen_layers": 0,
    "label_weight": 1.0,
    "rank_weight": 1.0,
    "kind_weight": 0.1,
    "token_weight": 0.5,
    "token_share": 0.0,
    "distillation_weight": 0.0,
    "seed": 42,
}


def classifier_loss(model: Any, inputs: dict[str, Tensor], config: dict[str, Any]) -> tuple[Tensor, Tensor]:
    """The loss of a batch of `GroupCollator`, and the stories' logits (n,).

    A sum, by the configuration's weights, of: cross-entropy of human against other, both as heavy as a
    whole; -log sigmoid of the difference of logits for each pair that has an order; cross-entropy of each kind
    of error and of each token (belongs or not), where known; squared distance of a teacher's judgment from the story's
    logit, and from the mean of its tokens' logits where there is a head for them.
    """
    hidden = model.encode(inputs["input_ids"], inputs["attention_mask"])
    logits = model.score(hidden)
    labels = inputs["labels"].float()
    human = labels.sum().clamp_min(1.0)
    loss = config["label_weight"] * F.binary_cross_entropy_with_logits(
        logits, labels, pos_weight=(len(labels) - human).clamp_min(1.0) / human
    )
    pairs = inputs["pairs"]
    if config["rank_weight"] and len(pairs):
        loss = loss + config["rank_weight"] * F.softplus(logits[pairs[:, 1]] - logits[pairs[:, 0]]).mean()
    if config["kind_weight"]:
        loss = loss + config["kind_weight"] * _known(model.name_kinds(hidden), inputs["kinds"])
    if config["token_weight"]:
        loss = loss + config["token_weight"] * _known(model.judge_tokens(hidden), inputs["belongs"])
    if config["distillation_weight"]:
        judged = [logits]
        if model.tokens is not None:
            judged.append(_mean_of_tokens(model.judge_tokens(hidden), inputs["attention_mask"]))
        at = ~inputs["teacher_logit"].isnan()
        for found in judged if at.any() else ():
            loss = loss + config["distillation_weight"] * F.mse_loss(
                found[at], inputs["teacher_logit"][at] * TEACHER_SPREAD
            )
    return loss, logits


def _mean_of_tokens(logits: Tensor, mask: Tensor) -> Tensor:
    """The mean of each story's tokens' logits, marks left out."""
    inner = mask.clone()
    inner[:, 0] = 0
    inner.scatter_(1, mask.sum(1, keepdim=True) - 1, 0)
    return (logits * inner).sum(1) / inner.sum(1).clamp_min(1)


def _known(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean cross-entropy where the target is known; 0 where none is."""
    at = targets >= 0
    return F.binary_cross_entropy_with_logits(logits[at], targets[at]) if at.any() else logits.sum() * 0


class ClassifierTrainer(StoryTrainer):
    """The loss of `classifier_loss`; batches of groups of similar length."""

    config: dict[str, Any]

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        loss, logits = classifier_loss(model, inputs, self.config)
        return (loss, {"logits": logits}) if return_outputs else loss

    def prediction_step(
        self, model: Any, inputs: Any, prediction_loss_only: bool, ignore_keys: Any = None
    ) -> Any:
        inputs = self._prepare_inputs(inputs)
        with torch.no_grad(), self.compute_loss_context_manager():
            loss, logits = classifier_loss(model, inputs, self.config)
        return loss.detach(), logits.detach(), inputs["labels"]


def area_under_curve(human: Sequence[float], others: Sequence[float]) -> float:
    """How often a human story scores above another one, 0..1, ties half; .5 is chance."""
    if not len(human) or not len(others):
        return float("nan")
    return float(mannwhitneyu(human, others).statistic / (len(human) * len(others)))


def _auc(prediction: EvalPrediction) -> dict[str, float]:
    logits, labels = np.asarray(prediction.predictions), np.asarray(prediction.label_ids)
    return {"auc": area_under_curve(logits[labels == 1], logits[labels == 0])}


def build_classifier(config: dict[str, Any]) -> tuple[StoryClassifier, Tokenizer, Path | None]:
    """The untrained classifier, its tokenizer, and the shared encoder's folder where it sits on that.

    `dropout` of the configuration is that of the heads, and of the shared encoder's layers.
    """
    torch.manual_seed(config["seed"])
    heads = {
        "kinds": len(KINDS) if config["kind_weight"] else 0,
        "tokens": bool(config["token_weight"]),
        "dropout": config["dropout"],
    }
    shared = ENCODER if config["base"] == "encoder" else None
    if shared:
        # the fastest attention for short sequences on a processor
        shape = BertConfig.from_pretrained(
            shared,
            attn_implementation="eager",
            dtype=torch.float32,
            hidden_dropout_prob=config["dropout"],
            attention_probs_dropout_prob=config["dropout"],
        )
        model = StoryClassifier(shape, **heads)
        state = {name: tensor.float() for name, tensor in read_tensors(shared / "model.safetensors").items()}
        model.load_state_dict(state, strict=False)
        tokenizer = Tokenizer.from_file(str(shared / "tokenizer.json"))
    else:
        model, tokenizer = _of_the_hub(config, heads)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if config["adapter"]:
        add_adapters(model, config["adapter"]["rank"], config["adapter"]["alpha"], HEADS)
        if config["start"]:
            load_adapter(model, read_tensors(ROOT / config["start"] / "adapter.safetensors"))
    return model, tokenizer, shared


def _of_the_hub(config: dict[str, Any], heads: dict[str, Any]) -> tuple[StoryClassifier, Tokenizer]:
    """The classifier on a model of the Hub, or of the package that carries it.

    One that reads from left to right takes names' placeholders in pieces: it would have no vectors for them.
    """
    package = config.get("package") or {}
    packaged = packaged_decoder(package) if "file" in package else None
    if packaged:
        pretrained: Any = packaged[0].base_model
        tokenizer = packaged[1]
    else:
        carried = packaged_checkpoint(package, ROOT / ".cache" / "packages") if "parts" in package else None
        base = str(carried or config["base"])
        shape = AutoConfig.from_pretrained(base)
        pooling = {} if is_decoder(shape) else {"add_pooling_layer": False}
        pretrained = AutoModel.from_pretrained(base, dtype=torch.float32, **pooling)
        tokenizer = hub_tokenizer(base, placeholders=not is_decoder(shape))
    model = StoryClassifier(pretrained.config, **heads)
    model.bert.load_state_dict(pretrained.state_dict())
    if not is_decoder(pretrained.config):
        # odd sizes multiply slowly
        model.resize_token_embeddings(tokenizer.get_vocab_size(), pad_to_multiple_of=64)
    return model, tokenizer


def freeze(model: StoryClassifier, layers: int, frozen: bool = True) -> None:
    """Keeps the lowest `layers` layers' adapters as they are; or trains them again."""
    for layer in model.bert.encoder.layer[:layers] if layers else ():
        for name, parameter in layer.named_parameters():
            if "lora_" in name or "LayerNorm" in name:
                parameter.requires_grad = not frozen


def train_classifier(
    config: dict[str, Any],
    rows: Sequence[GroupRow],
    validation: Sequence[GroupRow],
    out: Path,
    run: Path,
    provenance: dict[str, Any],
    resume: bool = False,
) -> dict[str, Any]:
    """Trains one configuration; writes checkpoint and manifest to `out` and returns the manifest.

    Args:
        config: values of `DEFAULTS` that differ, `metric` and `name`.
        rows: to train on, in groups.
        validation: held-out rows; results are given by source.
        out: the checkpoint's folder; `config.json` has a section named after the metric.
        run: where checkpoints to resume from lie.
        provenance: what else the manifest records (data and its checksums).
        resume: whether to go on from the last checkpoint in `run`.

    Raises:
        ValueError: no rows, or a row without words.
    """
    started = time.time()
    config = {**DEFAULTS, **config}
    model, tokenizer, shared = build_classifier(config)
    freeze(model, config["frozen_layers"])
    normalizer = Normalizer.load(ENCODER / "names.json") if config["delexicalize"] else Normalizer()
    make = ExampleMaker(tokenizer, normalizer, config["max_length"])
    marks = make.marks
    groups = Groups(rows, make, config["group_size"], config["passes"], config["seed"])
    held_out = Groups(validation, make, 1_000, 1, config["seed"])
    steps = math.ceil(len(groups) / config["batch_groups"])
    trainer = ClassifierTrainer(
        model=model,
        args=training_arguments(
            run, config, steps, config["batch_groups"], label_names=["labels"], eval_steps=max(1, steps // 2)
        ),
        train_dataset=groups,
        eval_dataset=torch.utils.data.Subset(held_out, range(min(80, len(held_out)))),
        data_collator=GroupCollator(marks.padding),
        compute_metrics=_auc,
    )
    trainer.config, trainer.lengths = config, groups.lengths()
    prepared = time.time()
    trainer.train(resume_from_checkpoint=last_checkpoint(run, resume))
    seconds = time.time() - prepared
    sources = sorted({row.source for row in rows})
    manifest = {
        "metric": config["metric"],
        "config": config,
        **provenance,
        **start_digest(config),
        "groups": {"train": len(groups.groups), "validation": len(held_out.groups)},
        "stories": {"train": len(rows), "validation": len(validation)},
        "sources": sources if len(sources) <= 20 else len(sources),
        "steps": trainer.state.global_step,
        "validation": results_by_source(model, held_out, marks.padding),
        "groups_a_second": round(len(groups) / seconds, 1),
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }
    freeze(model, config["frozen_layers"], frozen=False)  # what it started from is saved with the rest
    if trainer.is_world_process_zero():
        save_classifier(model, tokenizer, shared, config, manifest, out)
    return manifest


def results_by_source(model: Any, groups: Groups, padding: int) -> dict[str, dict[str, float | None]]:
    """For each source: area under the curve against the human stories of the same groups, and how many.

    `ranked` is how often the group's own human story scores higher. A story that several edits damaged counts
    for each of them. Where no group has a human story, both are None.
    """
    examples = [e for group in groups.groups for e in group]
    logits = dict(zip(map(id, examples), predict(model, examples, padding), strict=True))
    found: dict[str, list[tuple[float, float]]] = {}
    for group in groups.groups:
        human = next((logits[id(e)] for e in group if e.label == 1), float("nan"))
        for example in group:
            for source in {"all", *example.source.split("+")} if example.label == 0 else ():
                found.setdefault(source, []).append((human, logits[id(example)]))
    results: dict[str, dict[str, float | None]] = {}
    for source, pairs in sorted(found.items()):
        ranked = [(a, b) for a, b in pairs if not math.isnan(a)]
        people = sorted({a for a, _ in ranked})
        results[source] = {
            "auc": round(area_under_curve(people, [b for _, b in pairs]), 4) if ranked else None,
            "ranked": round(sum(a > b for a, b in ranked) / len(ranked), 4) if ranked else None,
            "stories": len(pairs),
        }
    return results


def predict(model: Any, examples: Sequence[Example], padding: int, batch_size: int = 64) -> list[float]:
    """Logits of examples, in order."""
    collate = GroupCollator(padding)
    model.eval()
    found = [0.0] * len(examples)
    with torch.no_grad(), torch.autocast(model.device.type, torch.bfloat16):
        for batch in length_batches([len(e.ids) for e in examples], batch_size):
            inputs = collate([[examples[i]] for i in batch])
            logits = model(inputs["input_ids"].to(model.device), inputs["attention_mask"].to(model.device))
            for i, value in zip(batch, logits.tolist(), strict=True):
                found[i] = value
    return found


def save_classifier(
    model: StoryClassifier,
    tokenizer: Tokenizer,
    shared: Path | None,
    config: dict[str, Any],
    manifest: dict[str, Any],
    out: Path,
) -> None:
    """Writes a checkpoint that the metrics load: an adapter on the shared encoder, or a whole model."""
    settings: dict[str, Any] = {
        "delexicalize": config["delexicalize"],
        "context": config["context"],
        "max_length": config["window"] or config["max_length"],
        "kinds": list(KINDS) if config["kind_weight"] else [],
        "tokens": bool(config["token_weight"]),
        "token_share": config["token_share"],
    }
    written: dict[str, Any] = {config["metric"]: settings}
    if shared and config["adapter"]:
        settings["encoder"] = encoder_reference(shared, out)
        save_tensors(out / "adapter.safetensors", adapter_tensors(model))
    else:
        merge_adapters(model)
        state = model.state_dict()
        written = {**model.config.to_dict(), **written}
        save_tensors(
            out / "model.safetensors",
            {name: t.detach().cpu().to(torch.float16).contiguous() for name, t in state.items()},
        )
        write_text(out / "names.json", (ENCODER / "names.json").read_text(encoding="utf-8"))
        write_text(out / "tokenizer.json", tokenizer.to_str())
    write_text(out / "config.json", json.dumps(written, indent=2, default=str) + "\n")
    manifest["weights"] = checksum(weights_file(out))
    write_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")


def weights_file(folder: Path) -> Path:
    """The weights of a checkpoint: an adapter, or a whole model."""
    adapter = folder / "adapter.safetensors"
    return adapter if adapter.is_file() else folder / "model.safetensors"


def trained(config: dict[str, Any], provenance: dict[str, Any], out: Path) -> dict[str, Any] | None:
    """The manifest of the checkpoint in `out`, where it is one of this configuration, start and data, unchanged."""
    if not (out / "manifest.json").is_file() or not weights_file(out).is_file():
        return None
    known = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    wanted = json.loads(json.dumps({"config": {**DEFAULTS, **config}, **provenance, **start_digest(config)}))
    wanted["weights"] = checksum(weights_file(out))
    known["config"] = {**DEFAULTS, **known["config"]}  # a setting that came later had its default
    return known if all(known.get(key) == value for key, value in wanted.items()) else None
