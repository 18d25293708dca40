"""Shared parts of the model cards, which are generated from a run's manifest."""

import argparse
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from openmeva.metrics.core.backbone import SHARED_ENCODER
from openmeva.metrics.core.description import read_metric
from openmeva.metrics.core.files import ADAPTER
from openmeva.training.common.backbone import SHARED, BackboneConfig
from openmeva.training.common.config import read_config
from openmeva.training.files import checksum, write_text
from openmeva.training.paths import CONFIGS, ENCODER, METRICS, ROOT, resolve_path

CORPUS_TERMS = {  # terms of the stories, by corpus
    "roc": "ROCStories (Mostafazadeh et al. 2016) is distributed by its authors on request and may not be redistributed.",
    "wp": "WritingPrompts (Fan et al. 2018) is text by Reddit users and may not be redistributed.",
}

OTHER_CORPUS = "the corpus below"  # any other corpus
_TITLES = {"roc": "ROCStories", "wp": "WritingPrompts"}
_OTHER_TERMS = "Check who owns the stories before you redistribute the weights."
_RELEASED = (
    "`{}` is AF_MANPLTS, released by the authors of the plot-guided paper (Ghazarian et al. 2021), whose BART generated its\n"
    "negative samples. Their repository is Apache-2.0. The stories derive from ROCStories and are not redistributed here."
)
LICENCES = {"sentence-transformers/all-MiniLM-L6-v2": "Apache-2.0"}  # of initial models of a story encoder

_LIMITS = "\n## Limits\n"
_TRAINING = "\n## Training\n"
_CITATION = "\n## Citation\n"
_HELD_OUT_OVERLAP = (
    "{} trained before all trainings held out the same stories: {seen:,} of the {stories:,} `{corpus}` stories that are\n"
    "held out now were in the training data."
)


def write_model_card(folder: Path, template: str, manifest: Mapping[str, Any], **fields: Any) -> None:
    """Writes `README.md` into `folder`, next to the weights.

    Notes are inserted where they apply: how to get the base model (`backbone_note`, before Training), human-judged files
    that were read only to exclude their stories (after the table of files), held-out stories that were seen in training
    (`held_out_overlap_note`, before Limits), and the terms of released stories and of the story encoder (`lineage`, before Citation).

    Args:
        folder: of the weights.
        template: the card, for `str.format`. Its fields are the manifest's keys, as in `{config[seed]}`, `fields`, and:
            `{data}`, table rows of a file and its SHA-256; `{machine}`, the hardware of the training; `{last}`, text
            before the minutes of a resumed run, else empty; `{place}`, the argument of `evaluate.load`.
        manifest: the run's manifest.
        fields: further fields; they override manifest keys of the same name.

    Raises:
        KeyError: a field of the template that neither `manifest` nor `fields` has (it is named).
    """
    rows = "\n".join(f"| `{file}` | `{digest}` |" for file, digest in manifest["data"].items())
    computed = {
        "data": rows,
        "machine": hardware_text(manifest),
        "last": resumed_note(manifest),
        "place": load_argument(folder, manifest.get("metric")),
    }
    text = template.format(**{**manifest, **computed, **fields})
    if note := held_out_overlap_note(manifest):
        text = text.replace(_LIMITS, f"\n{note}\n{_LIMITS}", 1)
    read = set(training_files(manifest))
    if left_out := [file for file in manifest["data"] if file not in read]:
        names = ", ".join(f"`{file}`" for file in left_out)
        note = f"Files of human-judged stories, read only to exclude these stories: {names}."
        text = after_table(text, rows, note)
    if note := backbone_note(folder):
        text = text.replace(_TRAINING, f"\n{note}\n{_TRAINING}", 1)
    for note in filter(None, (released_note(manifest), lineage(manifest))):
        text = text.replace(_CITATION, f"\n{note}\n{_CITATION}", 1)
    write_text(folder / "README.md", text)


def after_table(text: str, rows: str, note: str) -> str:
    """The text with a paragraph after the table that has these rows, and perhaps more below them."""
    end = text.index(rows) + len(rows)
    while text.startswith("\n|", end):
        end = text.index("\n", end + 1)
    return f"{text[:end]}\n\n{note}{text[end:]}"


def hardware_text(manifest: Mapping[str, Any]) -> str:
    """The hardware of a training, as text that follows `on`.

    >>> hardware_text({"gpu": "NVIDIA H200", "threads": 2, "processes": 4})
    '4 processes, each with one NVIDIA H200'
    """
    hardware = f"one {manifest['gpu']}" if manifest.get("gpu") else f"{manifest.get('threads')} thread(s)"
    count = manifest.get("processes", 1)
    return f"{count} processes, each with {hardware}" if count > 1 else hardware


