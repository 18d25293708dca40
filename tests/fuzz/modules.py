"""Every evaluate module with a tiny model, and what has to hold of it for any input."""

import inspect
import json
import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import evaluate
import torch
from hypothesis import strategies as st
from transformers import BertConfig, BertModel

from openmeva.training.paths import ROOT
from tests.fuzz.inputs import WRONG_OPTIONS, texts, weighted, with_words, wrong_values
from tests.tiny import PIECES, tiny_tokenizer, write_checkpoint
from tests.tiny_bleurt import write_bleurt
from tests.tiny_classifier import write_classifier
from tests.tiny_ppl import write_gpt2, write_ppl_checkpoint
from tests.tiny_ruber import write_ruber_checkpoint
from tests.tiny_sentavg import write_sentavg

GOOD = "She ran home. The dog ate."
REFUSED, SCORED = "refused", "scored"
_NAMED = re.compile(r"^(predictions|contexts|references)(, row (\d+))?(, [\w ]+)?: ")


@dataclass(frozen=True)
class Module:
    """A module under test.

    Attributes:
        name: of its folder.
        write: makes a tiny checkpoint in a folder; None where it has no weights.
        columns: beside `predictions`: of `contexts` and `references`.
        low, high: of its scores.
        keys: of the result's lists of scores.
        options: of `compute`, always given.
        near: how close, relative, scores have to be to those of other batches; scores of a random model without
            bounds differ by more than 1e-6 in float32.
    """

    name: str
    write: Callable[[Path], Path] | None
    columns: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    keys: tuple[str, ...] = ("scores",)
    options: dict[str, Any] = field(default_factory=lambda: {"dtype": "float32"})
    near: float = 1e-6


