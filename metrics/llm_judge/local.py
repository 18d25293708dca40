"""A local chat model: the exact probabilities of the ratings as its next token, in one forward pass."""

import hashlib
import inspect
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import torch
from jinja2 import TemplateError

from openmeva.metrics.core.language_model import load_language_model, max_length_of, revision_of
from openmeva.metrics.core.module import MODEL_LIBRARIES
from openmeva.metrics.core.runtime import (
    choose_device,
    choose_dtype,
    inference,
    limit_threads_after_fork,
    numbered_device,
)
from openmeva.metrics.llm_judge.answers import Answer, NoAnswer, Request
from openmeva.metrics.llm_judge.parsing import Token, read_rating

PROMPT_PLACEHOLDER = "\ue000"
"""Placeholder for a prompt in a chat template: a private-use character, which templates do not contain."""


class LocalJudge:
    """A causal language model of transformers; one request at a time.

    Args:
        name: a folder, or a Hub id, optionally with `@` and a revision; code in a repository is never run.
        device: default: chosen automatically.
        dtype: `auto` (bfloat16 if the processor is faster in it), `float32` or `bfloat16`.

    Raises:
        ValueError: no such model, not a causal language model, no safetensors, a chat template that fails or leaves
            the prompt out, no tokens for the ratings, an unknown dtype, or a device that is not available.
    """

    def __init__(self, name: str, device: str | None = None, dtype: str = "auto") -> None:
        limit_threads_after_fork()
        self.device = numbered_device(choose_device(device))
        self.dtype = choose_dtype(dtype, self.device)
        try:
            self.tokenizer, model = load_language_model(name, self.dtype)
        except (OSError, ValueError, KeyError) as error:
            raise ValueError(
                f"expected a folder or Hub id of a causal language model with safetensors, got {name!r}: {error}"
            ) from error
        self.model = model.to(self.device).eval()
        self.max_length = max_length_of(model, self.tokenizer)
        self._options = {"logits_to_keep": 1} if _supports_logits_to_keep(model) else {}
        if self.tokenizer.chat_template:
            self._check_template(name)
            self._protect_turns()
        self._ratings = _rating_tokens(self.tokenizer)
        if not self._ratings:
            raise ValueError(f"{name}: expected a tokenizer with tokens for the ratings 1 to 5, got none")
        self.identity: Mapping[str, str] = {
            "model": name,
            "at": "local",
            "revision": revision_of(name),
            "setup": _setup(self.tokenizer, model),
            "dtype": str(self.dtype).removeprefix("torch."),
            **{library: version(library) for library in MODEL_LIBRARIES},
        }

    def ask(self, request: Request) -> Answer:
        """The most likely next token after the prompt, and the log-probabilities of the tokens that are ratings.

        Raises:
            NoAnswer: the prompt is longer than the model's maximum length; prompts are not truncated.
        """
        ids = self._ids(request.prompt)
        if self.max_length is not None and len(ids) > self.max_length:
            raise NoAnswer(
                f"a prompt of {len(ids)} tokens, expected at most {self.max_length}", request_at_fault=True
            )
        with inference(self.device):
            logits = self.model(
                torch.tensor([ids], device=self.device), use_cache=False, **self._options
            ).logits
        logprobs = logits[0, -1].float().log_softmax(0).cpu()
        most_likely = self.tokenizer.decode([int(logprobs.argmax())])
        top = tuple((text, float(logprobs[token])) for token, text in self._ratings.items())
        return Answer(
            text=most_likely,
            tokens=(Token(most_likely, top),),
            model=self.identity["model"],
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            prompt_tokens=len(ids),
            completion_tokens=1,
        )

    def _ids(self, prompt: str) -> list[int]:
        """The prompt in the model's chat template; without one, the plain prompt and "Rating:", with the
        special tokens that the tokenizer adds.

        Only the template starts and ends turns: special tokens in the prompt are read as plain text.
        """
        if not self.tokenizer.chat_template:
            return self.tokenizer(f"{prompt}\n\nRating:", split_special_tokens=True)["input_ids"]
        text = self._turn(prompt)
        if self._encode(prompt) == self._encode(prompt, split_special_tokens=True):
            return self._encode(text)
        before, _, after = self._turn(PROMPT_PLACEHOLDER).partition(PROMPT_PLACEHOLDER)
        content = text.removeprefix(before).removesuffix(after)
        return [
            *self._encode(before),
            *self._encode(content, split_special_tokens=True),
            *self._encode(after),
        ]

    def _turn(self, prompt: str) -> str:
        """The text of a chat with this prompt, up to the start of the answer."""
        return self.tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}],
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=False,  # for reasoning models
        )

    def _encode(self, text: str, **options: bool) -> list[int]:
        return self.tokenizer(text, add_special_tokens=False, **options)["input_ids"]

    def _check_template(self, name: str) -> None:
        try:
            turn = self._turn(PROMPT_PLACEHOLDER)
        except TemplateError as error:
            raise ValueError(f"{name}: its chat template fails: {error}") from error
        if PROMPT_PLACEHOLDER not in turn:
            raise ValueError(
                f"{name}: expected a chat template for texts; this one leaves a message's text out"
            )

    def _protect_turns(self) -> None:
        """Makes the added tokens of the template special; the turn delimiters of some models are not."""
        written = set(self._encode(self._turn(PROMPT_PLACEHOLDER)))
        for number, token in self.tokenizer.added_tokens_decoder.items():
            if number in written and not token.special and not token.content.isspace():
                token.special = True
                self.tokenizer.add_tokens([token], special_tokens=True)


def _supports_logits_to_keep(model: Any) -> bool:
    return "logits_to_keep" in inspect.signature(model.forward).parameters


def _rating_tokens(tokenizer: Any) -> dict[int, str]:
    """Ids and texts of the tokens that are a rating by themselves."""
    vocabulary = tokenizer.get_vocab()
    candidates = sorted(
        token for name, token in vocabulary.items() if any(digit in name for digit in "12345")
    )
    texts = {token: tokenizer.decode([token]) for token in candidates}
    return {token: text for token, text in texts.items() if read_rating(text)}


def _setup(tokenizer: Any, model: Any) -> str:
    """The first twelve digits of the SHA-256 of tokenizer, chat template and model configuration.

    An answer depends on these in addition to the weights.
    """
    fast = getattr(tokenizer, "backend_tokenizer", None)
    parts = [
        fast.to_str() if fast else tokenizer.get_vocab(),
        tokenizer.chat_template,
        tokenizer.special_tokens_map,  # a template may use these
        model.config.to_json_string(),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]
