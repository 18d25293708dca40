"""A new metric needs only its own folder: benchmark, Spaces, publishing and the README find it there."""

import shutil
from pathlib import Path

import evaluate
import pytest

from openmeva.metrics.core.description import read_metrics
from openmeva.spaces.catalogue import read_catalogue
from openmeva.training.benchmark.data.registry import read_registry, select_entries
from openmeva.training.benchmark.scoring.scores import cached_scores
from openmeva.training.hub.checks import repository_problems
from openmeva.training.hub.description import read_description
from openmeva.training.hub.layout import lay_out
from openmeva.training.hub.metrics_table import metrics_table, write_metrics_table

ROOT = Path(__file__).resolve().parents[3]
MODULE = '''"""How short the words of a story are."""

import evaluate

from openmeva.metrics.core.module import StoryInputs, signature_of
from openmeva.metrics.short_words.scoring import share_of_short_words


class ShortWords(StoryInputs, evaluate.Metric):
    """The evaluate module; it has one configuration."""

    optional = ()

    def _info(self):
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=self.feature_choices()
        )

    def signature(self):
        return signature_of("short_words", ())

    def _compute(self, predictions):
        return {"scores": [share_of_short_words(story) for story in predictions]}
'''
SCORING = '''"""The share of short words."""

from openmeva.metrics.core.text import Normalizer


def share_of_short_words(story):
    """0 to 1."""
    words = Normalizer()(story).split()
    return sum(len(word) < 4 for word in words) / len(words)
'''
DESCRIPTION = """
title: Short words
meaning: How short the words are.
papers: [{title: "Nobody, 2020", url: "https://example.org/paper", key: nobody-2020-short}]
default: default
configurations: {default: {corpora: [roc, wp]}}
outputs: {scores: {title: Short words, better: higher, range: [0, 1]}}
benchmark: {short_words: {title: Short words}}
"""
CARD = """---
title: Short words
sdk: gradio
tags: [evaluate, metric]
license: apache-2.0
---

## What it measures
Words.
## How to use
Load it.
## Limits
Many.
## Data and licence
None.
## Citation
None.
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project's metrics, also imported as `openmeva`, with one more metric."""
    root = tmp_path / "openmeva"
    ignored = shutil.ignore_patterns("weights", "__pycache__")
    shutil.copytree(ROOT / "metrics", root / "metrics", ignore=ignored)
    for name in ("LICENSE", "NOTICE", "pyproject.toml", "README.md", "spaces/metric_app.py"):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    monkeypatch.syspath_prepend(tmp_path)
    folder = root / "metrics" / "short_words"
    folder.mkdir()
    for name, text in {
        "short_words.py": MODULE,
        "scoring.py": SCORING,
        "metric.yaml": DESCRIPTION,
        "README.md": CARD,
    }.items():
        (folder / name).write_text(text)
    return root


def test_benchmark_runs_the_new_metric(root: Path, tmp_path: Path) -> None:
    (entry,) = select_entries(["short_words"], read_registry(root / "metrics"))
    result = cached_scores(
        entry, entry.configs["wp"], [{"story": "he ran"}, {"story": "she danced"}], tmp_path
    )
    assert result["scores"] == [1.0, 0.5]
    assert set(read_registry()) < set(read_registry(root / "metrics"))


def test_spaces_list_the_new_metric(root: Path) -> None:
    entry = read_catalogue(root / "metrics")["short_words"]
    assert (entry.title, entry.numbers[0].key, entry.numbers[0].high) == ("Short words", "scores", 1)
    assert list(read_catalogue(root / "metrics"))[-1] == "short_words", (
        "last, unless its description gives a position"
    )


def test_new_metric_can_be_published(root: Path, tmp_path: Path) -> None:
    description = read_description(root)
    source = next(source for source in description.sources if source.name == "short_words")
    repository = lay_out(source, description, tmp_path / "laid", "me", "1.0.0", root)
    assert repository_problems(repository, description) == []
    expected = {
        "LICENSE",
        "NOTICE",
        "README.md",
        "app.py",
        "requirements.txt",
        "scoring.py",
        "short_words.py",
    }
    core = {
        f"core_{name}.py"
        for name in ("files", "inputs", "lock", "module", "text", "text_warnings", "version")
    }
    assert set(repository.files()) == expected | core
    published_metric = evaluate.load(str(repository.folder))
    assert published_metric.compute(predictions=["he ran", "she danced"])["scores"] == [1.0, 0.5]


def test_the_readme_lists_the_new_metric(root: Path) -> None:
    write_metrics_table(root)
    text = (root / "metrics" / "README.md").read_text(encoding="utf-8")
    assert (
        "| [Short words](short_words/README.md), `short_words` | How short the words are. | 0 to 1," in text
    )
    write_metrics_table(root)
    assert (root / "metrics" / "README.md").read_text(encoding="utf-8") == text


def test_the_readme_of_the_metrics_is_up_to_date() -> None:
    """`make style` writes the table."""
    assert metrics_table(read_metrics()) in (ROOT / "metrics" / "README.md").read_text(encoding="utf-8")
