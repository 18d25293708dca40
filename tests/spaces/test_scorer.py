"""The inputs of each metric, and the notes shown where it has no score."""

import http.client
import os
import threading
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nltk
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from openmeva.metrics.core.backbone import BackboneNotFoundError
from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.metrics.overlap import meteor
from openmeva.spaces import wordnet
from openmeva.spaces.catalogue import CatalogueEntry, Number, read_catalogue
from openmeva.spaces.distributions import Distributions
from openmeva.spaces.limits import MAX_BATCHED_SENTENCES, MAX_CACHED_SHAPES
from openmeva.spaces.loaded_metric import LoadedMetric, why_not_loaded
from openmeva.spaces.scorer import Scorer
from openmeva.spaces.texts import Text
from openmeva.training.benchmark.data.registry import MetricEntry, read_registry
from openmeva.training.text.knowledge.wordnet_files import FetchError


class FakeModule:
    """Scores a story by its length, records its inputs, and rejects the word "refused"."""

    def __init__(self, required: tuple[str, ...]) -> None:
        self.required = required
        self.seen: list[dict[str, Any]] = []
        self.busy = threading.Lock()

    def compute(self, explain: bool = False, costs: bool = True, **columns: Any) -> dict[str, Any]:
        assert self.busy.acquire(blocking=False), "one thread at a time"
        try:
            self.seen.append(columns)
            stories = columns["predictions"]
            if any("refused" in story for story in stories):
                raise ValueError("refused")
            result: dict[str, Any] = {"scores": [float(len(story)) for story in stories]}
            if explain:
                result["explanations"] = [
                    {"sentences": [{"text": s, "gain": 0.0}], "edits": []} for s in stories
                ]
            return result
        finally:
            self.busy.release()


def entry(name: str, inputs: tuple[str, ...] = (), configs: Sequence[str] = ("roc", "wp")) -> CatalogueEntry:
    call = MetricEntry(name, name, {corpus: corpus for corpus in configs}, inputs)
    return CatalogueEntry(
        name, "…", (Number(name, "scores", "…", True, None, None),), "paper", "url", call, name == "plain"
    )


class FakeScorer(Scorer):
    """Metrics by name, with their required inputs; `broken` cannot be loaded, and the weights of `absent` are missing."""

    def __init__(self, before: Callable[[], None] | None = None) -> None:
        self.modules: dict[tuple[str, str], FakeModule] = {}
        entries = [
            entry("plain", ("contexts",)),
            entry("referenced", ("references",)),
            entry("contextual", ("contexts",)),
            entry("broken"),
            entry("absent"),
            entry("short", configs=["roc"]),
        ]
        super().__init__({one.name: one for one in entries}, Distributions(), before)

    def _load(self, name: str, config: str) -> LoadedMetric:
        if name == "broken":
            raise ValueError("weights.json: expected a mapping, got 3. Another sentence")
        if name == "absent":
            raise ValueError("no checkpoint") from LocalEntryNotFoundError("not in the cache")
        required = {"referenced": ("references",), "contextual": ("contexts",)}.get(name, ())
        self.modules[name, config] = FakeModule(required)
        return LoadedMetric(self.catalogue[name], [self.modules[name, config]], f"{config}@0")


def notes(rows: list[Any]) -> dict[str, Any]:
    return {score.metric: score.note or score.value for score in rows}


def test_roc_context_is_joined_to_or_split_from_the_story_as_needed() -> None:
    scorer = FakeScorer()
    (scores,) = scorer.score([Text("He ran. He fell.", "Tom was late.", "A reference.")], "roc")
    assert scorer.modules["plain", "roc"].seen[-1] == {"predictions": ["Tom was late. He ran. He fell."]}
    assert scorer.modules["contextual", "roc"].seen[-1] == {
        "predictions": ["He ran. He fell."],
        "contexts": ["Tom was late."],
    }
    assert scorer.modules["referenced", "roc"].seen[-1] == {
        "predictions": ["He ran. He fell."],
        "references": ["A reference."],
    }
    assert notes(scores)["plain"] == 30.0
    (scores,) = scorer.score([Text("Tom was late. He ran.")], "roc")
    assert scorer.modules["contextual", "roc"].seen[-1]["contexts"] == ["Tom was late."]


