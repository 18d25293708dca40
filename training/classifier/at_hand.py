"""Whether what a training reads is there, asked before hours go into the parts that come first."""

from pathlib import Path

from openmeva.metrics.core.backbone import backbone_folder
from openmeva.metrics.core.checkpoint import read_settings
from openmeva.training.classifier.config import Teacher
from openmeva.training.classifier.rows_config import RowsConfig
from openmeva.training.paths import located


def check_at_hand(rows: RowsConfig | None, teacher: Teacher | None, metric: str, data: Path) -> None:
    """Looks for the files that rows come from, and for the encoder of a teacher whose weights are there.

    Args:
        rows: where rows come from; None: nowhere.
        teacher: of the training, if any.
        metric: whose section of the teacher's configuration is read.
        data: the folder that the corpora lie in.

    Raises:
        ValueError: what is missing: files (all of them are named), or the encoder (how to get it is said).
    """
    wanted = (
        [data / file for file in (rows.released.file, *rows.released.exclude)]
        if rows and rows.released
        else []
    )
    if rows and not rows.training_sets:  # which writes them
        wanted += [located(one.path) for one in rows.files or ()]
    if missing := [path for path in wanted if not path.is_file()]:
        raise ValueError(
            f"{', '.join(map(str, missing))}: no such file. What lies in runs/ is written by the commands at the head of "
            "the configuration (training/configs); the rest is the corpora's"
        )
    folder = located(teacher.weights) if teacher else None
    if folder and (folder / "config.json").is_file():
        encoder = read_settings(folder, metric).get("encoder")
        if encoder:
            backbone_folder(encoder, folder)
