"""The story classifier shared by metrics: an encoder, a linear layer on the first token, and small heads."""

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

# models whose first position is the one after the id of the padding token
_POSITIONS_AFTER_PADDING = frozenset(
    (
        *("roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "camembert", "xmod"),
        *("longformer", "mpnet", "data2vec-text", "ibert", "luke"),
    )
)


def is_decoder(config: PreTrainedConfig) -> bool:
    """Whether a model is a causal decoder, such as GPT-2 or Llama."""
    return type(config) not in MODEL_FOR_MASKED_LM_MAPPING


def max_positions(config: PreTrainedConfig) -> int | None:
    """Tokens of the longest text that a model has positions for, special tokens included; None: no limit.

    >>> from transformers import RobertaConfig
    >>> max_positions(BertConfig()), max_positions(RobertaConfig(max_position_embeddings=514))
    (512, 512)
    """
    positions: int | None = getattr(config, "max_position_embeddings", None)
    if positions is None or config.model_type not in _POSITIONS_AFTER_PADDING:
        return positions
    # MPNet does not read it from its configuration
    padding = 1 if config.model_type == "mpnet" else config.pad_token_id
    return positions - 1 - int(padding)


class StoryClassifier(BertPreTrainedModel):
    """Discriminates human-written stories from others; the sigmoid of its logit is the score.

    Args:
        config: of the encoder: BERT or another model of its family, such as RoBERTa or Longformer; or a causal language
            model, such as GPT-2 or Llama.
        error_types: number of error types that the head for them predicts; 0: no such head.
        tokens: whether a head predicts for each token whether it belongs where it is.
        dropout: before the heads, in training.
    """

    _keep_in_fp32_modules_strict = {"classifier", "kinds", "tokens"}  # noqa: RUF012 (as the base class has it)

    def __init__(
        self, config: PreTrainedConfig, error_types: int = 0, tokens: bool = False, dropout: float = 0.0
    ) -> None:
        super().__init__(config)
        self.bert = new_encoder(config)
        self.is_decoder = is_decoder(config)
        self.dropout = torch.nn.Dropout(dropout)
        self.classifier = torch.nn.Linear(config.hidden_size, 1)
        # the head for error types; checkpoints have its weights under this name
        self.kinds = torch.nn.Linear(config.hidden_size, error_types) if error_types else None
        self.tokens = torch.nn.Linear(config.hidden_size, 1) if tokens else None
        self.post_init()

    def encode(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Hidden states (n, tokens, width) of token ids (n, tokens) and their mask, 1 at tokens.

        In a causal decoder only the last token attends to the whole story: its state replaces the first token's.
        """
        inputs = {"attention_mask": attention_mask}
        if self.config.model_type == "longformer":  # global attention of the first token
            inputs["global_attention_mask"] = torch.zeros_like(attention_mask)
            inputs["global_attention_mask"][:, 0] = 1
        hidden: Tensor = self.bert(input_ids, **inputs).last_hidden_state
        if self.is_decoder:
            last = hidden[torch.arange(len(hidden), device=hidden.device), attention_mask.sum(1) - 1]
            hidden = torch.cat([last[:, None], hidden[:, 1:]], dim=1)
        return hidden

    def score(self, hidden: Tensor) -> Tensor:
        """Logits (n,) float32, higher for human-written stories."""
        return self.classifier(self._first(hidden, self.classifier)).squeeze(-1).float()

    def error_type_logits(self, hidden: Tensor) -> Tensor:
        """Logits (n, error types) float32, higher for error types that a story has.

        Raises:
            ValueError: a model without that head.
        """
        if self.kinds is None:
            raise ValueError("expected a checkpoint with a head for error types, got one without")
        return self.kinds(self._first(hidden, self.kinds)).float()

    def token_logits(self, hidden: Tensor) -> Tensor:
        """Logits (n, tokens) float32, higher for tokens that belong where they are.

        Raises:
            ValueError: a model without that head.
        """
        if self.tokens is None:
            raise ValueError("expected a checkpoint with a head for tokens, got one without")
        return self.tokens(self.dropout(hidden).to(self.tokens.weight.dtype)).squeeze(-1).float()

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Logits (n,) for token ids (n, tokens) and their mask, 1 at tokens."""
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
    config._attn_implementation = None  # the encoder chooses: Longformer has only one implementation
    return AutoModel.from_config(config, dtype=torch.float32, **pooling_arguments(config))


def pooling_arguments(config: PreTrainedConfig) -> dict[str, bool]:
    """The argument of transformers that omits the pooling layer of an encoder that has one."""
    kind: Any = MODEL_MAPPING[type(config)]
    return {"add_pooling_layer": False} if "add_pooling_layer" in signature(kind).parameters else {}
