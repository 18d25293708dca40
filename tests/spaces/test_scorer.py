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
from openmeva.spaces import wordnet
from openmeva.spaces.catalogue import CatalogueEntry, Number, read_catalogue
from openmeva.spaces.distributions import Distributions
from openmeva.spaces.limits import MAX_BATCHED_SENTENCES, MAX_CACHED_SHAPES
from openmeva.spaces.loaded_metric import LoadedMetric, why_not_loaded
from openmeva.spaces.scorer import Scorer
from openmeva.spaces.texts import Text
from openmeva.training.benchmark.registry import MetricEntry, read_registry
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
            found: dict[str, Any] = {"scores": [float(len(story)) for story in stories]}
            if explain:
                found["explanations"] = [
                    {"sentences": [{"text": s, "gain": 0.0}], "edits": []} for s in stories
                ]
            return found
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


def test_roc_joins_the_beginning_and_parts_it_where_it_is_needed_apart() -> None:
    scorer = FakeScorer()
    (found,) = scorer.score([Text("He ran. He fell.", "Tom was late.", "A reference.")], "roc")
    assert scorer.modules["plain", "roc"].seen[-1] == {"predictions": ["Tom was late. He ran. He fell."]}
    assert scorer.modules["contextual", "roc"].seen[-1] == {
        "predictions": ["He ran. He fell."],
        "contexts": ["Tom was late."],
    }
    assert scorer.modules["referenced", "roc"].seen[-1] == {
        "predictions": ["He ran. He fell."],
        "references": ["A reference."],
    }
    assert notes(found)["plain"] == 30.0
    (found,) = scorer.score([Text("Tom was late. He ran.")], "roc")
    assert scorer.modules["contextual", "roc"].seen[-1]["contexts"] == ["Tom was late."]


def test_wp_leaves_the_prompt_out_of_the_story() -> None:
    scorer = FakeScorer()
    scorer.score([Text("He ran.", "A prompt.")], "wp")
    assert scorer.modules["plain", "wp"].seen[-1] == {"predictions": ["He ran."]}
    assert scorer.modules["contextual", "wp"].seen[-1] == {
        "predictions": ["He ran."],
        "contexts": ["A prompt."],
    }


def test_what_is_missing_is_said() -> None:
    scorer = FakeScorer()
    (found,) = scorer.score([Text("He ran.")], "wp")
    assert notes(found) == {
        "plain": 7.0,
        "referenced": "Needs a reference story to compare with.",
        "contextual": "Needs the prompt that the story was written to.",
        "broken": "weights.json: expected a mapping, got 3.",
        "absent": "The weights are not available.",
        "short": "Not for stories of this kind.",
    }
    (found,) = scorer.score([Text("He ran.")], "roc")
    assert notes(found)["contextual"] == "Needs a story of two sentences or more."


def test_one_refused_story_leaves_the_others_their_scores() -> None:
    rows = FakeScorer().score([Text("One."), Text("This is refused."), Text("Three.")], "roc", only=["plain"])
    assert [row[0].value for row in rows] == [4.0, None, 6.0]
    assert rows[1][0].note == "plain could not read this story."


def test_texts_with_and_without_a_reference_in_one_call() -> None:
    scorer = FakeScorer()
    rows = scorer.score([Text("One."), Text("Two.", reference="x y")], "roc", only=["referenced"])
    assert [row[0].value for row in rows] == [None, 4.0]


def test_an_unknown_kind_of_story_is_refused() -> None:
    with pytest.raises(ValueError, match="roc, wp"):
        FakeScorer().score([Text("One.")], "news")


def test_explanations_come_from_the_metrics_that_have_them() -> None:
    found = FakeScorer().explain(Text("One."), "roc")
    assert {name: one["sentences"] for name, one in found.items()} == {
        "plain": [{"text": "One.", "gain": 0.0}]
    }


def test_a_backbone_that_is_nowhere_counts_as_weights() -> None:
    assert why_not_loaded(BackboneNotFoundError("a model is not at hand")) == "The weights are not available."
    assert why_not_loaded(KeyError()) == "It could not be loaded."


