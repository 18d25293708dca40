"""Trains SENTAVG: `python -m training.sentavg --config roc --data DIR`.

The baseline of section 5.3 of the plot-guided paper (Lai and Tetreault 2018): an LSTM over word vectors. Sentence vectors
are averaged, and a hidden layer classifies stories as human-written or not. By default, it uses the word vectors of the
shared encoder, which every checkout has; with `--set glove=glove.6B.300d.txt` it uses GloVe's, as in the paper. The rows
are those of the story classifiers (`training/classifier/rows.py`).
Weights, manifest and card are written to `metrics/sentavg/weights/NAME/`. It takes minutes; `--resume` starts again.
"""

import json
import time
from pathlib import Path
from typing import Any

import torch

from openmeva.metrics.core.files import ADAPTER, FULL_MODEL
from openmeva.training.classifier.results import area_under_curve
from openmeva.training.classifier.rows import load_rows
from openmeva.training.common.backbone import SHARED, find_backbone
from openmeva.training.common.checkpoint import (
    encoder_reference,
    half_precision_tensors,
    save_manifest,
)
from openmeva.training.common.config import as_mapping
from openmeva.training.files import checksum, save_tensors, write_text
from openmeva.training.negatives.groups import check_both_classes
from openmeva.training.paths import NAMES_FILE
from openmeva.training.sentavg.card import write_sentavg_card
from openmeva.training.sentavg.config import SentAvgConfig
from openmeva.training.sentavg.model import SentAvgTrainer


def train(config: SentAvgConfig, data: Path, out: Path, run: Path, cache: Path) -> dict[str, Any]:
    """Trains one configuration and writes checkpoint, manifest and card to `out`; returns the manifest.

    Args:
        config: of the training.
        data: folder of the corpora.
        out: the checkpoint's folder.
        run: folder of the stages' files.
        cache: folder of tagged corpora.

    Raises:
        ValueError: a split has no human-written stories, or no others; or `glove` has a malformed line.
        OSError: the file `glove` does not exist.
    """
    started = time.time()
    settings = config.settings
    rows, held_out, provenance = load_rows(config, data, run, cache)
    for purpose, split in (("to train on", rows), ("held out", held_out)):
        check_both_classes(split, purpose)
    glove = data / config.glove if config.glove else None
    if glove:
        scorer = SentAvgTrainer.on_glove(glove, [row.story for row in rows], settings, config.seed)
        provenance = {**provenance, "data": {**provenance["data"], glove.name: checksum(glove)}}
    else:
        scorer = SentAvgTrainer(settings, seed=config.seed)
    losses = scorer.fit([row.story for row in rows], [row.label for row in rows])
    scores = scorer([row.story for row in held_out])
    human, negatives = (
        [s for s, row in zip(scores, held_out, strict=True) if row.label == k] for k in (1, 0)
    )
    manifest = {
        "metric": "sentavg",
        "config": as_mapping(config),
        **provenance,
        "stories": {"train": len(rows), "validation": len(held_out)},
        **(
            {"vectors": f"GloVe's ({glove.name}), of {len(scorer.model.words.weight):,} words"}
            if glove
            else {}
        ),
        "losses": [round(loss, 4) for loss in losses],
        "validation": {"auc": round(area_under_curve(human, negatives), 4)},
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }
    written: dict[str, Any] = {
        "hidden": settings.hidden,
        "delexicalize": True,
        "context": config.context,
        "max_length": settings.tokens_per_sentence + 2,
    }
    tensors = half_precision_tensors(scorer.model)
    if glove:
        save_tensors(out / FULL_MODEL, tensors)
        write_text(out / "tokenizer.json", scorer.tokenizer.to_str())
        write_text(out / "names.json", NAMES_FILE.read_text(encoding="utf-8"))
    else:
        written["encoder"] = encoder_reference(find_backbone(SHARED), out)
        del tensors["words.weight"]
        save_tensors(out / ADAPTER, tensors)
    (out / (ADAPTER if glove else FULL_MODEL)).unlink(missing_ok=True)  # of an earlier training
    write_text(out / "config.json", json.dumps({"sentavg": written}, indent=2) + "\n")
    save_manifest(out, manifest)
    write_sentavg_card(out, manifest)
    return manifest
