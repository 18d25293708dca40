"""The schema of `metric.yaml`, and that modules and cards match the descriptions."""

import importlib
import re
from pathlib import Path

import pytest

from openmeva.metrics.core.description import read_metric, read_metrics
from openmeva.metrics.core.module import StoryInputs
from openmeva.training.common.cards import split_card

METRICS = read_metrics()
SMALL = """\
title: Small
meaning: How small a story is.
papers: [{title: "Small, 2020", url: "https://example.org", key: small}]
required: [contexts]
default: roc
configurations: {roc: {corpora: [roc]}}
outputs: {scores: {title: Small, better: higher, range: [0, 1]}}
"""


def write_metric(metrics: Path, name: str, text: str) -> Path:
    """Writes a metric's folder with a description and an empty module."""
    folder = metrics / name
    folder.mkdir(parents=True)
    (folder / f"{name}.py").touch()
    (folder / "metric.yaml").write_text(text, encoding="utf-8")
    return folder / "metric.yaml"


def test_metrics_without_one_score_per_story() -> None:
    without_scores = {name for name, metric in METRICS.items() if not metric.has_scores}
    assert without_scores == {"embedding_similarity", "openmeva", "overlap"}


def test_descriptions_are_read_in_order(tmp_path: Path) -> None:
    write_metric(tmp_path, "small", SMALL)
    write_metric(tmp_path, "first", SMALL + "order: 3\n")
    (write_metric(tmp_path, "absent", SMALL).parent / "absent.py").unlink()
    assert list(read_metrics(tmp_path)) == ["first", "small"], (
        "sorted by order; metrics without a module are skipped"
    )
    small = read_metrics(tmp_path)["small"]
    assert (small.required, small.columns, small.configurations["roc"].corpora) == (
        ("contexts",), ("contexts",), ("roc",),
    )  # fmt: skip
    assert (small.outputs["scores"].range, small.papers[0].key, small.whole_model) == ((0, 1), "small", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("title: Small\n", "titel: Small\n"), r"small/metric\.yaml: unknown key 'titel', did you mean 'title'"),
        (("title: Small\n", ""), r"metric\.yaml: expected title"),
        (("better: higher", "better: more"), "outputs, scores, better: expected any of higher, lower, got 'more'"),
        (("corpora: [roc]", "corpora: [news]"), "configurations, roc, corpora: expected any of roc, wp, got 'news'"),
        (("{roc: {corpora: [roc]}}", "{roc: {corpora: [roc]}, two: {corpora: [roc, wp]}}"),
         "configurations: expected one for roc, got roc, two"),
        (("corpora: [roc]", "corpus: [roc]"), "configurations, roc: unknown key 'corpus', did you mean 'corpora'"),
        (("[contexts]", "[plots]"), "required and optional: expected any of contexts, references, got 'plots'"),
        (("default: roc", "default: wp"), "default: expected any of roc, got 'wp'"),
        (("[0, 1]", "[0]"), "range: expected two ends"),
        (("outputs:", "benchmark: {small: {title: S, sections: [T]}}\noutputs:"), "sections: expected any of S, got"),
        (("outputs:", "benchmark: {small: {title: S, inputs: [references]}}\noutputs:"), "inputs: expected any of"),
    ],
)  # fmt: skip
def test_bad_descriptions_are_rejected(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert change[0] in SMALL
    path = write_metric(tmp_path, "small", SMALL.replace(*change))
    with pytest.raises(ValueError, match=message):
        read_metric(path)


@pytest.mark.parametrize("name", METRICS)
def test_module_matches_its_description(name: str) -> None:
    metric = METRICS[name]
    module = importlib.import_module(f"openmeva.metrics.{name}.{name}")
    assert getattr(module, "HUB_IDS", {}) == {
        key: configuration.hub for key, configuration in metric.configurations.items() if configuration.hub
    }
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, StoryInputs) and value.__module__ == module.__name__:
            assert (value.required, value.optional) == (metric.required, metric.optional)
    weights = {path.parent.name for path in metric.folder.glob("weights/*/config.json")}
    assert weights <= set(metric.configurations)


@pytest.mark.parametrize("name", METRICS)
def test_card_matches_the_description(name: str) -> None:
    metric = METRICS[name]
    front, body = split_card((metric.folder / "README.md").read_text(encoding="utf-8"))
    assert front["title"] == metric.title
    for configuration in metric.configurations:
        assert configuration == "default" or re.search(rf"\b{configuration}\b", body), configuration
    for paper in metric.papers:
        assert paper.url.startswith("https://")
        assert re.search(rf"^@\w+{{{re.escape(paper.key)},", body, re.MULTILINE), paper.key