def _write_similarity_encoder(folder: Path) -> Path:
    torch.manual_seed(6)
    config = BertConfig(
        vocab_size=len(PIECES), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, initializer_range=0.6,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    (folder / "tokenizer.json").write_text(tiny_tokenizer().to_str())
    return folder


_SIMILARITIES = (
    "greedy_matching", "vector_average", "vector_extrema", "min_max_pooling", "bertscore_precision",
    "bertscore_recall", "bertscore_f1", "moverscore_1", "moverscore_2",
)  # fmt: skip
_OVERLAPS = ("bleu", "rouge1", "rouge2", "rougeL")
METEOR = "overlap (METEOR)"  # NLTK takes seconds to read WordNet
MODULES: dict[str, Module] = {
    "union": Module("union", write_checkpoint, ("contexts",)),
    "plot_coherence": Module(
        "plot_coherence", partial(write_classifier, metric="plot_coherence", token_share=0.3), ("contexts",)
    ),
    "discriminator": Module(
        "discriminator",
        partial(write_classifier, metric="discriminator", context="first_sentence", kinds=False),
        ("contexts",),
    ),
    "sentavg": Module("sentavg", write_sentavg, ("contexts",)),
    # compared by the perplexity's logarithm: the exponential would enlarge what float32 rounds
    "ppl": Module("ppl", write_ppl_checkpoint, ("contexts",), high=700.0, keys=("nll",)),
    "ppl (masked)": Module(
        "ppl",
        partial(write_ppl_checkpoint, model="masked", spacing=3),
        ("contexts",),
        high=700.0,
        keys=("nll",),
    ),
    "ppl (GPT-2)": Module("ppl", write_gpt2, ("contexts",), high=700.0, keys=("nll",)),
    "ruber_bert": Module("ruber_bert", write_ruber_checkpoint, ("contexts", "references")),
    "ruber_bert (rnn)": Module(
        "ruber_bert", partial(write_ruber_checkpoint, encoder="rnn"), ("contexts", "references")
    ),
    "bleurt": Module("bleurt", write_bleurt, ("references",), -math.inf, math.inf, near=1e-5),
    "embedding_similarity": Module(
        "embedding_similarity",
        _write_similarity_encoder,
        ("references",),
        -1.0,
        keys=tuple(f"{name}_scores" for name in _SIMILARITIES),
    ),
    "overlap": Module(
        "overlap",
        None,
        ("references",),
        keys=tuple(f"{name}_scores" for name in _OVERLAPS),
        options={"scores": list(_OVERLAPS)},
    ),
    METEOR: Module("overlap", None, ("references",), keys=("meteor_scores",), options={"scores": "meteor"}),
}


def load(module: Module, folder: Path) -> Any:
    """The module, with a tiny checkpoint where it has weights, and its rows in a folder of its own."""
    config = str(module.write(folder / "checkpoint")) if module.write else None
    place = str(ROOT / "metrics" / module.name)
    return evaluate.load(place, config, cache_dir=str(folder / "cache"))


def inputs(module: Module, metric: Any, longest: int) -> st.SearchStrategy[dict[str, Any]]:
    """What a module is handed: mostly columns of texts, at times wrong ones, and wrong options."""
    taken = inspect.signature(metric._compute).parameters

    def columns(count: int, text: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
        rows = st.lists(text, min_size=count, max_size=count)
        lists = st.lists(st.lists(text, min_size=1, max_size=2), min_size=count, max_size=count)
        kinds = {"contexts": rows, "references": rows if module.name == "ruber_bert" else lists}
        return st.fixed_dictionaries({"predictions": rows, **{n: kinds[n] for n in module.columns}})

    odd = texts(longest)
    readable = with_words(odd)
    right = st.integers(1, 4).flatmap(lambda count: columns(count, readable))
    any_text = st.integers(1, 3).flatmap(lambda count: columns(count, odd))
    names = st.sampled_from(["predictions", *module.columns])
    spoilt = st.builds(lambda given, name, value: {**given, name: value}, right, names, wrong_values())
    option = st.sampled_from(
        [(name, value) for name, values in WRONG_OPTIONS.items() if name in taken for value in values]
    )
    with_option = st.builds(
        lambda pair: {"predictions": [GOOD], **{n: [GOOD] for n in module.columns}, pair[0]: pair[1]}, option
    )
    return weighted((5, right), (2, any_text), (1, spoilt), (1, with_option))


def check(module: Module, metric: Any, given: dict[str, Any]) -> str:
    """Scores `given`; `refused` or `scored`. An AssertionError, or any error but a ValueError, is a fault."""
    columns = {"predictions", *module.columns}
    wrong_option = not columns.issuperset(given)
    given = {**module.options, "show_progress": False, **given}
    try:
        result = metric.compute(**given)
    except ValueError as error:
        _check_refusal(module, metric, given, str(error))
        _check_nothing_is_left(metric)
        return REFUSED
    _check_nothing_is_left(metric)
    assert not wrong_option, "an option of a wrong type was taken"
    assert len(result[module.keys[0]]) == len(given["predictions"])
    for key in module.keys:
        for value in result[key]:
            assert isinstance(value, float)
            assert math.isfinite(value), f"{key}: {value}"
            assert module.low <= value <= module.high, f"{key}: {value}"
    json.dumps(result)
    _check_company(module, metric, given, result)
    return SCORED


def _check_refusal(module: Module, metric: Any, given: dict[str, Any], message: str) -> None:
    """The message begins with what is wrong; the row that it names is refused by itself, too."""
    if any(message.startswith(f"{name}: ") or message.startswith(f"{name}, ") for name in WRONG_OPTIONS):
        return
    found = _NAMED.match(message)
    assert found or message.startswith("expected dtype "), f"names nothing: {message}"
    columns = [given.get(name) for name in ("predictions", *module.columns)]
    if found and found[2] and all(isinstance(column, list) for column in columns):
        row = int(found[3])
        alone = {
            name: value[row : row + 1] if name in ("predictions", *module.columns) else value
            for name, value in given.items()
        }
        try:
            metric.compute(**alone)
        except ValueError:
            return
        raise AssertionError(f"row {row} is no fault by itself: {message}")


def _check_company(module: Module, metric: Any, given: dict[str, Any], result: dict[str, Any]) -> None:
    """The same scores alone, backwards in other batches, and after a call that failed."""
    try:
        metric.compute(**{**given, "predictions": [*given["predictions"][:-1], 3]})
    except ValueError:
        pass
    else:
        raise AssertionError("a number was scored")
    rows = {n: v for n, v in given.items() if n in ("predictions", *module.columns) and v is not None}
    size = {"batch_size": 1} if "batch_size" in inspect.signature(metric._compute).parameters else {}
    turned = metric.compute(**{**given, **{name: values[::-1] for name, values in rows.items()}, **size})
    last = metric.compute(**{**given, **{name: values[-1:] for name, values in rows.items()}})
    for key in module.keys:
        for one, other in zip((*result[key], result[key][-1]), (*turned[key][::-1], *last[key]), strict=True):
            close = math.isclose(one, other, rel_tol=module.near, abs_tol=1e-6)
            assert close, f"{key}: {one} and {other}"
    _check_nothing_is_left(metric)


def _check_nothing_is_left(metric: Any) -> None:
    assert len(metric) == 0
    left = [name for _, _, names in os.walk(metric.data_dir) for name in names if name.endswith(".arrow")]
    assert left == []
