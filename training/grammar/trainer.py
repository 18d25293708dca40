"""The classifier of grammaticality that filters AUTOS (appendix B.2): trained on CoLA, an adapter on the encoder.

    python -m training.grammar --data DIR                      # DIR holds cola/raw; trains and measures
    python -m training.grammar --data DIR --evaluate           # measures the shipped weights

Writes the weights, `manifest.json` and a card to `training/weights/grammar`.
"""

import argparse
import csv
import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F
from transformers import BertConfig, BertModel, BertPreTrainedModel

from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.checkpoint import file_digest, load_checkpoint
from openmeva.metrics.core.runtime import choose_dtype, pad
from openmeva.metrics.core.text import Normalizer
from openmeva.training.common.adapters import adapter_tensors, add_adapters
from openmeva.training.files import checksum, save_tensors, write_text
from openmeva.training.paths import ROOT

ENCODER = ROOT / "metrics" / "weights" / "encoder"
WEIGHTS = ROOT / "training" / "weights" / "grammar"
FILES = {
    "train": "in_domain_train.tsv",
    "in_domain": "in_domain_dev.tsv",
    "out_of_domain": "out_of_domain_dev.tsv",
}
HEADS = ("classifier",)
MAX_LENGTH = 128


@dataclass(frozen=True)
class Settings:
    """How the classifier is trained; `training/configs/grammar.yaml` holds the shipped values."""

    epochs: int = 3
    batch: int = 32
    learning_rate: float = 5e-4
    warmup_share: float = 0.1
    rank: int = 32
    alpha: int = 64
    dropout: float = 0.1
    seed: int = 1


class GrammarModel(BertPreTrainedModel):
    """The encoder and a linear layer on [CLS]; the sigmoid of its output is the score."""

    def __init__(self, config: BertConfig, dropout: float = 0.0) -> None:
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)
        self.dropout = torch.nn.Dropout(dropout)
        self.classifier = torch.nn.Linear(config.hidden_size, 1)
        self.post_init()

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Logits (n,) of token ids (n, tokens) and their mask."""
        hidden = self.bert(input_ids, attention_mask=attention_mask).last_hidden_state
        return self.classifier(self.dropout(hidden[:, 0])).squeeze(-1)


class GrammarScorer:
    """Scores sentences for grammaticality with a trained classifier.

    Args:
        model: the classifier.
        tokenizer: of its encoder.
    """

    def __init__(self, model: GrammarModel, tokenizer: Tokenizer) -> None:
        self.model = model.eval()
        self.pieces = Pieces(tokenizer)

    @classmethod
    def load(cls, folder: Path | None = None) -> "GrammarScorer":
        """The classifier in a folder, the shipped one unless given.

        Raises:
            ValueError: weights that are missing or damaged (the file is named); `python -m training.grammar`
                writes them.
        """
        place = folder or WEIGHTS
        if not (place / "config.json").is_file():
            raise ValueError(
                f"{place}: no classifier there; `python -m training.grammar --data DIR` trains one"
            )
        checkpoint = load_checkpoint(place, "grammar")
        model = GrammarModel(checkpoint.model_config)
        missing, _ = model.load_state_dict(checkpoint.state, strict=False)
        if missing:
            raise ValueError(f"{place}: weights missing: {', '.join(missing)}")
        return cls(model, checkpoint.tokenizer)

    def __call__(self, sentences: Sequence[str], batch_size: int = 64) -> list[float]:
        """Scores 0..1 of sentences, in order, higher is more grammatical; 0 for one without a word."""
        rows = [self.pieces(sentence) for sentence in sentences]
        scores = [0.0] * len(rows)
        device = self.model.device
        dtype = choose_dtype("auto", device)  # bfloat16 where the processor multiplies it natively
        places = [place for place, row in enumerate(rows) if len(row) > 2]
        for batch in length_batches([len(rows[place]) for place in places], batch_size):
            chosen = [places[number] for number in batch]
            ids, mask = pad([rows[place] for place in chosen], self.pieces.padding)
            with (
                torch.inference_mode(),
                torch.autocast(device.type, dtype, enabled=dtype != torch.float32),
            ):
                logits = self.model(ids.to(device), attention_mask=mask.to(device))
            for place, score in zip(chosen, torch.sigmoid(logits.float()).tolist(), strict=True):
                scores[place] = score
        return scores


class Pieces:
    """Token ids of a sentence, normalised as the encoder's training text was, cut at `MAX_LENGTH`."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._normalizer = Normalizer()
        self._first, self._last, self.padding = (
            _token_id(tokenizer, token) for token in ("[CLS]", "[SEP]", "[PAD]")
        )

    def __call__(self, sentence: str) -> list[int]:
        """[CLS], the pieces, [SEP]."""
        ids = self._tokenizer.encode(self._normalizer(sentence), add_special_tokens=False).ids
        return [self._first, *ids[: MAX_LENGTH - 2], self._last]