def resumed_note(manifest: Mapping[str, Any]) -> str:
    """Text before the minutes of a resumed run, which count only the part after the last resume; empty for other runs."""
    if not manifest.get("resumed"):
        return ""
    return "after the last resumes: " if manifest["config"].get("seeds") else "after the last resume: "


def load_argument(folder: Path, metric: str | None) -> str:
    """The argument of `evaluate.load` for the weights in a folder: the name if they are published, else the path.

    Paths inside the project are relative to its root. A path without a slash gets the prefix `./`, which tells it
    from a published name.
    """
    resolved = folder.resolve()
    metric_folder = METRICS / metric if metric else None
    if (
        metric_folder
        and resolved.parent == metric_folder / "weights"
        and resolved.name in read_metric(metric_folder / "metric.yaml").configurations
    ):
        return resolved.name
    path = (resolved.relative_to(ROOT) if resolved.is_relative_to(ROOT) else folder).as_posix()
    return path if "/" in path else f"./{path}"


def excluded_files(config: Any) -> Iterator[str]:
    """Files whose stories a configuration excludes (`exclude`, at any depth)."""
    for files in _settings(config, "exclude"):
        yield from files


def _settings(config: Any, name: str) -> Iterator[Any]:
    """The non-empty values of a setting, at any depth of a configuration."""
    if isinstance(config, Mapping) and config.get(name):
        yield config[name]
    children = config.values() if isinstance(config, Mapping) else config if isinstance(config, list) else ()
    for child in children:
        yield from _settings(child, name)


def training_files(manifest: Mapping[str, Any]) -> list[str]:
    """The files of a manifest whose stories were used for training or validation, without those read only to be excluded."""
    left_out = set(excluded_files(manifest["config"]))
    return [file for file in manifest["data"] if file not in left_out]


def corpus_terms(manifest: Mapping[str, Any]) -> str:
    """The terms of the stories that the weights were trained on, one sentence per corpus."""
    return " ".join(terms_by_corpus(training_files(manifest)).values())


def released_note(manifest: Mapping[str, Any]) -> str:
    """The terms of the stories released by the plot-guided paper's authors if they were used, else an empty string."""
    files = {entry["file"] for entry in _settings(manifest["config"], "released")}
    return "\n".join(_RELEASED.format(file) for file in training_files(manifest) if file in files)


def base_model_text(config: Mapping[str, Any]) -> str:
    """The base model of the weights, in words; the story encoder if the configuration names none.

    In earlier manifests of `embedding_similarity`, `base` is a mapping that describes its teacher.
    """
    base = config.get("base", SHARED)
    return "the project's story encoder" if base == SHARED or isinstance(base, Mapping) else f"`{base}`"


def hub_id(base: str | Mapping[str, Any]) -> str:
    """The Hub id of a backbone that a configuration names; the name itself if no file in configs/backbones describes it."""
    if isinstance(base, Mapping):
        return str(base["hub"])
    described = CONFIGS / "backbones" / f"{base}.yaml"
    return read_config(BackboneConfig, described).hub if described.is_file() else base


def is_on_story_encoder(manifest: Mapping[str, Any]) -> bool:
    """Whether the weights are based on the story encoder, or contain parts of it."""
    config = manifest.get("config", {})
    base = config.get("base", SHARED)
    return not config.get("glove") and (
        base == SHARED or ("metric" in manifest and isinstance(base, Mapping))
    )


def lineage(manifest: Mapping[str, Any]) -> str:
    """How the story encoder under the weights was initialised and trained, by its own manifest; empty for other weights.

    Includes the terms of corpora that only the encoder was trained on.
    """
    if not is_on_story_encoder(manifest):
        return ""
    encoder_manifest = json.loads((ENCODER / "manifest.json").read_text(encoding="utf-8"))
    base = hub_id(encoder_manifest["config"]["base"])
    encoder_terms = terms_by_corpus(training_files(encoder_manifest))
    own_terms = terms_by_corpus(training_files(manifest)) if "config" in manifest else {}
    licence = f" ({LICENCES[base]})" if base in LICENCES else ""
    sentence = f"The story encoder below was initialised from `{base}`{licence} and trained on {' and '.join(encoder_terms)}."
    return " ".join(
        [sentence, *(source for title, source in encoder_terms.items() if title not in own_terms)]
    )


