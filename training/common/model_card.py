"""Model cards, generated from a run's manifest: what all of them share."""

import argparse
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from openmeva.metrics.core.backbone import SHARED_ENCODER
from openmeva.metrics.core.description import read_metric
from openmeva.training.common.backbone import SHARED, BackboneConfig
from openmeva.training.common.config import read_config
from openmeva.training.files import checksum, write_text
from openmeva.training.paths import CONFIGS, ENCODER, METRICS, ROOT

SOURCES = {  # whose the stories are, by corpus
    "roc": "ROCStories (Mostafazadeh et al. 2016) is distributed by its authors on request and may not be passed on.",
    "wp": "WritingPrompts (Fan et al. 2018) is text of Reddit's users and may not be passed on.",
}

OWN = "the corpus below"  # any other
_TITLES = {"roc": "ROCStories", "wp": "WritingPrompts"}
_OWN_SOURCE = "Ask whose stories they are before you pass the weights on."
_RELEASED = (
    "`{}` is AF_MANPLTS, of the plot-guided paper's authors (Ghazarian et al. 2021), whose BART wrote its machine stories:\n"
    "their repository is Apache-2.0; the stories derive from ROCStories, and are not passed on here."
)
LICENCES = {"sentence-transformers/all-MiniLM-L6-v2": "Apache-2.0"}  # of what a story encoder began as

_LIMITS = "\n## Limits\n"
_TRAINING = "\n## Training\n"
_CITATION = "\n## Citation\n"
_SEEN = (
    "{} trained when not all trainings held out the same stories: of the {stories:,} of `{corpus}` that\n"
    "all hold out now, {seen:,} were among its texts."
)


def write_model_card(folder: Path, template: str, manifest: Mapping[str, Any], **fields: Any) -> None:
    """Writes `README.md` beside the weights in `folder`; before its limits, which held-out stories are none (`seen_note`),
    and after its licence, what lies below the weights (`lineage`).

    Args:
        folder: of the weights.
        template: the card, for `str.format`: its fields are the manifest's keys, as in `{config[seed]}`, and `fields`.
            `{data}` is the rows of a table, a file and its SHA-256 each; `{machine}` is what trained, `{last}`, before
            the minutes, that they are those of a resumed run's last part; `{place}` is what `evaluate.load` takes.
        manifest: what the run says of itself.
        fields: what the manifest does not say in so many words; each goes before a key of the same name.

    Raises:
        KeyError: a field of the template that neither has (it is named).
    """
    rows = "\n".join(f"| `{file}` | `{digest}` |" for file, digest in manifest["data"].items())
    known = {
        "data": rows,
        "machine": machine_of(manifest),
        "last": last_part(manifest),
        "place": place_of(folder, manifest.get("metric")),
    }
    text = template.format(**{**manifest, **known, **fields})
    if note := seen_note(manifest):
        text = text.replace(_LIMITS, f"\n{note}\n{_LIMITS}", 1)
    read = set(files_read(manifest))
    if left_out := [file for file in manifest["data"] if file not in read]:
        names = ", ".join(f"`{file}`" for file in left_out)
        told = f"The stories of {names} are judged ones: they were read to be left out."
        text = after_table(text, rows, told)
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


def machine_of(manifest: Mapping[str, Any]) -> str:
    """What trained, to go after `on`.

    >>> machine_of({"gpu": "NVIDIA H200", "threads": 2, "processes": 4})
    '4 processes, each with one NVIDIA H200'
    """
    each = f"one {manifest['gpu']}" if manifest.get("gpu") else f"{manifest.get('threads')} thread(s)"
    count = manifest.get("processes", 1)
    return f"{count} processes, each with {each}" if count > 1 else each


def last_part(manifest: Mapping[str, Any]) -> str:
    """What stands before the minutes of a run that was stopped and resumed: they are those of its last part."""
    if not manifest.get("resumed"):
        return ""
    return "their last parts took " if manifest["config"].get("seeds") else "its last part took "