def test_a_story_of_many_sentences_is_explained_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = FakeScorer()
    scorer.wait()
    asked = []
    ask = scorer._batcher.submit
    monkeypatch.setattr(
        scorer._batcher,
        "submit",
        lambda work, *rest: asked.append((work.key, work.batch_size)) or ask(work, *rest),
    )
    scorer.explain(Text("He ran. " * MAX_BATCHED_SENTENCES), "roc")
    scorer.explain(Text("He ran. " * (MAX_BATCHED_SENTENCES + 1)), "roc")
    (short, several), (long, one) = asked
    assert short != long
    assert (several > 1, one) == (True, 1)


def test_without_wordnet_meteor_alone_is_lacking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found_before = list(nltk.data.path)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    scorer = Scorer({"overlap": read_catalogue()["overlap"]}, Distributions())
    texts = [Text("He ran home. He ate.", reference="He ran. He ate.")]
    (found,) = scorer.score(texts, "roc")
    values = {one.number.title: one.value for one in found}
    assert values.pop("METEOR") is None
    assert len(values) == 2
    assert None not in values.values()
    assert found[-1].note == "METEOR needs WordNet, which was not found."
    monkeypatch.setattr(nltk.data, "path", found_before)
    (found,) = scorer.score(texts, "roc")
    assert found[-1].value is not None, "as soon as it is there"


def test_many_threads_are_served_in_turn() -> None:
    scorer = FakeScorer()
    scorer.wait()
    found: list[float] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(scorer.score([Text("One.")], "roc", ["plain"])[0][0].value or 0)
        )
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [4.0] * 20


def test_a_story_asked_for_again_is_not_read_again() -> None:
    scorer = FakeScorer()
    rows = scorer.score([Text("One."), Text("One."), Text("Two.")], "roc", ["plain"])
    assert scorer.score([Text("Two."), Text("One.")], "roc", ["plain"]) == [rows[2], rows[0]]
    assert scorer.modules["plain", "roc"].seen == [{"predictions": ["One.", "Two."]}]
    scorer.score([Text("One.")], "wp", ["plain"])
    assert scorer.modules["plain", "wp"].seen == [{"predictions": ["One."]}]


def test_code_for_few_shapes_of_batches_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """With PyTorch's default bounds memory grew by a megabyte per story; a value set by the user is kept."""
    monkeypatch.delenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", raising=False)
    monkeypatch.setenv("LRU_CACHE_CAPACITY", "5")
    FakeScorer().wait()
    assert os.environ["ONEDNN_PRIMITIVE_CACHE_CAPACITY"] == str(MAX_CACHED_SHAPES)
    assert os.environ["LRU_CACHE_CAPACITY"] == "5"


def test_no_metric_waits_for_what_some_need_nor_dies_of_its_failure(caplog: pytest.LogCaptureFixture) -> None:
    asked, answered = threading.Event(), threading.Event()
    fetching: list[threading.Thread] = []

    def before() -> None:
        fetching.append(threading.current_thread())
        asked.set()
        answered.wait(60)
        raise zipfile.BadZipFile("no zip file")

    scorer = FakeScorer(before)
    found: list[float | None] = []
    scoring = threading.Thread(
        target=lambda: found.extend(row[0].value for row in scorer.score([Text("One.")], "roc", ["short"])),
        daemon=True,
    )
    scoring.start()
    assert asked.wait(60)
    scoring.join(60)
    assert found == [4.0]
    answered.set()
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


def test_wordnet_is_fetched_again_until_it_is_there(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures: list[Exception] = [FetchError("no internet"), http.client.BadStatusLine("x"), OSError("full")]
    pauses: list[float] = []
    there = threading.Event()

    def fetch(_: Path) -> None:
        if failures:
            raise failures.pop(0)

    monkeypatch.setattr(wordnet, "fetch_wordnet", fetch)
    monkeypatch.setattr(wordnet.resources, "use_with_nltk", there.set)
    wordnet.fetch_or_retry(pauses.append)
    assert there.wait(60)
    assert pauses == [60, 120, 240]
    assert caplog.text.count("WordNet could not be fetched") == 3
    there.clear()
    wordnet.fetch_or_retry(pauses.append)
    assert there.is_set()
    assert len(pauses) == 3


def test_every_metric_of_the_benchmark_is_in_the_catalogue() -> None:
    catalogue = read_catalogue()
    own = {name: entry for name, entry in read_registry().items() if name == entry.folder.name}
    present = {name for name, entry in own.items() if (entry.folder / f"{name}.py").exists()}
    assert present <= set(catalogue)
    for one in catalogue.values():
        assert one.numbers
        assert one.paper_url.startswith("https://")
