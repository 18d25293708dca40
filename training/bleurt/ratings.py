"""Fits BLEURT's scoring layer to human ratings: to yours, to UNION's, or to MANS by cross-validation over prompts.

    python -m training.bleurt.ratings fit --ratings FILE.jsonl --out FOLDER     # {"reference", "story", "score"} per line
    python -m training.bleurt.ratings cross-validate --data DIR                 # for a row of the benchmark
    python -m training.bleurt.ratings union --data DIR                          # for another row of the benchmark

The layer is a ridge regression on the pair's state, in closed form. Its penalty is chosen by cross-validation over
prompts. The encoder is frozen, so a few hundred ratings are enough, and fitting takes at most a minute. `fit` writes a
checkpoint for `evaluate.load("metrics/bleurt", FOLDER)`. `cross-validate` writes scores only: the layer that scores a
prompt's stories, and its penalty, are fitted without any story of that prompt. `union` scores MANS with a layer fitted
to those of UNION's judged stories that have references, as OpenMEVA tuned BLEURT (appendix A.4).
"""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.stats import pearsonr

from openmeva.metrics.bleurt.scoring import BleurtScorer
from openmeva.metrics.core.checkpoint import find_checkpoint, read_settings, read_tensors
from openmeva.metrics.core.files import ADAPTER
from openmeva.metrics.core.text import Normalizer
from openmeva.training.common.bounds import check_minimum
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.common.cross_validated import CROSS_VALIDATED, FOLDER, write_cross_validated
from openmeva.training.files import read_rows, save_tensors, text_of, write_text
from openmeva.training.judged.judged_file import number_of
from openmeva.training.judged.mans import read_mans
from openmeva.training.judged.union import FOLDERS as UNION_FOLDERS
from openmeva.training.judged.union import read_union_judgments
from openmeva.training.paths import ROOT

INNER_FOLDS = 5  # folds for the choice of the penalty
PENALTIES = tuple(float(10**power) for power in range(-1, 6))
WEIGHTS = ROOT / "metrics" / "bleurt" / "weights" / "roc"
UNIONS_RATINGS = "UNION's ratings"


class Ridge:
    """Ridge regression on standardised inputs, in closed form."""

    def __init__(self, states: np.ndarray, scores: np.ndarray, penalty: float) -> None:
        """Fits `scores` (n,) to `states` (n, width)."""
        self.mean, deviation = states.mean(axis=0), states.std(axis=0)
        self.scale = np.where(deviation > 1e-8, deviation, 1.0)
        inputs = (states - self.mean) / self.scale
        self.bias = float(scores.mean())
        # solve the smaller of the two systems: with one unknown per row, or per column
        if len(inputs) < inputs.shape[1]:
            inner = inputs @ inputs.T + penalty * np.eye(len(inputs))
            weights = inputs.T @ np.linalg.solve(inner, scores - self.bias)
        else:
            outer = inputs.T @ inputs + penalty * np.eye(inputs.shape[1])
            weights = np.linalg.solve(outer, inputs.T @ (scores - self.bias))
        self.weights = weights

    def __call__(self, states: np.ndarray) -> np.ndarray:
        """Scores (n,) of states (n, width)."""
        return (states - self.mean) / self.scale @ self.weights + self.bias

    def layer(self) -> tuple[np.ndarray, float]:
        """Weights (width,) and bias of the equivalent layer on unstandardised states."""
        weights = self.weights / self.scale
        return weights, self.bias - float(self.mean @ weights)


def folds(groups: Sequence[str], count: int, rng: np.random.Generator) -> np.ndarray:
    """The fold of each row, 0 to `count` - 1; the rows of a group have the same fold.

    Raises:
        ValueError: fewer groups than folds.
    """
    names = sorted(set(groups))
    if len(names) < count:
        raise ValueError(f"expected at least {count} prompts, one per fold, got {len(names)}")
    fold_of = dict(zip(rng.permutation(names).tolist(), (i % count for i in range(len(names))), strict=True))
    return np.array([fold_of[group] for group in groups])


