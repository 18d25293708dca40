"""The classifier of stories that metrics share: an encoder, a linear layer on its first token, and light heads."""

from inspect import signature
from typing import Any

import torch
from torch import Tensor
from transformers import (
    MODEL_FOR_MASKED_LM_MAPPING,
    MODEL_MAPPING,
    AutoModel,
    BertConfig,
    BertModel,
    BertPreTrainedModel,
    PreTrainedConfig,
)


def is_decoder(config: PreTrainedConfig) -> bool:
    """Whether a model reads from left to right alone, as language models of GPT-2's and Llama's kind do."""
    return type(config) not in MODEL_FOR_MASKED_LM_MAPPING


class StoryClassifier(BertPreTrainedModel):
    """Tells stories that people wrote from others; the sigmoid of its logit is the score.

    Args:
        config: of the encoder: BERT's, or that of another model of its family, such as RoBERTa or Longformer; or of a
            language model that reads from left to right, such as GPT-2 or Llama.
        kinds: how many kinds of error the head for reasons names; 0 for none.
        tokens: whether a head says of each token whether it belongs where it stands.
        dropout: before the heads, in training.
    """

    _keep_in_fp32_modules_strict = {"classifier", "kinds", "tokens"}  # noqa: RUF012 (as the base class has it)

    def __init__(
        self, config: PreTrainedConfig, kinds: int = 0, tokens: bool = False, dropout: float = 0.0
    ) -> None:
        super().__init__(config)
        self.bert = new_encoder(config)
        self.reads_forward = is_decoder(config)
        self.dropout = torch.nn.Dropout(dropout)
        self.classifier = torch.nn.Linear(config.hidden_size, 1)
        self.kinds = torch.nn.Linear(config.hidden_size, kinds) if kinds else None
        self.tokens = torch.nn.Linear(config.hidden_size, 1) if tokens else None
        self.post_init()

    def encode(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Hidden states (n, tokens, width) of token ids (n, tokens) and their mask, 1 at tokens.

        A model that reads from left to right knows the whole story at its last token alone: that token's state takes
        the first one's place.
        """
        inputs = {"attention_mask": attention_mask}
        if self.config.model_type == "longformer":  # its first token sees, and is seen by, all others
            inputs["global_attention_mask"] = torch.zeros_like(attention_mask)
            inputs["global_attention_mask"][:, 0] = 1
        hidden: Tensor = self.bert(input_ids, **inputs).last_hidden_state
        if self.reads_forward:
            last = hidden[torch.arange(len(hidden), device=hidden.device), attention_mask.sum(1) - 1]
            hidden = torch.cat([last[:, None], hidden[:, 1:]], dim=1)
        return hidden

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


def new_encoder(config: PreTrainedConfig) -> Any:
    """An untrained encoder without a pooling layer, or a decoder without its language-model head, in float32."""
    if is_decoder(config):
        config.use_cache = False
        return AutoModel.from_config(config, dtype=torch.float32)
    if isinstance(config, BertConfig):
        return BertModel(config, add_pooling_layer=False)
    config._attn_implementation = None  # the encoder's own choice: Longformer has but one kind
    return AutoModel.from_config(config, dtype=torch.float32, **pooling(config))


def pooling(config: PreTrainedConfig) -> dict[str, bool]:
    """What transformers is told to leave out the pooling layer of an encoder that has one."""
    kind: Any = MODEL_MAPPING[type(config)]
    return {"add_pooling_layer": False} if "add_pooling_layer" in signature(kind).parameters else {}
