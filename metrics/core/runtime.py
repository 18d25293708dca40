"""Running a model: device, precision, special tokens and padded batches."""

import copy
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor


def choose_device(device: str | torch.device | None) -> torch.device:
    """`device`, else the environment variable `OPENMEVA_DEVICE`, else the first available accelerator, else the CPU.

    Raises:
        ValueError: not the name of a device, or a device that is not available.
        RuntimeError: torch's own error, if a device is available but fails, for example without free memory.
    """
    source = "device"
    if device is None:
        device, source = os.environ.get("OPENMEVA_DEVICE") or None, "OPENMEVA_DEVICE"
    if device is not None:
        chosen = None
        try:
            chosen = torch.device(device)
            torch.empty(1, device=chosen).tolist()  # it is available and can be read from
        except (AssertionError, NotImplementedError, RuntimeError, TypeError) as error:
            if chosen is not None and _is_available(chosen):
                raise
            raise ValueError(
                f"{source}: expected an available device, such as 'cpu' or 'cuda', got {device!r:.60}"
            ) from error
        return chosen
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def _is_available(device: torch.device) -> bool:
    count: Callable[[], int] = getattr(getattr(torch, device.type, None), "device_count", lambda: 0)
    return (device.index or 0) < count()


def numbered_device(device: torch.device) -> torch.device:
    """The device as tensors on it have it, by its number: `cuda` is the current GPU, such as `cuda:0`.

    `choose_device` leaves the number out, since a process of several makes another GPU the current one.

    >>> numbered_device(torch.device("cpu"))
    device(type='cpu')
    """
    return torch.empty(0, device=device).device


def choose_dtype(dtype: str, device: torch.device) -> torch.dtype:
    """`float32` or `bfloat16`; for `auto`, bfloat16 if the device multiplies it faster than float32, else float32.

    Raises:
        ValueError: another name.
    """
    choices = {"float32": torch.float32, "bfloat16": torch.bfloat16}
    if isinstance(dtype, str) and dtype in choices:
        return choices[dtype]
    if dtype != "auto":
        raise ValueError(f"expected dtype 'auto', 'float32' or 'bfloat16', got {dtype!r:.60}")
    if device.type == "cuda":
        faster = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        faster = device.type == "cpu" and _processor_is_faster_in_bfloat16()
    return torch.bfloat16 if faster else torch.float32


def _processor_is_faster_in_bfloat16() -> bool:
    has = torch.cpu.get_capabilities().get
    if has("amx_bf16") or has("arm_bf16") or has("bf16"):
        return True
    # Intel's processors with AVX512-FP16 have AMX for bfloat16, which virtual machines often hide. Their AVX512-BF16 alone
    # has .55 of float32's speed (other processors with it have almost twice float32's).
    return bool(has("avx512_bf16") and not has("avx512_fp16"))


def precision(dtype: str, device: str | torch.device | None = None) -> str:
    """The precision of `dtype` on a device, as signatures name it: `float32` or `bfloat16`.

    >>> precision("float32")
    'float32'
    """
    return str(choose_dtype(dtype, choose_device(device))).removeprefix("torch.")