def test_wp_prompt_is_not_part_of_the_story() -> None:
    scorer = FakeScorer()
    scorer.score([Text("He ran.", "A prompt.")], "wp")
    assert scorer.modules["plain", "wp"].seen[-1] == {"predictions": ["He ran."]}
    assert scorer.modules["contextual", "wp"].seen[-1] == {
        "predictions": ["He ran."],
        "contexts": ["A prompt."],
    }


def test_missing_scores_have_explanatory_notes() -> None:
    scorer = FakeScorer()
    (scores,) = scorer.score([Text("He ran.")], "wp")
    assert notes(scores) == {
        "plain": 7.0,
        "referenced": "Needs a reference story to compare with.",
        "contextual": "Needs the prompt that the story was written to.",
        "broken": "weights.json: expected a mapping, got 3.",
        "absent": "The weights are not available.",
        "short": "Not for stories of this kind.",
    }
    (scores,) = scorer.score([Text("He ran.")], "roc")
    assert notes(scores)["contextual"] == "Needs a story of two sentences or more."


def test_rejected_story_does_not_affect_other_scores() -> None:
    rows = FakeScorer().score([Text("One."), Text("This is refused."), Text("Three.")], "roc", only=["plain"])
    assert [row[0].value for row in rows] == [4.0, None, 6.0]
    assert rows[1][0].note == "plain could not read this story."


def test_texts_with_and_without_a_reference_in_one_call() -> None:
    scorer = FakeScorer()
    rows = scorer.score([Text("One."), Text("Two.", reference="x y")], "roc", only=["referenced"])
    assert [row[0].value for row in rows] == [None, 4.0]


def test_unknown_corpus_is_rejected() -> None:
    with pytest.raises(ValueError, match="roc, wp"):
        FakeScorer().score([Text("One.")], "news")


def test_explanations_come_from_the_metrics_that_have_them() -> None:
    explanations = FakeScorer().explain(Text("One."), "roc")
    assert {name: explanation["sentences"] for name, explanation in explanations.items()} == {
        "plain": [{"text": "One.", "gain": 0.0}]
    }


def test_missing_backbone_is_reported_as_missing_weights() -> None:
    assert why_not_loaded(BackboneNotFoundError("a model is not at hand")) == "The weights are not available."
    assert why_not_loaded(KeyError()) == "It could not be loaded."


def test_long_story_is_explained_in_its_own_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = FakeScorer()
    scorer.wait()
    submitted = []
    submit = scorer._batcher.submit
    monkeypatch.setattr(
        scorer._batcher,
        "submit",
        lambda work, *rest: submitted.append((work.key, work.batch_size)) or submit(work, *rest),
    )
    scorer.explain(Text("He ran. " * MAX_BATCHED_SENTENCES), "roc")
    scorer.explain(Text("He ran. " * (MAX_BATCHED_SENTENCES + 1)), "roc")
    (short, several), (long, batch_size) = submitted
    assert short != long
    assert (several > 1, batch_size) == (True, 1)


def test_without_wordnet_only_meteor_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meteor, "_resource_folders", lambda: [tmp_path])
    original_path = list(nltk.data.path)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    scorer = Scorer({"overlap": read_catalogue()["overlap"]}, Distributions())
    texts = [Text("He ran home. He ate.", reference="He ran. He ate.")]
    (scores,) = scorer.score(texts, "roc")
    values = {score.number.title: score.value for score in scores}
    assert values.pop("METEOR") is None
    assert len(values) == 2
    assert None not in values.values()
    assert scores[-1].note == "METEOR needs WordNet, which was not found."
    monkeypatch.setattr(nltk.data, "path", original_path)
    (scores,) = scorer.score(texts, "roc")
    assert scores[-1].value is not None, "METEOR is scored as soon as WordNet is there"


