"""A chat model on this machine: the probabilities of the ratings as its next token, exactly, in one pass."""

import inspect
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from openmeva.metrics.core.backbone import file_digest
from openmeva.metrics.core.language_model import load_language_model, max_length_of
from openmeva.metrics.core.module import MODEL_LIBRARIES
from openmeva.metrics.core.runtime import choose_device, choose_dtype
from openmeva.metrics.llm_judge.answers import Answer, NoAnswer, Request
from openmeva.metrics.llm_judge.reading import Token, read_rating


class LocalJudge:
    """A causal language model of transformers; one question at a time.

    Args:
        name: a folder, or a Hub id; code that a repository brings is never run.
        device: chosen by itself where not given.
        dtype: `auto` (bfloat16 where the processor multiplies it natively), `float32` or `bfloat16`.

    Raises:
        ValueError: no such model, no causal language model, no safetensors, no tokens that are ratings, or an unknown
            dtype.
    """

    def __init__(self, name: str, device: str | None = None, dtype: str = "auto") -> None:
        self.device = choose_device(device)
        kind = choose_dtype(dtype, self.device)
        try:
            self.tokenizer, model = load_language_model(name, kind)
        except (OSError, ValueError, KeyError) as error:
            raise ValueError(
                f"expected a folder or Hub id of a causal language model with safetensors, got {name!r}: {error}"
            ) from error
        self.model = model.to(self.device).eval()
        self.max_length = max_length_of(model, self.tokenizer)
        self._options = {"logits_to_keep": 1} if _keeps_logits(model) else {}
        self._ratings = _rating_tokens(self.tokenizer)
        if not self._ratings:
            raise ValueError(f"{name}: expected a tokenizer with tokens for the ratings 1 to 5, got none")
        self.identity: Mapping[str, str] = {
            "model": name,
            "at": "local",
            "revision": _revision(name, model),
            "dtype": str(kind).removeprefix("torch."),
            **{library: version(library) for library in MODEL_LIBRARIES},
        }

    @torch.inference_mode()
    def ask(self, request: Request) -> Answer:
        """The likeliest next token after the prompt, and the log-probabilities of the tokens that are ratings.

        Raises:
            NoAnswer: a prompt that is longer than the model reads; none is cut.
        """
        ids = self._ids(request.prompt)
        if self.max_length is not None and len(ids) > self.max_length:
            raise NoAnswer(f"a prompt of {len(ids)} tokens, expected at most {self.max_length}", own=True)
        logits = self.model(torch.tensor([ids], device=self.device), use_cache=False, **self._options).logits
        logprobs = logits[0, -1].float().log_softmax(0).cpu()
        likeliest = self.tokenizer.decode([int(logprobs.argmax())])
        top = tuple((text, float(logprobs[token])) for token, text in self._ratings.items())
        return Answer(
            text=likeliest,
            tokens=(Token(likeliest, top),),
            model=self.identity["model"],
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            prompt_tokens=len(ids),
            completion_tokens=1,
        )

    def _ids(self, prompt: str) -> list[int]:
        """The prompt as a turn of a chat, as the model was trained on; plain, with a beginning, where it has none."""
        if not self.tokenizer.chat_template:
            return self.tokenizer(f"{prompt}\n\nRating:")["input_ids"]
        text = self.tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}],
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=False,  # of models that think before they answer
        )
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]


def _keeps_logits(model: Any) -> bool:
    return "logits_to_keep" in inspect.signature(model.forward).parameters


def _rating_tokens(tokenizer: Any) -> dict[int, str]:
    """Id to text of the tokens that are a rating by themselves."""
    vocabulary = tokenizer.get_vocab()
    candidates = sorted(
        token for name, token in vocabulary.items() if any(digit in name for digit in "12345")
    )
    texts = {token: tokenizer.decode([token]) for token in candidates}
    return {token: text for token, text in texts.items() if read_rating(text)}


def _revision(name: str, model: Any) -> str:
    """The commit of a model of the Hub; of a folder, twelve digits of its weights' SHA-256."""
    commit = getattr(model.config, "_commit_hash", None)
    if commit:
        return str(commit)[:12]
    digests = [file_digest(path) for path in sorted(Path(name).glob("*.safetensors"))]
    return "+".join(digest[:12] for digest in digests)
