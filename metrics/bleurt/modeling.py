"""BLEURT's model: a BERT encoder over reference and text, a linear scoring layer, and pretraining heads."""

from torch import Tensor, nn
from transformers import BertConfig, BertModel, BertPreTrainedModel

# Targets of the pretraining heads: this project's scores of the pair, standardised, and whether the reference entails
# the text.
SIGNALS = ("bleu", "rougeL", "bertscore_precision", "bertscore_recall", "bertscore_f1", "moverscore_1")
ENTAILMENT = ("entailed", "neutral", "contradicted")


class BleurtModel(BertPreTrainedModel):
    """Scores a text against a reference: `[CLS] reference [SEP] text [SEP]` (Sellam et al. 2020, section 3)."""

    _keep_in_fp32_modules_strict = {"score", "signals", "entailment"}  # noqa: RUF012 (as the base class has it)

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)
        self.score = nn.Linear(config.hidden_size, 1)
        self.signals = nn.Linear(config.hidden_size, len(SIGNALS))
        self.entailment = nn.Linear(config.hidden_size, len(ENTAILMENT))
        self.post_init()

    def encode(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Hidden states of [CLS] (n, width), in the heads' dtype, for pairs of token ids (n, tokens).

        `token_type_ids` are 0 in the reference and 1 in the text.
        """
        output = self.bert(input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        return output.last_hidden_state[:, 0].to(self.score.weight.dtype)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Scores (n,) float32, higher is better."""
        return self.score(self.encode(input_ids, attention_mask, token_type_ids)).squeeze(-1).float()
