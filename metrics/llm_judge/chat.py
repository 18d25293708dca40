"""A hosted chat model: an inference provider of the Hub, or any server with OpenAI's chat completions API."""

import math
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from huggingface_hub import InferenceClient, get_token
from huggingface_hub.errors import HfHubHTTPError, HTTPError, OfflineModeIsEnabled

from openmeva.metrics.llm_judge.answers import Answer, NoAnswer, Request
from openmeva.metrics.llm_judge.parsing import Token

KEY_VARIABLE = "OPENMEVA_JUDGE_KEY"
"""The environment variable for the key, where no argument gives it."""
_MAX_TIMEOUT = 1e6  # seconds; a socket's limit is 2**31 milliseconds
_RETRIED_STATUSES = {408, 409, 425, 429}  # retried, as are 500 and above
_REQUEST_ERROR_STATUSES = {400, 403, 413, 422}  # too long, refused by a filter: other stories may be answered
_MALFORMED_REPLY_ERRORS = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
_MIN_SECRET = 8  # characters; a shorter key ("1", "EMPTY") is a placeholder, and may be part of any reply


class ChatJudge:
    """Queries one model over the network; thread-safe.

    The key is only in the request header. It is removed from the messages of servers and libraries.

    Args:
        model: a Hub id (`org/name`, `org/name:provider`), or the model's name at the server at `base_url`.
        base_url: of a server with OpenAI's chat completions API, as `http://localhost:8000/v1`; default: the Hub. As in
            OpenAI's own clients, `/chat/completions` is appended; to an address without a path, `/v1/chat/completions`.
        api_key: default: the environment variable `OPENMEVA_JUDGE_KEY`, or for the Hub also its own token. The Hub's
            token is never sent to a server at `base_url`.
        timeout: seconds to wait for an answer.

    Raises:
        ValueError: no model, an address in its place, a `base_url` that is invalid or holds a secret, no key for the Hub,
            or an invalid key.
    """

    def __init__(
        self, model: str, base_url: str = "", api_key: str | None = None, timeout: float = 60.0
    ) -> None:
        if not model:
            raise ValueError(
                "model: expected the name of a chat model (a Hub id, or the server's name for it), by argument or in a file "
                "of settings (config_name, or --config judge.yaml from a shell)"
            )
        if model.startswith(("http://", "https://")):  # the client would send it the Hub's token
            raise ValueError("model: expected a name, got an address, which goes in base_url")
        if api_key is not None and not isinstance(api_key, str):
            raise ValueError(f"api_key: expected a text, got {type(api_key).__name__}")
        key = api_key or os.environ.get(KEY_VARIABLE) or (None if base_url else get_token())
        if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
            raise ValueError(
                "api_key: expected printable characters without spaces"
            )  # the key is not shown: it is secret
        if base_url:
            check_address(base_url)
        elif key is None:
            raise ValueError(
                f"api_key: expected a token of the Hub (or in {KEY_VARIABLE} or HF_TOKEN), got none"
            )
        elif not key.startswith("hf_"):
            raise ValueError(
                "api_key: expected a token of the Hub, which begins with hf_; any other key needs base_url"
            )
        self.model, self._key = model, key
        self.identity: Mapping[str, str] = {"model": model, "at": base_url.rstrip("/") or "hub"}
        self._client = InferenceClient(
            None if base_url else model,
            base_url=_completions_url(base_url) if base_url else None,
            api_key=key,
            timeout=min(timeout, _MAX_TIMEOUT),
            # without this the client, given no key, would send the Hub's token to any address
            headers=None if key else {"authorization": None},  # type: ignore[dict-item]
        )

    def ask(self, request: Request) -> Answer:
        """The model's answer.

        Raises:
            NoAnswer: a server or network error, or a body that is not a chat completion.
        """
        try:
            completion: Any = self._client.chat_completion(
                [{"role": "user", "content": request.prompt}],
                model=self.model,
                temperature=request.temperature,
                seed=request.seed,
                max_tokens=request.max_tokens,
                logprobs=True if request.top_logprobs else None,
                top_logprobs=request.top_logprobs or None,
                extra_body=dict(request.extra) or None,
            )
            return self._answer(completion)
        except OfflineModeIsEnabled:
            failed = NoAnswer("HF_HUB_OFFLINE is set, so no request is sent: unset it", stop=True)
        except HfHubHTTPError as error:
            failed = self._refusal(error.response, error.server_message)
        except HTTPError as error:
            failed = NoAnswer(self._shown(f"{type(error).__name__}: {error}"), retry=True)
        except _MALFORMED_REPLY_ERRORS as error:
            # huggingface_hub fails on the body of an HTTP error that is not a JSON object
            response = getattr(error.__context__, "response", None)
            failed = (
                NoAnswer(self._shown(f"the reply is not a chat completion ({error})"), retry=True)
                if response is None
                else self._refusal(response)
            )
        raise failed  # outside the handlers: errors of libraries hold the request, and thus the key

    def _refusal(self, response: Any, message: str | None = None) -> NoAnswer:
        status = response.status_code
        body = response.text.strip()
        message = message or ("" if body.startswith("<") else body) or response.reason_phrase
        url = f" at {response.url}" if status == HTTPStatus.NOT_FOUND else ""
        reason = self._shown(f"the server refused with {status}{url}: {message}")
        retry, refused = status in _RETRIED_STATUSES or status >= 500, status in _REQUEST_ERROR_STATUSES
        wait = seconds_to_wait(response.headers.get("Retry-After"))
        return NoAnswer(reason, retry=retry, wait=wait, stop=not (retry or refused), refused=refused)

    def _answer(self, completion: Any) -> Answer:
        """The answer in a chat completion; raises one of `_MALFORMED_REPLY_ERRORS` if it is malformed."""
        # some servers send errors with status 200
        if not completion.get("choices") and completion.get("error"):
            raise ValueError(completion["error"])
        choice = completion["choices"][0]
        if choice.get("finish_reason") == "error":
            raise ValueError("it ends by an error of the server")
        text = choice["message"].get("content")
        if isinstance(text, list):  # of parts, reasoning among them
            text = "".join(part["text"] for part in text if part.get("type") == "text")
        if text is not None and not isinstance(text, str):
            raise TypeError(f"content: expected a text, got {type(text).__name__}")
        usage = completion.get("usage") or {}
        return Answer(
            text=self._clean(text or ""),
            tokens=self._tokens(choice.get("logprobs")),
            model=self._clean(str(completion.get("model") or self.model)),
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            finish=self._clean(str(choice.get("finish_reason") or "")),
            prompt_tokens=_count(usage.get("prompt_tokens")),
            completion_tokens=_count(usage.get("completion_tokens")),
        )

    def _tokens(self, logprobs: Any) -> tuple[Token, ...] | None:
        """The tokens with their most likely alternatives; None where the server gives none."""
        content = (logprobs or {}).get("content")
        if not content or not any(entry.get("top_logprobs") for entry in content):
            return None
        tokens = []
        for entry in content:
            top = [
                (str(candidate["token"]), float(candidate["logprob"]))
                for candidate in entry.get("top_logprobs") or []
            ]
            chosen = str(entry["token"])
            if chosen not in dict(top):
                top.append((chosen, float(entry["logprob"])))
            # two tokens may have the same text; some servers list the reply's own token twice
            pairs = tuple((self._clean(text), logprob) for text, logprob in dict.fromkeys(top))
            tokens.append(Token(self._clean(chosen), pairs))
        return tuple(tokens)

    def _clean(self, text: str) -> str:
        """The text as valid UTF-8, and without the key in case a server repeats it."""
        text = text.encode("utf-8", "replace").decode()
        return text.replace(self._key, "(key)") if self._key and len(self._key) >= _MIN_SECRET else text

    def _shown(self, message: str) -> str:
        return " ".join(self._clean(message).split())[:300]


