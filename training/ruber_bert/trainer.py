"""Trains RUBER-BERT's unreferenced part: `python -m training.ruber_bert --config roc --data DIR`.

The model distinguishes a context with its story from the context with another story (Tao et al. 2018, section 3.2), by
margin ranking or cross-entropy. Negatives are in-batch negatives and sampled stories, optionally only those with the
most similar contexts. The encoder is frozen, as in Ghazarian et al. (2019), and its features are computed once; or it
has a trained adapter; or it is replaced by a recurrent network over word vectors (RUBER). The frozen encoder is the
backbone, or, with `start`, the backbone with another metric's adapter. That of `embedding_similarity` relates
contexts and stories far better: its last layer represents meaning rather than predicted words. The weights, the
calibration, the run's manifest and a model card are written to `metrics/ruber_bert/weights/NAME/`.
"""

import hashlib
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from openmeva.training.common.backbone import Backbone, find_backbone
from openmeva.training.common.checkpoint import (
    begin_run,
    check_run,
    save_checkpoint,
    save_manifest,
    start_digest,
)
from openmeva.training.common.config import as_mapping
from openmeva.training.common.trainer import (
    StoryTrainer,
    hardware_entries,
    training_arguments,
    training_device,
)
from openmeva.training.corpora.named_files import resolve_corpus_files
from openmeva.training.corpora.splits import data_checksums
from openmeva.training.files import checksum
from openmeva.training.paths import NAMES_FILE, resolve_path
from openmeva.training.processes import main_process_first, one_writer
from openmeva.training.ruber_bert.card import write_ruber_card
from openmeva.training.ruber_bert.config import RuberConfig
from openmeva.training.ruber_bert.data import (
    RuberCollator,
    TextBatcher,
    frozen_features,
    load_pairs,
    nearest_contexts,
)
from openmeva.training.ruber_bert.losses import relatedness_loss
from openmeva.training.ruber_bert.model import build_model, frozen_encoder_model, model_settings
from openmeva.training.ruber_bert.results import evaluate_pairs, pair_features


class RuberTrainer(StoryTrainer):
    """Trainer with margin ranking or cross-entropy of a story against others for the same context."""

    config: RuberConfig
    pairs = 0

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        """A new order in each epoch; in batches by length, a story would often be its own negative.

        Only a batch with pairs of two epochs, or of fewer pairs than its size, can still have a pair twice.
        """
        rng = np.random.default_rng(self.args.seed)
        training: Any = self.train_dataset
        count = len(training)
        epochs = [rng.permutation(self.pairs) + begin for begin in range(0, count, self.pairs)]
        return [int(index) for order in epochs for index in order if index < count]

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        return relatedness_loss(model, inputs, self.config), {}


def train(
    config: RuberConfig, data: Path, out: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Trains one configuration and writes checkpoint, manifest and card to `out`; returns the manifest.

    The frozen encoder always determines the similar contexts, so that configurations are comparable.

    Raises:
        ValueError: the run to resume has another configuration (the message names each difference).
    """
    started = time.time()
    frozen = config.encoder == "bert" and config.frozen
    start = resolve_path(config.start) if config.start else None
    backbone = find_backbone(config.base)
    backbone.check_length(max_length=config.max_length)
    made_from = {
        "config": as_mapping(config),
        "data": data_checksums(config.corpus, data)
        | {file: checksum(data / file) for file in resolve_corpus_files(config.prompts or (), data)},
        "encoder": backbone.sha256,
        **start_digest(start, backbone),
    }
    check_run(run, made_from, resume)
    model, tokenizer, base = build_model(config)
    pairs = load_pairs(config, data, NAMES_FILE, tokenizer)
    checkpoint = begin_run(run, made_from, resume)
    batcher = TextBatcher(tokenizer)
    reader = (model if frozen else frozen_encoder_model(config)).to(training_device())
    held_out = frozen_features(reader, [context for context, _ in pairs.validation], batcher)["mean"]
    near_validation = nearest_contexts(held_out, 10)
    features, neighbours = None, None
    if frozen:
        features_file = cache / f"{_features_key(made_from, base)}.safetensors"
        with main_process_first():
            all_features = pair_features(model, pairs.train, batcher, features_file)
        pooling = config.pooling
        features = {name: all_features[f"{name}.{pooling}"] for name in ("contexts", "stories")}
    if config.nearest:
        contexts = (
            all_features["contexts.mean"]
            if frozen
            else frozen_features(reader, [context for context, _ in pairs.train], batcher)["mean"]
        )
        neighbours = nearest_contexts(contexts, config.nearest)
    del reader  # the GPU's memory is for the training
    count = int(len(pairs.train) * config.epochs)
    steps = math.ceil(count / config.batch)
    arguments = training_arguments(
        run,
        config,
        steps,
        config.batch,
        eval_strategy="no",
        **({"bf16": False} if config.frozen else {}),
    )
    trainer = RuberTrainer(
        model=model,
        args=arguments,
        train_dataset=list(range(count)),
        data_collator=RuberCollator(pairs.train, batcher, features, neighbours, config.seed),
    )
    trainer.config = config
    trainer.pairs = len(pairs.train)
    trainer.train(resume_from_checkpoint=checkpoint)
    results = evaluate_pairs(model.cpu(), pairs.validation, batcher, near_validation, config.seed)
    manifest = {
        "metric": "ruber_bert",
        **made_from,
        "pairs": {"train": len(pairs.train), "validation": len(pairs.validation)},
        "steps": trainer.state.global_step,
        "validation": results,
        **({"resumed": True} if checkpoint else {}),  # then the minutes cover only the last part
        "minutes": round((time.time() - started) / 60, 1),
        **hardware_entries(),
    }
    settings = {
        "delexicalize": config.corpus.delexicalize,
        "max_length": config.max_length,
        "model": model_settings(config),
        "ranges": results["ranges"],
    }
    with one_writer() as writes:
        if writes:
            save_checkpoint(out, "ruber_bert", settings, model, base)
            save_manifest(out, manifest)
            write_ruber_card(out, manifest)
    return manifest


def _features_key(made_from: dict[str, Any], base: Backbone) -> str:
    """A key for the features of a configuration's pairs, from their inputs and the backbone."""
    names = ("corpus", "prompts", "pairs", "max_length", "seed", "adapter")
    parts = [
        {name: made_from["config"][name] for name in names},
        {name: value for name, value in made_from.items() if name != "config"},
        base.sha256,
        checksum(NAMES_FILE),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]
