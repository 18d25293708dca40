"""Checkpoints: weights that the metrics load, their manifest, and checks whether they exist already."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import PreTrainedModel

from openmeva.metrics.core.backbone import weights_checksum
from openmeva.metrics.core.checkpoint import WORD_EMBEDDING_SUFFIXES
from openmeva.metrics.core.files import ADAPTER, FULL_MODEL
from openmeva.metrics.core.text import PLACEHOLDERS
from openmeva.training.common.adapters import (
    adapter_tensors,
    added_token_embeddings,
    merge_adapters,
    without_zero_factors,
)
from openmeva.training.common.backbone import Backbone, backbone_state
from openmeva.training.common.config import as_mapping, differences, parse
from openmeva.training.files import checksum, save_tensors, write_text
from openmeva.training.paths import NAMES_FILE
from openmeva.training.processes import barrier, one_writer, print_notice

MANIFEST = "manifest.json"
_NEWER_KEYS = ("encoder", "teacher_settings")  # keys that manifests of earlier trainings lack


def weights_file(folder: Path) -> Path:
    """The weights of a checkpoint: an adapter, or a whole model."""
    adapter = folder / ADAPTER
    return adapter if adapter.is_file() else folder / FULL_MODEL


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a checkpoint; None if the manifest or the weights are missing."""
    if not (folder / MANIFEST).is_file() or not weights_file(folder).is_file():
        return None
    manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return manifest


def matching_manifest(folder: Path, kind: type[Any], inputs: Mapping[str, Any]) -> dict[str, Any] | None:
    """The manifest of the checkpoint in `folder` if it was made from `inputs` and is unchanged, else None.

    Args:
        folder: of the checkpoint.
        kind: dataclass of its configuration; settings added after the training count with their defaults.
        inputs: what it must have been made from: `config` (from `as_mapping`) and checksums.
    """
    manifest = read_manifest(folder)
    if manifest is None or manifest.get("weights", "") != checksum(weights_file(folder)):
        return None
    inputs = json.loads(json.dumps(inputs))
    try:
        before, now = (parse(kind, record["config"], MANIFEST) for record in (manifest, inputs))
    except ValueError:  # of a version with other settings
        return None
    compared = [key for key in inputs if key != "config" and (key in manifest or key not in _NEWER_KEYS)]
    same = all(manifest.get(key) == inputs[key] for key in compared)
    if not same or without_idle_settings(as_mapping(before)) != without_idle_settings(as_mapping(now)):
        return None
    return manifest


def without_idle_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration without settings that do not affect the weights: the card's note, a teacher's processes."""
    kept = {key: value for key, value in config.items() if key != "note"}
    if isinstance(kept.get("teacher"), Mapping):
        kept["teacher"] = {key: value for key, value in kept["teacher"].items() if key != "processes"}
    return kept


def encoder_reference(base: Backbone, out: Path) -> dict[str, Any]:
    """The reference to the encoder in the `config.json` of an adapter's checkpoint in `out`."""
    path = {"path": os.path.relpath(base.folder.resolve(), out.resolve())}
    if base.is_shared:
        return {**path, "hub": "openmeva/story-encoder", "sha256": base.sha256}
    return {**(base.source or path), "sha256": base.sha256, "added_tokens": list(PLACEHOLDERS)}


def save_checkpoint(
    out: Path,
    section: str,
    settings: Mapping[str, Any],
    model: Any,
    base: Backbone,
    tokenizer: Tokenizer | None = None,
    whole: bool = False,
) -> None:
    """Writes a checkpoint that the metrics load: an adapter with a reference to its encoder, or a whole model.

    Args:
        out: its folder.
        section: of `config.json`: the metric's name.
        settings: the metric's settings, for that section.
        model: with its encoder as `bert`; with `whole`, its factors are merged in place.
        base: its backbone.
        tokenizer: required with `whole`.
        whole: whether all weights are written, instead of an adapter.

    Raises:
        ValueError: `whole` without a tokenizer, or weights that are not finite; earlier ones in `out` are kept.
    """
    written: dict[str, Any] = {section: settings}
    if whole and tokenizer is None:
        raise ValueError(f"{out}: a whole model is saved with its tokenizer, got none")
    if whole:
        merge_adapters(model)
        written = {**config_dict(model), **written}
        written["vocab_size"] = len(model.bert.get_input_embeddings().weight)
        save_tensors(out / FULL_MODEL, half_precision_tensors(model))
        write_text(out / "tokenizer.json", cast(Tokenizer, tokenizer).to_str())
    else:
        written = {section: {**settings, "encoder": encoder_reference(base, out)}}
        tensors = adapter_tensors(model)
        if not base.is_shared and hasattr(model, "bert"):
            tensors = without_zero_factors(tensors) | added_token_embeddings(model, embedding_rows(base))
        save_tensors(out / ADAPTER, tensors)
    (out / (ADAPTER if whole else FULL_MODEL)).unlink(missing_ok=True)  # of an earlier training
    if whole or not base.is_shared:
        write_text(out / "names.json", NAMES_FILE.read_text(encoding="utf-8"))
    write_text(out / "config.json", json.dumps(written, indent=2, default=str) + "\n")


