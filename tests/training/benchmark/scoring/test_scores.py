"""Scores are cached under a key of everything that they depend on, and reused."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from openmeva.metrics.core.inputs import RowError
from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.scoring import scores
from openmeva.training.benchmark.scoring.checkpoints import checkpoint_digest
from openmeva.training.benchmark.scoring.scores import cached_scores, module_checksum


def test_scores_are_cached_until_metric_or_rows_change(tmp_path, words, monkeypatch):
    entry, counter = words
    rows = [{"story": f"a story of {k} words .", "prompt": "once ."} for k in range(5)]
    first = cached_scores(entry, "roc", rows, tmp_path / "cache")
    assert cached_scores(entry, "roc", rows, tmp_path / "cache") == first
    assert counter.read_text() == "x"
    cached_scores(entry, "roc", [{**rows[0], "story": "another"}, *rows[1:]], tmp_path / "cache")
    assert counter.read_text() == "xx"
    source = entry.folder / "words.py"
    source.write_text(source.read_text() + "\n# changed\n")
    cached_scores(entry, "roc", rows, tmp_path / "cache")
    assert counter.read_text() == "xxx"
    monkeypatch.setattr(scores, "precision", lambda _: "another")
    cached_scores(entry, "roc", rows, tmp_path / "cache")
    assert counter.read_text() == "xxxx", "scores of two precisions are not mixed"


def test_scores_of_another_language_model_are_not_reused(tmp_path, words):
    entry, counter = words
    weights, model = entry.folder / "weights" / "roc", tmp_path / "model"
    weights.mkdir(parents=True)
    model.mkdir()
    (weights / "config.json").write_text(json.dumps({entry.folder.name: {"backbone": {"path": str(model)}}}))
    rows = [{"story": "a story ."}]
    for content, calls in ((b"one", "x"), (b"one", "x"), (b"another", "xx")):
        (model / "model.safetensors").write_bytes(content)
        cached_scores(entry, "roc", rows, tmp_path / "cache")
        assert counter.read_text() == calls


def test_digest_of_a_checkpoint_covers_how_it_reads_texts(tmp_path):
    (tmp_path / "config.json").write_text('{"union": {"encoder": {"path": "here", "sha256": "1"}}}')
    (tmp_path / "README.md").write_text("a card")
    digests = [checkpoint_digest(tmp_path)]
    for name in ("adapter.safetensors", "names.json", "tokenizer.json", "vocab.txt"):
        (tmp_path / name).write_text("content")
        digests.append(checkpoint_digest(tmp_path))
    assert len(set(digests)) == 5
    (tmp_path / "config.json").write_text('{"union": {"encoder": {"path": "there", "sha256": "1"}}}')
    (tmp_path / "README.md").write_text("another card")
    assert checkpoint_digest(tmp_path) == digests[-1]


def test_refused_row_is_that_of_the_set(tmp_path, words, monkeypatch):
    entry, _ = words
    rows = [{"story": f"a story of {k} words ."} for k in (0, 0, 1, 2, 3)]
    cached_scores(entry, "roc", rows[:3], tmp_path / "cache")

    def refuse(**inputs):
        raise RowError("predictions", inputs["predictions"].index(rows[4]["story"]), "expected another story")

    monkeypatch.setattr(scores, "_loaded", lambda *_: SimpleNamespace(compute=refuse))
    with pytest.raises(RowError, match=r"^predictions, row 4: expected another story$"):
        cached_scores(entry, "roc", rows, tmp_path / "cache")


def test_texts_shared_by_two_sets_are_scored_once(tmp_path, words):
    entry, counter = words
    rows = [{"story": f"a story of {k} words .", "prompt": "once ."} for k in range(5)]
    messages = []
    first = cached_scores(entry, "roc", rows, tmp_path / "cache")
    again = cached_scores(entry, "roc", rows[3:] * 2, tmp_path / "cache", say=messages.append)
    assert again["scores"] == first["scores"][3:] * 2
    assert again["signature"] == "words:1"
    cached_scores(
        entry, "roc", [*rows[:2], {**rows[0], "score": 2.0}], tmp_path / "cache"
    )  # human judgments are not passed to the metric
    assert counter.read_text() == "x"
    cached_scores(
        entry, "roc", [{**rows[0], "prompt": "twice ."}, *rows], tmp_path / "cache", say=messages.append
    )
    assert counter.read_text() == "xx"
    assert messages == ["4 stories, 0 to score", "6 stories, 1 to score"]


def test_interrupted_scoring_resumes(tmp_path, words, monkeypatch):
    entry, counter = words
    monkeypatch.setattr(scores, "_CHUNK", 2)
    rows = [{"story": f"a story of {k} words ."} for k in range(5)]
    written = scores.write_text

    def write_two(path, text):
        if len(list(path.parent.glob("*.json"))) == 2:
            raise KeyboardInterrupt
        written(path, text)

    monkeypatch.setattr(scores, "write_text", write_two)
    with pytest.raises(KeyboardInterrupt):
        cached_scores(entry, "roc", rows, tmp_path / "cache")
    monkeypatch.setattr(scores, "write_text", written)
    counter.write_text("")
    resumed = cached_scores(entry, "roc", rows, tmp_path / "cache")
    assert counter.read_text() == "x"
    assert resumed == cached_scores(entry, "roc", rows, tmp_path / "elsewhere")


def test_checksum_ignores_weights_of_other_configurations(words):
    entry = replace(words[0], configurations=("roc", "wp"))
    before = module_checksum(entry, "roc")
    for name in ("wp", "roc"):
        (entry.folder / "weights" / name).mkdir(parents=True)
        (entry.folder / "weights" / name / "model.safetensors").write_bytes(b"1")
        assert (module_checksum(entry, "roc") == before) == (name == "wp")


def test_checksum_covers_the_code_that_the_module_imports(tmp_path):
    metric, core = tmp_path / "metrics" / "mine", tmp_path / "metrics" / "core"
    metric.mkdir(parents=True)
    core.mkdir()
    (metric / "mine.py").write_text("from openmeva.metrics.core.text import words\n")
    for name in ("text", "writing"):
        (core / f"{name}.py").write_text("words = 1\n")
    entry = MetricEntry("mine", "Mine", {"roc": "roc"}, module=str(metric))
    before = module_checksum(entry, "roc")
    (core / "writing.py").write_text("words = 2\n")
    assert module_checksum(entry, "roc") == before
    (core / "text.py").write_text("words = 20\n")
    assert module_checksum(entry, "roc") != before


def test_contexts_are_passed_only_if_the_set_has_them(tmp_path, words):
    entry, _ = words
    with_prompt = [{"story": "a b .", "prompt": f"c{k} d ."} for k in range(3)]
    without = [{"story": f"a b x{k} ."} for k in range(3)]
    assert cached_scores(entry, "roc", with_prompt, tmp_path)["scores"] == [5.0] * 3
    assert cached_scores(entry, "roc", without, tmp_path)["scores"] == [4.0] * 3