def place_of(folder: Path, metric: str | None) -> str:
    """What `evaluate.load` takes for the weights in a folder: the name of published ones, else the folder.

    A folder of the project is relative to it; one right below has `./` before it, as a name might be the same.
    """
    place = folder.resolve()
    own = METRICS / metric if metric else None
    if (
        own
        and place.parent == own / "weights"
        and place.name in read_metric(own / "metric.yaml").configurations
    ):
        return place.name
    path = (place.relative_to(ROOT) if place.is_relative_to(ROOT) else folder).as_posix()
    return path if "/" in path else f"./{path}"


def excluded(config: Any) -> Iterator[str]:
    """Files whose stories a configuration leaves out, wherever in it they stand."""
    for files in _settings(config, "exclude"):
        yield from files


def _settings(config: Any, name: str) -> Iterator[Any]:
    """The values of a setting that are not blank, wherever in a configuration they stand."""
    if isinstance(config, Mapping) and config.get(name):
        yield config[name]
    parts = config.values() if isinstance(config, Mapping) else config if isinstance(config, list) else ()
    for part in parts:
        yield from _settings(part, name)


def files_read(manifest: Mapping[str, Any]) -> list[str]:
    """The files of a manifest whose stories were read to be learned or measured on, not to be left out."""
    left_out = set(excluded(manifest["config"]))
    return [file for file in manifest["data"] if file not in left_out]


def source_of(manifest: Mapping[str, Any]) -> str:
    """Whose the stories are that weights were made with, a sentence for each corpus."""
    return " ".join(corpora_of(files_read(manifest)).values())


def released_note(manifest: Mapping[str, Any]) -> str:
    """The terms of the plot-guided authors' released stories, where they were read; else nothing."""
    files = {one["file"] for one in _settings(manifest["config"], "released")}
    return "\n".join(_RELEASED.format(file) for file in files_read(manifest) if file in files)


def base_of(config: Mapping[str, Any]) -> str:
    """What weights sit on, in words; a configuration that does not say means the story encoder.

    In earlier manifests of `embedding_similarity` the setting is its teacher's place.
    """
    base = config.get("base", SHARED)
    return "the project's story encoder" if base == SHARED or isinstance(base, Mapping) else f"`{base}`"


def hub_id(base: str | Mapping[str, Any]) -> str:
    """The Hub's id of a backbone as a configuration names it; its name where no file describes it."""
    if isinstance(base, Mapping):
        return str(base["hub"])
    described = CONFIGS / "backbones" / f"{base}.yaml"
    return read_config(BackboneConfig, described).hub if described.is_file() else base


def on_story_encoder(manifest: Mapping[str, Any]) -> bool:
    """Whether weights sit on the story encoder, or hold parts of it."""
    config = manifest.get("config", {})
    base = config.get("base", SHARED)
    return not config.get("glove") and (
        base == SHARED or ("metric" in manifest and isinstance(base, Mapping))
    )


def lineage(manifest: Mapping[str, Any]) -> str:
    """What the story encoder below weights began as and has read, by its own manifest; nothing of other weights.

    Of corpora that the weights have not read themselves it says whose they are, too.
    """
    if not on_story_encoder(manifest):
        return ""
    below = json.loads((ENCODER / "manifest.json").read_text(encoding="utf-8"))
    base, read = hub_id(below["config"]["base"]), corpora_of(files_read(below))
    own = corpora_of(files_read(manifest)) if "config" in manifest else {}
    licence = f" ({LICENCES[base]})" if base in LICENCES else ""
    told = f"The story encoder below began as `{base}`{licence} and has read {' and '.join(read)}."
    return " ".join([told, *(source for title, source in read.items() if title not in own)])


