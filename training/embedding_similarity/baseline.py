"""The baseline of BERTScore, its value for unrelated stories: `python -m training.embedding_similarity.baseline`.

As in the package `bert_score`, it is the mean over random pairs, for each layer; `rescale_with_baseline` maps it to 0.
It is written to the settings of `metrics/embedding_similarity`.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from rich.progress import track

from openmeva.metrics.embedding_similarity.embedding import TextEncoder
from openmeva.metrics.embedding_similarity.scoring import BERT_SCORES, SimilarityScorer
from openmeva.training.corpora.stories import read_stories
from openmeva.training.files import write_text
from openmeva.training.paths import ROOT

SETTINGS = ROOT / "metrics" / "embedding_similarity" / "weights" / "default"


def baseline(
    scorer: SimilarityScorer, stories: list[str], pairs: int, seed: int
) -> dict[str, dict[str, float]]:
    """Mean BERTScore precision, recall and F1 over random pairs of different stories, for each layer.

    Raises:
        ValueError: fewer than two different stories.
    """
    stories = list(dict.fromkeys(stories))
    if len(stories) < 2:
        raise ValueError(f"expected at least two different stories, got {len(stories)}")
    rng = np.random.default_rng(seed)
    first = rng.integers(len(stories), size=pairs)
    second = (first + rng.integers(1, len(stories), size=pairs)) % len(stories)
    means: dict[str, dict[str, float]] = {}
    for layer in track(range(1, scorer.encoder.layers + 1), "layers"):
        scores = scorer.scores(
            [stories[i] for i in first], [[stories[i]] for i in second], BERT_SCORES, layer=layer
        )
        means[str(layer)] = {name: round(float(np.mean(values)), 4) for name, values in scores.items()}
    return means


def write_baseline(folder: Path, stories: list[str], pairs: int, seed: int) -> dict[str, dict[str, float]]:
    """Writes the baseline of the weights in a folder to their `config.json`; returns it. Arguments as for `baseline`."""
    means = baseline(SimilarityScorer(TextEncoder(folder)), stories, pairs, seed)
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["embedding_similarity"]["baseline"] = means
    write_text(path, json.dumps(config, indent=1) + "\n")
    return means


def main() -> None:
    """Computes and writes the baseline from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.embedding_similarity.baseline",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--stories", type=Path, required=True, help="held-out stories (JSONL or text, or .gz)"
    )
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--settings", type=Path, default=SETTINGS, help="folder whose config.json is updated")
    args = parser.parse_args()
    stories = list(read_stories(args.stories))
    # at most as many stories as pairs: each is encoded once per layer
    chosen = np.random.default_rng(args.seed).permutation(len(stories))[: args.pairs]
    means = write_baseline(args.settings, [stories[i] for i in chosen], args.pairs, args.seed)
    print(json.dumps(means, indent=1))


if __name__ == "__main__":
    main()
