"""The choice of a method: a failure that is no refusal does not decide it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openmeva.metrics.llm_judge.answers import AnswerCache
from openmeva.metrics.llm_judge.chat import ChatJudge
from openmeva.metrics.llm_judge.judging import Rating, Sampling, rate_prompts
from openmeva.metrics.llm_judge.request_runner import RequestRunner
from tests.chat_server import Reply, completion, failure, serve

PROBABILITIES = completion("4", {"4": 0.5, "3": 0.5})


def rate(say: Callable[[Any], Reply], folder: Path, count: int = 3) -> tuple[str, list[Rating], int]:
    """The method, the ratings, and the number of requests."""
    with serve(say) as server:
        judge = ChatJudge("judge", server.address)
        runner = RequestRunner(judge, AnswerCache(folder, judge.identity), tries=2, first_wait=0.001)
        method, ratings = rate_prompts([f"prompt {k}" for k in range(count)], runner, Sampling())
        return method, ratings, len(server.asked)


@pytest.mark.parametrize("broken", [failure(503), failure(429), Reply(b'{"choices": [')])
def test_transient_failure_of_the_first_request_does_not_choose_samples(
    tmp_path: Path, broken: Reply
) -> None:
    replies = [broken, broken]
    method, ratings, asked = rate(lambda body: replies.pop() if replies else PROBABILITIES, tmp_path)
    assert method == "probabilities"
    assert [rating.value for rating in ratings] == [3.5, 3.5, 3.5], "the first prompt is asked again"
    assert asked == 2 + 3


def test_prompt_that_always_fails_is_unscored(tmp_path: Path) -> None:
    method, ratings, _ = rate(
        lambda body: failure(503) if "prompt 0" in str(body["messages"]) else PROBABILITIES, tmp_path
    )
    assert method == "probabilities"
    assert [rating.value for rating in ratings] == [None, 3.5, 3.5]
    assert "refused with 503" in ratings[0].reason


def test_failures_alone_never_choose_samples(tmp_path: Path) -> None:
    method, ratings, asked = rate(lambda body: failure(503), tmp_path)
    assert (method, [rating.value for rating in ratings]) == ("probabilities", [None] * 3)
    assert asked == 3 * 2 * 2


@pytest.mark.parametrize("refusal", [failure(400, "logprobs"), failure(422), completion("3")])
def test_refused_or_missing_probabilities_choose_samples_even_after_a_failure(
    tmp_path: Path, refusal: Reply
) -> None:
    replies = [failure(503), failure(503)]

    def say(body: Any) -> Reply:
        if "logprobs" in body:
            return replies.pop() if replies else refusal
        return completion("3")

    method, ratings, _ = rate(say, tmp_path)
    assert (method, [rating.value for rating in ratings]) == ("samples", [3, 3, 3])


def test_finished_samples_are_repeated_without_the_server(tmp_path: Path) -> None:
    sampling = Sampling(samples=2)

    def say(body: Any) -> Reply:
        return failure(400, "logprobs") if "logprobs" in body else completion("3")

    with serve(say) as server:
        judge = ChatJudge("judge", server.address)
        runner = RequestRunner(judge, AnswerCache(tmp_path, judge.identity))
        first = rate_prompts(["one", "two"], runner, sampling)
    again = RequestRunner(judge, AnswerCache(tmp_path, judge.identity), tries=1)
    assert rate_prompts(["one", "two"], again, sampling) == first
    assert again.usage.requests == 0
