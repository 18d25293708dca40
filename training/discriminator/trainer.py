"""Trains the discriminator: `python -m training.discriminator --config roc --data DIR`.

The plot-to-story generator generates a story from the plot of each human-written story that it was not trained on. The
classifier (`training/classifier`) is trained to distinguish the two. Generated stories are stored in the run's folder
and reused. Weights, manifest and card are written to `metrics/discriminator/weights/NAME/`.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from openmeva.training.classifier.card import write_classifier_card
from openmeva.training.classifier.model import check_frozen_layers
from openmeva.training.classifier.trainer import matching_classifier, train_classifier
from openmeva.training.common.adapters import check_start
from openmeva.training.common.backbone import find_backbone
from openmeva.training.common.checkpoint import start_digest
from openmeva.training.discriminator.config import DiscriminatorConfig
from openmeva.training.discriminator.data import load_rows
from openmeva.training.paths import resolve_path
from openmeva.training.processes import main_process_first, one_writer, print_notice


def train(
    config: DiscriminatorConfig, data: Path, out: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Trains one configuration, unless it is trained already; writes checkpoint, manifest and card to `out`.

    Args:
        config: of the training.
        data: folder of the corpus.
        out: the checkpoint's folder.
        run: folder of generated stories and the training's checkpoints.
        cache: folder of tagged corpora.
        resume: whether to resume from the last checkpoint.

    Returns:
        The manifest.

    Raises:
        ValueError: settings that have no effect, contradict the corpus's or do not fit the encoder, or no generator in its folder.
    """
    if config.distillation_weight or config.states_weight:
        raise ValueError(
            "distillation_weight, states_weight: expected 0 for both, because there is no teacher, "
            f"got {config.distillation_weight:g} and {config.states_weight:g}"
        )
    base = find_backbone(config.base)
    base.check_length(max_length=config.max_length, window=config.window)
    check_start(config.start, config.adapter, config.frozen_layers)
    start_digest(resolve_path(config.start) if config.start else None, base)  # before stories are generated
    check_frozen_layers(config)
    config = with_corpus_settings(config)
    with main_process_first():
        rows, validation, provenance = load_rows(config, data, run, cache)
    if finished := matching_classifier(config, provenance, out):
        print_notice(f"{out}: trained already with this configuration and data; kept")
        return finished
    manifest = train_classifier(config, rows, validation, out, run, provenance, resume)
    with one_writer() as writes:
        if writes:
            write_classifier_card(out, manifest)
    return manifest


def with_corpus_settings(config: DiscriminatorConfig) -> DiscriminatorConfig:
    """The configuration with the `context` and `delexicalize` of its corpus.

    Raises:
        ValueError: a `context` or `delexicalize` that is neither the default nor the corpus's.
    """
    corpus_settings = {key: getattr(config.corpus, key) for key in ("context", "delexicalize")}
    for key, value in corpus_settings.items():
        configured = getattr(config, key)
        if configured not in (value, getattr(DiscriminatorConfig, key)):
            raise ValueError(f"{key}: expected the corpus's, {value!r} (corpus.{key}), got {configured!r}")
    return replace(config, **corpus_settings)
