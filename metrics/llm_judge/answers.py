"""Requests to a judge, its answers, and a cache folder that stores each answer on arrival."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from openmeva.metrics.core.files import write_text
from openmeva.metrics.llm_judge.parsing import Token

VERSION = 2
"""Version of cached answers with probabilities, part of their hash. Version 1 kept only one of several tokens with
equal text."""


@dataclass(frozen=True)
class Request:
    """One request to a model.

    Attributes:
        prompt: the user's message.
        temperature: 0 for greedy decoding.
        seed: of the sampling.
        max_tokens: maximum length of the reply.
        top_logprobs: number of most likely tokens requested at each position; 0 for none.
        extra: further keys of the request body.
    """

    prompt: str
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 16
    top_logprobs: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """A model's answer.

    Attributes:
        text: the reply; may be empty.
        tokens: with their most likely alternatives; None where none were given.
        model: the server's name for the model that answered.
        date: date and time in UTC (ISO 8601).
        finish: the server's reason for its end (`stop`, `length`); empty where it gives none.
        prompt_tokens, completion_tokens: the billed tokens; None where not reported.
    """

    text: str
    tokens: tuple[Token, ...] | None
    model: str
    date: str
    finish: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class NoAnswer(Exception):  # noqa: N818
    """A request that got no answer.

    Args:
        reason: why, without the key.
        retry: whether to send it again.
        wait: seconds that the server asks to wait.
        stop: whether no other request would be answered either.
        request_at_fault: whether the request itself is at fault; it then says nothing about other requests.
        refused: whether the server refused this request; the request is at fault if another one is answered.
    """

    def __init__(
        self,
        reason: str,
        retry: bool = False,
        wait: float = 0.0,
        stop: bool = False,
        request_at_fault: bool = False,
        refused: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason, self.retry, self.wait, self.stop = reason, retry, wait, stop
        self.request_at_fault, self.refused = request_at_fault, refused


class Judge(Protocol):
    """A model that answers requests."""

    identity: Mapping[str, str]
    """The model and its address. An answer depends on these and on the request."""

    def ask(self, request: Request) -> Answer:
        """The model's answer; raises `NoAnswer`."""
        ...


class AnswerCache:
    """A folder with one file per answer, named by a hash of everything that the answer depends on.

    Args:
        folder: created with the first answer.
        identity: of the judge.
    """

    def __init__(self, folder: Path, identity: Mapping[str, str]) -> None:
        self.folder, self.identity = folder, identity

    def get(self, request: Request) -> Answer | None:
        """The cached answer; None where there is none, or its file is damaged."""
        cache_key = self._cache_key(request)
        try:
            entry = json.loads(self._path(cache_key).read_text(encoding="utf-8"))
            if entry["asked"] != cache_key:
                return None
            fields = entry["answer"]
            tokens = fields.pop("tokens")
            if tokens is not None:
                tokens = tuple(
                    Token(token["text"], tuple((t, float(logprob)) for t, logprob in token["top"]))
                    for token in tokens
                )
            return Answer(tokens=tokens, **fields)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def put(self, request: Request, answer: Answer) -> None:
        """Writes an answer to the cache atomically."""
        cache_key = self._cache_key(request)
        write_text(
            self._path(cache_key), json.dumps({"asked": cache_key, "answer": asdict(answer)}, indent=1)
        )

    def _cache_key(self, request: Request) -> dict[str, Any]:
        # through JSON, as in the file; otherwise keys that are numbers, and tuples, would never compare equal
        version = {"version": VERSION} if request.top_logprobs else {}
        cache_key: dict[str, Any] = json.loads(json.dumps({**version, **self.identity, **asdict(request)}))
        return cache_key

    def _path(self, cache_key: Mapping[str, Any]) -> Path:
        digest = hashlib.sha256(json.dumps(cache_key, sort_keys=True).encode()).hexdigest()
        return self.folder / digest[:2] / f"{digest}.json"
