"""Checks that all inputs of a training exist, before hours are spent on its earlier stages."""

from collections.abc import Sequence
from pathlib import Path

from openmeva.metrics.core.backbone import backbone_folder
from openmeva.metrics.core.checkpoint import read_settings
from openmeva.metrics.core.files import ADAPTER
from openmeva.training.classifier.prerequisites import StagedConfig
from openmeva.training.classifier.rows_config import RowsConfig
from openmeva.training.common.backbone import find_backbone
from openmeva.training.common.checkpoint import read_manifest, start_digest
from openmeva.training.common.config import config_file, read_mapping
from openmeva.training.corpora.named_files import check_judged_files, resolve_corpus_files
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.paths import RUNS, resolve_path
from openmeva.training.plot_guided.negatives.config import PlotNegativesConfig
from openmeva.training.text.knowledge.events import check_event_model


def check_inputs(
    config: StagedConfig, rows: RowsConfig | None, data: Path, corpora: Sequence[CorpusConfig] = ()
) -> None:
    """Checks the encoder, the story files, the initial weights, and the encoder of a teacher whose weights exist.

    It does not check earlier stages of the training (`prerequisites.py`); each stage checks its own inputs.

    Args:
        config: of the training.
        rows: configuration of the training rows; None: no rows.
        data: folder of the corpora.
        corpora: further corpora that are read.

    Raises:
        MissingResourceError: stories from manipulated plots are needed, and WordNet or ConceptNet has not been fetched.
        ValueError: `max_length` or `window` exceeds the encoder's positions; files (all are named; of human-judged files, the
            first), an encoder (the message says how to get it) or initial weights are missing; or the initial weights
            belong to another encoder.
    """
    base = find_backbone(config.base)
    base.check_length(max_length=config.max_length, window=config.window)
    graded = [CorpusConfig.from_mapping(entry["corpus"]) for entry in (rows and rows.graded) or ()]
    files = []
    for corpus in (*corpora, *graded):
        check_judged_files(corpus.exclude, data)
        files += [data / file for file in (*resolve_corpus_files(corpus.train, data), *corpus.validation)]
    if rows and rows.released:
        files += [data / file for file in (rows.released.file, *rows.released.exclude)]
    made: Path | None = None  # the folder that `training_sets` writes
    if rows and rows.training_sets:
        sets = read_mapping(PlotNegativesConfig, config_file("plot_negatives", rows.training_sets))
        made = RUNS / "plots" / sets["name"] / "sets"
        check_event_model(sets.get("events"))
    paths = [resolve_path(entry.path) for entry in (rows.files or () if rows else ())]
    files += [path for path in paths if path.parent != made]
    if missing := [path for path in dict.fromkeys(files) if not path.is_file()]:
        raise ValueError(
            f"{', '.join(map(str, missing))}: no such file. The commands at the head of the configuration {config.name} "
            f"(training/configs/{config.metric}) write the files in runs/; the other files belong to the corpora"
        )
    start = resolve_path(config.start) if config.start else None
    if start and (not config.first or (start / ADAPTER).is_file()):
        start_digest(start, base)
    folder = resolve_path(config.teacher.weights) if config.teacher else None
    if folder and (folder / "config.json").is_file():
        encoder = read_settings(folder, config.metric).get("encoder")
        if encoder:
            backbone_folder(encoder, folder)
    if config.teacher and folder and not config.teacher.config and read_manifest(folder) is None:
        raise ValueError(
            f"teacher.weights: expected a trained model, or `config`, which trains it, got {folder}"
        )
