"""Running many requests: retries, limited parallelism, caching, and resuming after a stop."""

import hashlib
import json
import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from openmeva.metrics.llm_judge import request_runner as module
from openmeva.metrics.llm_judge.answers import Answer, AnswerCache, NoAnswer, Request
from openmeva.metrics.llm_judge.chat import ChatJudge
from openmeva.metrics.llm_judge.parsing import Token
from openmeva.metrics.llm_judge.request_runner import MAX_CONSECUTIVE_FAILURES, RequestRunner
from tests.chat_server import ChatServer, Reply, completion, failure, reply_in_order, serve

KEY = "sk-very-secret-0123456789"
QUESTIONS = [Request(f"question {number}") for number in range(12)]


def request_runner(server: ChatServer, folder: Path, parallel: int = 4, tries: int = 3) -> RequestRunner:
    judge = ChatJudge("judge", server.address, KEY)
    return RequestRunner(judge, AnswerCache(folder, judge.identity), parallel, tries, first_wait=0.001)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Records the waits between tries, without waiting."""
    seconds: list[float] = []

    class Event(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            if timeout is not None:
                seconds.append(timeout)
            return self.is_set()

    monkeypatch.setattr(module.threading, "Event", Event)
    return seconds


def test_failed_requests_are_retried_with_growing_waits(tmp_path: Path, waits: list[float]) -> None:
    cut = Reply(completion("4").body, cut=True)
    replies = [
        failure(503),
        failure(429, Retry_After="9"),
        Reply(b'{"choices": ['),
        cut,
        failure(500),
        completion("4"),
    ]
    with serve(reply_in_order(replies)) as server:
        judge = ChatJudge("judge", server.address)
        runner = RequestRunner(judge, AnswerCache(tmp_path, judge.identity), 1, tries=6)
        answer = runner.ask(QUESTIONS[0])
    assert isinstance(answer, Answer)
    assert waits[:5] == [1, 9, 4, 8, 16]
    assert (runner.usage.requests, runner.usage.answers, runner.usage.prompt_tokens) == (6, 1, 100)


def test_requests_without_answer_are_reported_and_not_cached(tmp_path: Path) -> None:
    with serve(
        lambda body: failure(400, "too long") if "1" in str(body["messages"]) else failure(500)
    ) as server:
        refused, failed = request_runner(server, tmp_path).ask_all([QUESTIONS[1], QUESTIONS[2]])
    assert isinstance(refused, NoAnswer)
    assert isinstance(failed, NoAnswer)
    assert "too long" in refused.reason
    assert "asked 3 times" in failed.reason
    assert Counter(body["messages"][0]["content"] for body in server.asked) == {
        "question 1": 1,
        "question 2": 3,
    }
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize(
    ("reply", "asked", "message"),
    [
        (failure(401), 1, "refused with 401.* run again to continue"),
        (failure(429, Retry_After="3600"), 1, "asks to wait 3600 seconds"),
        (
            failure(400),
            MAX_CONSECUTIVE_FAILURES,
            f"{MAX_CONSECUTIVE_FAILURES} requests in a row had no answer",
        ),
        (
            failure(403),
            MAX_CONSECUTIVE_FAILURES,
            f"{MAX_CONSECUTIVE_FAILURES} requests in a row had no answer",
        ),
    ],
)
def test_run_stops_after_fatal_or_repeated_failures(
    tmp_path: Path, reply: Reply, asked: int, message: str
) -> None:
    with serve(lambda body: reply) as server:
        with pytest.raises(ValueError, match=message):
            request_runner(server, tmp_path, parallel=1).ask_all(QUESTIONS)
        assert len(server.asked) == asked


@pytest.mark.parametrize("status", [400, 403])
def test_refused_requests_do_not_stop_a_run_with_answers(tmp_path: Path, status: int) -> None:
    questions = [Request(f"question {number}") for number in range(20)]
    answered = {"question 5", "question 6"}
    with serve(
        lambda body: completion("4") if body["messages"][0]["content"] in answered else failure(status)
    ) as server:
        for _ in range(2):
            result = request_runner(server, tmp_path, parallel=1).ask_all(questions)
            assert [n for n, answer in enumerate(result) if isinstance(answer, Answer)] == [5, 6]


def test_cached_answer_resets_the_count_of_consecutive_failures(tmp_path: Path) -> None:
    questions = [Request(f"question {number}") for number in range(2 * MAX_CONSECUTIVE_FAILURES)]
    with serve(
        lambda body: failure(500) if int(body["messages"][0]["content"][9:]) % 2 else completion("4")
    ) as server:
        for _ in range(2):
            result = request_runner(server, tmp_path, parallel=1, tries=1).ask_all(questions)
            assert [isinstance(answer, Answer) for answer in result] == [
                True,
                False,
            ] * MAX_CONSECUTIVE_FAILURES


def test_failures_of_invalid_requests_are_not_counted(tmp_path: Path) -> None:
    class Short:
        identity: Mapping[str, str] = {"model": "short"}

        def ask(self, request: Request) -> Answer:
            raise NoAnswer("a prompt of 9 tokens, expected at most 8", request_at_fault=True)

    result = RequestRunner(Short(), AnswerCache(tmp_path, {}), 1).ask_all(
        [*QUESTIONS, *(replace(q, seed=1) for q in QUESTIONS)]
    )
    assert len(result) > MAX_CONSECUTIVE_FAILURES
    assert all(isinstance(answer, NoAnswer) for answer in result)


def test_cached_answer_is_found_despite_json_conversion(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, {"model": "judge"})
    question = Request("How good?", extra={"logit_bias": {1234: 5}, "stop": ("\n",)})
    answer = Answer("4", None, "judge", "2026-01-01T00:00:00+00:00", 3, 1)
    cache.put(question, answer)
    assert cache.get(question) == answer


def test_parallel_requests_are_limited(tmp_path: Path) -> None:
    # 12 requests: a fourth in parallel would wait alone at the end.
    barrier = threading.Barrier(3, timeout=60)

    def reply(body: Mapping[str, Any]) -> Reply:
        barrier.wait()
        return completion("4")

    with serve(reply) as server:
        result = request_runner(server, tmp_path, parallel=3).ask_all([*QUESTIONS, *QUESTIONS])
    assert len(result) == 24
    assert len(server.asked) == 12, "equal requests are sent once"
    assert server.most == 3


def test_interrupted_run_resumes_without_repeating_requests(tmp_path: Path) -> None:
    interrupted = threading.Event()

    def progress(steps: Any, count: int) -> Any:
        for step in steps:
            if step == 4:
                raise KeyboardInterrupt
            yield step

    def reply(body: Mapping[str, Any]) -> Reply:
        if len(server.asked) > 6:
            interrupted.wait(2)  # otherwise a busy machine might answer all requests before the interruption
        return completion(body["messages"][0]["content"][-1])

    with serve(reply) as server:
        with pytest.raises(KeyboardInterrupt):
            request_runner(server, tmp_path, parallel=2).ask_all(QUESTIONS, progress)
        interrupted.set()
        assert 4 <= len(server.asked) < 12
        runner = request_runner(server, tmp_path)
        result = runner.ask_all(QUESTIONS)
    assert [answer.text for answer in result if isinstance(answer, Answer)] == list("012345678901")
    assert max(Counter(server.answered).values()) == 1
    assert runner.usage.cached + runner.usage.answers == len(server.asked) == 12


def test_killed_run_resumes_without_repeating_answered_requests(tmp_path: Path) -> None:
    """The process is killed while a request is pending: only that request is sent again."""
    waiting, killed = threading.Event(), threading.Event()

    def reply(body: Mapping[str, Any]) -> Reply:
        if len(server.asked) == 6:
            waiting.set()
            killed.wait()
            return failure(500)
        return completion("4")

    with serve(reply) as server:
        run = multiprocessing.get_context("fork").Process(
            target=lambda: request_runner(server, tmp_path, parallel=1).ask_all(QUESTIONS)
        )
        run.start()
        waiting.wait()
        os.kill(run.pid or 0, signal.SIGKILL)
        run.join()
        killed.set()
        assert run.exitcode == -signal.SIGKILL
        assert len(list(tmp_path.rglob("*.json"))) == 5
        result = request_runner(server, tmp_path).ask_all(QUESTIONS)
    assert all(isinstance(answer, Answer) for answer in result)
    assert len(server.answered) == len(set(server.answered)) == 12
    assert len(server.asked) == 13


def test_key_is_not_written_to_any_file(tmp_path: Path) -> None:
    with serve(lambda body: completion(f"{KEY} 4", model=KEY)) as server:
        request_runner(server, tmp_path).ask_all(QUESTIONS[:2])
    texts = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(texts) == 2
    assert not [text for text in texts if KEY in text]


def test_cached_answer_round_trips(tmp_path: Path) -> None:
    answer = Answer(
        "4 – \ufffd", (Token("4", (("4", -0.1), ("5", float("-inf")))),), "m", "2026-11-22", "stop", 1, None
    )
    cache = AnswerCache(tmp_path, {"model": "m", "at": "hub"})
    cache.put(QUESTIONS[0], answer)
    assert cache.get(QUESTIONS[0]) == answer
    (path,) = tmp_path.rglob("*.json")
    assert json.loads(path.read_text())["asked"]["prompt"] == "question 0"
    for damaged in ("", path.read_text()[:50], "[]", "{}", '{"asked": {}}'):
        path.write_text(damaged)
        assert cache.get(QUESTIONS[0]) is None, "a damaged entry is ignored"


def test_probabilities_cached_by_an_earlier_version_are_requested_again(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, {"model": "m"})
    answer, sample = Answer("4", None, "m", "2026-11-22"), Request("How good?", temperature=1.0)
    likeliest = Request("How good?", top_logprobs=5)
    for request in (sample, likeliest):
        asked = {"model": "m", **asdict(request)}
        name = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        (tmp_path / name[:2]).mkdir(exist_ok=True)
        path = tmp_path / name[:2] / f"{name}.json"
        path.write_text(json.dumps({"asked": asked, "answer": asdict(answer)}))
    assert (cache.get(sample), cache.get(likeliest)) == (answer, None)


def test_cache_key_covers_every_request_field_and_the_judge(tmp_path: Path) -> None:
    answer = Answer("4", None, "m", "2026-11-22")
    identity = {"model": "m", "at": "hub"}
    AnswerCache(tmp_path, identity).put(QUESTIONS[0], answer)
    changes: list[dict[str, Any]] = [{"prompt": "p"}, {"temperature": 0.5}, {"seed": 1}, {"max_tokens": 1},
                                     {"top_logprobs": 5}, {"extra": {"a": 1}}]  # fmt: skip
    assert {key for change in changes for key in change} == set(Request.__dataclass_fields__)
    for change in changes:
        assert AnswerCache(tmp_path, identity).get(replace(QUESTIONS[0], **change)) is None
    for key in identity:
        assert AnswerCache(tmp_path, {**identity, key: "other"}).get(QUESTIONS[0]) is None
