"""Questions to a judge and its answers, and the folder that keeps each answer as soon as it is there."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from openmeva.metrics.core.files import write_text
from openmeva.metrics.llm_judge.reading import Token

VERSION = 2
"""Of answers with probabilities, part of their names: the first kept one alone of the tokens that read the same."""


@dataclass(frozen=True)
class Request:
    """One question to a model.

    Attributes:
        prompt: the user's message.
        temperature: 0 for the most likely reply.
        seed: of the sampling.
        max_tokens: of the reply.
        top_logprobs: how many likely tokens are asked for at each place; 0 for none.
        extra: further keys of the request's body.
    """

    prompt: str
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 16
    top_logprobs: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What a model said.

    Attributes:
        text: the reply; may be empty.
        tokens: with their likely alternatives; None where none were given.
        model: what the server calls the model that answered.
        date: when, in UTC (ISO 8601).
        finish: why it ended, as the server says (`stop`, `length`); empty where it does not.
        prompt_tokens, completion_tokens: what is paid for; None where not told.
    """

    text: str
    tokens: tuple[Token, ...] | None
    model: str
    date: str
    finish: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class NoAnswer(Exception):  # noqa: N818
    """A question that got no answer.

    Args:
        reason: why, without the key.
        again: whether it may be asked again.
        wait: seconds that the server asks to wait.
        stop: whether no other question would be answered either.
        own: whether the question itself is at fault, so that it says nothing of the others.
        refused: whether the question itself is at fault where another is answered.
    """

    def __init__(
        self,
        reason: str,
        again: bool = False,
        wait: float = 0.0,
        stop: bool = False,
        own: bool = False,
        refused: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason, self.again, self.wait, self.stop = reason, again, wait, stop
        self.own, self.refused = own, refused


class Judge(Protocol):
    """A model that can be asked."""

    identity: Mapping[str, str]
    """Which model it is and where: with the request, what an answer depends on."""

    def ask(self, request: Request) -> Answer:
        """The model's answer; raises `NoAnswer`."""
        ...


class AnswerCache:
    """A folder with a file an answer, named after everything that the answer depends on.

    Args:
        folder: made when the first answer is kept.
        identity: of the judge.
    """

    def __init__(self, folder: Path, identity: Mapping[str, str]) -> None:
        self.folder, self.identity = folder, identity

    def get(self, request: Request) -> Answer | None:
        """The answer that is kept; None where there is none, or its file is damaged."""
        asked = self._asked(request)
        try:
            kept = json.loads(self._path(asked).read_text(encoding="utf-8"))
            if kept["asked"] != asked:
                return None
            fields = kept["answer"]
            tokens = fields.pop("tokens")
            if tokens is not None:
                tokens = tuple(
                    Token(one["text"], tuple((t, float(logprob)) for t, logprob in one["top"]))
                    for one in tokens
                )
            return Answer(tokens=tokens, **fields)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def put(self, request: Request, answer: Answer) -> None:
        """Keeps an answer, wholly or not at all."""
        asked = self._asked(request)
        write_text(self._path(asked), json.dumps({"asked": asked, "answer": asdict(answer)}, indent=1))

    def _asked(self, request: Request) -> dict[str, Any]:
        # as it is kept, or what JSON writes otherwise (numbers as keys, tuples) would never be found again
        version = {"version": VERSION} if request.top_logprobs else {}
        asked: dict[str, Any] = json.loads(json.dumps({**version, **self.identity, **asdict(request)}))
        return asked

    def _path(self, asked: Mapping[str, Any]) -> Path:
        digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        return self.folder / digest[:2] / f"{digest}.json"
