"""A linear probe in the committee: logistic regression on fixed features of the shared encoder."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from rich.progress import track
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.checkpoint import read_tensors
from openmeva.metrics.core.runtime import choose_dtype, pad, token_id
from openmeva.training.paths import ENCODER

BATCH = 64
LIMIT = 512


@torch.inference_mode()
def encoder_features(texts: Sequence[str], encoder: Path = ENCODER) -> np.ndarray:
    """The first token's and the mean of all tokens' last hidden states, standardised, (texts, 2 * width)."""
    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    model = BertModel(BertConfig.from_pretrained(encoder), add_pooling_layer=False).eval()
    weights = read_tensors(encoder / "model.safetensors")
    state = {n.removeprefix("bert."): t.float() for n, t in weights.items() if n.startswith("bert.")}
    model.load_state_dict(state)
    model.to(choose_dtype("auto", torch.device("cpu")))
    ends = token_id(tokenizer, "[CLS]"), token_id(tokenizer, "[SEP]")
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    ids = [[ends[0], *row.ids[: LIMIT - 2], ends[1]] for row in encoded]
    features = np.zeros((len(texts), 2 * model.config.hidden_size), dtype=np.float32)
    batches = list(length_batches([len(row) for row in ids], BATCH))
    for rows in track(batches, "encoding"):
        tokens, mask = pad([ids[row] for row in rows], token_id(tokenizer, "[PAD]"))
        hidden = model(tokens, attention_mask=mask).last_hidden_state.float()
        mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        features[rows] = torch.cat([hidden[:, 0], mean], dim=1).numpy()
    return (features - features.mean(0)) / np.maximum(features.std(0), 1e-6)
