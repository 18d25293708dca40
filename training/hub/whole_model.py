"""The whole model of an adapter, to be loaded by `AutoModel` without a metric."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from openmeva.metrics.core.files import FULL_MODEL
from openmeva.training.files import save_tensors, write_text

# The relative error of tanh(x / SCALE) * SCALE against x is about 2e-5 for a logit of 2, and 5e-4 for one of 10.
SCALE = 256.0
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "vocab.txt")

_NOTE = """
## Without the metric

The repository also has the whole model with the adapter merged, in half precision (`model.safetensors`):

```python
from transformers import {class_name}, AutoTokenizer

model = {class_name}.from_pretrained("{id}")
tokenizer = AutoTokenizer.from_pretrained("{id}")
```

{classifier}Normalize the input text as the metric does: lower case, Penn Treebank tokens, names as `[MALE]`,
`[FEMALE]`, `[NEUTRAL]`. The project's package does this, with the names in the encoder's repository:

```python
from huggingface_hub import hf_hub_download
from openmeva.metrics.core.text import Normalizer

normalize = Normalizer.load(hf_hub_download("{encoder}", "names.json"))
model(**tokenizer(normalize("Ann was hungry. She made a sandwich."), return_tensors="pt"))
```
"""

_CLASSIFIER = """\
`AutoModelForSequenceClassification` gives one logit, whose sigmoid is the metric's score for a text that fits in one
window, `tokenizer.model_max_length` tokens long. The metric reads longer texts in several windows; with
`truncation=True` the model reads their beginning only. The logit is a linear layer on [CLS]. BERT's class has a pooler with a tanh before the classifier. The layer is
therefore stored in the pooler, scaled down to the range where tanh is linear, and the classifier scales its output up.

"""


def is_one_layer(checkpoint: Path, section: str) -> bool:
    """Whether a checkpoint's score is the sigmoid of a single linear layer on the shared encoder.

    It is not if a token-level head contributes to the score, or on another encoder.
    """
    settings = json.loads((checkpoint / "config.json").read_text(encoding="utf-8")).get(section, {})
    shared = "added_tokens" not in settings.get("encoder", {"added_tokens": []})
    return shared and not settings.get("token_share")


def write_whole_model(checkpoint: Path, section: str, target: Path, classifier: str | None) -> None:
    """Writes `model.safetensors`, the tokenizer and a `config.json` for transformers to `target`.

    `config.json` keeps the metric's section, so that the metric still reads the adapter.

    Args:
        checkpoint: folder of the adapter, from which its encoder is found.
        section: the metric's name in `config.json`.
        target: the repository's folder, which already has the adapter and its `config.json`.
        classifier: name of the linear layer (1, width) on [CLS] whose output is the logit; None for none.

    Raises:
        ValueError: errors of `load_checkpoint`, or no such layer.
    """
    import torch

    from openmeva.metrics.core.backbone import backbone_folder
    from openmeva.metrics.core.checkpoint import load_checkpoint

    loaded = load_checkpoint(checkpoint, section)
    parts = ("bert.",) if classifier else ("bert.", "cls.")  # the parts of the class named in `architectures`
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
            "dtype": "float32",  # the scaled layer needs the range of float32
        }
    save_tensors(target / FULL_MODEL, {name: t.contiguous() for name, t in tensors.items()})
    config.pop("_name_or_path", None)
    settings = json.loads((target / "config.json").read_text(encoding="utf-8"))
    write_text(target / "config.json", json.dumps({**config, **settings}, indent=2) + "\n")
    encoder = backbone_folder(loaded.settings["encoder"], checkpoint)
    for name in _TOKENIZER:
        if (encoder / name).is_file():
            shutil.copyfile(encoder / name, target / name)
    tokenizer = target / "tokenizer_config.json"
    if tokenizer.is_file() and "max_length" in loaded.settings:  # the metric's window
        written = json.loads(tokenizer.read_text(encoding="utf-8"))
        written["model_max_length"] = loaded.settings["max_length"]
        write_text(tokenizer, json.dumps(written, indent=2) + "\n")


def whole_model_note(hub_id: str, classifier: str | None, encoder: str) -> str:
    """The card's section on loading the whole model; `encoder` is the repository with the names."""
    return _NOTE.format(
        id=hub_id,
        encoder=encoder,
        class_name="AutoModelForSequenceClassification" if classifier else "AutoModel",
        classifier=_CLASSIFIER if classifier else "",
    )