def backbone_hub_id(folder: Path, kinds: Sequence[str] = ("encoder", "backbone")) -> str | None:
    """The Hub id of the base model of the weights in a folder, from their `config.json`; None if it names none.

    Args:
        folder: of the weights.
        kinds: keys under which `config.json` refers to the base model: `encoder`, or `backbone` for a language model.
    """
    hub = _backbone_reference(folder, kinds).get("hub")
    return str(hub).partition("@")[0] if hub else None


def _backbone_reference(folder: Path, kinds: Sequence[str]) -> Mapping[str, Any]:
    """The first reference to a base model in the `config.json` of the weights in a folder; empty if it has none."""
    file = folder / "config.json"
    config = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    sections = [section for section in config.values() if isinstance(section, Mapping)]
    return next((section[kind] for section in sections for kind in kinds if kind in section), {})


def backbone_note(folder: Path) -> str:
    """How to get the base model of an adapter if the checkout does not contain it; else an empty string."""
    hub = backbone_hub_id(folder, ("encoder",))
    if not hub or hub.endswith(SHARED_ENCODER):
        return ""
    package = _backbone_reference(folder, ("encoder",)).get("package")
    make = "`make base` in the checkout, or\n" if package else ""
    return (
        f"These weights are only an adapter. To get its base model, `{hub}`, run {make}`hf download {hub}`."
    )


def terms_by_corpus(files: Iterable[str]) -> dict[str, str]:
    """The corpora of story files, by the folder that they are in, with the sentence on their terms.

    A file of a stage (in runs/) belongs to the corpus that its path names.

    >>> list(terms_by_corpus(["wp/train.jsonl.gz", "mine.jsonl", "more/mine.jsonl"]))
    ['WritingPrompts', 'the corpus below']
    >>> list(terms_by_corpus(["runs/continued-roc_small/continued.parquet"]))
    ['ROCStories']
    """
    folders = dict.fromkeys(map(_corpus, files))
    return {_TITLES.get(folder, OTHER_CORPUS): CORPUS_TERMS.get(folder, _OTHER_TERMS) for folder in folders}


def _corpus(file: str) -> str:
    folder, _, rest = file.partition("/")
    corpora = (word for word in re.split(r"[/_-]", rest) if word in CORPUS_TERMS)
    return next(corpora, folder) if folder == "runs" else folder


def start_digest_note(manifest: Mapping[str, Any]) -> str:
    """The first digits of the SHA-256 of the adapter that a training was initialised from, in brackets; else empty.

    Adds a note if the weights in that folder have changed since.
    """
    if "start" not in manifest:
        return ""
    file = resolve_path(str(manifest["config"].get("start"))) / ADAPTER
    changed = file.is_file() and checksum(file) != manifest["start"]
    return f" (SHA-256 {manifest['start'][:8]}…{', an earlier version' if changed else ''})"


def citation_of(metric: str) -> str:
    """The BibTeX entry in a metric's own card.

    Raises:
        ValueError: the card has none.
    """
    card = (METRICS / metric / "README.md").read_text(encoding="utf-8")
    match = re.search(r"```bibtex\n(.*?)\n```", card, re.DOTALL)
    if not match:
        raise ValueError(f"{metric}: expected a BibTeX entry in its card, got none")
    return match[1]


def held_out_overlap_note(manifest: Mapping[str, Any]) -> str:
    """The note on held-out stories that the weights, or the story encoder below them, were trained on; or an empty string.

    Weights that were trained before all trainings held out the same stories have `held_out` in their manifest: the
    `corpus`, the number of held-out `stories`, and how many of these were `seen` in training.
    """
    notes = []
    if "held_out" in manifest:
        notes.append(_HELD_OUT_OVERLAP.format("These weights were", **manifest["held_out"]))
    base = manifest["config"].get("base", SHARED)
    if "metric" in manifest and (base == SHARED or isinstance(base, Mapping)):  # on the story encoder
        overlap = json.loads((ENCODER / "manifest.json").read_text(encoding="utf-8")).get("held_out")
        if overlap and overlap["corpus"] in {file.partition("/")[0] for file in manifest["data"]}:
            notes.append(_HELD_OUT_OVERLAP.format("The story encoder below was", **overlap))
    return "\n".join(notes)


def card_command(write: Callable[[Path, dict[str, Any]], None], description: str | None) -> None:
    """The command of a card's module: rewrites the card in FOLDER from the manifest there."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=Path, help="folder of the weights and their manifest.json")
    folder = parser.parse_args().folder
    write(folder, json.loads((folder / "manifest.json").read_text(encoding="utf-8")))
