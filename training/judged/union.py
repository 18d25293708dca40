"""The judged stories of the UNION paper (section 4.2 and appendix C): seven binary ratings per story."""

from pathlib import Path

from openmeva.training.files import read_lines
from openmeva.training.judged.rows import JudgedStory, find_file

# Folders of the release, by corpus.
FOLDERS = {"roc": "ROCStories", "wp": "WritingPrompts"}
ERROR_TYPES = ("", "repeated", "incoherent", "conflicting", "chaotic", "other")


def read_union_judgments(folder: str | Path) -> list[JudgedStory]:
    """UNION's judged stories in the order of `ant_data.txt`, with error types from `ant_data_all.txt`.

    A line is `id ||| story ||| rating …`; the rating 1 means reasonable. The id is the index from 0 of the prompt in
    `reference_ipt.txt`, with which the story begins, and of the reference in `reference_opt.txt`. Without a file of
    prompts, and always for WritingPrompts, a story is returned whole, with its prompt, as UNION's authors scored it.
    If `ant_data_all.txt` only repeats the ratings (as for WritingPrompts), there are no error types.

    Args:
        folder: contains `ant_data.txt`, and optionally `reference_ipt.txt` (prompts), `ant_data_all.txt` (error
            types) and `reference_opt.txt` (references). Below a folder `WritingPrompts`, those of that corpus.

    Raises:
        ValueError: a file is missing, a line has another layout, a rating is not 0 or 1 (an error type not 0..5),
            or the two files disagree. The message names file and line.
    """
    folder = Path(folder)
    path = find_file(folder, ("ant_data.txt",))
    whole = folder.resolve().parent.name == FOLDERS["wp"] or not (folder / "reference_ipt.txt").exists()
    prompts = None if whole else _by_id(folder / "reference_ipt.txt")
    references = _by_id(folder / "reference_opt.txt") if (folder / "reference_opt.txt").exists() else None
    types = _types_of(folder / "ant_data_all.txt", path)
    rows: list[JudgedStory] = []
    for number, line in _lines(path):
        location = f"{path}, line {number}"
        key, story, ratings = _parse(line, location, 1)
        whole_story = story
        row: JudgedStory = {
            "story_id": str(key),
            "story": story,
            "ratings": [float(rating) for rating in ratings],
            "score": sum(ratings) / len(ratings),
        }
        if prompts is not None:
            if key not in prompts or not story.startswith(prompts[key]):
                raise ValueError(
                    f"{location}: the story does not begin with prompt {key} of reference_ipt.txt"
                )
            row |= {"prompt": prompts[key], "story": story[len(prompts[key]) :].strip()}
        if references is not None:
            if key not in references:
                raise ValueError(
                    f"{location}: expected an id with a reference, line {key + 1} of reference_opt.txt, got {key}"
                )
            row["reference"] = references[key]
        if types is not None:
            row["error_types"] = _checked_types(types, key, whole_story, ratings, location)
        rows.append(row)
    return rows


def _checked_types(
    types: dict[int, tuple[str, list[int]]], key: int, story: str, ratings: list[int], location: str
) -> list[list[str]]:
    if key not in types or types[key][0] != story:
        got = f"the story {types[key][0]!r:.60}" if key in types else "none"
        raise ValueError(
            f"{location}: expected the story under the id {key} in ant_data_all.txt, too, got {got}"
        )
    story_types = types[key][1]
    if len(story_types) != len(ratings) or story_types.count(0) != sum(ratings):
        raise ValueError(
            f"{location}: {sum(ratings)} of {len(ratings)} raters say reasonable, but ant_data_all.txt has {story_types}"
        )
    return [[ERROR_TYPES[kind]] if kind else [] for kind in story_types]


def _types_of(path: Path, ratings: Path) -> dict[int, tuple[str, list[int]]] | None:
    """Each story and its error types, by id; None if there is no file of error types."""
    if not path.exists() or path.read_bytes() == ratings.read_bytes():
        return None
    return _types(path)


def _types(path: Path) -> dict[int, tuple[str, list[int]]]:
    by_id = {}
    for number, line in _lines(path):
        key, story, types = _parse(line, f"{path}, line {number}", len(ERROR_TYPES) - 1)
        by_id[key] = story, types
    return by_id


def _parse(line: str, location: str, highest: int) -> tuple[int, str, list[int]]:
    parts = [part.strip() for part in line.split("|||")]
    if len(parts) != 3:
        raise ValueError(f"{location}: expected 'id ||| story ||| ratings', got {len(parts)} parts")
    try:
        key, values = int(parts[0]), [int(value) for value in parts[2].split()]
    except ValueError as error:
        raise ValueError(f"{location}: expected whole numbers, got {parts[0]!r} and {parts[2]!r}") from error
    if not parts[1]:
        raise ValueError(f"{location}: expected a story, got a blank one")
    if not values or not all(0 <= value <= highest for value in values):
        raise ValueError(f"{location}: expected ratings in 0..{highest}, got {parts[2]!r}")
    return key, parts[1], values


def _by_id(path: Path) -> dict[int, str]:
    """Lines of text by their index from 0; an id whose line is blank has none."""
    return {number - 1: line for number, line in _lines(path)}


def _lines(path: Path) -> list[tuple[int, str]]:
    """Number (from 1) and text of each line that is not blank."""
    texts = [(number, line.strip()) for number, line in read_lines(path) if line.strip()]
    if not texts:
        raise ValueError(f"{path}: expected at least one line of text, got none")
    return texts
