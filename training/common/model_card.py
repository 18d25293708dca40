"""Model cards, generated from a run's manifest: what all of them share."""

import argparse
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from openmeva.metrics.core.backbone import SHARED_ENCODER
from openmeva.training.common.backbone import SHARED
from openmeva.training.files import checksum, write_text
from openmeva.training.paths import ENCODER, METRICS, ROOT

SOURCES = {  # whose the stories are, by corpus
    "roc": "ROCStories (Mostafazadeh et al. 2016) is distributed by its authors on request and may not be passed on.",
    "wp": "WritingPrompts (Fan et al. 2018) is text of Reddit's users and may not be passed on.",
}

OWN = "the corpus below"  # any other
_TITLES = {"roc": "ROCStories", "wp": "WritingPrompts"}
_OWN_SOURCE = "Ask whose stories they are before you pass the weights on."

_LIMITS = "\n## Limits\n"
_TRAINING = "\n## Training\n"
_SEEN = (
    "{} trained when not all trainings held out the same stories: of the {stories:,} of `{corpus}` that\n"
    "all hold out now, {seen:,} were among its texts."
)


def write_model_card(folder: Path, template: str, manifest: Mapping[str, Any], **fields: Any) -> None:
    """Writes `README.md` beside the weights in `folder`; before its limits, which held-out stories are none (`seen_note`).

    Args:
        folder: of the weights.
        template: the card, for `str.format`: its fields are the manifest's keys, as in `{config[seed]}`, and `fields`.
            `{data}` is the rows of a table, a file and its SHA-256 each; `{machine}` is what trained.
        manifest: what the run says of itself.
        fields: what the manifest does not say in so many words; each goes before a key of the same name.

    Raises:
        KeyError: a field of the template that neither has (it is named).
    """
    rows = "\n".join(f"| `{file}` | `{digest}` |" for file, digest in manifest["data"].items())
    gpu, threads = manifest.get("gpu"), manifest.get("threads")
    machine = f"one {gpu}" if gpu else f"{threads} thread(s)"
    text = template.format(**{**manifest, "data": rows, "machine": machine, **fields})
    if note := seen_note(manifest):
        text = text.replace(_LIMITS, f"\n{note}\n{_LIMITS}", 1)
    if left_out := [file for file in manifest["data"] if file in set(excluded(manifest["config"]))]:
        names = ", ".join(f"`{file}`" for file in left_out)
        told = f"The stories of {names} are judged ones: they were read to be left out."
        text = after_table(text, rows, told)
    if note := backbone_note(folder):
        text = text.replace(_TRAINING, f"\n{note}\n{_TRAINING}", 1)
    write_text(folder / "README.md", text)


def after_table(text: str, rows: str, note: str) -> str:
    """The text with a paragraph after the table that has these rows, and perhaps more below them."""
    end = text.index(rows) + len(rows)
    while text.startswith("\n|", end):
        end = text.index("\n", end + 1)
    return f"{text[:end]}\n\n{note}{text[end:]}"


def excluded(config: Any) -> Iterator[str]:
    """Files whose stories a configuration leaves out, wherever in it they stand."""
    for key, value in config.items() if isinstance(config, Mapping) else ():
        yield from value if key == "exclude" and value else ()
    parts = config.values() if isinstance(config, Mapping) else config if isinstance(config, list) else ()
    for part in parts:
        yield from excluded(part)


def backbone_note(folder: Path) -> str:
    """How the model is got that an adapter sits on, where no part of the checkout is; nothing of other weights."""
    file = folder / "config.json"
    found = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    parts = [part["encoder"] for part in found.values() if isinstance(part, Mapping) and "encoder" in part]
    hub = parts[0].get("hub") if parts else None
    if not hub or hub.endswith(SHARED_ENCODER):
        return ""
    return (
        f"These weights are an adapter alone. The model below it, `{hub}`, comes by `make base` in the checkout, or by\n"
        f"`hf download {hub}`."
    )


def corpora_of(files: Iterable[str]) -> dict[str, str]:
    """The corpora that files of stories belong to, by the folder that they lie in, and what a card says of whose they are.

    >>> list(corpora_of(["wp/train.jsonl.gz", "mine.jsonl", "more/mine.jsonl"]))
    ['WritingPrompts', 'the corpus below']
    """
    folders = dict.fromkeys(file.partition("/")[0] for file in files)
    return {_TITLES.get(folder, OWN): SOURCES.get(folder, _OWN_SOURCE) for folder in folders}


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
