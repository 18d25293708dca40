"""The classifier of stories that metrics share: an encoder, a linear layer on [CLS], and light heads for reasons."""

import torch
from torch import Tensor
from transformers import BertConfig, BertModel, BertPreTrainedModel


class StoryClassifier(BertPreTrainedModel):
    """Tells stories that people wrote from others; the sigmoid of its logit is the score.

    Args:
        config: of the encoder.
        kinds: how many kinds of error the head for reasons names; 0 for none.
        tokens: whether a head says of each token whether it belongs where it stands.
        dropout: before the heads, in training.
    """

    def __init__(
        self, config: BertConfig, kinds: int = 0, tokens: bool = False, dropout: float = 0.0
    ) -> None:
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)
        self.dropout = torch.nn.Dropout(dropout)
        self.classifier = torch.nn.Linear(config.hidden_size, 1)
        self.kinds = torch.nn.Linear(config.hidden_size, kinds) if kinds else None
        self.tokens = torch.nn.Linear(config.hidden_size, 1) if tokens else None
        self.post_init()

    def encode(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Hidden states (n, tokens, width) of token ids (n, tokens) and their mask, 1 at tokens."""
        return self.bert(input_ids, attention_mask=attention_mask).last_hidden_state

    def score(self, hidden: Tensor) -> Tensor:
        """Logits (n,) float32, higher for stories as people write them."""
        return self.classifier(self._first(hidden, self.classifier)).squeeze(-1).float()

    def name_kinds(self, hidden: Tensor) -> Tensor:
        """Logits (n, kinds) float32 that a story has each kind of error.

        Raises:
            ValueError: a model without that head.
        """
        if self.kinds is None:
            raise ValueError("expected a checkpoint with a head for kinds of error, got one without")
        return self.kinds(self._first(hidden, self.kinds)).float()

    def judge_tokens(self, hidden: Tensor) -> Tensor:
        """Logits (n, tokens) float32, higher for tokens that belong where they stand.

        Raises:
            ValueError: a model without that head.
        """
        if self.tokens is None:
            raise ValueError("expected a checkpoint with a head for tokens, got one without")
        return self.tokens(self.dropout(hidden).to(self.tokens.weight.dtype)).squeeze(-1).float()

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Logits (n,) of token ids (n, tokens) and their mask."""
        return self.score(self.encode(input_ids, attention_mask))

    def _first(self, hidden: Tensor, head: torch.nn.Linear) -> Tensor:
        return self.dropout(hidden[:, 0]).to(head.weight.dtype)
