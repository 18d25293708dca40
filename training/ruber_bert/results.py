"""Features of the frozen encoder, and results on held-out pairs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

from openmeva.metrics.ruber_bert.modeling import RuberModel
from openmeva.training.files import save_tensors
from openmeva.training.ruber_bert.data import Pair, TextBatcher, frozen_features


def pair_features(
    model: RuberModel, pairs: Sequence[Pair], batcher: TextBatcher, file: Path
) -> dict[str, Tensor]:
    """All poolings of contexts and stories by the frozen encoder, cached in `file`."""
    if not file.exists():
        features = {
            f"{column}.{name}": tensor.half()
            for column, texts in zip(("contexts", "stories"), zip(*pairs, strict=True), strict=True)
            for name, tensor in frozen_features(model, texts, batcher).items()
        }
        save_tensors(file, features)
    return {name: tensor.float() for name, tensor in load_file(file).items()}


@torch.inference_mode()
def evaluate_pairs(
    model: RuberModel, pairs: Sequence[Pair], batcher: TextBatcher, neighbours: Sequence[Tensor], seed: int
) -> dict[str, Any]:
    """How often the true story scores above another one, and the ranges of the two parts of the metric.

    Returns:
        `accuracy` against random stories and `accuracy_nearest` against a story with a similar context (0 to 1, higher is
        better), and `ranges`: percentiles .5 and 99.5 of the referenced cosine of two stories, and of the unreferenced
        score of true and random pairs.
    """
    model.eval()
    vectors, ends = [], []
    for column in zip(*pairs, strict=True):
        outputs = [model.encode(*batcher(column[i : i + 64]).values()) for i in range(0, len(column), 64)]
        vectors.append(torch.cat([vector for vector, _ in outputs]))
        ends.append(torch.cat([end for _, end in outputs]).flatten(1))
    rng = np.random.default_rng(seed)
    random_rows = torch.from_numpy(
        (np.arange(len(pairs)) + rng.integers(1, len(pairs), len(pairs))) % len(pairs)
    )
    true = torch.sigmoid(model.head(vectors[0], vectors[1]))
    false = torch.sigmoid(model.head(vectors[0], vectors[1][random_rows]))
    cosines = torch.cosine_similarity(ends[1], ends[1][random_rows])
    similar_rows = torch.tensor(
        [
            int(rng.choice(near)) if len(near) else other
            for near, other in zip(neighbours, random_rows.tolist(), strict=True)
        ]
    )
    hard = torch.sigmoid(model.head(vectors[0], vectors[1][similar_rows]))
    result: dict[str, Any] = {
        "accuracy": round(float((true > false).float().mean()), 4),
        "accuracy_nearest": round(float((true > hard).float().mean()), 4),
    }
    values = {"referenced": cosines, "unreferenced": torch.cat([true, false])}
    result["ranges"] = {
        name: [round(float(x), 4) for x in np.percentile(scores.numpy(), [0.5, 99.5])]
        for name, scores in values.items()
    }
    return result
