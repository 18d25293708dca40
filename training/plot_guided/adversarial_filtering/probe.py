"""A linear probe as a member of the committee: logistic regression on fixed features of the shared encoder."""

from collections.abc import Sequence

import numpy as np
import torch
from rich.progress import track

from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.runtime import SpecialTokens, choose_dtype, pad
from openmeva.training.common.backbone import SHARED, backbone_tokenizer, find_backbone, load_encoder

BATCH = 64
LIMIT = 512


@torch.inference_mode()
def encoder_features(texts: Sequence[str]) -> np.ndarray:
    """Last hidden state of the first token and mean over all tokens, standardised, (texts, 2 * width)."""
    base = find_backbone(SHARED)
    tokenizer, model = backbone_tokenizer(base), load_encoder(base).eval()
    model.to(choose_dtype("auto", torch.device("cpu")))
    special_tokens = SpecialTokens.from_tokenizer(tokenizer)
    ends = special_tokens.start, special_tokens.end
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    ids = [[ends[0], *row.ids[: LIMIT - 2], ends[1]] for row in encoded]
    features = np.zeros((len(texts), 2 * model.config.hidden_size), dtype=np.float32)
    batches = list(length_batches([len(row) for row in ids], BATCH))
    for rows in track(batches, "encoding"):
        tokens, mask = pad([ids[row] for row in rows], special_tokens.padding)
        hidden = model(tokens, attention_mask=mask).last_hidden_state.float()
        mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        features[rows] = torch.cat([hidden[:, 0], mean], dim=1).numpy()
    return (features - features.mean(0)) / np.maximum(features.std(0), 1e-6)
