"""Trains plot coherence: `python -m training.plot_coherence --config mix --data DIR`.

Runs the stages that the configuration names, each of which leaves alone what is there already, then the
classifier on the rows that they wrote (`training/classifier`). Weights, manifest and card go to
`metrics/plot_coherence/weights/NAME/`.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from openmeva.training.classifier.at_hand import check_at_hand
from openmeva.training.classifier.averaging import check_mean_with
from openmeva.training.classifier.card import write_classifier_card
from openmeva.training.classifier.distillation import teacher_digests
from openmeva.training.classifier.live_teacher import taught
from openmeva.training.classifier.model import build_classifier
from openmeva.training.classifier.parts import first_part
from openmeva.training.classifier.results import mean_results
from openmeva.training.classifier.rows import load_rows
from openmeva.training.classifier.seeds import train_seeds
from openmeva.training.classifier.trainer import known_classifier, train_classifier
from openmeva.training.common.adapters import check_start
from openmeva.training.common.config import config_file, read_config
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.paths import located
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.processes import first_alone, one_writer


def train(
    config: PlotCoherenceConfig, data: Path, out: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Runs the stages and trains one configuration, after the one that it goes on from; returns the manifest.

    Where weights of the same configuration and rows are in `out` already, they are left alone.

    Args:
        config: of the training.
        data: the folder that the corpora lie in.
        out: the checkpoint's folder.
        run: of the stages' files and the training's checkpoints.
        cache: of tagged corpora.
        resume: whether to go on from the last checkpoint.

    Raises:
        ValueError: settings that do not go together, or something that is missing (it is named), in a part that comes first, too.
    """
    check(config, data)
    first = first_part(PlotCoherenceConfig, config, data)
    if first and config.start:
        train(first, data, located(config.start), run, cache, resume)
    if config.seeds:
        return _train_seeds(config, data, out, run, cache, resume)
    rows, validation, provenance = _load_judged_rows(config, data, run, cache, resume)
    known = known_classifier(config, provenance, out)
    if known:
        return known
    with first_alone():
        judged, live = taught(rows, config, run)
    checkpoints = run / f"training-{config.name}-{config.seed}"
    manifest = train_classifier(config, judged, validation, out, checkpoints, provenance, resume, live)
    with one_writer() as writes:
        if writes:
            write_classifier_card(out, manifest)
    return manifest


def check(config: PlotCoherenceConfig, data: Path) -> None:
    """Refuses a training that would end with an error after hours, by its settings or those of a part that comes first.

    Raises:
        ValueError: as `train`.
    """
    if config.temperature != 1 and not config.seeds:
        raise ValueError(f"temperature: expected 1 where no mean of seeds is taken, got {config.temperature}")
    if config.start_share and not (config.seeds and config.start):
        raise ValueError(f"start_share: expected with seeds and a start, got {config.start_share}")
    if (config.teacher is None) != (not config.distillation_weight and not config.states_weight):
        raise ValueError(
            "expected a teacher and a distillation_weight or states_weight above 0, or neither, "
            f"got teacher {config.teacher}, {config.distillation_weight:g} and {config.states_weight:g}"
        )
    check_start(config.start, config.adapter, config.frozen_layers)
    check_at_hand(config, config, data)
    for part in (first_part(PlotCoherenceConfig, config, data), _own_teacher(config)):
        if part:
            check(part, data)


def _own_teacher(config: PlotCoherenceConfig) -> PlotCoherenceConfig | None:
    """The configuration by which the teacher is trained, where it is not there; None: its weights are taken as they are."""
    if not config.teacher or not config.teacher.config:
        return None
    return read_config(PlotCoherenceConfig, config_file(config.metric, config.teacher.config))


def _load_judged_rows(
    config: PlotCoherenceConfig, data: Path, run: Path, cache: Path, resume: bool
) -> tuple[list[GroupRow], list[GroupRow], dict[str, Any]]:
    """What `load_rows` gives, with the checksums of the teacher, which is trained first. Arguments as of `train`."""
    with first_alone():
        rows, validation, provenance = load_rows(config, data, run, cache)
    if config.teacher:
        folder = located(config.teacher.weights)
        if own := _own_teacher(config):
            train(own, data, folder, folder.parent, cache, resume)
        provenance |= teacher_digests(folder)
    return rows, validation, provenance


def _train_seeds(
    config: PlotCoherenceConfig, data: Path, out: Path, run: Path, cache: Path, resume: bool
) -> dict[str, Any]:
    """Trains with each of `config.seeds` and writes their mean and its card; returns the manifest. Arguments as of `train`.

    A mean of the same configuration, start and data that is in `out` already is left alone.
    """
    if config.start and config.start_share:
        check_mean_with(located(config.start), build_classifier(config)[0])
    single = replace(config, seeds=(), start_share=0.0, temperature=1.0, note=None)
    first_seed = replace(single, seed=config.seeds[0])  # whose rows the manifest of a mean names
    known = known_classifier(config, _load_judged_rows(first_seed, data, run, cache, resume)[2], out)

    def train_one(seed: int, folder: Path) -> dict[str, Any]:
        return train(replace(single, seed=seed), data, folder, run, cache, resume)

    manifest = known or train_seeds(config, train_one, mean_results, out, run, config.temperature)
    with one_writer() as writes:
        if writes:
            write_classifier_card(out, manifest)
    return manifest
