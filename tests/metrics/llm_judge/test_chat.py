"""A judge behind a chat API: valid and malformed replies, errors, and a key that is never leaked."""

import logging
import math
import threading
import traceback
from typing import Any

import pytest
from huggingface_hub import constants

from openmeva.metrics.llm_judge import chat
from openmeva.metrics.llm_judge.answers import Answer, NoAnswer, Request
from openmeva.metrics.llm_judge.chat import ChatJudge
from openmeva.metrics.llm_judge.parsing import expected_rating
from tests.chat_server import Reply, completion, failure, serve

KEY = "sk-very-secret-0123456789"
QUESTION = Request("How good?", seed=3, top_logprobs=5, extra={"reasoning_effort": "low"})


def ask_judge(reply: Reply, request: Request = QUESTION, **options: Any) -> Answer:
    with serve(lambda body: reply) as server:
        return ChatJudge("judge", server.address, KEY, **options).ask(request)


def failure_of(reply: Reply, **options: Any) -> NoAnswer:
    with pytest.raises(NoAnswer) as caught:
        ask_judge(reply, **options)
    return caught.value


def test_request_body_and_parsed_answer() -> None:
    with serve(lambda body: completion("4", {"4": 0.7, "3": 0.2})) as server:
        answer = ChatJudge("judge", server.address, KEY).ask(QUESTION)
    (body,) = server.asked
    assert server.keys == [f"Bearer {KEY}"]
    assert body == {
        "model": "judge", "messages": [{"role": "user", "content": "How good?"}], "temperature": 0.0, "seed": 3,
        "max_tokens": 16, "logprobs": True, "top_logprobs": 5, "reasoning_effort": "low", "stream": False,
    }  # fmt: skip
    assert (answer.text, answer.model, answer.finish) == ("4", "judge-2026", "stop")
    assert (answer.prompt_tokens, answer.completion_tokens) == (100, 1)
    assert answer.tokens is not None
    assert dict(answer.tokens[0].top) == pytest.approx({"4": math.log(0.7), "3": math.log(0.2)})
    assert ask_judge(completion("4"), Request("How good?")).tokens is None


def test_timeout_beyond_the_limit_of_sockets() -> None:
    assert ask_judge(completion("4"), timeout=1e300).text == "4"


@pytest.mark.parametrize(
    "reply",
    [
        completion(None),
        completion("", usage=None, model=None),
        Reply(
            {
                "choices": [{"message": {"content": "4"}, "logprobs": {"content": []}}],
                "usage": {"prompt_tokens": "x"},
            }
        ),
    ],
)
def test_missing_reply_fields_are_tolerated(reply: Reply) -> None:
    answer = ask_judge(reply)
    assert answer.text in ("", "4")
    assert answer.tokens is None


@pytest.mark.parametrize(
    "body",
    [b"", b'{"choices": [{"mess', b"<html>", b"[]", b"\xff", b"null", b'{"choices": []}', b'{"choices": [{}]}', b'{"choices": 3}',
     b'{"choices": [{"message": {"content": 4}}]}', b'{"choices": [{"message": {"content": "4"}, "logprobs": {"content": [{"top_logprobs": [1]}]}}]}',
     b"[" * 100_000],
)  # fmt: skip
@pytest.mark.usefixtures("no_collection")
def test_malformed_reply_may_be_retried(body: bytes) -> None:
    result = failure_of(Reply(body))
    assert result.retry
    assert not result.stop


def test_content_in_parts_is_joined_without_the_reasoning() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "5?"}]},
        {"type": "text", "text": "4"},
    ]
    reply = completion("")
    reply.body["choices"][0]["message"]["content"] = parts
    assert ask_judge(reply).text == "4"


def test_reply_that_ends_by_an_error_is_no_answer() -> None:
    reply = completion("")
    reply.body["choices"][0]["finish_reason"] = "error"
    assert failure_of(reply).retry


@pytest.mark.parametrize(
    "body", [b'[{"error": {"message": "bad key"}}]', b'"bad key"', b"bad key", b'{"detail": ["bad key"]}']
)
@pytest.mark.parametrize(("status", "refused"), [(400, True), (401, False)])
def test_error_of_any_format_counts_by_its_status(body: bytes, status: int, refused: bool) -> None:
    result = failure_of(Reply(body, status))
    assert (result.retry, result.refused, result.stop) == (False, refused, not refused)
    assert f"refused with {status}" in result.reason
    assert "bad key" in result.reason


@pytest.mark.parametrize(
    ("reply", "again", "wait", "stop"),
    [
        (failure(429, Retry_After="7"), True, 7, False),
        (failure(503, Retry_After="soon"), True, 0, False),
        (failure(500), True, 0, False),
        (Reply(b"[1]", 502), True, 0, False),
        (failure(400, "too long"), False, 0, False),
        (failure(401, f"wrong key {KEY}"), False, 0, True),
        (failure(402), False, 0, True),
        (failure(404), False, 0, True),
        (Reply(completion("4").body, cut=True), True, 0, False),
    ],
)  # fmt: skip
def test_http_errors_set_retry_wait_and_stop(reply: Reply, again: bool, wait: float, stop: bool) -> None:
    result = failure_of(reply)
    assert (result.retry, result.wait, result.stop) == (again, wait, stop)