@cache
def limit_threads_after_fork() -> None:
    """Makes forked child processes compute with one thread, since torch's thread pool does not survive a fork.

    Without this, `datasets.map(num_proc=2)` would hang after the parent process has scored something.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


@contextmanager
def float32_initialization() -> Iterator[None]:
    """Builds models in float32, whatever torch's default dtype, and restores torch's random state."""
    default = torch.get_default_dtype()
    with torch.random.fork_rng(devices=[]):
        torch.set_default_dtype(torch.float32)
        try:
            yield
        finally:
            torch.set_default_dtype(default)


def build_model(make: Callable[[], Any], state: Mapping[str, Tensor], where: Path) -> Any:
    """The model that `make` returns, with the weights `state`, in evaluation mode.

    Raises:
        ValueError: `state` lacks weights of the model, or has them in other shapes (`where` and the weights are named).
    """
    with float32_initialization():
        model = make()
    try:
        missing, _ = model.load_state_dict(state, strict=False)
    except RuntimeError as error:
        raise ValueError(f"{where}: weights do not fit the model: {error}") from error
    missing = [name for name in missing if "predictions.decoder" not in name]  # tied to the word embeddings
    if missing:
        raise ValueError(f"{where}: weights missing: {', '.join(missing)}")
    if hasattr(model, "tie_weights"):
        model.tie_weights()
    return model.eval()


def load_pretrained(kind: Any, name: str | Path, allowed: str = "", **options: Any) -> Any:
    """A model by `from_pretrained` of a class of transformers, which would fill missing weights with random numbers.

    Args:
        kind: the class.
        name: a folder or Hub id.
        allowed: beginning of the names of weights that may be missing, since they are not used; default: none.
        options: passed on.

    Raises:
        ValueError: weights of the model are missing (they are named), or what `from_pretrained` raises.
    """
    model, report = kind.from_pretrained(name, output_loading_info=True, **options)
    missing = sorted(key for key in report["missing_keys"] if not (allowed and key.startswith(allowed)))
    if missing:
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        raise ValueError(f"{name}: expected the weights of a {type(model).__name__}, which lack {shown}")
    return model


@contextmanager
def inference(device: torch.device) -> Iterator[None]:
    """Without gradients, and in the model's own precision: the caller's autocast has no effect."""
    with torch.inference_mode(), torch.autocast(device.type, enabled=False):
        yield


class PrecisionCache:
    """A model in float32, and copies of it in other precisions, made on first use.

    Converting the model itself would round its float32 weights permanently. Modules in its
    `_keep_in_fp32_modules_strict` (as in transformers) stay in float32 in all copies: a last layer in bfloat16 has
    only some hundred different logits, so that scores of different stories are often equal.
    """

    def __init__(self, model: Any) -> None:
        limit_threads_after_fork()
        self.float32_model = model.float()
        self.converted_models: dict[torch.dtype, Any] = {}

    def get(self, device: torch.device, dtype: torch.dtype) -> Any:
        """The model in `dtype` on `device`."""
        if dtype is torch.float32:
            model = self.float32_model
        elif dtype in self.converted_models:
            model = self.converted_models[dtype]
        else:
            model = self.converted_models[dtype] = copy.deepcopy(self.float32_model).to(dtype)
            float32_layers = getattr(self.float32_model, "_keep_in_fp32_modules_strict", None) or ()
            for name, child in self.float32_model.named_children():
                if name in float32_layers:
                    setattr(model, name, copy.deepcopy(child))
        # `to` visits every module, which takes as long as scoring a short story
        return model if next(model.parameters()).device == numbered_device(device) else model.to(device)


def token_id(tokenizer: Tokenizer, token: str) -> int:
    """The id of a special token; raises a `ValueError` if the tokenizer lacks it."""
    number = tokenizer.token_to_id(token)
    if number is None:
        raise ValueError(f"the tokenizer has no token {token!r}")
    return number


@dataclass(frozen=True)
class SpecialTokens:
    """Ids of the special tokens at the start and end of a text, and for padding.

    MPNet's vocabulary is BERT's with RoBERTa's special tokens before it. It was trained with the latter, so those are
    looked up first.
    """

    start: int
    end: int
    padding: int

    @classmethod
    def from_tokenizer(cls, tokenizer: Tokenizer) -> "SpecialTokens":
        """RoBERTa's and BART's, BERT's, or GPT-2's: the first set whose start token the tokenizer has.

        Raises:
            ValueError: a tokenizer without any of them (the missing token is named).
        """
        bert, bart, gpt = ("[CLS]", "[SEP]", "[PAD]"), ("<s>", "</s>", "<pad>"), ("<|endoftext|>",) * 3
        vocabularies = [names for names in (bart, bert, gpt) if tokenizer.token_to_id(names[0]) is not None]
        return cls(*(token_id(tokenizer, name) for name in (vocabularies or [bart])[0]))


def pad(rows: Sequence[Sequence[int]], padding: int) -> tuple[Tensor, Tensor]:
    """Token ids (n, longest) and the attention mask, 1 at tokens, both int64."""
    length = max(map(len, rows))
    ids = torch.tensor([[*row, *[padding] * (length - len(row))] for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    return ids, (torch.arange(length)[None] < lengths[:, None]).long()
