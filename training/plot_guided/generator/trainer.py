"""Trains a plot-to-story generator with transformers' `Trainer`, so it can resume and use several processors."""

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from openmeva.metrics.core.runtime import SpecialTokens
from openmeva.training.common.backbone import SHARED, find_backbone
from openmeva.training.common.checkpoint import begin_run, check_run, weights_file
from openmeva.training.common.config import as_mapping
from openmeva.training.common.data_parallel import BatchShard
from openmeva.training.common.trainer import StoryTrainer, hardware_entries, training_arguments
from openmeva.training.corpora.splits import data_checksums
from openmeva.training.files import checksum
from openmeva.training.paths import resolve_path
from openmeva.training.plot_guided.generator.config import GeneratorConfig
from openmeva.training.plot_guided.generator.data import (
    IGNORED,
    PairCollator,
    PlotPairs,
    plot_ids,
    story_ids,
)
from openmeva.training.plot_guided.generator.model import (
    base_checksum,
    build_generator,
    check_lengths,
    load_adapted_model,
    load_weights,
    save_generator,
)
from openmeva.training.plot_guided.generator.text import text_form
from openmeva.training.plot_guided.plots.corpus import PlottedStory, load_plots
from openmeva.training.processes import one_writer
from openmeva.training.text.tagged_corpus import text_inputs

VALIDATION_STORIES = 1000
FINAL = "final"  # folder of the weights in that of a run


class GeneratorTrainer(StoryTrainer):
    """Trainer with the cross-entropy of the story's tokens and batches of stories of similar length."""

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        shard = BatchShard.for_batch(len(inputs["labels"]))
        own = {name: shard(tensor) for name, tensor in inputs.items()}
        labels = own.pop("labels")
        logits = model(**own, use_cache=False).logits
        kept = labels != IGNORED
        (total,) = shard.reduce_sum(F.cross_entropy(logits[kept].float(), labels[kept], reduction="sum"))
        return total / int((inputs["labels"] != IGNORED).sum()), {}


def generator_made_from(config: GeneratorConfig, data: Path) -> dict[str, Any]:
    """The inputs that determine a generator's weights: configuration, data and initial weights."""
    made_from: dict[str, Any] = {
        "config": as_mapping(config),
        "data": data_checksums(config.corpus, data),
        "text": text_inputs(),
    }
    if config.base == SHARED:
        made_from["encoder"] = find_backbone(SHARED).sha256
    elif base := base_checksum(config.base):
        made_from["base"] = base
    if config.start:
        made_from["start"] = checksum(weights_file(resolve_path(config.start)))
    return made_from


def train_generator(
    config: GeneratorConfig, data: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Trains one configuration; the weights go to `run/final`. Returns the manifest, without samples.

    Raises:
        ValueError: the run to resume has another configuration (the message names each difference), texts longer than the
            base model has positions for, or no story for the generator.
    """
    started = time.time()
    made_from = generator_made_from(config, data)
    check_run(run, made_from, resume)
    model: Any
    model, tokenizer = build_generator(config)
    check_lengths(model, max_plot=config.max_plot, max_story=config.max_story)
    corpus = load_plots(as_mapping(config), data, cache, ("train", "validation"))
    if not corpus.generator:
        files = ", ".join(config.corpus.train)
        raise ValueError(
            f"{files}: expected stories for the generator, got none: share {config.share:g} of {len(corpus.metrics)} stories"
        )
    checkpoint = begin_run(run, made_from, resume)
    start = resolve_path(config.start) if config.start else None
    if config.adapter:
        model = load_adapted_model(model, config, start)
    elif start:
        load_weights(model, start)
    special_tokens = SpecialTokens.from_tokenizer(tokenizer)
    form = text_form(tokenizer, config.prose)
    collate = PairCollator(special_tokens, is_encoder_decoder=model.config.is_encoder_decoder)

    def pairs(stories: Sequence[PlottedStory], count: int | None = None) -> PlotPairs:
        return PlotPairs(
            plot_ids(tokenizer, special_tokens, [form.plot(s.plot, {}) for s in stories], config.max_plot),
            story_ids(
                tokenizer, special_tokens, [form.story(s.story.words) for s in stories], config.max_story
            ),
            count,
        )

    training = pairs(corpus.generator, config.stories)
    steps = math.ceil(config.stories / config.batch)
    arguments = training_arguments(
        run,
        config,
        steps,
        config.batch,
        label_names=["labels"],
        logging_steps=max(1, min(50, steps // 10)),
        eval_strategy="no",
        save_steps=max(1, min(250, steps // 4)),
    )
    trainer = GeneratorTrainer(model=model, args=arguments, train_dataset=training, data_collator=collate)
    trainer.lengths, trainer.epoch_length = training.lengths(), training.epoch_length
    trainer.train(resume_from_checkpoint=checkpoint)
    with one_writer() as writes:
        if writes:
            save_generator(model, tokenizer, config, run / FINAL)
    if config.adapter:
        model = model.merge_and_unload()
    held_out = corpus.validation[:VALIDATION_STORIES]
    return {
        **made_from,
        "stories": {part: len(getattr(corpus, part)) for part in ("generator", "metrics", "validation")},
        "steps": trainer.state.global_step,
        "validation": perplexity(model, pairs(held_out), config.batch, collate),
        "parameters": sum(p.numel() for p in model.parameters()),
        "minutes": round((time.time() - started) / 60, 1),
        **({"resumed": True} if checkpoint else {}),
        **hardware_entries(),
        "weights": checksum(weights_file(run / FINAL)),
    }


@torch.inference_mode()
def perplexity(model: Any, pairs: PlotPairs, batch: int, collate: PairCollator) -> dict[str, float]:
    """Perplexity per token of held-out stories given their plots, including the end token; lower is better."""
    model.eval()
    order = sorted(range(len(pairs)), key=lambda index: len(pairs[index][1]))
    total, count = 0.0, 0
    for start in range(0, len(order), batch):
        inputs = collate([pairs[index] for index in order[start : start + batch]])
        inputs = {name: tensor.to(model.device) for name, tensor in inputs.items()}
        labels = inputs.pop("labels")
        logits = model(**inputs, use_cache=False).logits
        kept = labels != IGNORED
        total += float(F.cross_entropy(logits[kept].float(), labels[kept], reduction="sum"))
        count += int(kept.sum())
    return {"perplexity": round(math.exp(total / count), 3), "stories": len(pairs), "tokens": count}
