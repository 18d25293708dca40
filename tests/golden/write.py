"""Rewrites the golden files: `python -m tests.golden.write [scores] [texts]`, from the root of the checkout.

`python -m tests.golden.write scores --only ruber_bert/wp` rewrites the scores of one configuration.

The files hold results that must not change while code is moved, renamed or made faster. Rewrite them only in a commit
whose purpose is a change of results (retrained weights, a corrected rule, a row added to `inputs.py`), and give the
reason in its message. Never rewrite them to make a failing test pass. Before the commit, `git diff` must show changes
only in the parts that it means to change. Write them in one thread (`OMP_NUM_THREADS=1`), offline, with WordNet
downloaded (`make resources`) and the models of `make base`.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .inputs import ROOT
from .scores import PAIRS, rounded, scores_of
from .texts import MAKERS, digest

HERE = Path(__file__).parent


def write_scores(only: Sequence[str] = ()) -> None:
    """`scores.json`: one line per case; the scores of `only` these configurations are new, if any are given."""
    old = json.loads((HERE / "scores.json").read_text(encoding="utf-8")) if only else {}
    found = {}
    for metric, name in PAIRS:
        if only and f"{metric}/{name}" not in only:
            found[f"{metric}/{name}"] = old[f"{metric}/{name}"]
            continue
        begin = time.process_time()
        found[f"{metric}/{name}"] = rounded(scores_of(metric, name))
        print(f"{metric}/{name}: {time.process_time() - begin:.1f} s of processor time", flush=True)
    _write("scores.json", found)


def write_texts() -> None:
    """`texts.json`: digests, and the first lines in full."""
    found = {}
    for name, make in MAKERS.items():
        begin = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            found[name] = {part: digest(lines) for part, lines in make(Path(folder)).items()}
        print(f"{name}: {time.process_time() - begin:.1f} s of processor time", flush=True)
    _write("texts.json", found)


def _write(name: str, found: dict[str, dict[str, Any]]) -> None:
    parts = []
    for key, cases in found.items():
        lines = [
            f"  {json.dumps(case)}: {json.dumps(value, ensure_ascii=False)}" for case, value in cases.items()
        ]
        parts.append(f"{json.dumps(key)}: {{\n" + ",\n".join(lines) + "\n}")
    (HERE / name).write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.golden.write",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "what", nargs="*", default=["scores", "texts"], help="scores, texts; both unless given"
    )
    names = [f"{metric}/{name}" for metric, name in PAIRS]
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        choices=names,
        metavar="METRIC/CONFIGURATION",
        help="scores of these only",
    )
    given = parser.parse_args()
    wanted = ["scores"] if given.only else given.what
    os.chdir(ROOT)
    if "scores" in wanted:
        write_scores(given.only)
    if "texts" in wanted:
        write_texts()


if __name__ == "__main__":
    main()
