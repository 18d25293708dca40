"""The grammaticality classifier: its model, and the scorer with trained weights."""

from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import BertConfig, BertModel, BertPreTrainedModel

from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.runtime import build_model, pad
from openmeva.training.common.adapters import add_adapters
from openmeva.training.common.backbone import Backbone, backbone_state
from openmeva.training.grammar.config import Settings
from openmeva.training.grammar.data import SentenceTokenizer
from openmeva.training.paths import ROOT

WEIGHTS = ROOT / "training" / "weights" / "grammar"
HEADS = ("classifier",)


class GrammarModel(BertPreTrainedModel):
    """The encoder with a linear layer on [CLS]; the score is the sigmoid of its output."""

    def __init__(self, config: BertConfig, dropout: float = 0.0) -> None:
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)
        self.dropout = torch.nn.Dropout(dropout)
        self.classifier = torch.nn.Linear(config.hidden_size, 1)
        self.post_init()

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Logits `(n,)` of token ids `(n, tokens)` and their attention mask of the same shape."""
        hidden = self.bert(input_ids, attention_mask=attention_mask).last_hidden_state
        return self.classifier(self.dropout(hidden[:, 0])).squeeze(-1)


def new_model(base: Backbone, settings: Settings) -> GrammarModel:
    """An untrained classifier with the encoder's weights and new adapters."""
    torch.manual_seed(settings.seed)
    model = GrammarModel(base.config, settings.dropout)
    model.load_state_dict(backbone_state(base), strict=False)
    add_adapters(model, settings.rank, settings.alpha, HEADS)
    return model


class GrammarScorer:
    """Scores sentences for grammaticality with a trained classifier.

    Args:
        model: the classifier.
        tokenizer: tokenizer of its encoder.
    """

    def __init__(self, model: GrammarModel, tokenizer: Tokenizer) -> None:
        self.model = model.eval()
        self.pieces = SentenceTokenizer(tokenizer)

    @classmethod
    def load(cls, folder: Path | None = None) -> "GrammarScorer":
        """The classifier in a folder; default: the shipped one.

        Raises:
            ValueError: the weights are missing or damaged (the file is named); `python -m training.grammar`
                writes them.
        """
        path = folder or WEIGHTS
        if not (path / "config.json").is_file():
            raise ValueError(
                f"{path}: no classifier there; `python -m training.grammar --data DIR` trains one"
            )
        checkpoint = load_checkpoint(path, "grammar")
        model = build_model(lambda: GrammarModel(checkpoint.model_config), checkpoint.state, path)
        return cls(model, checkpoint.tokenizer)

    def __call__(self, sentences: Sequence[str], batch_size: int = 64) -> list[float]:
        """Scores of sentences, in order, 0..1; higher is more grammatical. A sentence without tokens scores 0.

        Computed in float32 on every device, so that the sentences that pass a filter do not depend on the device.
        """
        rows = [self.pieces(sentence) for sentence in sentences]
        scores = [0.0] * len(rows)
        device = self.model.device
        indices = [index for index, row in enumerate(rows) if len(row) > 2]
        for batch in length_batches([len(rows[index]) for index in indices], batch_size):
            chosen = [indices[number] for number in batch]
            ids, mask = pad([rows[index] for index in chosen], self.pieces.padding)
            with torch.inference_mode():
                logits = self.model(ids.to(device), attention_mask=mask.to(device))
            for index, score in zip(chosen, torch.sigmoid(logits).tolist(), strict=True):
                scores[index] = score
        return scores
