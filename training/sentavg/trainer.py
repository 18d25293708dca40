"""Trains SENTAVG: `python -m training.sentavg --config training/configs/sentavg_roc.yaml --data DIR`.

The baseline of plot-guided's section 5.3 (Lai and Tetreault 2018): an LSTM over word vectors; sentence vectors are
averaged, and a hidden layer tells human stories from others. The paper's word vectors are GloVe's; here they are the
shared encoder's, which every checkout has. Rows are those of the story classifiers (`training/plot_coherence.py`).
Weights, manifest and card go to `metrics/sentavg/weights/NAME/`.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from rich.progress import track
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.checkpoint import read_tensors
from openmeva.metrics.core.runtime import pad
from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.sentavg.modeling import SentAvg, word_vectors
from openmeva.training.classifier.trainer import area_under_curve
from openmeva.training.common.trainer import encoder_reference
from openmeva.training.files import save_tensors, write_text
from openmeva.training.paths import ENCODER, ROOT
from openmeva.training.plot_coherence.trainer import load_rows
from openmeva.training.sentavg.card import write_sentavg_card


@dataclass(frozen=True)
class SentAvgSettings:
    """How the baseline is trained."""

    hidden: int = 128
    epochs: int = 3
    batch: int = 64
    learning_rate: float = 1e-3
    words_a_sentence: int = 50
    sentences: int = 60
    seed: int = 42


class SentAvgTrainer:
    """Trains the baseline and scores stories with it.

    Args:
        settings: see `SentAvgSettings`.
        vectors, tokenizer: word vectors by token id, and their tokenizer; the shared encoder's unless given.
    """

    def __init__(
        self,
        settings: SentAvgSettings | None = None,
        vectors: Tensor | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self.settings = settings or SentAvgSettings()
        torch.manual_seed(self.settings.seed)
        self.tokenizer = tokenizer or Tokenizer.from_file(str(ENCODER / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        if vectors is None:
            vectors = read_tensors(ENCODER / "model.safetensors")["bert.embeddings.word_embeddings.weight"]
        self.normalizer = Normalizer.load(ENCODER / "names.json")
        self.model = SentAvg(vectors.shape[0], vectors.shape[1], self.settings.hidden)
        self.model.words.weight.copy_(word_vectors(vectors))

    def rows(self, stories: Sequence[str]) -> list[list[list[int]]]:
        """Token ids of stories by sentence.

        Raises:
            ValueError: a story without a word (its row).
        """
        found = []
        for row, text in enumerate(stories):
            sentences = [" ".join(words) for words in self.normalizer.sentences(text)]
            if not sentences:
                raise ValueError(f"row {row}: expected a story with words, got {text[:60]!r}")
            encoded = self.tokenizer.encode_batch(
                sentences[: self.settings.sentences], add_special_tokens=False
            )
            found.append([e.ids[: self.settings.words_a_sentence] for e in encoded if e.ids])
        return found

    def logits(self, rows: Sequence[list[list[int]]]) -> Tensor:
        """Logits (n,) of stories as token ids."""
        ids, mask = pad([sentence for row in rows for sentence in row], 0)
        story = torch.tensor([number for number, row in enumerate(rows) for _ in row])
        return self.model.score(self.model.encode(ids, mask), story, len(rows))

    def fit(self, stories: Sequence[str], labels: Sequence[int]) -> list[float]:
        """Trains on stories and labels (1 human, 0 other), both as heavy as a whole; mean loss of each epoch."""
        rows = self.rows(stories)
        share = sum(labels) / len(labels)
        weight = torch.tensor((1 - share) / share if 0 < share < 1 else 1.0)
        rng = np.random.default_rng(self.settings.seed)
        optimizer = torch.optim.Adam(
            [p for p in self.model.parameters() if p.requires_grad], lr=self.settings.learning_rate
        )
        losses = []
        self.model.train()
        for _ in track(range(self.settings.epochs), "training SENTAVG"):
            sizes = [sum(map(len, row)) + int(rng.integers(8)) for row in rows]  # other batches in each epoch
            batches = list(length_batches(sizes, self.settings.batch))
            total = 0.0
            for at in rng.permutation(len(batches)):
                batch = batches[at]
                target = torch.tensor([float(labels[i]) for i in batch])
                loss = F.binary_cross_entropy_with_logits(
                    self.logits([rows[i] for i in batch]), target, pos_weight=weight
                )
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                optimizer.step()
                total += loss.item() * len(batch)
            losses.append(total / len(rows))
        return losses

    def __call__(self, stories: Sequence[str], batch_size: int = 64) -> list[float]:
        """Scores 0..1 of stories, in order, higher is better."""
        rows = self.rows(stories)
        scores = [0.0] * len(rows)
        self.model.eval()
        with torch.inference_mode():
            for batch in length_batches([sum(map(len, row)) for row in rows], batch_size):
                for i, score in zip(
                    batch, torch.sigmoid(self.logits([rows[i] for i in batch])).tolist(), strict=True
                ):
                    scores[i] = score
        return scores


def train(config: dict[str, Any], data: Path, out: Path, run: Path, cache: Path) -> dict[str, Any]:
    """Trains one configuration and writes checkpoint, manifest and card to `out`; returns the manifest.

    Args:
        config: `settings` (see `SentAvgSettings`), `name`, `context`, and the rows of `plot_coherence.load_rows`.
        data: the folder that the corpora lie in.
        out: the checkpoint's folder.
        run: of the stages' files.
        cache: of tagged corpora.

    Raises:
        ValueError: a split without human stories, or without others.
    """
    started = time.time()
    settings = SentAvgSettings(**config["settings"], seed=config["seed"])
    rows, held_out, provenance = load_rows(config, data, run, cache)
    for what, split in (("to train on", rows), ("held out", held_out)):
        count = sum(row.label for row in split)
        if not 0 < count < len(split):
            raise ValueError(
                f"{what}: expected human stories and others, got {count} and {len(split) - count}"
            )
    trainer = SentAvgTrainer(settings)
    losses = trainer.fit([row.story for row in rows], [row.label for row in rows])
    scores = trainer([row.story for row in held_out])
    human, others = ([s for s, row in zip(scores, held_out, strict=True) if row.label == k] for k in (1, 0))
    manifest = {
        "metric": "sentavg",
        "config": {**config, "settings": asdict(settings)},
        **provenance,
        "stories": {"train": len(rows), "validation": len(held_out)},
        "losses": [round(loss, 4) for loss in losses],
        "validation": {"auc": round(area_under_curve(human, others), 4)},
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }
    written = {
        "hidden": settings.hidden,
        "delexicalize": True,
        "context": config["context"],
        "max_length": settings.words_a_sentence + 2,
        "encoder": encoder_reference(ENCODER, out),
    }
    tensors = {
        name: tensor.detach().half().contiguous()
        for name, tensor in trainer.model.state_dict().items()
        if not name.startswith("words.")
    }
    save_tensors(out / "adapter.safetensors", tensors)
    write_text(out / "config.json", json.dumps({"sentavg": written}, indent=2) + "\n")
    write_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    write_sentavg_card(out, manifest)
    return manifest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", type=Path, required=True, help="a file of training/configs")
    parser.add_argument("--data", type=Path, required=True, help="the folder that the corpora lie in")
    parser.add_argument("--out", type=Path, help="default: metrics/sentavg/weights/NAME")
    parser.add_argument("--run", type=Path, help="stages' files; default: runs/sentavg-NAME")
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "tags", help="tagged corpora")
    parser.add_argument(
        "--resume", action="store_true", help="taken for the sake of `make train`: it takes minutes"
    )
    given = parser.parse_args()
    config = yaml.safe_load(given.config.read_text(encoding="utf-8"))
    out = given.out or ROOT / "metrics" / "sentavg" / "weights" / config["name"]
    run = given.run or ROOT / "runs" / f"sentavg-{config['name']}"
    manifest = train(config, given.data, out, run, given.cache)
    print(
        json.dumps({key: manifest[key] for key in ("stories", "losses", "validation", "minutes")}, indent=2)
    )
