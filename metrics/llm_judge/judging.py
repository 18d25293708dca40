"""From prompts to ratings: by the probabilities of the ratings where they are given, else by the mean of samples."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openmeva.metrics.core.batching import Progress
from openmeva.metrics.llm_judge.answers import Answer, NoAnswer, Request
from openmeva.metrics.llm_judge.asking import GIVE_UP, Asker
from openmeva.metrics.llm_judge.reading import expected_rating, read_rating, unreadable

METHODS = ("auto", "probabilities", "samples")


@dataclass(frozen=True)
class Sampling:
    """How a rating is taken.

    Attributes:
        method: `probabilities`: the expected value over the ratings' probabilities, of the most likely reply;
            `samples`: the mean of several replies; `auto`: the first where the judge gives probabilities.
        samples: replies a prompt.
        temperature: of samples.
        seed: of the first sample; the others have those after it.
        max_tokens: of a reply.
        top_logprobs: likely tokens that are asked for at each place of a reply.
        extra: further keys of a request's body.
    """

    method: str = "auto"
    samples: int = 5
    temperature: float = 1.0
    seed: int = 0
    max_tokens: int = 16
    top_logprobs: int = 5
    extra: Mapping[str, Any] = field(default_factory=dict)

    def requests(self, prompt: str, method: str) -> list[Request]:
        """What is asked for one rating by `probabilities` or `samples`."""
        common: dict[str, Any] = {"prompt": prompt, "max_tokens": self.max_tokens, "extra": self.extra}
        if method == "probabilities":
            return [Request(**common, seed=self.seed, top_logprobs=self.top_logprobs)]
        return [
            Request(**common, seed=self.seed + number, temperature=self.temperature)
            for number in range(self.samples)
        ]

    def named(self, method: str) -> dict[str, Any]:
        """What of it a score by `probabilities` or `samples` depends on, for a signature."""
        used = [
            "seed",
            "max_tokens",
            *(["samples", "temperature"] if method == "samples" else ["top_logprobs"]),
        ]
        extra = {"extra": json.dumps(self.extra, sort_keys=True)} if self.extra else {}
        return {"method": method, **{name: getattr(self, name) for name in used}, **extra}


@dataclass(frozen=True)
class Rating:
    """What a judge says of a story in one aspect.

    Attributes:
        value: 1 to 5, higher is better; None where it is unscored.
        reason: why it is unscored; else empty.
        probabilities: of the ratings 1 to 5, where they decide.
        answers: that came, in order.
    """

    value: float | None
    reason: str = ""
    probabilities: Mapping[int, float] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()


def judge(
    prompts: Sequence[str], asker: Asker, sampling: Sampling, progress: Progress | None = None
) -> tuple[str, list[Rating]]:
    """The method that was taken, one for all prompts, and a rating a prompt.

    Raises:
        ValueError: the judge answers nothing (see `Asker`).
    """
    method = sampling.method
    if method == "auto":
        method = _method_of(prompts, asker, sampling)
    asked = [sampling.requests(prompt, method) for prompt in prompts]
    answers = iter(asker.ask_all([request for several in asked for request in several], progress))
    ratings = []
    for several in asked:
        own = [next(answers) for _ in several]
        ratings.append(_by_probabilities(own[0]) if method == "probabilities" else _by_samples(own))
    return method, ratings


def _method_of(prompts: Sequence[str], asker: Asker, sampling: Sampling) -> str:
    """Whether the judge gives probabilities, as its first answer shows; some servers refuse to be asked for them.

    An empty reply has no tokens, and shows nothing.
    """
    for prompt in prompts[:GIVE_UP]:
        answer = asker.ask(sampling.requests(prompt, "probabilities")[0])
        if isinstance(answer, Answer):
            if answer.tokens is not None:
                return "probabilities"
            if answer.text.strip():
                return "samples"
        elif isinstance(asker.ask(sampling.requests(prompt, "samples")[0]), Answer):
            return "samples"
    return "samples"


def _by_probabilities(answer: Answer | NoAnswer) -> Rating:
    if isinstance(answer, NoAnswer):
        return Rating(None, f"no answer: {answer.reason}")
    if answer.tokens is None:
        missing = "no probabilities of tokens were given: take method samples"
        return Rating(
            None, missing if read_rating(answer.text) else unreadable(answer.text), answers=(answer,)
        )
    value, probabilities, reason = expected_rating(answer.text, answer.tokens)
    return Rating(value, reason and reason + _cut(answer), probabilities, (answer,))


def _by_samples(answers: Sequence[Answer | NoAnswer]) -> Rating:
    """The mean of the replies that can be read, where all came and at least half can."""
    came = tuple(answer for answer in answers if isinstance(answer, Answer))
    missing = [answer for answer in answers if isinstance(answer, NoAnswer)]
    if missing:
        return Rating(
            None, f"no answer to {len(missing)} of {len(answers)}: {missing[0].reason}", answers=came
        )
    read = [found[0] for found in (read_rating(answer.text) for answer in came) if found]
    if 2 * len(read) < len(came):
        bad = next(answer for answer in came if read_rating(answer.text) is None)
        count = f"{len(came) - len(read)} of {len(came)} replies are unreadable: "
        return Rating(None, count + unreadable(bad.text) + _cut(bad), answers=came)
    return Rating(math.fsum(read) / len(read), answers=came)


def _cut(answer: Answer) -> str:
    return " (cut short: raise max_tokens)" if answer.finish == "length" else ""
