"""The whole model behind an adapter, for those who load it by `AutoModel` and without a metric."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from openmeva.training.files import save_tensors, write_text

# tanh(x / SCALE) * SCALE is x to within 2e-5 of itself for a logit of 2, and to 5e-4 for one of 10.
SCALE = 256.0
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "vocab.txt")

_NOTE = """
## Without the metric

The repository also holds the whole model, adapter merged, in half precision (`model.safetensors`):

```python
from transformers import {class_name}, AutoTokenizer

model = {class_name}.from_pretrained("{id}")
tokenizer = AutoTokenizer.from_pretrained("{id}")
```

{classifier}Text goes in as the metric normalises it: lower case, Penn-Treebank tokens, names as `[MALE]`,
`[FEMALE]`, `[NEUTRAL]`. The project's package does so, with the names in the encoder's repository:

```python
from huggingface_hub import hf_hub_download
from openmeva.metrics.core.text import Normalizer

normalize = Normalizer.load(hf_hub_download("{encoder}", "names.json"))
model(**tokenizer(normalize("Ann was hungry. She made a sandwich."), return_tensors="pt"))
```
"""

_CLASSIFIER = """\
`AutoModelForSequenceClassification` gives one logit, whose sigmoid is the metric's score for a text of one
window. The score is a linear layer on [CLS]; BERT's class has a pooler with a tanh before it, so the layer is
written into the pooler scaled down, where the tanh is straight, and scaled up again after it.

"""


def is_one_layer(checkpoint: Path, section: str) -> bool:
    """Whether a checkpoint's score is the sigmoid of one linear layer on the shared encoder, and of nothing else.

    A score that a head for tokens shares in is not, and neither is one on another encoder.
    """
    settings = json.loads((checkpoint / "config.json").read_text(encoding="utf-8")).get(section, {})
    shared = "added_tokens" not in settings.get("encoder", {"added_tokens": []})
    return shared and not settings.get("token_share")


def write_whole_model(checkpoint: Path, section: str, target: Path, classifier: str | None) -> None:
    """Writes `model.safetensors`, the tokenizer and a `config.json` that transformers reads into `target`.

    `config.json` keeps the metric's section, so that the metric goes on reading the adapter.

    Args:
        checkpoint: folder of the adapter, from which its encoder is found.
        section: the metric's name in `config.json`.
        target: the repository's folder, which holds the adapter and its `config.json` already.
        classifier: name of the linear layer (1, width) on [CLS] whose output is the logit; None for none.

    Raises:
        ValueError: what `load_checkpoint` raises, or no such layer.
    """
    import torch

    from openmeva.metrics.core.backbone import backbone_folder
    from openmeva.metrics.core.checkpoint import load_checkpoint

    loaded = load_checkpoint(checkpoint, section)
    parts = ("bert.",) if classifier else ("bert.", "cls.")  # what the class named in `architectures` has
    state = {name: t for name, t in loaded.state.items() if name.startswith(parts)}
    tensors = {name: tensor.to(torch.float16) for name, tensor in state.items()}
    config: dict[str, Any] = json.loads(loaded.model_config.to_json_string(use_diff=False))
    if classifier:
        weight, bias = (loaded.state.get(f"{classifier}.{part}") for part in ("weight", "bias"))
        width = loaded.model_config.hidden_size
        if weight is None or bias is None or tuple(weight.shape) != (1, width):
            raise ValueError(f"{checkpoint}: expected a layer {classifier!r} of shape (1, {width})")
        pooler, head = torch.zeros(width, width), torch.zeros(1, width)
        pooler[0], head[0, 0] = weight[0] / SCALE, SCALE
        pooler_bias = torch.zeros(width)
        pooler_bias[0] = bias[0] / SCALE
        tensors |= {
            "bert.pooler.dense.weight": pooler,
            "bert.pooler.dense.bias": pooler_bias,
            "classifier.weight": head,
            "classifier.bias": torch.zeros(1),
        }
        config |= {
            "architectures": ["BertForSequenceClassification"],
            "id2label": {"0": "score"},
            "label2id": {"score": 0},
            "dtype": "float32",  # the scaled layer needs its range
        }
    save_tensors(target / "model.safetensors", {name: t.contiguous() for name, t in tensors.items()})
    config.pop("_name_or_path", None)
    settings = json.loads((target / "config.json").read_text(encoding="utf-8"))
    write_text(target / "config.json", json.dumps({**config, **settings}, indent=2) + "\n")
    encoder = backbone_folder(loaded.settings["encoder"], checkpoint)
    for name in _TOKENIZER:
        if (encoder / name).is_file():
            shutil.copyfile(encoder / name, target / name)


def whole_model_note(hub_id: str, classifier: str | None, encoder: str) -> str:
    """What the card says about loading the whole model; `encoder` is the repository that holds the names."""
    return _NOTE.format(
        id=hub_id,
        encoder=encoder,
        class_name="AutoModelForSequenceClassification" if classifier else "AutoModel",
        classifier=_CLASSIFIER if classifier else "",
    )
