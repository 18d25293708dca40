"""Settings of a judge: arguments of `compute`, or a YAML file, with which a run can be repeated."""

import dataclasses
import difflib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from openmeva.metrics.core.inputs import as_list, is_number, parse_number
from openmeva.metrics.llm_judge.judging import METHODS, Sampling

_OWN_KEYS = {"model", "messages", "temperature", "seed", "logprobs", "top_logprobs", "stream", "n"}
"""Keys of the request body that a judge sets itself."""
_SECRETS = ("api_key", "key", "token", "password")


@dataclass(frozen=True)
class Settings(Sampling):
    """All settings except the key: how a rating is obtained (see `Sampling`), the model, the aspects, and the cache.

    Attributes:
        model: a Hub id, or the server's name for a model; for a local judge a folder or Hub id.
        base_url: of a server with OpenAI's chat completions API; empty for the Hub's inference providers.
        local: whether the model runs locally, by transformers.
        aspects: the rated aspects, at least one.
        prompts: a YAML file of prompts; empty for the module's own.
        parallel: maximum number of simultaneous requests.
        tries: maximum number of tries per request.
        timeout: seconds to wait for an answer.
        prices: prices of a million prompt tokens and of a million reply tokens, in any currency.
        cache: a folder for the answers; empty: in `HF_HOME`.
    """

    model: str = ""
    base_url: str = ""
    local: bool = False
    aspects: tuple[str, ...] = ("overall",)
    prompts: str = ""
    parallel: int = 4
    tries: int = 6
    timeout: float = 60.0
    prices: tuple[float, float] | None = None
    cache: str = ""

    def __post_init__(self) -> None:
        for name in ("model", "base_url", "prompts", "cache"):
            kinds = str if name in ("model", "base_url") else str | Path
            if not isinstance(getattr(self, name), kinds):
                raise ValueError(f"{name}: expected a text, got {getattr(self, name)!r}")
        if not isinstance(self.local, bool):
            raise ValueError(f"local: expected true or false, got {self.local!r}")
        for name in ("samples", "max_tokens", "top_logprobs", "parallel", "tries"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name}: expected a whole number above 0, got {value!r}")
        if not isinstance(self.seed, int) or isinstance(self.seed, bool):
            raise ValueError(f"seed: expected a whole number, got {self.seed!r}")
        if not _is_finite(self.temperature) or self.temperature < 0:
            raise ValueError(f"temperature: expected a finite number from 0 up, got {self.temperature!r:.60}")
        if not _is_finite(self.timeout) or self.timeout <= 0:
            raise ValueError(f"timeout: expected a finite number above 0, got {self.timeout!r:.60}")
        if self.method not in METHODS:
            raise ValueError(f"method: expected one of {', '.join(METHODS)}, got {self.method!r}")
        if self.local and (self.base_url or self.method == "samples"):
            wrong = "base_url" if self.base_url else "method samples"
            raise ValueError(f"{wrong}: a local judge gives probabilities and has no address")
        if not isinstance(self.extra, Mapping):
            raise ValueError(f"extra: expected keys and values, got {self.extra!r:.60}")
        own = _OWN_KEYS & set(self.extra)
        if own or self.extra.get("max_tokens") is not None:
            names = ", ".join(sorted(own)) or "max_tokens"
            raise ValueError(f"extra: expected keys that are not sent by the judge itself, got {names}")
        try:  # as it is sent, and as the signature has it
            json.dumps(dict(self.extra), allow_nan=False, ensure_ascii=False, sort_keys=True).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(
                f"extra: expected keys and values that JSON can hold, got {self.extra!r:.60} ({error})"
            ) from error
        if not all(isinstance(aspect, str) for aspect in self.aspects):
            raise ValueError(f"aspects: expected names, got {self.aspects!r:.60}")
        if self.prices is not None and (
            len(self.prices) != 2 or not all(is_number(p) and p >= 0 for p in self.prices)
        ):
            raise ValueError(
                f"prices: expected two numbers from 0 up, of prompts and replies, got {self.prices!r}"
            )

    def updated(self, options: Mapping[str, Any]) -> "Settings":
        """A copy with other values for some keys; None leaves a key unchanged.

        Raises:
            ValueError: an invalid value.
        """
        changes = {
            key: value.item() if isinstance(value, np.generic) else value  # JSON holds no NumPy numbers
            for key, value in options.items()
            if value is not None
        }
        if "aspects" in changes:
            aspects = changes["aspects"]
            changes["aspects"] = (
                (aspects,) if isinstance(aspects, str) else tuple(as_list(aspects, "aspects", "names"))
            )
        if "prices" in changes:
            changes["prices"] = tuple(as_list(changes["prices"], "prices", "numbers"))
        return dataclasses.replace(self, **changes)


def _is_finite(value: Any) -> bool:
    """Whether a value is a finite `int` or `float`, which JSON can hold."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(parse_number(value) or 0.0)
    )


def read_settings(path: str | Path) -> Settings:
    """Reads settings from a YAML file with the keys of `Settings`.

    Raises:
        OSError: no such file.
        ValueError: invalid YAML, an unknown key (the closest known one is named), an API key, or an invalid value.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: expected YAML ({error})") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected keys and values, got {type(content).__name__}")
    names = [field.name for field in dataclasses.fields(Settings)]
    for key in content:
        if key in _SECRETS:
            raise ValueError(
                f"{path}: {key} does not belong in a file; give the key by argument or environment"
            )
        if key not in names:
            near = difflib.get_close_matches(str(key), names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected any of {', '.join(names)}"
            raise ValueError(f"{path}: unknown key {key!r}, {hint}")
    try:
        return Settings().updated(content)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}, {error}") from error