def test_many_threads_are_served_in_turn() -> None:
    scorer = FakeScorer()
    scorer.wait()
    scores: list[float] = []
    threads = [
        threading.Thread(
            target=lambda: scores.append(scorer.score([Text("One.")], "roc", ["plain"])[0][0].value or 0)
        )
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == [4.0] * 20


def test_repeated_story_is_scored_once() -> None:
    scorer = FakeScorer()
    rows = scorer.score([Text("One."), Text("One."), Text("Two.")], "roc", ["plain"])
    assert scorer.score([Text("Two."), Text("One.")], "roc", ["plain"]) == [rows[2], rows[0]]
    assert scorer.modules["plain", "roc"].seen == [{"predictions": ["One.", "Two."]}]
    scorer.score([Text("One.")], "wp", ["plain"])
    assert scorer.modules["plain", "wp"].seen == [{"predictions": ["One."]}]


def test_number_of_cached_batch_shapes_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """With PyTorch's default bounds memory grew by a megabyte per story; a value set by the user is kept."""
    monkeypatch.delenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", raising=False)
    monkeypatch.setenv("LRU_CACHE_CAPACITY", "5")
    FakeScorer().wait()
    assert os.environ["ONEDNN_PRIMITIVE_CACHE_CAPACITY"] == str(MAX_CACHED_SHAPES)
    assert os.environ["LRU_CACHE_CAPACITY"] == "5"


def test_failing_resource_download_does_not_block_metrics(caplog: pytest.LogCaptureFixture) -> None:
    fetch_started, fetch_may_fail = threading.Event(), threading.Event()
    fetching: list[threading.Thread] = []

    def fetch() -> None:
        fetching.append(threading.current_thread())
        fetch_started.set()
        fetch_may_fail.wait(60)
        raise zipfile.BadZipFile("no zip file")

    scorer = FakeScorer(fetch)
    scores: list[float | None] = []
    scoring = threading.Thread(
        target=lambda: scores.extend(row[0].value for row in scorer.score([Text("One.")], "roc", ["short"])),
        daemon=True,
    )
    scoring.start()
    assert fetch_started.wait(60)
    scoring.join(60)
    assert scores == [4.0]
    fetch_may_fail.set()
    fetching[0].join()
    assert "was not fetched: BadZipFile: no zip file" in caplog.text


def test_the_recommended_metric_is_loaded_first() -> None:
    loaded: list[str] = []

    class Recording(Scorer):
        def _load(self, name: str, config: str) -> LoadedMetric:
            loaded.append(name)
            return LoadedMetric(self.catalogue[name], [FakeModule(())], f"{config}@0")

    Recording({name: entry(name) for name in ("other", DEFAULT_METRIC)}, Distributions()).wait()
    assert loaded == [DEFAULT_METRIC, DEFAULT_METRIC, "other", "other"]


def test_wordnet_download_is_retried_until_it_succeeds(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures: list[Exception] = [FetchError("no internet"), http.client.BadStatusLine("x"), OSError("full")]
    pauses: list[float] = []
    available = threading.Event()

    def fetch(_: Path) -> None:
        if failures:
            raise failures.pop(0)

    monkeypatch.setattr(wordnet, "fetch_wordnet", fetch)
    monkeypatch.setattr(wordnet.resources, "use_with_nltk", available.set)
    wordnet.fetch_or_retry(pauses.append)
    assert available.wait(60)
    assert pauses == [60, 120, 240]
    assert caplog.text.count("WordNet could not be fetched") == 3
    available.clear()
    wordnet.fetch_or_retry(pauses.append)
    assert available.is_set()
    assert len(pauses) == 3


def test_every_metric_of_the_benchmark_is_in_the_catalogue() -> None:
    catalogue = read_catalogue()
    own = {name: entry for name, entry in read_registry().items() if name == entry.folder.name}
    present = {name for name, entry in own.items() if (entry.folder / f"{name}.py").exists()}
    assert present <= set(catalogue)
    for metric in catalogue.values():
        assert metric.numbers
        assert metric.paper_url.startswith("https://")
