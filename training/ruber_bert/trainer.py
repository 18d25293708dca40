"""Trains RUBER-BERT's unreferenced part: `python -m training.ruber_bert --config training/configs/ruber_bert_roc.yaml`.

A context and its story against the context with another story (Tao et al. 2018, section 3.2), by margin
ranking or cross-entropy. Negatives come from the batch and from a draw, of the stories whose contexts are most
alike if wished. The encoder stays frozen, as in Ghazarian et al. (2019), and its features are computed once; or it
is adapted; or a recurrent network over word vectors takes its place (RUBER). What is frozen is the shared encoder,
or, by `start`, the shared encoder with another metric's adapter: that of `embedding_similarity`, whose last layer
holds meaning rather than predicted words, relates contexts and stories far better. The weights, the calibration, the
run's manifest and a model card are written to `metrics/ruber_bert/weights/NAME/`.
"""

import argparse
import hashlib
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F
from transformers import BertConfig

from openmeva.metrics.core.checkpoint import file_digest, merge_adapter, read_tensors
from openmeva.metrics.ruber_bert.modeling import RuberModel
from openmeva.training.common.adapters import adapter_tensors, add_adapters, difference, load_adapter
from openmeva.training.common.trainer import (
    StoryTrainer,
    data_checksums,
    encoder_reference,
    last_checkpoint,
    start_digest,
    training_arguments,
)
from openmeva.training.files import save_tensors, write_text
from openmeva.training.paths import ENCODER, ROOT
from openmeva.training.ruber_bert.card import write_ruber_card
from openmeva.training.ruber_bert.data import Pair, TextBatcher, frozen_features, load_pairs, nearest_contexts

HEADS = ("head.", "rnn.")
PLAIN = {"encoder": "bert", "frozen": True, "start": None, "adapter": None}  # the shared encoder as it is


class RuberTrainer(StoryTrainer):
    """Margin ranking (or cross-entropy) of a story against others for the same context."""

    config: dict[str, Any]
    pairs = 0

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        """Each pass in an order of its own: batches of equal length would hold a pair twice, as its own negative."""
        rng = np.random.default_rng(self.args.seed)
        places = len(self.train_dataset)  # type: ignore[arg-type]
        passes = [rng.permutation(self.pairs) + begin for begin in range(0, places, self.pairs)]
        return [int(place) for one in passes for place in one if place < places]

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        loss = relatedness_loss(model, inputs, self.config)
        return (loss, {}) if return_outputs else loss


def relatedness_loss(model: Any, inputs: dict[str, Any], config: dict[str, Any]) -> Tensor:
    """The loss of a batch of contexts, stories and sampled negatives (vectors, or tokens to encode).

    `margin`: the mean of max(0, margin - s⁺ + s⁻), s the sigmoid of the head's logits (Tao et al., equation 5).
    `cross_entropy`: that the true pair is 1 and the others 0, each kind with half the weight.
    """
    contexts, stories, sampled = (
        _vectors(model, inputs[name]) for name in ("contexts", "stories", "sampled")
    )
    true = model.head(contexts, stories).float()
    others = [model.head(contexts, sampled).float()] if config["sampled"] else []
    shifts = min(config["in_batch"], len(stories) - 1)
    others += [model.head(contexts, stories.roll(shift, 0)).float() for shift in range(1, shifts + 1)]
    if not others:  # a batch of one, with nothing sampled
        return 0.0 * true.sum()
    false = torch.stack(others)
    if config["loss"] == "margin":
        return F.relu(config["margin"] - torch.sigmoid(true) + torch.sigmoid(false)).mean()
    return (F.softplus(-true).mean() + F.softplus(false).mean()) / 2


def _vectors(model: Any, inputs: Any) -> Tensor:
    return (
        model.encode(inputs["input_ids"], inputs["attention_mask"])[0] if isinstance(inputs, dict) else inputs
    )


