"""UNION's model: a BERT encoder, a linear layer on [CLS], and a reconstruction head over the vocabulary."""

import torch
from torch import Tensor
from torch.nn import functional as F
from transformers import BertConfig, BertPreTrainedModel, PreTrainedConfig
from transformers.models.bert.modeling_bert import BertOnlyMLMHead

from openmeva.metrics.core.classifier import new_encoder

IGNORE_INDEX = -100


def new_reconstruction_head(config: PreTrainedConfig) -> BertOnlyMLMHead:
    """BERT's masked-language-model head for any encoder; without BERT, its dense layer starts as the identity."""
    if isinstance(config, BertConfig):
        return BertOnlyMLMHead(config)
    width, size = config.hidden_size, config.vocab_size
    head = BertOnlyMLMHead(BertConfig(hidden_size=width, vocab_size=size, num_attention_heads=1))
    torch.nn.init.eye_(head.predictions.transform.dense.weight)
    return head


class UnionModel(BertPreTrainedModel):
    """Scores stories (equation 2) and reconstructs the original of corrupted ones (equation 4).

    The reconstruction head is BERT's masked-language-model head with output weights tied to the word embeddings, so
    that a pretrained one can initialise it. In the paper it is a separate linear layer.
    """

    _keep_in_fp32_modules_strict = {"classifier"}  # noqa: RUF012 (as the base class has it)
    _tied_weights_keys = {  # noqa: RUF012 (the base class needs a plain dict)
        "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    }

    def __init__(self, config: PreTrainedConfig) -> None:
        super().__init__(config)
        self.bert = new_encoder(config)
        self.cls = new_reconstruction_head(config)
        self.classifier = torch.nn.Linear(config.hidden_size, 1)
        words = next(n for n, p in self.named_parameters() if p is self.bert.get_input_embeddings().weight)
        self._tied_weights_keys = {**self._tied_weights_keys, "cls.predictions.decoder.weight": words}
        self.post_init()

    def encode(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Hidden states (n, tokens, width) of token ids (n, tokens)."""
        return self.bert(input_ids, attention_mask=attention_mask).last_hidden_state

    def score(self, hidden: Tensor) -> Tensor:
        """Logits (n,) of equation 2; their sigmoid is the probability that a story is human-written."""
        return self.classifier(hidden[:, 0].to(self.classifier.weight.dtype)).squeeze(-1).float()

    def reconstruct(self, hidden: Tensor) -> Tensor:
        """Logits (…, vocabulary) of equation 4 for hidden states (…, width)."""
        return self.cls(hidden.to(self.cls.predictions.transform.dense.weight.dtype))

    def reconstruction_loss(self, hidden: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
        """The weighted sum, a scalar, of equation 5's losses, for hidden states (n, tokens, width).

        Args:
            hidden: as returned by `encode`.
            targets: (n, tokens) token ids of the original, `IGNORE_INDEX` for tokens without one.
            weights: (n, tokens) of the targets in the sum.
        """
        is_target = targets != IGNORE_INDEX
        losses = F.cross_entropy(self.cls(hidden[is_target]).float(), targets[is_target], reduction="none")
        return (losses * weights[is_target]).sum()

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Logits (n,) of equation 2 for token ids (n, tokens) and their mask, 1 at tokens."""
        return self.score(self.encode(input_ids, attention_mask))
