"""The command that every metric has: `python -m metrics.union --input stories.jsonl --output scores.jsonl`."""

import argparse
import inspect
import json
import os
import sys
from pathlib import Path
from typing import Any

import evaluate

COLUMNS = {"story": "predictions", "context": "contexts", "reference": "references"}


def read_rows(path: Path) -> dict[str, list[Any]]:
    """The columns of a JSONL file (`story`, and where all rows have them `context`, `reference`) or a text file.

    Raises:
        ValueError: a row that is not JSON or has no text in `story` (its line), no rows at all, or a context or
            reference in some rows and not in others (the first line without).
    """
    rows: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        row: Any = {"story": line}
        if path.suffix == ".jsonl":
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}, line {number}: expected JSON, got {line[:60]!r}") from error
        story = row.get("story") if isinstance(row, dict) else None
        if not isinstance(story, str) or not story.strip():
            raise ValueError(f"{path}, line {number}: expected a text in 'story', got {story!r}")
        rows.append((number, row))
    if not rows:
        raise ValueError(f"{path}: expected at least one story, got none")
    columns = {}
    for field, column in COLUMNS.items():
        missing = [number for number, row in rows if row.get(field) is None]
        if missing and len(missing) < len(rows):
            raise ValueError(f"{path}, line {missing[0]}: expected {field!r}, which other lines have")
        if not missing:
            columns[column] = [row[field] for _, row in rows]
    return columns


def result_rows(result: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """A row a story of what a metric returned: `score`, its further lists under their keys, its explanation."""
    lists = {
        key: values for key, values in result.items() if isinstance(values, list) and len(values) == count
    }
    explanations = lists.pop("explanations", [{}] * count)
    names = {key: "score" if key == "scores" else key for key in lists}
    return [
        {**{names[key]: values[i] for key, values in lists.items()}, **explanations[i]} for i in range(count)
    ]


def main(name: str) -> None:
    """The command of the metric `name`."""
    folder = Path(__file__).resolve().parents[1] / name
    parser = argparse.ArgumentParser(
        prog=f"python -m metrics.{folder.name}",
        description=f"Scores a file of stories with metrics/{folder.name}; its card says what the scores mean.",
    )
    parser.add_argument(
        "--input",
        type=Path,
        required=True,
        help="JSONL with 'story' (and 'context', 'reference' as the metric needs), or text, one story a line",
    )
    parser.add_argument("--output", type=Path, required=True, help="JSONL, a row a story, in order")
    parser.add_argument("--config", help="a configuration of the metric, a folder or a Hub id")
    parser.add_argument("--context-in-story", action="store_true", help="'story' holds the context already")
    parser.add_argument("--batch-size", type=int)
    parser.add_argument("--device", help="cpu, cuda, …; chosen by itself where not given")
    parser.add_argument("--explain", action="store_true", help="add the metric's reasons to each row")
    arguments = parser.parse_args()
    try:
        columns = read_rows(arguments.input)
        if arguments.context_in_story:
            columns.pop("contexts", None)
        metric = evaluate.load(str(folder), arguments.config)
        options = {
            "batch_size": arguments.batch_size,
            "device": arguments.device,
            "explain": arguments.explain or None,
        }
        options = {name: value for name, value in options.items() if value is not None}
        for name in options:
            if name not in inspect.signature(metric._compute).parameters:
                raise ValueError(f"--{name.replace('_', '-')}: {folder.name} has no such option")
        result = metric.compute(**columns, **options)
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    rows = result_rows(result, len(columns["predictions"]))
    temporary = arguments.output.with_name(f".{arguments.output.name}.{os.getpid()}.tmp")
    temporary.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    os.replace(temporary, arguments.output)
    mean = f", mean {result['score']:.4f}" if "score" in result else ""
    print(f"{len(rows)} rows{mean} -> {arguments.output}  [{metric.signature()}]")