class RuberCollator:
    """Pairs of a batch with one sampled story each, as vectors where features are given, else as tokens.

    A sampled story is drawn from `neighbours` of the context where given, else from all; the draw depends on
    the seed and the place in the run alone.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        batcher: TextBatcher,
        features: dict[str, Tensor] | None,
        neighbours: Tensor | None,
        seed: int,
    ) -> None:
        self.pairs, self.batcher, self.features = pairs, batcher, features
        self.neighbours, self.seed = neighbours, seed

    def __call__(self, places: list[int]) -> dict[str, Any]:
        count = len(self.pairs)
        own = [place % count for place in places]
        sampled = [self._draw(place, place % count) for place in places]
        if self.features is not None:
            contexts, stories = self.features["contexts"], self.features["stories"]
            return {"contexts": contexts[own], "stories": stories[own], "sampled": stories[sampled]}
        return {
            "contexts": self.batcher([self.pairs[i][0] for i in own]),
            "stories": self.batcher([self.pairs[i][1] for i in own]),
            "sampled": self.batcher([self.pairs[i][1] for i in sampled]),
        }

    def _draw(self, place: int, own: int) -> int:
        rng = np.random.default_rng([self.seed, place])
        if self.neighbours is not None:
            return int(self.neighbours[own, rng.integers(self.neighbours.shape[1])])
        other = int(rng.integers(len(self.pairs) - 1))
        return other + (other >= own)


def build_model(config: dict[str, Any]) -> tuple[RuberModel, Tokenizer]:
    """The untrained model on the shared encoder's weights, an adapter's added (for `rnn`, on its word vectors).

    Raises:
        ValueError: `start` without a rank to hold it in, or an adapter that would stay empty.
    """
    if bool(config["start"]) != bool(config["adapter"]) and (config["start"] or config["frozen"]):
        raise ValueError(
            "start and adapter: a frozen encoder needs both or neither, and start needs the rank of adapter; "
            f"got {config['start']!r} and {config['adapter']!r}"
        )
    torch.manual_seed(config["seed"])
    shape = BertConfig.from_pretrained(ENCODER)
    model = RuberModel(shape, **model_settings(config))
    state = {name: tensor.float() for name, tensor in read_tensors(ENCODER / "model.safetensors").items()}
    factors: dict[str, Tensor] = {}
    vectors: dict[str, Tensor] = {}
    if config["start"]:
        begun = merge_adapter(state, read_tensors(ROOT / config["start"] / "adapter.safetensors"))
        factors, vectors = difference(begun, state, config["adapter"]["rank"])
    state |= {**vectors, "words.weight": state["bert.embeddings.word_embeddings.weight"]}
    model.load_state_dict(state, strict=False)
    if config["adapter"]:
        add_adapters(model, config["adapter"]["rank"], config["adapter"]["alpha"], HEADS)
        if factors:
            load_adapter(model, factors)
    for name, parameter in model.named_parameters():
        plain = name.replace(".base_layer", "")
        if not config["adapter"]:
            parameter.requires_grad = name.startswith(HEADS)
        elif plain in vectors:  # saved with the adapter
            parameter.requires_grad = True
    return model, Tokenizer.from_file(str(ENCODER / "tokenizer.json"))


def model_settings(config: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `RuberModel` beside the encoder's configuration."""
    return {"encoder": config["encoder"], "pooling": config["pooling"], "hidden": config["hidden"]}


def pair_features(
    model: RuberModel, pairs: Sequence[Pair], batcher: TextBatcher, kept: Path
) -> dict[str, Tensor]:
    """Every pooling of contexts and stories by the frozen encoder; kept in `kept` and read from there."""
    if not kept.exists():
        found = {
            f"{column}.{name}": tensor.half()
            for column, texts in zip(("contexts", "stories"), zip(*pairs, strict=True), strict=True)
            for name, tensor in frozen_features(model, texts, batcher).items()
        }
        save_tensors(kept, found)
    return {name: tensor.float() for name, tensor in load_file(kept).items()}


@torch.inference_mode()
def evaluate_pairs(
    model: RuberModel, pairs: Sequence[Pair], batcher: TextBatcher, neighbours: Tensor, seed: int
) -> dict[str, Any]:
    """How often the true story scores above another one, and what the parts' values range over.

    Returns:
        `accuracy` against random stories, `accuracy_nearest` against one whose context is alike, and `ranges`: the
        percentiles .5 and 99.5 of the referenced cosine of two stories, and of the unreferenced score of true
        and random pairs.
    """
    model.eval()
    vectors, ends = [], []
    for column in zip(*pairs, strict=True):
        found = [model.encode(*batcher(column[i : i + 64]).values()) for i in range(0, len(column), 64)]
        vectors.append(torch.cat([one for one, _ in found]))
        ends.append(torch.cat([two for _, two in found]).flatten(1))
    rng = np.random.default_rng(seed)
    other = torch.from_numpy((np.arange(len(pairs)) + rng.integers(1, len(pairs), len(pairs))) % len(pairs))
    true = torch.sigmoid(model.head(vectors[0], vectors[1]))
    false = torch.sigmoid(model.head(vectors[0], vectors[1][other]))
    alike = torch.cosine_similarity(ends[1], ends[1][other])
    near = neighbours[
        torch.arange(len(pairs)), torch.from_numpy(rng.integers(neighbours.shape[1], size=len(pairs)))
    ]
    hard = torch.sigmoid(model.head(vectors[0], vectors[1][near]))
    result: dict[str, Any] = {
        "accuracy": round(float((true > false).float().mean()), 4),
        "accuracy_nearest": round(float((true > hard).float().mean()), 4),
    }
    values = {"referenced": alike, "unreferenced": torch.cat([true, false])}
    result["ranges"] = {
        name: [round(float(x), 4) for x in np.percentile(found.numpy(), [0.5, 99.5])]
        for name, found in values.items()
    }
    return result


