"""Trains plot coherence: `python -m training.plot_coherence --config mix --data DIR`.

Runs the data stages of the configuration, skipping those that are done, and then trains the classifier
(`training/classifier`) on their rows. Weights, manifest and card are written to `metrics/plot_coherence/weights/NAME/`.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from openmeva.training.classifier.averaging import check_can_average
from openmeva.training.classifier.card import write_classifier_card
from openmeva.training.classifier.distillation import teacher_digests
from openmeva.training.classifier.input_checks import check_inputs
from openmeva.training.classifier.live_teacher import prepare_distillation
from openmeva.training.classifier.model import build_classifier, check_frozen_layers
from openmeva.training.classifier.prerequisites import (
    check_teacher,
    untrained_first_stage,
    untrained_teacher,
)
from openmeva.training.classifier.results import mean_results
from openmeva.training.classifier.rows import load_rows
from openmeva.training.classifier.seeds import check_can_average_seeds, train_seeds
from openmeva.training.classifier.trainer import check_rows, matching_classifier, train_classifier
from openmeva.training.common.adapters import check_start
from openmeva.training.common.checkpoint import save_manifest
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.paths import resolve_path
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.processes import main_process_first, one_writer, print_notice


def train(
    config: PlotCoherenceConfig, data: Path, out: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Runs the stages and trains one configuration, after its `first` one if needed; returns the manifest.

    Weights of the same configuration and rows in `out` are kept.

    Args:
        config: of the training.
        data: folder of the corpora.
        out: the checkpoint's folder.
        run: folder of the stages' files and the training's checkpoints.
        cache: folder of tagged corpora.
        resume: whether to resume from the last checkpoint.

    Raises:
        ValueError: settings are incompatible, or inputs are missing (they are named); earlier stages are checked, too.
    """
    check(config, data)
    first = untrained_first_stage(PlotCoherenceConfig, config, data)
    if first and config.start:
        start = resolve_path(config.start)
        print_notice(f"{start}: no weights; training {first.name} first")
        train(first, data, start, run, cache, resume)
    if config.seeds:
        return _train_seeds(config, data, out, run, cache, resume)
    rows, validation, provenance = _load_rows_and_teacher(config, data, run, cache, resume)
    finished = matching_classifier(config, provenance, out)
    if finished:
        return _with_current_note(finished, config, out)
    with main_process_first():
        distilled_rows, live = prepare_distillation(rows, config, run)
    checkpoints = run / f"training-{config.name}-{config.seed}"
    manifest = train_classifier(
        config, distilled_rows, validation, out, checkpoints, provenance, resume, live
    )
    with one_writer() as writes:
        if writes:
            write_classifier_card(out, manifest)
    return manifest


def check(config: PlotCoherenceConfig, data: Path) -> None:
    """Checks the settings and inputs of a training and of its earlier stages, before hours are spent on them.

    Raises:
        ValueError: as `train`.
    """
    if config.temperature != 1 and not config.seeds:
        raise ValueError(f"temperature: expected 1 without seeds, got {config.temperature}")
    if config.temperature != 1 and config.token_share:  # it divides the story-level logits alone
        raise ValueError(f"temperature: expected 1 with a token_share, got {config.temperature}")
    if config.start_share and not (config.seeds and config.start):
        raise ValueError(f"start_share: expected only with seeds and a start, got {config.start_share}")
    check_teacher(config)
    check_can_average_seeds(config)
    check_start(config.start, config.adapter, config.frozen_layers)
    check_frozen_layers(config)
    check_inputs(config, config, data)
    for stage in (
        untrained_first_stage(PlotCoherenceConfig, config, data),
        untrained_teacher(PlotCoherenceConfig, config, data),
    ):
        if stage:
            check(stage, data)


def _load_rows_and_teacher(
    config: PlotCoherenceConfig, data: Path, run: Path, cache: Path, resume: bool
) -> tuple[list[GroupRow], list[GroupRow], dict[str, Any]]:
    """The result of `load_rows`, with the checksums of the teacher, which is trained first. Arguments as in `train`."""
    with main_process_first():
        rows, validation, provenance = load_rows(config, data, run, cache)
    check_rows(config, rows, validation)
    if config.teacher:
        folder = resolve_path(config.teacher.weights)
        if teacher := untrained_teacher(PlotCoherenceConfig, config, data):
            print_notice(f"{folder}: no weights; training {teacher.name} first")
            train(teacher, data, folder, folder.parent, cache, resume)
        provenance |= teacher_digests(folder)
    return rows, validation, provenance


def _with_current_note(manifest: dict[str, Any], config: PlotCoherenceConfig, out: Path) -> dict[str, Any]:
    """The manifest of finished weights and their card, both written again if the note has changed."""
    print_notice(f"{out}: trained already with this configuration and data; kept")
    if manifest["config"].get("note") != config.note:
        manifest = {**manifest, "config": {**manifest["config"], "note": config.note}}
        with one_writer() as writes:
            if writes:
                save_manifest(out, manifest)
                write_classifier_card(out, manifest)
    return manifest


def _train_seeds(
    config: PlotCoherenceConfig, data: Path, out: Path, run: Path, cache: Path, resume: bool
) -> dict[str, Any]:
    """Trains with each of `config.seeds`; writes the weight average and its card; returns the manifest.

    Arguments as in `train`. An average of the same configuration, start and data in `out` is kept.
    """
    if config.start and config.start_share:
        check_can_average(resolve_path(config.start), build_classifier(config)[0])
    single = replace(config, seeds=(), start_share=0.0, temperature=1.0, note=None)
    first_seed = replace(single, seed=config.seeds[0])  # the manifest of the average names its rows
    finished = matching_classifier(
        config, _load_rows_and_teacher(first_seed, data, run, cache, resume)[2], out
    )

    def train_one(seed: int, folder: Path) -> dict[str, Any]:
        return train(replace(single, seed=seed), data, folder, run, cache, resume)

    if finished:
        return _with_current_note(finished, config, out)
    manifest = train_seeds(config, train_one, mean_results, out, run, config.temperature)
    with one_writer() as writes:
        if writes:
            write_classifier_card(out, manifest)
    return manifest