def check_address(base_url: str) -> None:
    """Raises a ValueError unless it is an HTTP address without user, password or query, which may be secret."""
    parts = urlsplit(base_url)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(
            "base_url: expected an address without user, password and query; the key goes in api_key"
        )
    try:
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # the port is not a number
        valid = False
    if not valid:
        raise ValueError(f"base_url: expected an address such as http://localhost:8000/v1, got {base_url!r}")


def _completions_url(base_url: str) -> str:
    """The address of a server's chat completions.

    >>> _completions_url("http://localhost:8000/"), _completions_url("https://host/v1beta/openai")
    ('http://localhost:8000/v1/chat/completions', 'https://host/v1beta/openai/chat/completions')
    """
    base_url = base_url.rstrip("/")
    if base_url.endswith("/chat/completions"):
        return base_url
    version = "" if urlsplit(base_url).path else "/v1"
    return f"{base_url}{version}/chat/completions"


def seconds_to_wait(retry_after: str | None) -> float:
    """Seconds to wait by a Retry-After header, which holds seconds or a date; 0 where it holds neither.

    >>> seconds_to_wait("2.5"), seconds_to_wait(None), seconds_to_wait("Sun, 06 Nov 1994 08:49:37 GMT")
    (2.5, 0.0, 0.0)
    """
    try:
        seconds = float(retry_after or 0)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(str(retry_after)) - datetime.now(UTC)).total_seconds()
        except (TypeError, ValueError):
            return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
