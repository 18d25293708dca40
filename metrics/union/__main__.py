"""Scores a file of stories: `python -m metrics.union --input stories.jsonl --output scores.jsonl`."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import evaluate


def read_rows(path: Path) -> tuple[list[str], list[str] | None]:
    """Stories, and contexts where every row has one, of a JSONL file (`story`, `context`) or a text file.

    Raises:
        ValueError: a row that is not JSON or has no text in `story` (its line), or no rows at all.
    """
    stories: list[str] = []
    contexts: list[str | None] = []
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
        stories.append(story)
        contexts.append(row.get("context"))
    if not stories:
        raise ValueError(f"{path}: expected at least one story, got none")
    if any(context is not None and not isinstance(context, str) for context in contexts):
        raise ValueError(f"{path}: expected texts in 'context'")
    return stories, [c for c in contexts if c is not None] if all(c is not None for c in contexts) else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--input",
        type=Path,
        required=True,
        help="JSONL with 'story' (and 'context'), or text, one story a line",
    )
    parser.add_argument("--output", type=Path, required=True, help="JSONL, a row a story, in order")
    parser.add_argument("--config", default="roc", help="roc, wp, a folder or a Hub id (default: roc)")
    parser.add_argument("--context-in-story", action="store_true", help="'story' holds the context already")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--device", help="cpu, cuda, …; chosen by itself where not given")
    parser.add_argument("--explain", action="store_true", help="add what each sentence costs, and edits")
    arguments = parser.parse_args()
    try:
        stories, contexts = read_rows(arguments.input)
        union = evaluate.load(str(Path(__file__).parent), arguments.config)
        result = union.compute(
            predictions=stories,
            contexts=None if arguments.context_in_story else contexts,
            batch_size=arguments.batch_size,
            device=arguments.device,
            explain=arguments.explain,
        )
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    rows = [{"score": score} for score in result["scores"]]
    for row, explanation in zip(rows, result.get("explanations", []), strict=False):
        row.update(explanation)
    temporary = arguments.output.with_name(f".{arguments.output.name}.{os.getpid()}.tmp")
    temporary.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    os.replace(temporary, arguments.output)
    print(f"{len(rows)} scores, mean {result['score']:.4f} -> {arguments.output}  [{union.signature()}]")


if __name__ == "__main__":
    main()
