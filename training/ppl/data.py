"""Stories as token ids, and padded batches of them."""

from collections.abc import Sequence

from tokenizers import Tokenizer
from torch import Tensor

from openmeva.metrics.core.runtime import pad, token_id
from openmeva.training.corpora.splits import Sentences


class LanguageModelCollator:
    """Pads token ids on the right."""

    def __init__(self, padding: int) -> None:
        self.padding = padding

    def __call__(self, rows: list[list[int]]) -> dict[str, Tensor]:
        ids, mask = pad(rows, self.padding)
        return {"input_ids": ids, "attention_mask": mask}


def token_rows(
    stories: Sequence[Sentences], tokenizer: Tokenizer, limit: int, marks: tuple[int, int] | None = None
) -> list[list[int]]:
    """Token ids of each story, [CLS] before and [SEP] after it, or other `marks`; cut at `limit` tokens."""
    start, end = marks or (token_id(tokenizer, "[CLS]"), token_id(tokenizer, "[SEP]"))
    texts = [" ".join(word for sentence in story for word in sentence) for story in stories]
    return [
        [start, *encoding.ids, end][:limit]
        for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)
    ]
