"""Inputs in rounds, each sampled with its own seed; finished rounds are saved and not repeated.

Inputs of the first round are decoded from random bytes, since a second process has to sample the same ones. Otherwise
hypothesis' samples depend on string hashes and imported modules, which differ there.
"""

import json
import random
import re
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from openmeva.metrics.core.files import write_text
from tests.fuzz.outcome import Checked, Outcome
from tests.fuzz.targets import Target

FIRST = 10  # inputs of the first round, which a second process tries again
ROUND = 200  # inputs of another round; a failure ends its round
MOST_FAILURES = 20  # per target: further inputs are not tried until these are fixed
_LONGEST_FAILURE = 6000
_BYTES = 2**16  # an input is read from
_VARYING = re.compile(r"0x[0-9a-f]{6,}|(?<=/)tmp\w{8}(?=/)|[^\r\n]*\d%\|[^\r\n]*[\r\n]*")


def fuzz(
    name: str, target: Target, inputs: int, start: int, longest: int, saved: Path | None = None
) -> Outcome:
    """Tries this many inputs; resumes an interrupted run.

    Args:
        name: of the target; its seeds depend on it.
        target: the target.
        inputs: their number.
        start: the seed of the whole run.
        longest: maximum length of a text, in characters.
        saved: file of the finished rounds.
    """
    outcome = _read(saved)
    while outcome.inputs < inputs and len(outcome.failures) < MOST_FAILURES:
        rng = random.Random(f"{start} {name} {outcome.rounds}")
        size = min(ROUND if outcome.rounds else FIRST, inputs - outcome.inputs)
        start_time, before = time.process_time(), outcome.inputs

        @seed(rng.randrange(2**32))
        @settings(
            max_examples=size, database=None, deadline=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(target.inputs(longest))
        def check_input(value: object) -> None:
            checked: Checked = target.check(value)
            outcome.counts[checked.verdict] += checked.inputs
            if outcome.rounds == 0:
                outcome.first.append(without_varying_parts(checked.output))

        try:
            if outcome.rounds:
                check_input()
            else:
                _try_from_bytes(check_input.hypothesis.fuzz_one_input, size, rng)
        except Exception as error:  # each is reported as one failure
            outcome.failures.append("".join(traceback.format_exception(error, limit=-4))[:_LONGEST_FAILURE])
        outcome.rounds += 1
        outcome.seconds += time.process_time() - start_time
        if saved is not None:
            write_text(saved, json.dumps(vars(outcome)))
        if outcome.inputs == before:  # hypothesis has no more distinct inputs
            break
    return outcome


def _try_from_bytes(try_one: Callable[[bytes], bytes | None], size: int, rng: random.Random) -> None:
    """Tries this many inputs; bytes that cannot be decoded to an input are skipped."""
    tried = 0
    for _ in range(10 * size):
        tried += try_one(rng.randbytes(_BYTES)) is not None
        if tried == size:
            return


def _read(saved: Path | None) -> Outcome:
    if saved is None or not saved.exists():
        return Outcome()
    values = json.loads(saved.read_text(encoding="utf-8"))
    return Outcome(**{**values, "counts": Counter(values["counts"])})


def without_varying_parts(output: str) -> str:
    """The text without memory addresses, temporary folders and progress bars, which differ between runs."""
    return _VARYING.sub("", output)


def retry_first_inputs(
    names: dict[str, list[str]], load: Callable[[str], Target], start: int, longest: int
) -> list[str]:
    """Tries the first inputs of targets again, and returns the results that differ from earlier ones."""
    differences = []
    for name, before in names.items():
        now = fuzz(name, load(name), FIRST, start, longest)
        differences += now.failures
        differences += [
            f"{name}, in a second process:\n{old[:1000]}\nand then\n{new[:1000]}"
            for old, new in zip(before, now.first, strict=False)
            if old != new
        ]
        if len(before) != len(now.first):
            differences.append(f"{name}: {len(before)} inputs, and {len(now.first)} in a second process")
    return differences