def _token_id(tokenizer: Tokenizer, token: str) -> int:
    found = tokenizer.token_to_id(token)
    if found is None:
        raise ValueError(f"the tokenizer has no {token}")
    return found


def read_cola(path: Path) -> tuple[list[str], list[int]]:
    """Sentences of a file of CoLA and their labels, 1 for acceptable.

    Raises:
        ValueError: no such file, or a line of another form (with its number).
    """
    if not path.is_file():
        raise ValueError(f"{path}: no such file; CoLA is at https://nyu-mll.github.io/CoLA")
    sentences, labels = [], []
    with path.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), 1):
            if len(row) != 4 or row[1] not in {"0", "1"}:
                raise ValueError(
                    f"{path}, line {number}: expected source, 0 or 1, mark and sentence, got {row}"
                )
            sentences.append(row[3])
            labels.append(int(row[1]))
    return sentences, labels


def new_model(encoder: Path, settings: Settings) -> GrammarModel:
    """An untrained classifier on the encoder's weights, adapters in place."""
    torch.manual_seed(settings.seed)
    model = GrammarModel(BertConfig.from_pretrained(encoder), settings.dropout)
    state = {name: tensor.float() for name, tensor in load_file(encoder / "model.safetensors").items()}
    model.load_state_dict(state, strict=False)
    add_adapters(model, settings.rank, settings.alpha, HEADS)
    return model


def fit(
    model: GrammarModel, pieces: Pieces, sentences: Sequence[str], labels: Sequence[int], settings: Settings
) -> list[float]:
    """Train in place; returns the mean loss of each epoch.

    Batches are of similar length, in random order; the rarer label weighs as much as the other in all.
    """
    rng = np.random.default_rng(settings.seed)
    dtype = choose_dtype("auto", torch.device("cpu"))  # bfloat16 where the processor multiplies it natively
    rows = [pieces(sentence) for sentence in sentences]
    share = sum(labels) / len(labels)
    weight = torch.tensor((1 - share) / share) if 0 < share < 1 else torch.tensor(1.0)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=settings.learning_rate, weight_decay=0.01)
    total = settings.epochs * math.ceil(len(rows) / settings.batch)
    warmup = max(1, int(total * settings.warmup_share))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warmup, max(0.0, (total - step) / max(1, total - warmup)))
    )
    losses = []
    for epoch in range(settings.epochs):
        model.train()
        noisy = [len(row) + rng.random() * 4 for row in rows]  # other batches in each epoch
        order = np.argsort(noisy)
        batches = [order[start : start + settings.batch] for start in range(0, len(order), settings.batch)]
        summed = 0.0
        for at in rng.permutation(len(batches)):
            chosen = batches[at]
            ids, mask = pad([rows[place] for place in chosen], pieces.padding)
            target = torch.tensor([float(labels[place]) for place in chosen])
            with torch.autocast("cpu", dtype, enabled=dtype != torch.float32):
                logits = model(ids, attention_mask=mask)
            loss = F.binary_cross_entropy_with_logits(logits.float(), target, pos_weight=weight)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()
            summed += loss.item() * len(chosen)
        losses.append(summed / len(rows))
        print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}", file=sys.stderr, flush=True)
    return losses


def matthews(labels: Sequence[int], said: Sequence[int]) -> float:
    """Matthews correlation of two binary sequences, -1..1; 0 where one of them is constant.

    >>> round(matthews([1, 1, 0, 0], [1, 1, 1, 0]), 3)
    0.577
    """
    if len(set(labels)) < 2 or len(set(said)) < 2:
        return 0.0
    return float(np.corrcoef(labels, said)[0, 1])