def config_dict(model: Any) -> dict[str, Any]:
    """A model's configuration as `save_pretrained` writes it, even if this process saved no checkpoint."""
    if isinstance(model, PreTrainedModel):
        model.config.architectures = [type(model).__name__]
        model.config.dtype = str(model.dtype).removeprefix("torch.")
    config: dict[str, Any] = model.config.to_dict()
    return config


def embedding_rows(base: Backbone) -> int:
    """The number of rows of the backbone's own embedding matrix."""
    state = backbone_state(base)
    return next(len(tensor) for name, tensor in state.items() if name.endswith(WORD_EMBEDDING_SUFFIXES))


def half_precision_tensors(model: Any) -> dict[str, Tensor]:
    """All weights in half precision, tied ones once."""
    return {
        name: tensor.detach().cpu().to(torch.float16).contiguous()
        for name, tensor in model.state_dict().items()
        if not name.startswith("cls.predictions.decoder")
    }


def save_manifest(out: Path, manifest: dict[str, Any]) -> None:
    """Writes the manifest next to the weights, with their checksum."""
    manifest["weights"] = checksum(weights_file(out))
    write_text(out / MANIFEST, json.dumps(manifest, indent=2) + "\n")


def start_digest(start: Path | None, base: Backbone | None = None) -> dict[str, str]:
    """SHA-256 of the adapter that a training is initialised from; empty without one.

    Args:
        start: the folder of that adapter.
        base: the backbone of the training, to check that the adapter's `config.json` names the same one.

    Raises:
        ValueError: the adapter belongs to another backbone.
    """
    if start is None:
        return {}
    config = start / "config.json"
    sections = json.loads(config.read_text(encoding="utf-8")).values() if base and config.is_file() else ()
    for section in sections:
        sha256 = section.get("encoder", {}).get("sha256") if isinstance(section, dict) else None
        if base and sha256 and sha256 != base.sha256:
            raise ValueError(
                f"start: {start} was trained on another encoder (SHA-256 {sha256:.8}) than this one "
                f"({base.sha256:.8}): retrain it first"
            )
    return {"start": weights_checksum(start / ADAPTER)}


def check_run(run: Path, settings: Mapping[str, Any], resume: bool) -> list[Path]:
    """Checks that a run can be resumed, before its data is read; returns the complete checkpoints to resume from.

    Arguments and errors are those of `begin_run`.
    """
    current = json.loads(json.dumps(settings))
    record = run / "run.json"
    checkpoints = [folder for folder in sorted(run.glob("checkpoint-*")) if _is_complete(folder)]
    recorded = json.loads(record.read_text(encoding="utf-8")) if resume and record.is_file() else {}
    if not resume or not (recorded or checkpoints):
        return []
    if changed := differences(_comparable(recorded), _comparable(current)):
        changes = "\n  ".join(changed) if recorded else "it has no record of them"
        raise ValueError(
            f"{run}: this run was started with another configuration or other data:\n  {changes}\n"
            "Start again without --resume, or give another folder."
        )
    return checkpoints


def begin_run(run: Path, settings: Mapping[str, Any], resume: bool) -> bool | None:
    """Records what a run is trained from; returns the argument `resume_from_checkpoint` of `Trainer.train`.

    A run that is not resumed starts from scratch: checkpoints in its folder are removed. An incomplete checkpoint of a
    killed run is also removed; the one before it is kept.

    Args:
        run: folder of the checkpoints.
        settings: configuration and checksums.
        resume: whether to resume from the last checkpoint.

    Raises:
        ValueError: the run to resume was started with other settings (each difference is named).
    """
    checkpoints = check_run(run, settings, resume)
    folders = sorted(run.glob("checkpoint-*"))
    barrier()  # until all processes have read, before one writes
    if resume and not checkpoints:
        print_notice(f"{run}: no checkpoint to resume from; training from the first step")
    if folders and not resume:
        print_notice(f"{run}: removing the checkpoints of an earlier run")
    with one_writer() as writes:
        for folder in folders if writes else ():
            if folder not in checkpoints:
                shutil.rmtree(folder)
        if writes:
            write_text(run / "run.json", json.dumps(settings, indent=2) + "\n")
    return True if checkpoints else None


def can_resume(run: Path, settings: Mapping[str, Any]) -> bool:
    """Whether a run was started with these settings, so that it can be resumed; false if there is no run."""
    record = run / "run.json"
    recorded = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else None
    return recorded is not None and _comparable(recorded) == _comparable(json.loads(json.dumps(settings)))


def _comparable(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a run, its configuration `without_idle_settings`."""
    if not isinstance(record.get("config"), Mapping):
        return dict(record)
    return {**record, "config": without_idle_settings(record["config"])}


def _is_complete(checkpoint: Path) -> bool:
    """Whether a checkpoint is complete: its last file, `trainer_state.json`, exists and can be parsed.

    From an incomplete one, `Trainer` would load the weights but start at the first step.
    """
    try:
        json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True
