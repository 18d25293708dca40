"""Every module: an option of `compute` that changes what it returns changes the signature."""

import importlib
import inspect
import json
import re
from types import SimpleNamespace
from typing import Any

import evaluate
import numpy as np
import pytest

from openmeva.metrics.core.module import StoryInputs, signature_with
from openmeva.metrics.core.repetition import RepetitionCost
from openmeva.metrics.core.runtime import choose_dtype, precision
from openmeva.training.paths import METRICS

INPUTS = {"self", "predictions", "contexts", "references"}
# options that do not change the scores (see the tests of each module) or only change which keys are returned
WITHOUT_EFFECT = {"batch_size", "show_progress", "explain", "costs", "padding_side", "scores", "device"}
OTHER_VALUES: dict[str, Any] = {
    "dtype": "bfloat16",
    "context_is_part_of_story": True,
    "repeated_ngram": 3,
    "blend": "max",
    "normalization": "batch",
    "idf": True,
    "layer": 1,
    "rescale_with_baseline": {f"bertscore_{name}": 0.25 for name in ("precision", "recall", "f1")},
}


def metrics_with_options() -> list[str]:
    """The metrics whose signature takes options; the benchmark and the judge return theirs with the result."""
    found = []
    for path in sorted(METRICS.glob("*/metric.yaml")):
        source = path.with_name(f"{path.parent.name}.py").read_text(encoding="utf-8")
        if "evaluate.Metric)" in source and path.parent.name not in ("openmeva", "llm_judge"):
            found.append(path.parent.name)
    return found


def module_without_weights(name: str) -> Any:
    """A module with stubs in place of its weights, sufficient for a signature."""
    members = vars(importlib.import_module(f"openmeva.metrics.{name}.{name}")).values()
    kind = next(
        one
        for one in members
        if inspect.isclass(one) and issubclass(one, evaluate.Metric) and issubclass(one, StoryInputs)
    )
    metric = kind.__new__(kind)
    model = SimpleNamespace(max_length=64, encoder="bert")
    metric._scorer = SimpleNamespace(
        max_length=64,
        shorter_window=None,
        repetition=RepetitionCost(),
        model=model,
        signature=lambda: "smoothed",
    )
    metric._encoder = SimpleNamespace(max_length=64, layers=6, settings={}, check_layer=lambda layer: None)
    metric._revision, metric._metric, metric._context = "roc@0123", name, "auto"
    return metric


@pytest.mark.parametrize("name", metrics_with_options())
def test_option_that_changes_the_result_changes_the_signature(name: str) -> None:
    metric = module_without_weights(name)
    options = set(inspect.signature(metric._compute).parameters) - INPUTS - WITHOUT_EFFECT
    plain = signature_with(metric, {"dtype": "float32"})
    for option in sorted(options):
        value = OTHER_VALUES[option]  # a new option: give it a value here, or list it above as without effect
        assert signature_with(metric, {"dtype": "float32", option: value}) != plain, option
    if "dtype" in options:
        chosen = signature_with(metric, {"dtype": "auto", "device": "cpu"})
        assert f"|dtype:{precision('auto', 'cpu')}|" in chosen


def test_signature_precision_matches_the_dtype_in_use() -> None:
    import torch

    assert f"torch.{precision('auto', 'cpu')}" == str(choose_dtype("auto", torch.device("cpu")))
    assert (precision("float32"), precision("bfloat16", "cpu")) == ("float32", "bfloat16")


def test_recurrent_network_runs_in_float32() -> None:
    metric = module_without_weights("ruber_bert")
    metric._scorer.model.encoder = "rnn"
    assert "|dtype:float32|" in metric.signature("bfloat16")


def test_benchmark_signature_covers_settings_and_rows() -> None:
    benchmark = evaluate.load(str(METRICS / "openmeva"), "judgments")
    rng = np.random.default_rng(0)
    rows = [
        {"story_id": f"s{k}", "prompt": f"p{k // 4}", "story": f"he ran {k} miles .", "ratings": [k % 5 + 1, 3],
         "source_model": "ab"[k % 2], "error_types": [["chaotic", "other"] if k % 3 else ["chaotic"]] * 2}
        for k in range(24)
    ]  # fmt: skip
    scores = rng.normal(size=24).tolist()
    changes: list[dict[str, Any]] = [
        {"reasonable_above": 2.0},
        {"one_error_only": False},
        {"draws": 101},
        {"seed": 1},
        {"others": {"noise": scores[::-1]}},
        {"references": [*rows[:-1], {**rows[-1], "ratings": [1, 1]}]},
    ]
    given = {"predictions": scores, "references": rows, "draws": 100}
    plain = benchmark.compute(**given)
    found = [benchmark.compute(**{**given, **change}) for change in changes]
    assert len({one["signature"] for one in [plain, *found]}) == len(changes) + 1
    assert plain["signature"] == benchmark.compute(**given)["signature"]
    options = set(inspect.signature(benchmark.compute).parameters) - {"predictions", "dataset", "subset"}
    assert options == {name for change in changes for name in change}


def adapters_on_the_shared_encoder() -> dict[tuple[str, str], str]:
    """Metric and configuration to the SHA-256 of the encoder."""
    found = {}
    for path in sorted(METRICS.glob("*/weights/*/config.json")):
        (settings,) = json.loads(path.read_text(encoding="utf-8")).values()
        if "path" in settings.get("encoder", {}):
            found[path.parents[2].name, path.parent.name] = settings["encoder"]["sha256"]
    return found


@pytest.mark.parametrize(("name", "configuration"), adapters_on_the_shared_encoder())
def test_signature_names_the_encoder_of_an_adapter(name: str, configuration: str) -> None:
    digest = adapters_on_the_shared_encoder()[name, configuration]
    signature = evaluate.load(str(METRICS / name), configuration).signature()
    # the checkpoint's part, by which Spaces find their reference scores, is that of the adapter alone
    assert re.match(rf"{name}\|checkpoint:{configuration}@[0-9a-f]{{12}}\|encoder:{digest[:12]}\|", signature)