def choose_penalty(
    states: np.ndarray, scores: np.ndarray, groups: Sequence[str], rng: np.random.Generator
) -> float:
    """The penalty with the smallest squared error of held-out predictions, by cross-validation over groups."""
    fold = folds(groups, INNER_FOLDS, rng)
    errors = dict.fromkeys(PENALTIES, 0.0)
    for held in range(INNER_FOLDS):
        inside, outside = fold != held, fold == held
        for penalty in PENALTIES:
            predicted = Ridge(states[inside], scores[inside], penalty)(states[outside])
            errors[penalty] += float(((predicted - scores[outside]) ** 2).sum())
    return min(errors, key=lambda penalty: errors[penalty])


def cross_validate(
    states: np.ndarray, scores: np.ndarray, groups: Sequence[str], count: int, rng: np.random.Generator
) -> np.ndarray:
    """Each row's score (n,) by a layer that is fitted, penalty included, without the row's group."""
    fold = folds(groups, count, rng)
    predicted = np.full(len(scores), np.nan)
    for held in range(count):
        inside = fold != held
        within = [group for group, is_inside in zip(groups, inside, strict=True) if is_inside]
        penalty = choose_penalty(states[inside], scores[inside], within, rng)
        predicted[~inside] = Ridge(states[inside], scores[inside], penalty)(states[~inside])
    return predicted


def fit(ratings: Path, start: Path, out: Path, seed: int) -> dict[str, Any]:
    """Fits the layer to a file of ratings and writes a checkpoint to `out`; returns the manifest.

    Raises:
        ValueError: a line without reference, story and score (with its number), or fewer than five references.
    """
    rows = read_ratings(ratings)
    scorer = BleurtScorer(start)
    states = scorer.features([row["story"] for row in rows], [row["reference"] for row in rows])
    scores = np.array([row["score"] for row in rows], float)
    penalty = choose_penalty(states, scores, [r["reference"] for r in rows], np.random.default_rng(seed))
    weights, bias = Ridge(states, scores, penalty).layer()
    tensors = read_tensors(start / ADAPTER)
    tensors["score.weight"] = torch.tensor(weights[None], dtype=torch.float32)
    tensors["score.bias"] = torch.tensor([bias], dtype=torch.float32)
    config = json.loads((start / "config.json").read_text(encoding="utf-8"))
    encoder = (start / config["bleurt"]["encoder"]["path"]).resolve()
    config["bleurt"]["encoder"]["path"] = os.path.relpath(encoder, out.resolve())
    provenance = {"ratings": len(rows), "penalty": penalty, "start": scorer.revision, "seed": seed}
    save_tensors(out / ADAPTER, tensors)
    write_text(out / "manifest.json", json.dumps(provenance, indent=1) + "\n")
    write_text(out / "config.json", json.dumps(config, indent=1) + "\n")
    return provenance


def read_ratings(path: Path) -> list[dict[str, Any]]:
    """Rows of `reference`, `story` and `score`.

    Raises:
        ValueError: a line of another format (with its number).
    """
    rows = []
    for row in read_rows(path):
        text_of(row, "reference"), text_of(row)
        rows.append({**row.values, "score": number_of(row.values.get("score"), "score", row)})
    return rows


def cross_validate_mans(
    data: Path, corpora: Sequence[str], start: Path, count: int, seed: int, out: Path
) -> None:
    """Writes the out-of-fold scores of MANS, and prints their correlation."""
    scorer = BleurtScorer(start)
    for corpus in corpora:
        rows = read_mans(data / "mans", corpus)
        states = scorer.features([row["story"] for row in rows], [row["reference"] for row in rows])
        ratings = np.array([row["score"] for row in rows])
        predicted = cross_validate(
            states, ratings, [row["prompt"] for row in rows], count, np.random.default_rng(seed)
        )
        signature = f"bleurt|start:{scorer.revision}|{count} folds over prompts|seed:{seed}"
        _write_mans(
            out, corpus, rows, predicted, signature, CROSS_VALIDATED, f"over {count} folds of prompts"
        )


