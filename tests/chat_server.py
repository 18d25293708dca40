"""A local server for OpenAI's chat completions that answers correctly or not, and counts its requests."""

import json
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """A response: `body` as JSON or bytes; with `cut`, the connection closes after half of it."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False


def completion(text: str | None, probabilities: Mapping[str, float] | None = None, **more: Any) -> Reply:
    """A chat completion; with `probabilities`, of one token that has them."""
    choice: dict[str, Any] = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    if probabilities is not None:
        top = [{"token": token, "logprob": math.log(p)} for token, p in probabilities.items()]
        choice["logprobs"] = {"content": [{"token": text, "logprob": top[0]["logprob"], "top_logprobs": top}]}
    usage = {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101}
    return Reply(
        {"id": "1", "model": "judge-2026", "created": 1, "choices": [choice], "usage": usage, **more}
    )


def failure(status: int, message: str = "no", **headers: str) -> Reply:
    """An error in OpenAI's format."""
    return Reply(
        {"error": {"message": message}}, status, {key.replace("_", "-"): v for key, v in headers.items()}
    )


class ChatServer(ThreadingHTTPServer):
    """Answers with what `say` returns for a request's body.

    Attributes:
        asked: bodies of all requests, in the order in which they came.
        answered: bodies of those that were answered with 200, as JSON.
        keys: their Authorization headers.
        most: the greatest number of requests at one time.
    """

    daemon_threads = True

    def __init__(self, say: Callable[[Mapping[str, Any]], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.say = say
        self.asked: list[dict[str, Any]] = []
        self.answered: list[str] = []
        self.keys: list[str | None] = []
        self.now = self.most = 0
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        """What a judge takes as `base_url`."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints nothing: some tests close the connection early."""


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append(body)
            self.server.keys.append(self.headers.get("Authorization"))
            self.server.now += 1
            self.server.most = max(self.server.most, self.server.now)
        try:
            reply = self.server.say(body) if self.path == "/v1/chat/completions" else failure(404)
        finally:
            with self.server.lock:
                self.server.now -= 1
        content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        if reply.status == 200:
            with self.server.lock:
                self.server.answered.append(json.dumps(body, sort_keys=True))
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if reply.cut else content)

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing."""


@contextmanager
def serve(say: Callable[[Mapping[str, Any]], Reply]) -> Iterator[ChatServer]:
    """A server in a thread of its own."""
    server = ChatServer(say)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def reply_in_order(replies: Sequence[Reply]) -> Callable[[Mapping[str, Any]], Reply]:
    """Returns the replies in order, then the last one again and again."""
    waiting = list(replies)
    return lambda body: waiting.pop(0) if len(waiting) > 1 else waiting[0]
