"""MANS, the manually annotated stories of OpenMEVA (section 3.1): reader, and builder of the Parquet files.

    python -m training.corpora.mans --source FOLDER --out datasets/mans
    python -m training.corpora.mans --source Jiann/OpenMEVA --out datasets/mans

The first reads the released `mans_roc.json` and `mans_wp.json` (or `mags_*.json`, their older names) from a
folder, the second fetches them from where the authors publish them on the Hub.
"""

import argparse
import json
from pathlib import Path

from openmeva.training.corpora.judgments import JudgedStory, find_file

CORPORA = ("roc", "wp")
SOURCE_MODELS = ("s2s", "plan_write", "fusion", "gpt", "gpt_kg")
HUB_ID = "Jiann/OpenMEVA"


def read_mans(source: str | Path, corpus: str) -> list[JudgedStory]:
    """The judged stories of a corpus, `roc` or `wp`, in the order of the file, one a row.

    The released ratings are sorted within each story, so which rater gave which is not known.

    Args:
        source: the folder that holds the released file, or the file.
        corpus: `roc` or `wp`.

    Raises:
        ValueError: an unknown corpus, no such file, or a file of another layout (which entry, what was
            expected).
    """
    if corpus not in CORPORA:
        raise ValueError(f"unknown corpus {corpus!r}, expected one of {', '.join(CORPORA)}")
    path = find_file(source, (f"mans_{corpus}.json", f"mags_{corpus}.json"))
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: expected JSON, got {error}") from error
    if not isinstance(entries, dict) or not entries:
        raise ValueError(f"{path}: expected a JSON object of prompts, got {type(entries).__name__}")
    rows = []
    for key, entry in entries.items():
        for name in ("prompt", "gold_response", "gen"):
            if not isinstance(entry, dict) or name not in entry:
                raise ValueError(f"{path}, entry {key}: expected a field '{name}'")
        for model, generated in entry["gen"].items():
            rows.append(_row(f"{path}, entry {key}, {model}", f"{key}-{model}", entry, model, generated))
    return rows


def _row(where: str, story_id: str, entry: dict, model: str, generated: dict) -> JudgedStory:
    ratings = generated.get("score") if isinstance(generated, dict) else None
    if not isinstance(ratings, list) or not all(
        isinstance(rating, int | float) and 1 <= rating <= 5 for rating in ratings
    ):
        raise ValueError(f"{where}: expected a list of ratings in 1..5, got {ratings!r}")
    if len(ratings) != 5 or not isinstance(generated.get("text"), str):
        raise ValueError(f"{where}: expected a text and five ratings, got {len(ratings)} ratings")
    return {
        "story_id": story_id,
        "prompt": entry["prompt"],
        "reference": entry["gold_response"],
        "story": generated["text"],
        "source_model": model,
        "ratings": [float(rating) for rating in ratings],
        "score": sum(ratings) / len(ratings),
    }


def fetch(repository: str, corpus: str) -> Path:
    """The released file of a corpus from the Hub, through its cache.

    Raises:
        ValueError: the repository has neither spelling of the file.
    """
    from huggingface_hub import HfApi, hf_hub_download

    wanted = {f"mans_{corpus}.json", f"mags_{corpus}.json"}
    files = HfApi().list_repo_files(repository, repo_type="dataset")
    for name in files:
        if Path(name).name in wanted:
            return Path(hf_hub_download(repository, name, repo_type="dataset"))
    raise ValueError(f"{repository}: expected {' or '.join(sorted(wanted))} among its files")


def build(source: str, out: str | Path, corpora: tuple[str, ...] = CORPORA) -> dict[str, int]:
    """Write `<corpus>.parquet` for each corpus under `out`; returns the rows of each.

    A file is written under a temporary name first, so an interrupted build leaves none that is half done.
    """
    import datasets

    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    counts = {}
    for corpus in corpora:
        rows = read_mans(source if Path(source).exists() else fetch(source, corpus), corpus)
        target = out / f"{corpus}.parquet"
        unfinished = target.with_suffix(".parquet.part")
        datasets.Dataset.from_list([dict(row) for row in rows]).to_parquet(str(unfinished))
        unfinished.replace(target)
        counts[corpus] = len(rows)
    return counts


def main() -> None:
    """Build the Parquet files from the command line."""
    parser = argparse.ArgumentParser(prog="python -m training.corpora.mans", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--source", default=HUB_ID, help="folder with the released files, or a Hub dataset")
    parser.add_argument("--out", default="datasets/mans", help="folder for the Parquet files")
    arguments = parser.parse_args()
    for corpus, count in build(arguments.source, arguments.out).items():
        print(f"{arguments.out}/{corpus}.parquet: {count} stories")


if __name__ == "__main__":
    main()
