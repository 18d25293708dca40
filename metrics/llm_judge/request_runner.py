"""Many requests in parallel: cached answers are reused, failed requests are retried."""

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from openmeva.metrics.core.batching import Progress
from openmeva.metrics.core.inputs import HaltedError
from openmeva.metrics.llm_judge.answers import Answer, AnswerCache, Judge, NoAnswer, Request

FIRST_WAIT = 1.0
"""Seconds before the second try, doubled for each further try."""
MAX_WAIT = 60.0
"""The longest wait, in seconds."""
MAX_CONSECUTIVE_FAILURES = 10
"""Number of requests in a row without an answer after which the run stops; refused ones with one prompt count once."""


@dataclass
class Usage:
    """Numbers of requests, answers and tokens.

    Attributes:
        requests: sent, retries included.
        answers: received.
        cached: taken from the cache.
        prompt_tokens, completion_tokens: of the received answers, as counted by the server.
        uncounted: received answers without one of the two counts.
    """

    requests: int = 0
    answers: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = 0

    def add(self, answer: Answer) -> None:
        """Counts a received answer."""
        self.answers += 1
        self.uncounted += None in (answer.prompt_tokens, answer.completion_tokens)
        self.prompt_tokens += answer.prompt_tokens or 0
        self.completion_tokens += answer.completion_tokens or 0


class RequestRunner:
    """Sends requests to a judge and caches its answers.

    Args:
        judge: the model.
        cache: stores each answer on arrival.
        parallel: maximum number of simultaneous requests.
        tries: maximum number of tries per request.
        first_wait: seconds before the second try, doubled for each further try.
    """

    def __init__(
        self,
        judge: Judge,
        cache: AnswerCache,
        parallel: int = 4,
        tries: int = 6,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        self.judge, self.cache = judge, cache
        self.parallel, self.tries, self.first_wait = parallel, tries, first_wait
        self.usage = Usage()
        self._stopped, self._lock = threading.Event(), threading.Lock()
        self._failed: set[str] = set()  # refused prompts and other failed requests since the last answer
        self._seen: set[str] = set()  # requests of this run whose answers are counted

    def ask(self, request: Request) -> Answer | NoAnswer:
        """The cached or received answer, or why there is none.

        Raises:
            ValueError: no other request would be answered either, the server asks to wait longer than
                `MAX_WAIT`, or `MAX_CONSECUTIVE_FAILURES` requests in a row had no answer.
        """
        cached = self.cache.get(request)
        if cached is not None:
            with self._lock:
                self.usage.cached += repr(request) not in self._seen
                self._seen.add(repr(request))
                self._failed.clear()
            return cached
        for number in range(self.tries):
            if self._stopped.is_set():
                return NoAnswer("the run was stopped")
            with self._lock:
                self.usage.requests += 1
            try:
                answer = self.judge.ask(request)
            except NoAnswer as error:
                failure = error
            else:
                self.cache.put(request, answer)
                with self._lock:
                    self.usage.add(answer)
                    self._seen.add(repr(request))
                    self._failed.clear()
                return answer
            wait = max(failure.wait, min(self.first_wait * 2**number, MAX_WAIT))
            if failure.stop or failure.wait > MAX_WAIT:
                wait_note = f"; it asks to wait {failure.wait:.0f} seconds" if failure.wait else ""
                raise self._stop_run(f"{failure.reason}{wait_note}")
            if not failure.retry:
                break
            if number + 1 < self.tries:
                self._stopped.wait(wait)
        else:
            failure = NoAnswer(f"{failure.reason} (asked {self.tries} times)")
        return self._record_failure(request, failure)

    def _record_failure(self, request: Request, failure: NoAnswer) -> NoAnswer:
        with self._lock:
            if failure.request_at_fault or (failure.refused and self._seen):
                return failure
            self._failed.add(request.prompt if failure.refused else repr(request))
            too_many = len(self._failed) >= MAX_CONSECUTIVE_FAILURES
        if too_many:
            raise self._stop_run(
                f"{MAX_CONSECUTIVE_FAILURES} requests in a row had no answer: {failure.reason}"
            )
        return failure

    def _stop_run(self, reason: str) -> HaltedError:
        """Ends the run: no thread sends further requests."""
        self._stopped.set()
        return HaltedError(
            f"{reason}. Received answers are cached in {self.cache.folder}: run again to continue"
        )

    def ask_all(
        self, requests: Sequence[Request], progress: Progress | None = None
    ) -> list[Answer | NoAnswer]:
        """One answer per request, in order; equal requests are sent once.

        After an error or an interruption no further request is sent; answers to pending requests are still cached.

        Raises:
            ValueError: as `ask`.
        """
        unique = {repr(request): request for request in requests}
        answers: dict[str, Answer | NoAnswer] = {}
        with ThreadPoolExecutor(self.parallel) as pool:
            try:
                waiting = {pool.submit(self.ask, request): name for name, request in unique.items()}
                done = as_completed(waiting)
                steps: Iterable[Any] = range(len(waiting))
                for _ in progress(steps, len(waiting)) if progress else steps:
                    future = next(done)
                    answers[waiting[future]] = future.result()
            except BaseException:
                self._stopped.set()
                pool.shutdown(cancel_futures=True)
                raise
        return [answers[repr(request)] for request in requests]