def train(
    config: dict[str, Any], data: Path, out: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Trains one configuration and writes checkpoint, manifest and card to `out`; returns the manifest.

    Which contexts are alike the frozen encoder says, whatever is trained, so that configurations compare.

    Raises:
        ValueError: an unknown loss, pooling or encoder.
    """
    started = time.time()
    frozen = config["encoder"] == "bert" and config["frozen"]
    if config["loss"] not in ("margin", "cross_entropy"):
        raise ValueError(f"loss: expected 'margin' or 'cross_entropy', got {config['loss']!r}")
    model, tokenizer = build_model(config)
    pairs = load_pairs(config, data, ENCODER / "names.json", tokenizer)
    batcher = TextBatcher(tokenizer)
    reader = model if frozen else build_model({**config, **PLAIN})[0]
    held_out = frozen_features(reader, [context for context, _ in pairs.validation], batcher)["mean"]
    near_validation = nearest_contexts(held_out, 10)
    features, neighbours = None, None
    if frozen:
        found = pair_features(model, pairs.train, batcher, cache / f"{_key(config, data)}.safetensors")
        pooling = config["pooling"]
        features = {name: found[f"{name}.{pooling}"] for name in ("contexts", "stories")}
    if config["nearest"]:
        contexts = (
            found["contexts.mean"]
            if frozen
            else frozen_features(reader, [context for context, _ in pairs.train], batcher)["mean"]
        )
        neighbours = nearest_contexts(contexts, config["nearest"])
    count = int(len(pairs.train) * config["passes"])
    steps = math.ceil(count / config["batch"])
    arguments = training_arguments(
        run,
        config,
        steps,
        config["batch"],
        eval_strategy="no",
        **({"bf16": False} if config["frozen"] else {}),
    )
    trainer = RuberTrainer(
        model=model,
        args=arguments,
        train_dataset=list(range(count)),
        data_collator=RuberCollator(pairs.train, batcher, features, neighbours, config["seed"]),
    )
    trainer.config = config
    trainer.pairs = len(pairs.train)
    trainer.train(resume_from_checkpoint=last_checkpoint(run, resume))
    results = evaluate_pairs(model, pairs.validation, batcher, near_validation, config["seed"])
    manifest = {
        "metric": "ruber_bert",
        "config": config,
        "data": data_checksums(config, data),
        **start_digest(config),
        "pairs": {"train": len(pairs.train), "validation": len(pairs.validation)},
        "steps": trainer.state.global_step,
        "validation": results,
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }
    if trainer.is_world_process_zero():
        save(model, config, manifest, out)
    return manifest


def _key(config: dict[str, Any], data: Path) -> str:
    """Identifies the features of a configuration's pairs: what they are made from and by."""
    names = ("corpus", "prompts", "pairs", "max_length", "seed")
    parts = [
        {n: config.get(n) for n in names},
        data_checksums(config, data),
        file_digest(ENCODER / "model.safetensors"),
        {**start_digest(config), "adapter": config["adapter"]},
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]


def save(model: RuberModel, config: dict[str, Any], manifest: dict[str, Any], out: Path) -> None:
    """Writes a checkpoint that `metrics/ruber_bert` loads: the head, and an adapter where there is one."""
    settings = {
        "delexicalize": config["corpus"].get("delexicalize", True),
        "max_length": config["max_length"],
        "model": model_settings(config),
        "ranges": manifest["validation"]["ranges"],
        "encoder": encoder_reference(ENCODER, out),
    }
    save_tensors(out / "adapter.safetensors", adapter_tensors(model))
    write_text(out / "config.json", json.dumps({"ruber_bert": settings}, indent=2) + "\n")
    write_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    write_ruber_card(out, manifest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", type=Path, required=True, help="a file of training/configs")
    parser.add_argument(
        "--data", type=Path, required=True, help="the folder that the configuration's files lie in"
    )
    parser.add_argument("--out", type=Path, help="default: metrics/ruber_bert/weights/NAME")
    parser.add_argument("--run", type=Path, help="checkpoints to resume from; default: runs/ruber_bert-NAME")
    parser.add_argument(
        "--cache", type=Path, default=ROOT / ".cache" / "ruber", help="the encoder's features"
    )
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --run")
    parser.add_argument(
        "--set",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help="e.g. pooling=max loss=cross_entropy encoder=rnn",
    )
    arguments = parser.parse_args()
    config = yaml.safe_load(arguments.config.read_text(encoding="utf-8"))
    for setting in arguments.set:
        key, separator, value = setting.partition("=")
        if not separator or key not in config:
            parser.error(f"--set: expected KEY=VALUE with a key of {sorted(config)}, got {setting!r}")
        config[key] = yaml.safe_load(value)
    name = config["name"]
    out = arguments.out or ROOT / "metrics" / "ruber_bert" / "weights" / name
    run = arguments.run or ROOT / "runs" / f"ruber_bert-{name}"
    manifest = train(config, arguments.data, out, run, arguments.cache, arguments.resume)
    print(json.dumps({key: manifest[key] for key in ("pairs", "steps", "validation", "minutes")}, indent=2))
