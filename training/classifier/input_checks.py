"""Whether what a training reads is there, asked before hours go into the parts that come first."""

from collections.abc import Sequence
from pathlib import Path

from openmeva.metrics.core.backbone import backbone_folder
from openmeva.metrics.core.checkpoint import ADAPTER, read_settings
from openmeva.training.classifier.parts import Chained
from openmeva.training.classifier.rows_config import RowsConfig
from openmeva.training.common.backbone import find_backbone
from openmeva.training.common.checkpoint import start_digest
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.files import check_judged_files, files_at_hand
from openmeva.training.paths import located


def check_at_hand(
    config: Chained, rows: RowsConfig | None, data: Path, corpora: Sequence[CorpusConfig] = ()
) -> None:
    """Looks for the encoder, the files of stories, what it goes on from, and the encoder of a teacher whose weights are there.

    Of other parts of the training it asks nothing: each is asked about itself (`parts.py`).

    Args:
        config: of the training.
        rows: where rows come from; None: nowhere.
        data: the folder that the corpora lie in.
        corpora: that are read beside those of the rows.

    Raises:
        ValueError: what is missing: files (all of them are named), an encoder (how to get it is said), or weights to go on
            from; or such weights of another encoder.
    """
    base = find_backbone(config.base)
    graded = [CorpusConfig.from_mapping(one["corpus"]) for one in (rows and rows.graded) or ()]
    wanted = []
    for corpus in (*corpora, *graded):
        check_judged_files(corpus.exclude, data)
        wanted += [data / file for file in (*files_at_hand(corpus.train, data), *corpus.validation)]
    if rows and rows.released:
        wanted += [data / file for file in (rows.released.file, *rows.released.exclude)]
    if rows and not rows.training_sets:  # which writes them
        wanted += [located(one.path) for one in rows.files or ()]
    if missing := [path for path in dict.fromkeys(wanted) if not path.is_file()]:
        raise ValueError(
            f"{', '.join(map(str, missing))}: no such file. What lies in runs/ is written by the commands at the head of "
            f"the configuration {config.name} (training/configs/{config.metric}); the rest is the corpora's"
        )
    start = located(config.start) if config.start else None
    if start and (not config.first or (start / ADAPTER).is_file()):
        start_digest(start, base)
    folder = located(config.teacher.weights) if config.teacher else None
    if folder and (folder / "config.json").is_file():
        encoder = read_settings(folder, config.metric).get("encoder")
        if encoder:
            backbone_folder(encoder, folder)
