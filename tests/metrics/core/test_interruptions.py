"""Modules after an interruption, in copies, in forked processes and in threads."""

import copy
import logging
import multiprocessing
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import evaluate
import pytest
from datasets.arrow_writer import ArrowWriter
from nltk.corpus import wordnet

from openmeva.metrics.overlap import meteor
from openmeva.metrics.overlap.scoring import OverlapScorer
from tests.tiny.models import write_checkpoint

ROOT = Path(__file__).resolve().parents[3]
STORIES = ["Ann ran home and slept.", "The quick dog ate the big cat.", "He walked to the park."]
REFERENCES = [
    ["She went to her house."],
    ["A fast hound devoured a large feline."],
    ["He strolled in the garden."],
]


@pytest.fixture
def overlap() -> Any:
    return evaluate.load(str(ROOT / "metrics" / "overlap"))


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_rows_of_an_interrupted_call_are_discarded(
    overlap: Any, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    write = ArrowWriter.write_batch

    def interrupted(writer: ArrowWriter, *given: Any, **options: Any) -> None:
        write(writer, *given, **options)
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(ArrowWriter, "write_batch", interrupted)
        with pytest.raises(error):
            overlap.compute(predictions=STORIES[:1], references=REFERENCES[:1], scores=["bleu"])
    assert (
        len(
            overlap.compute(predictions=STORIES[1:2], references=REFERENCES[1:2], scores=["bleu"])[
                "bleu_scores"
            ]
        )
        == 1
    )


def test_files_of_an_interrupted_call_are_removed_before_they_are_unlocked(
    overlap: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that waits for the lock would write to the same path, and lose its file."""
    overlap.add_batch(predictions=STORIES[:1], references=REFERENCES[:1])
    path, lock = Path(overlap.cache_file_name), overlap.filelock
    release, left = lock.release, []

    def spied(*given: Any, **options: Any) -> None:
        left.append(path.exists())
        release(*given, **options)

    monkeypatch.setattr(lock, "release", spied)
    monkeypatch.setattr(overlap._scorer, "scores", None)
    assert path.exists()
    with pytest.raises(TypeError, match="not callable"):
        overlap.compute(scores=["bleu"])
    assert left
    assert not any(left)
    assert not lock.is_locked


def test_rejected_call_keeps_rows_added_before(overlap: Any) -> None:
    overlap.add_batch(predictions=STORIES[:1], references=REFERENCES[:1])
    with pytest.raises(ValueError, match="references: expected"):
        overlap.compute(predictions=STORIES[:1], references=REFERENCES)
    assert len(overlap.compute(scores=["bleu"])["bleu_scores"]) == 1


def test_module_can_be_copied_after_compute(overlap: Any) -> None:
    """Pickling also copies it to new processes, such as those of `datasets.map`."""
    given: dict[str, Any] = {"predictions": STORIES, "references": REFERENCES, "scores": ["bleu"]}
    first = overlap.compute(**given)
    assert copy.deepcopy(overlap).compute(**given) == first


def test_logging_configuration_is_unchanged(overlap: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])
    overlap.compute(predictions=STORIES, references=REFERENCES, scores=["rouge1"])
    assert logging.root.handlers == []


def test_threads_share_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    meteor.find_wordnet()
    words = sorted(wordnet.all_lemma_names("v"))[:4000:10]
    expected = [[synset.name() for synset in wordnet.synsets(word)] for word in words]
    wordnet._synset_offset_cache.clear()  # so that its files are read
    interval = sys.getswitchinterval()
    monkeypatch.setattr(meteor, "_WORDS", meteor._CachingWordNet())
    try:
        sys.setswitchinterval(1e-5)
        with ThreadPoolExecutor(4) as pool:
            result = list(pool.map(lambda word: meteor._WORDS.synsets(word), words * 4))
    finally:
        sys.setswitchinterval(interval)
    assert [[synset.name() for synset in synsets] for synsets in result] == expected * 4


def open_wordnet_files() -> int:
    return len(vars(wordnet)["_data_file_map"])


def test_forked_process_reopens_wordnet() -> None:
    """Otherwise both would share a file position and read each other's lines."""
    scorer = OverlapScorer()
    expected = scorer.scores(STORIES, REFERENCES, ["meteor"])
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(open_wordnet_files) == 0 < open_wordnet_files()
        assert pool.apply(scorer.scores, (STORIES, REFERENCES, ["meteor"])) == expected


def test_forked_process_scores_after_its_parent(tmp_path: Path) -> None:
    """A fork does not copy torch's threads; without `limit_threads_after_fork` it would wait for them forever."""
    folder = write_checkpoint(tmp_path / "union")
    program = f"""
import multiprocessing, torch, evaluate
torch.set_num_threads(2)
metric = evaluate.load({str(ROOT / "metrics" / "union")!r}, {str(folder)!r})
stories = ["She ran home. The dog ate the cat."] * 64
expected = metric.compute(predictions=stories, dtype="float32")["score"]
def score(_):
    return metric.compute(predictions=stories, dtype="float32")["score"]
with multiprocessing.get_context("fork").Pool(1) as pool:
    assert abs(pool.map(score, [0])[0] - expected) < 1e-6
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=120, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
