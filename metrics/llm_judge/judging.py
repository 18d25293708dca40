"""Ratings for prompts: from the probabilities of the ratings if the judge gives them, else from the mean of samples."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openmeva.metrics.core.batching import Progress
from openmeva.metrics.llm_judge.answers import Answer, NoAnswer, Request
from openmeva.metrics.llm_judge.parsing import expected_rating, read_rating, unreadable_reason
from openmeva.metrics.llm_judge.request_runner import MAX_CONSECUTIVE_FAILURES, RequestRunner

METHODS = ("auto", "probabilities", "samples")


@dataclass(frozen=True)
class Sampling:
    """How a rating is obtained.

    Attributes:
        method: `probabilities`: the expected value over the ratings' probabilities in one reply at temperature 0;
            `samples`: the mean of several replies; `auto`: `samples` if the judge refuses or lacks probabilities,
            else `probabilities`.
        samples: number of replies per prompt.
        temperature: of the samples.
        seed: of the first sample; each further sample has the next seed.
        max_tokens: maximum length of a reply.
        top_logprobs: number of most likely tokens requested at each position of a reply.
        extra: further keys of the request body; `max_tokens: null` leaves that key out, for servers that have another.
    """

    method: str = "auto"
    samples: int = 5
    temperature: float = 1.0
    seed: int = 0
    max_tokens: int = 16
    top_logprobs: int = 5
    extra: Mapping[str, Any] = field(default_factory=dict)

    def requests(self, prompt: str, method: str) -> list[Request]:
        """The requests for one rating by `probabilities` or `samples`."""
        common: dict[str, Any] = {"prompt": prompt, "max_tokens": self.max_tokens, "extra": self.extra}
        if method == "probabilities":
            return [Request(**common, seed=self.seed, top_logprobs=self.top_logprobs)]
        return [
            Request(**common, seed=self.seed + number, temperature=self.temperature)
            for number in range(self.samples)
        ]

    def signature_settings(self, method: str) -> dict[str, Any]:
        """The settings that a score by `probabilities` or `samples` depends on, for a signature."""
        used = [
            "seed",
            "max_tokens",
            *(["samples", "temperature"] if method == "samples" else ["top_logprobs"]),
        ]
        extra = {"extra": json.dumps(self.extra, sort_keys=True)} if self.extra else {}
        return {"method": method, **{name: getattr(self, name) for name in used}, **extra}


@dataclass(frozen=True)
class Rating:
    """A judge's rating of a story in one aspect.

    Attributes:
        value: 1 to 5, higher is better; None if unscored.
        reason: why it is unscored; else empty.
        probabilities: of the ratings 1 to 5, for the method `probabilities`.
        answers: the received answers, in order.
    """

    value: float | None
    reason: str = ""
    probabilities: Mapping[int, float] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()


def rate_prompts(
    prompts: Sequence[str], runner: RequestRunner, sampling: Sampling, progress: Progress | None = None
) -> tuple[str, list[Rating]]:
    """The method used, one for all prompts, and one rating per prompt.

    Raises:
        ValueError: the judge does not answer (see `RequestRunner`).
    """
    method = sampling.method
    if method == "auto":
        method = _cached_method(prompts, runner, sampling) or _method_of(prompts, runner, sampling)
    requests_by_prompt = [sampling.requests(prompt, method) for prompt in prompts]
    answers = iter(
        runner.ask_all([request for several in requests_by_prompt for request in several], progress)
    )
    ratings = []
    for several in requests_by_prompt:
        own_answers = [next(answers) for _ in several]
        ratings.append(
            _by_probabilities(own_answers[0]) if method == "probabilities" else _by_samples(own_answers)
        )
    return method, ratings


def _cached_method(prompts: Sequence[str], runner: RequestRunner, sampling: Sampling) -> str | None:
    """`samples` if an earlier run has chosen it and is in the cache, complete; a refusal of probabilities is not."""

    def cached(prompt: str, method: str) -> Iterator[bool]:
        return (runner.cache.get(request) is not None for request in sampling.requests(prompt, method))

    if any(any(cached(prompt, "probabilities")) for prompt in prompts[:MAX_CONSECUTIVE_FAILURES]):
        return None
    return "samples" if prompts and all(all(cached(prompt, "samples")) for prompt in prompts) else None


def _method_of(prompts: Sequence[str], runner: RequestRunner, sampling: Sampling) -> str:
    """`probabilities` if the judge's first answer has them, else `samples`; some servers refuse requests for them.

    An empty reply has no tokens and decides nothing. Nor does a failure that is no refusal, such as an overloaded
    server: samples would cost more, and their scores are not comparable.
    """
    empty = False
    for prompt in prompts[:MAX_CONSECUTIVE_FAILURES]:
        answer = runner.ask(sampling.requests(prompt, "probabilities")[0])
        if isinstance(answer, Answer):
            if answer.tokens is not None:
                return "probabilities"
            if answer.text.strip():
                return "samples"
            empty = True
        elif answer.refused and isinstance(runner.ask(sampling.requests(prompt, "samples")[0]), Answer):
            return "samples"
    return "samples" if empty else "probabilities"


def _by_probabilities(answer: Answer | NoAnswer) -> Rating:
    if isinstance(answer, NoAnswer):
        return Rating(None, f"no answer: {answer.reason}")
    if answer.tokens is None:
        missing = "no probabilities of tokens were given: use method samples"
        return Rating(
            None, missing if read_rating(answer.text) else unreadable_reason(answer.text), answers=(answer,)
        )
    value, probabilities, reason = expected_rating(answer.text, answer.tokens)
    return Rating(value, reason and reason + _cut(answer), probabilities, (answer,))


def _by_samples(answers: Sequence[Answer | NoAnswer]) -> Rating:
    """The mean of the readable replies, if all replies were received and at least half are readable."""
    received = tuple(answer for answer in answers if isinstance(answer, Answer))
    missing = [answer for answer in answers if isinstance(answer, NoAnswer)]
    if missing:
        return Rating(
            None, f"no answer to {len(missing)} of {len(answers)}: {missing[0].reason}", answers=received
        )
    read = [reading[0] for reading in (read_rating(answer.text) for answer in received) if reading]
    if 2 * len(read) < len(received):
        bad = next(answer for answer in received if read_rating(answer.text) is None)
        count = f"{len(received) - len(read)} of {len(received)} replies are unreadable: "
        return Rating(None, count + unreadable_reason(bad.text) + _cut(bad), answers=received)
    return Rating(math.fsum(read) / len(read), answers=received)


def _cut(answer: Answer) -> str:
    return " (cut short: raise max_tokens)" if answer.finish == "length" else ""