def test_error_instead_of_choices_is_reported() -> None:
    result = failure_of(Reply({"error": {"message": "limited upstream", "code": 429}}))
    assert "limited upstream" in result.reason
    assert result.retry


def test_probabilities_of_equal_token_texts_are_added() -> None:
    """But if the server lists the sampled token twice, its probability counts once."""
    reply = completion("4")
    top = [
        {"token": text, "logprob": math.log(p)}
        for text, p in [("4", 0.8), ("4", 0.8), ("2", 0.15), ("4", 0.01)]
    ]
    reply.body["choices"][0]["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
    answer = ask_judge(reply)
    assert answer.tokens is not None
    value, probabilities, _ = expected_rating(answer.text, answer.tokens)
    assert value == pytest.approx((4 * 0.81 + 2 * 0.15) / 0.96)
    assert probabilities[4] == pytest.approx(0.81)


def test_absent_or_slow_server_may_be_retried() -> None:
    with serve(lambda body: completion("4")) as server:
        gone = ChatJudge("judge", server.address)
    with pytest.raises(NoAnswer) as caught:
        gone.ask(QUESTION)
    assert caught.value.retry

    stopped = threading.Event()

    def slow(body: Any) -> Reply:
        stopped.wait()
        return completion("4")

    with serve(slow) as server:
        with pytest.raises(NoAnswer, match="timed out") as caught:
            ChatJudge("judge", server.address, timeout=0.1).ask(QUESTION)
        stopped.set()
    assert caught.value.retry


def test_key_is_not_leaked(caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("huggingface_hub").setLevel(logging.DEBUG)
    outputs = []
    for reply in (
        failure(401, f"wrong key {KEY}"),
        failure(500, KEY),
        Reply(KEY.encode()),
        Reply({KEY: KEY}, cut=True),
    ):
        with serve(lambda body, reply=reply: reply) as server:
            judge = ChatJudge("judge", server.address, KEY)
            with pytest.raises(NoAnswer) as caught:
                judge.ask(QUESTION)
        outputs += ["".join(traceback.format_exception(caught.value)), str(judge.identity)]
        assert caught.value.__context__ is None, (
            "errors of the HTTP libraries contain the request, and so the key"
        )
    answer = ask_judge(completion(f"{KEY} 4", {f"{KEY}": 0.5}, model=KEY))
    outputs += [repr(answer), caplog.text, *capsys.readouterr()]
    assert not [text for text in outputs if KEY in text]


@pytest.mark.parametrize("key", [None, "1", "EMPTY"])
def test_placeholder_for_a_key_is_not_removed_from_replies(key: str | None) -> None:
    with serve(lambda body: completion("1", {"1": 0.8, "2": 0.2})) as server:
        answer = ChatJudge("judge", server.address, key).ask(QUESTION)
    assert answer.tokens is not None
    assert expected_rating(answer.text, answer.tokens)[0] == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/v1beta/openai", "/v1beta/openai/chat/completions"),
        ("/chat/completions", "/chat/completions"),
    ],
)
def test_address_is_completed_as_by_openai_clients(path: str, asked: str) -> None:
    with serve(lambda body: completion("4")) as server:
        host = server.address.removesuffix("/v1")
        if asked == "/v1/chat/completions":  # all that the server knows
            assert ChatJudge("judge", host + path).ask(QUESTION).text == "4"
        else:
            with pytest.raises(NoAnswer, match=f"refused with 404 at {host}{asked}: "):
                ChatJudge("judge", host + path).ask(QUESTION)


def test_hub_token_is_sent_only_to_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with serve(lambda body: completion("4")) as server:
        ChatJudge("judge", server.address).ask(QUESTION)
        monkeypatch.setenv("OPENMEVA_JUDGE_KEY", "for-judges")
        ChatJudge("judge", server.address).ask(QUESTION)
    assert server.keys == [None, "Bearer for-judges"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", "http://localhost/v1"), "model: expected the name of a chat model"),
        (("http://localhost/v1",), "model: expected a name, got an address"),
        (("judge", "localhost:8000"), "base_url: expected an address such as http"),
        (("judge", "http://localhost:80a0/v1"), "base_url: expected an address such as http"),
        (("judge", "http://me:secret@localhost/v1"), "without user, password and query"),
        (("judge", "http://localhost/v1?key=secret"), "without user, password and query"),
        (("judge", "http://localhost/v1", "secret\n"), "expected printable characters"),
        (("judge", "", "secret"), "expected a token of the Hub, which begins with hf_"),
    ],
)
def test_bad_arguments_are_rejected(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        ChatJudge(*arguments)
    assert "secret" not in str(caught.value)


def test_hub_requires_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "get_token", lambda: None)
    with pytest.raises(ValueError, match="expected a token of the Hub"):
        ChatJudge("org/judge")


def test_nothing_is_sent_when_the_hub_is_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with serve(lambda body: completion("4")) as server, pytest.raises(NoAnswer, match="unset it") as caught:
        ChatJudge("judge", server.address).ask(QUESTION)
    assert caught.value.stop
    assert server.asked == []