def score_mans_tuned_on_union(data: Path, corpora: Sequence[str], start: Path, seed: int, out: Path) -> None:
    """Writes scores of MANS by a layer fitted to UNION's judged stories, and prints their correlation.

    Stories of UNION whose reference is one of MANS' are left out.

    Raises:
        ValueError: no story of UNION has another reference.
    """
    scorer = BleurtScorer(start)
    folders = [data / "union" / name / "ant_data" for name in UNION_FOLDERS.values()]
    judged = [row for folder in folders if folder.is_dir() for row in read_union_judgments(folder)]
    mans = {corpus: read_mans(data / "mans", corpus) for corpus in corpora}
    normalizer = Normalizer()
    of_mans = {normalizer(row["reference"]) for rows in mans.values() for row in rows}
    referenced = [
        row for row in judged if row.get("reference") and normalizer(row["reference"]) not in of_mans
    ]
    if not referenced:
        raise ValueError(
            f"{folders[0].parents[1]}: expected stories with references (reference_opt.txt), got none"
        )
    references = [row["reference"] for row in referenced]
    states = scorer.features([row["story"] for row in referenced], references)
    ratings = np.array([row["score"] for row in referenced])
    layer = Ridge(states, ratings, choose_penalty(states, ratings, references, np.random.default_rng(seed)))
    signature = f"bleurt|start:{scorer.revision}|{len(referenced)} stories of UNION|seed:{seed}"
    for corpus, rows in mans.items():
        predicted = layer(scorer.features([row["story"] for row in rows], [row["reference"] for row in rows]))
        tuned = f"tuned on {len(referenced)} of UNION"
        _write_mans(out, corpus, rows, predicted, signature, UNIONS_RATINGS, tuned)


def _write_mans(
    out: Path, corpus: str, rows: Sequence[Any], predicted: np.ndarray, signature: str, how: str, note: str
) -> None:
    """Writes BLEURT's scores of one part of MANS, and prints their correlation."""
    own_rows = [dict(row) for row in rows]
    write_cross_validated(
        out, f"mans_{corpus}", "bleurt", "BLEURT", own_rows, predicted.tolist(), signature, how
    )
    r = pearsonr(predicted, [row["score"] for row in rows]).statistic
    print(f"MANS-{corpus.upper()}: {len(rows)} stories, Pearson {r:.3f}, {note}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    parser = argparse.ArgumentParser(
        prog="python -m training.bleurt.ratings",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=("fit", "cross-validate", "union"))
    parser.add_argument("--ratings", type=Path, help="fit: JSONL with reference, story, score")
    parser.add_argument("--out", type=Path, help=f"fit: the new checkpoint; default for scores: {FOLDER}")
    parser.add_argument("--data", type=Path, help="the folder with mans/ (and union/)")
    parser.add_argument("--corpora", nargs="*", default=["roc", "wp"], choices=("roc", "wp"))
    parser.add_argument("--start", default="roc", help="checkpoint to start from (default: roc)")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    needed = {"fit": ("ratings", "out")}.get(args.command, ("data",))
    for name in needed:
        if getattr(args, name) is None:
            parser.error(f"{args.command}: --{name} is needed")
    with exit_on_bad_input():
        check_minimum(2, folds=args.folds)
        start = WEIGHTS if args.start == "roc" else find_checkpoint("bleurt", args.start, {})
        # a transformers model, which BleurtScorer also loads, has no layer to fit
        read_settings(start, "bleurt")
        if args.command == "fit":
            print(json.dumps(fit(args.ratings, start, args.out, args.seed)))
        elif args.command == "union":
            score_mans_tuned_on_union(args.data, args.corpora, start, args.seed, args.out or FOLDER)
        else:
            cross_validate_mans(args.data, args.corpora, start, args.folds, args.seed, args.out or FOLDER)


if __name__ == "__main__":
    main()