def evaluate(scorer: GrammarScorer, folder: Path) -> dict[str, dict[str, float]]:
    """Matthews correlation and accuracy at .5 on both development sets of CoLA."""
    found = {}
    for name in ("in_domain", "out_of_domain"):
        sentences, labels = read_cola(folder / FILES[name])
        said = [int(score >= 0.5) for score in scorer(sentences)]
        agreed = float(np.mean([a == b for a, b in zip(said, labels, strict=True)]))
        found[name] = {"mcc": matthews(labels, said), "accuracy": agreed, "sentences": len(labels)}
    return found


def train(folder: Path, out: Path, settings: Settings, encoder: Path = ENCODER) -> dict[str, Any]:
    """Train on CoLA and write checkpoint, manifest and card; returns the manifest."""
    started = time.time()
    sentences, labels = read_cola(folder / FILES["train"])
    model = new_model(encoder, settings)
    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    losses = fit(model, Pieces(tokenizer), sentences, labels, settings)
    save_tensors(out / "adapter.safetensors", adapter_tensors(model))
    reference = {
        "path": str(Path("../../..") / encoder.relative_to(ROOT))
        if encoder.is_relative_to(ROOT)
        else str(encoder),
        "hub": "openmeva/story-encoder",
        "sha256": file_digest(encoder / "model.safetensors"),
    }
    write_text(out / "config.json", json.dumps({"grammar": {"encoder": reference}}, indent=1) + "\n")
    results = evaluate(GrammarScorer.load(out), folder)  # of what was written, half precision included
    manifest = {
        "settings": vars(settings),
        "data": {name: checksum(folder / file) for name, file in FILES.items()},
        "losses": losses,
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
        "results": results,
    }
    write_text(out / "manifest.json", json.dumps(manifest, indent=1) + "\n")
    write_text(out / "README.md", card(manifest))
    return manifest


def card(manifest: dict[str, Any]) -> str:
    """The model card, from a run's manifest."""
    lines = [
        f"| {name.replace('_', ' ')} | {result['mcc']:.3f} | {result['accuracy']:.3f} |"
        for name, result in manifest["results"].items()
    ]
    settings = ", ".join(f"{name} {value}" for name, value in manifest["settings"].items())
    return _CARD.format(results="\n".join(lines), settings=settings, minutes=manifest["minutes"])


_CARD = """---
license: apache-2.0
language: en
tags: [grammaticality]
---

# Grammaticality of sentences

Scores a sentence, 0 to 1, higher is more grammatical. Perturbed stories of AUTOS are kept where each changed
sentence scores at least .5 (OpenMEVA, appendix B.2), those with typos aside.

## Use

```python
from training.grammar.trainer import GrammarScorer  # in a checkout of the project

GrammarScorer.load()(["She ate an apple.", "She ate apple an."])
```

## Training

An adapter and a linear layer on the shared story encoder, trained on CoLA ({settings}; {minutes} minutes).

## Results

| development set of CoLA | Matthews correlation | accuracy |
|---|---|---|
{results}

## Limits

Lower case only: it does not see capitals. Trained on linguists' examples, which are shorter and odder than
sentences of stories.

## Data and licence

The weights are Apache-2.0. CoLA (Warstadt, Singh and Bowman, TACL 2019) is not part of this repository.

## Citation

```bibtex
@article{{warstadt-etal-2019-neural,
    title = "Neural Network Acceptability Judgments",
    author = "Warstadt, Alex and Singh, Amanpreet and Bowman, Samuel R.",
    journal = "Transactions of the Association for Computational Linguistics",
    volume = "7",
    year = "2019",
    pages = "625--641",
}}
```
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training.grammar",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder that holds cola/raw")
    parser.add_argument("--config", type=Path, default=ROOT / "training" / "configs" / "grammar.yaml")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--evaluate", action="store_true", help="measure the weights in --out, train nothing")
    options = parser.parse_args(arguments)
    folder = options.data / "cola" / "raw"
    try:
        if options.evaluate:
            results = evaluate(GrammarScorer.load(options.out), folder)
        else:
            settings = Settings(**yaml.safe_load(options.config.read_text(encoding="utf-8")))
            results = train(folder, options.out, settings)["results"]
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for name, result in results.items():
        print(
            f"{name}: Matthews {result['mcc']:.3f}, accuracy {result['accuracy']:.3f} of {result['sentences']}"
        )
    return 0
