"""MANS, the manually annotated stories of OpenMEVA (section 3.1)."""

import re
import shutil
from pathlib import Path

from openmeva.training.files import read_json
from openmeva.training.judged.rows import JudgedStory, find_file

CORPORA = ("roc", "wp")
HUB_ID = "Jiann/OpenMEVA"
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def file_names(corpus: str) -> tuple[str, ...]:
    """The authors' current and earlier names of the file of a corpus."""
    return f"mans_{corpus}.json", f"mags_{corpus}.json"


def read_mans(source: str | Path, corpus: str) -> list[JudgedStory]:
    """The judged stories of a corpus, `roc` or `wp`, in file order, one per row.

    The released ratings are sorted within each story, so the raters are not known.

    Args:
        source: the released file, or its folder.
        corpus: `roc` or `wp`.

    Raises:
        ValueError: an unknown corpus, no such file, or another layout (the message names the entry and the
            expected layout).
    """
    if corpus not in CORPORA:
        raise ValueError(f"unknown corpus {corpus!r}, expected one of {', '.join(CORPORA)}")
    path = find_file(source, file_names(corpus))
    entries = read_json(path)
    if not isinstance(entries, dict) or not entries:
        raise ValueError(f"{path}: expected a JSON object of prompts, got {type(entries).__name__}")
    rows = []
    for key, entry in entries.items():
        for name, kind in (("prompt", str), ("gold_response", str), ("gen", dict)):
            if not isinstance(entry, dict) or not isinstance(entry.get(name), kind):
                shown = "an object" if kind is dict else "a text"
                raise ValueError(f"{path}, entry {key}: expected a field '{name}' with {shown}")
        for model, generated in entry["gen"].items():
            rows.append(_row(f"{path}, entry {key}, {model}", f"{key}-{model}", entry, model, generated))
    if not rows:
        raise ValueError(f"{path}: expected stories in the field 'gen' of the prompts, got none")
    return rows


def _row(location: str, story_id: str, entry: dict, model: str, generated: dict) -> JudgedStory:
    ratings = generated.get("score") if isinstance(generated, dict) else None
    if not isinstance(ratings, list) or not all(
        isinstance(rating, int | float) and 1 <= rating <= 5 for rating in ratings
    ):
        raise ValueError(f"{location}: expected a list of ratings in 1..5, got {ratings!r}")
    if any(
        map(_HALF_CHARACTER.search, (entry["prompt"], entry["gold_response"], str(generated.get("text"))))
    ):
        raise ValueError(
            f"{location}: expected text, got half of a character (a lone surrogate, \\ud800 to \\udfff)"
        )
    if len(ratings) != 5 or not isinstance(generated.get("text"), str):
        raise ValueError(f"{location}: expected a text and five ratings, got {len(ratings)} ratings")
    return {
        "story_id": story_id,
        "prompt": entry["prompt"],
        "reference": entry["gold_response"],
        "story": generated["text"],
        "source_model": model,
        "ratings": [float(rating) for rating in ratings],
        "score": sum(ratings) / len(ratings),
    }


def fetch(repository: str, folder: Path) -> None:
    """Downloads the released files of both corpora from a dataset on the Hub to a folder.

    Raises:
        ValueError: the repository is not available, or has a file under neither of its names.
    """
    from huggingface_hub import HfApi, hf_hub_download

    from openmeva.metrics.core.hub import HUB_ERRORS

    try:
        files = HfApi().list_repo_files(repository, repo_type="dataset")
        for corpus in CORPORA:
            names = [name for name in files if Path(name).name in file_names(corpus)]
            if not names:
                raise ValueError(f"{repository}: expected {' or '.join(file_names(corpus))} among its files")
            fetched = hf_hub_download(repository, names[0], repo_type="dataset")
            shutil.copyfile(fetched, folder / file_names(corpus)[0])
    except HUB_ERRORS as error:
        raise ValueError(
            f"expected a dataset on the Hub, or as the source a folder of its files, got {repository}: {error}"
        ) from error
