"""The stage that writes groups of a human story and a language model's continuations of its opening."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from openmeva.metrics.core.files import ADAPTER
from openmeva.metrics.ppl.causal_model import CausalModel
from openmeva.metrics.ppl.texts import NormalizedReader
from openmeva.training.common.backbone import find_backbone, load_causal
from openmeva.training.common.config import as_mapping
from openmeva.training.common.perplexity import load_perplexity
from openmeva.training.continued.openings import ContinuedConfig, sample_openings
from openmeva.training.continued.sampler import ContinuationSampler
from openmeva.training.corpora.splits import data_checksums
from openmeva.training.corpora.writing_prompts import truncate_text
from openmeva.training.files import checksum
from openmeva.training.negatives.groups import SCHEMA
from openmeva.training.paths import resolve_path
from openmeva.training.processes import model_processes
from openmeva.training.stages import Stage
from openmeva.training.text.tagged_corpus import text_inputs

Rows = list[dict[str, Any]]


def continued_rows(
    stories: Sequence[tuple[str, str]],
    names: Sequence[str],
    temperatures: Sequence[float],
    sampler: ContinuationSampler,
    seed: int,
) -> Rows:
    """One group of rows per story: the human story, and its continuation at each temperature."""
    groups = {name: [_row(name, whole, "human", 1)] for name, (_, whole) in zip(names, stories, strict=True)}
    tokens = tokens_to_write(stories)
    for turn, temperature in enumerate(temperatures):
        texts = sampler([opening for opening, _ in stories], tokens, temperature, seed + turn)
        for name, text, (_, whole) in zip(names, texts, stories, strict=True):
            cut = truncate_text(text, len(whole.split()))
            groups[name].append(_row(name, cut, f"continued-{temperature}", 0))
    return [row for rows in groups.values() for row in rows]


def tokens_to_write(stories: Sequence[tuple[str, str]]) -> int:
    """The number of tokens with which openings are about as long as their whole stories."""
    return max(
        1, int(1.35 * np.mean([len(whole.split()) - len(opening.split()) for opening, whole in stories]))
    )


def _row(group: str, story: str, source: str, label: int) -> dict[str, Any]:
    level = 0 if label else -1
    return {
        "group": group,
        "story": story,
        "source": source,
        "label": label,
        "level": level,
        "error_types": [],
    }


def make_continued(config: ContinuedConfig, data: Path, run: Path, processes: int = 1) -> Path:
    """Runs the stage; returns its file.

    Args:
        config: the stories and how they are continued.
        data: the folder of the corpus.
        run: the folder to write to.
        processes: number of parallel processes.

    Raises:
        ValueError: the language model is not available (the message says how to get it), or no story qualifies.
    """
    made_from: dict[str, Any] = {
        "config": as_mapping(config),
        "data": data_checksums(config.corpus, data),
        "names": text_inputs()["names"],
    }
    adapter = resolve_path(config.base) / ADAPTER  # of perplexity's weights
    made_from["base"] = checksum(adapter) if adapter.is_file() else find_backbone(config.base).sha256
    stage = Stage(run, "continued", made_from)
    if stage.is_done():
        return stage.result
    own = load_perplexity(config.base)
    sampler = _perplexity_sampler(config, *own) if own else _pretrained_sampler(config)
    stories = sorted(
        sample_openings(config, data, normalized=own is not None), key=lambda story: len(story[1].split())
    )
    for begin in range(0, len(stories), config.batch):
        batch = stories[begin : begin + config.batch]
        sampler.check_length([opening for opening, _ in batch], tokens_to_write(batch))
    return stage.run(
        len(stories),
        lambda span: continued_rows(
            stories[span.start : span.stop],
            [f"continued-{config.name}-{number}" for number in span],
            config.temperatures,
            sampler,
            config.seed + span.start,
        ),
        config.batch,
        SCHEMA,
        processes=model_processes(processes),
    )


def _pretrained_sampler(config: ContinuedConfig) -> ContinuationSampler:
    return ContinuationSampler(*load_causal(find_backbone(config.base)), top_k=config.top_k)


def _perplexity_sampler(
    config: ContinuedConfig, scorer: CausalModel, reader: NormalizedReader
) -> ContinuationSampler:
    """The language model in a folder of perplexity's weights, with the start and end tokens of its training."""
    return ContinuationSampler(scorer.model, reader.tokenizer, config.top_k, scorer.start, reader.end)