def backbone_hub(folder: Path, kinds: Sequence[str] = ("encoder", "backbone")) -> str | None:
    """The Hub's id of what the weights in a folder sit on, by their `config.json`; None where it names none.

    Args:
        folder: of the weights.
        kinds: keys of the reference: of an encoder, of a language model.
    """
    file = folder / "config.json"
    found = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    sections = [section for section in found.values() if isinstance(section, Mapping)]
    hubs = [section[kind].get("hub") for section in sections for kind in kinds if kind in section]
    return str(hubs[0]).partition("@")[0] if hubs and hubs[0] else None


def backbone_note(folder: Path) -> str:
    """How the model is got that an adapter sits on, where no part of the checkout is; nothing of other weights."""
    hub = backbone_hub(folder, ("encoder",))
    if not hub or hub.endswith(SHARED_ENCODER):
        return ""
    return (
        f"These weights are an adapter alone. The model below it, `{hub}`, comes by `make base` in the checkout, or by\n"
        f"`hf download {hub}`."
    )


def corpora_of(files: Iterable[str]) -> dict[str, str]:
    """The corpora that files of stories belong to, by the folder that they lie in, and what a card says of whose they are.

    A stage's file is of the corpus that its path names.

    >>> list(corpora_of(["wp/train.jsonl.gz", "mine.jsonl", "more/mine.jsonl"]))
    ['WritingPrompts', 'the corpus below']
    >>> list(corpora_of(["runs/continued-roc_small/continued.parquet"]))
    ['ROCStories']
    """
    folders = dict.fromkeys(map(_corpus, files))
    return {_TITLES.get(folder, OWN): SOURCES.get(folder, _OWN_SOURCE) for folder in folders}


def _corpus(file: str) -> str:
    folder, _, rest = file.partition("/")
    named = (word for word in re.split(r"[/_-]", rest) if word in SOURCES)
    return next(named, folder) if folder == "runs" else folder


def begun_with(manifest: Mapping[str, Any]) -> str:
    """Which adapter a training began with: the first digits of its SHA-256, in brackets; nothing without one.

    It says so where the weights that lie there by now are others.
    """
    if "start" not in manifest:
        return ""
    there = ROOT / str(manifest["config"].get("start")) / "adapter.safetensors"
    former = there.is_file() and checksum(there) != manifest["start"]
    return f" (SHA-256 {manifest['start'][:8]}…{', a former version of it' if former else ''})"


def citation_of(metric: str) -> str:
    """The entry of BibTeX in a metric's own card.

    Raises:
        ValueError: a card without one.
    """
    card = (METRICS / metric / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```bibtex\n(.*?)\n```", card, re.DOTALL)
    if not found:
        raise ValueError(f"{metric}: expected an entry of BibTeX in its card, got none")
    return found[1]


def seen_note(manifest: Mapping[str, Any]) -> str:
    """What a card says of held-out stories that the weights, or the story encoder below them, were trained on; or nothing.

    Weights that were made before all trainings held the same stories out say in their manifest how many of those,
    `stories`, they have `seen`: `held_out`.
    """
    found = [_SEEN.format("These weights were", **manifest["held_out"])] if "held_out" in manifest else []
    base = manifest["config"].get("base", SHARED)
    if "metric" in manifest and (base == SHARED or isinstance(base, Mapping)):  # on the story encoder
        below = json.loads((ENCODER / "manifest.json").read_text(encoding="utf-8")).get("held_out")
        if below and below["corpus"] in {file.partition("/")[0] for file in manifest["data"]}:
            found.append(_SEEN.format("The story encoder below was", **below))
    return "\n".join(found)


def card_command(write: Callable[[Path, dict[str, Any]], None], description: str | None) -> None:
    """The command of a card's module: writes the card in FOLDER anew, from the manifest there."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=Path, help="weights with their manifest.json")
    folder = parser.parse_args().folder
    write(folder, json.loads((folder / "manifest.json").read_text(encoding="utf-8")))
