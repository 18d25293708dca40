"""A run gives the scores of `openmeva score`, however it is split into parts."""

from pathlib import Path
from typing import Any

import datasets
import pytest

from openmeva.training.scale.engines import Engine
from openmeva.training.scale.parts import Size
from openmeva.training.scale.scoring import Scoring, score_dataset
from openmeva.training.scoring.columns import metric_inputs
from openmeva.training.scoring.loading import load
from openmeva.training.scoring.results import score, score_with
from openmeva.training.scoring.scorer import Scorer
from tests.tiny.classifier import write_classifier
from tests.tiny.ppl import write_ppl_checkpoint
from tests.tiny.ruber import write_ruber_checkpoint
from tests.tiny.work import rows_in

PLAIN = Engine("plain")
STORIES = [
    "Ben was late. He ran home. He fell.",
    "Ann sang. She won a prize. The crowd loved her. She went home.",
    "Ben ran.",
    "The dog ran home and then it slept near a warm red house by the sea. It was happy.",
    "Ann was late. Ann was late. Ann was late.",
]
CONTEXTS = ["Ben was late.", "Ann sang.", "Ben ran.", "The dog ran home", "Ann was late."]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_classifier(tmp_path_factory.mktemp("tiny") / "union", "union"))


@pytest.mark.parametrize("rows", [2, 100])
def test_scores_and_explanations_equal_those_of_the_command(
    rows: int, checkpoint: str, tmp_path: Path
) -> None:
    report = score_dataset(
        [{"story": story, "score": "mine"} for story in STORIES],
        "union",
        out=tmp_path,
        config=checkpoint,
        explain=True,
        engine=PLAIN,
        size=Size(rows=rows),
        dtype="float32",
    )
    result = score("union", {"predictions": STORIES}, checkpoint, explain=True, dtype="float32")
    assert report.signature == result.signature
    assert 0 < report.outside < 1
    output = rows_in(tmp_path)
    assert [row["union_score"] for row in output] == pytest.approx(result.lists["score"], abs=1e-6)
    assert [row["warning"] for row in output] == result.lists["warning"]
    assert result.explanations is not None
    for row, reasons in zip(output, result.explanations, strict=True):
        assert [sentence["text"] for sentence in row["sentences"]] == [
            sentence["text"] for sentence in reasons["sentences"]
        ]
    assert {row["score"] for row in output} == {"mine"}


def test_context_in_story_is_decided_for_the_whole_corpus(checkpoint: str, tmp_path: Path) -> None:
    """Parts whose stories all begin with their context are processed like the whole corpus."""
    rows = [{"story": story, "context": context} for story, context in zip(STORIES, CONTEXTS, strict=True)]
    apart = [*rows, {"story": "He ran home. He fell.", "context": "Ben was late."}]
    for name, given in {"all": rows, "some": apart}.items():
        small, whole = (
            score_dataset(given, "union", out=tmp_path / f"{name}{size}", config=checkpoint, engine=PLAIN, size=Size(size), dtype="float32")
            for size in (1, 100)
        )  # fmt: skip
        assert [row["score"] for row in rows_in(Path(small.out))] == pytest.approx(
            [row["score"] for row in rows_in(Path(whole.out))], abs=1e-6
        )


@pytest.mark.parametrize("metric", ["union", "ppl"])
def test_score_does_not_depend_on_other_stories_in_the_batch(metric: str, tmp_path: Path) -> None:
    """A story that begins with its context is read whole, whether or not the other stories do."""
    if metric == "ppl":
        config = write_ppl_checkpoint(tmp_path / metric)
    else:
        config = write_classifier(tmp_path / metric, metric, context="prompt")
    scorer = Scorer([metric], str(config), dtype="float32")
    stories, contexts = [STORIES[0], STORIES[1]], CONTEXTS[:2]
    alone = score(metric, {"predictions": stories}, str(config), dtype="float32").lists["score"]
    beginning = scorer({"story": stories, "context": contexts})["score"]
    mixed = scorer({"story": [stories[0], "He fell."], "context": [contexts[0]] * 2})["score"]
    assert beginning == pytest.approx(alone, rel=1e-5)
    assert mixed[0] == pytest.approx(alone[0], rel=1e-5)


def test_a_story_without_words_is_left_out(checkpoint: str, tmp_path: Path) -> None:
    rows = [{"story": STORIES[0]}, {"story": "\u200b"}, {"story": STORIES[1]}]
    report = score_dataset(rows, "union", out=tmp_path, config=checkpoint, engine=PLAIN, bad="keep")
    assert (report.scored, report.bad) == (2, 1)
    result = score("union", {"predictions": STORIES[:2]}, checkpoint)
    assert [row["score"] for row in rows_in(tmp_path)] == result.lists["score"]
    assert "expected a text with words" in (tmp_path / "bad.jsonl").read_text()


def test_context_of_wrong_type_is_reported_with_its_row(checkpoint: str, tmp_path: Path) -> None:
    rows = [
        {"story": STORIES[0], "context": ["Ann", "sat."]},
        {"story": STORIES[1], "context": ["He", "ran."]},
    ]
    with pytest.raises(ValueError, match=r"row 1: contexts: expected a string, got list"):
        score_dataset(rows, "union", out=tmp_path / "stopped", config=checkpoint, engine=PLAIN)
    with pytest.raises(ValueError, match=r"contexts, row 0: expected a string"):
        score("union", metric_inputs(rows, "union"), checkpoint)


@pytest.mark.parametrize("name", ["context", "prompt", "contexts"])
def test_missing_context_is_blank_if_the_metric_does_not_require_it(
    name: str, checkpoint: str, tmp_path: Path
) -> None:
    rows = [{"story": STORIES[0], name: "It rained."}, {"story": STORIES[1], name: None}]
    score_dataset(rows, "union", out=tmp_path, config=checkpoint, engine=PLAIN, size=Size(1), dtype="float32")
    columns = {"predictions": STORIES[:2], "contexts": ["It rained.", ""]}
    result = score("union", columns, checkpoint, dtype="float32")
    assert [row["score"] for row in rows_in(tmp_path)] == pytest.approx(result.lists["score"], abs=1e-6)


@pytest.mark.parametrize(
    ("metric", "first", "second", "message"),
    [
        (
            "overlap",
            {"reference": "He ran."},
            {"reference": None},
            "expected a text in 'reference', got None",
        ),
        (
            "overlap",
            {"references": ["He ran."]},
            {"references": None},
            "expected a text in 'references', got None",
        ),
        ("ruber_bert", {"prompt": "Run."}, {"prompt": None}, "expected a text in 'prompt', got None"),
        ("ruber_bert", {"prompt": "Run."}, {"prompt": " "}, "expected a text in 'prompt', got a blank one"),
        (
            "ruber_bert",
            {"context": "Run.", "reference": "He ran."},
            {"context": "Sing."},
            "expected a text in 'reference', got None",
        ),
    ],
)
def test_row_without_a_required_text_is_bad(
    metric: str, first: dict[str, Any], second: dict[str, Any], message: str, tmp_path: Path
) -> None:
    rows = [{"story": STORIES[0], **first}, {"story": STORIES[1], **second}]
    config = str(write_ruber_checkpoint(tmp_path / "weights")) if metric == "ruber_bert" else None
    with pytest.raises(ValueError, match=f"^row 2: {message}$"):
        score_dataset(rows, metric, out=tmp_path / "stopped", config=config, engine=PLAIN)
    report = score_dataset(rows, metric, out=tmp_path / "kept", config=config, engine=PLAIN, bad="keep")
    assert (report.scored, report.bad) == (1, 1)
    assert [row["story"] for row in rows_in(tmp_path / "kept")] == STORIES[:1]


def test_missing_column_is_reported_before_the_metric_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openmeva.training.scoring.scorer.load", lambda *_: pytest.fail("it was loaded"))
    for number, row in enumerate(({"story": STORIES[0]}, {"story": STORIES[0], "prompt": None})):
        for metric, column in (("overlap", "'reference'"), ("ruber_bert", "'context' or 'prompt'")):
            with pytest.raises(ValueError, match=f"^{metric} needs a column {column} with texts, got none"):
                score_dataset(
                    [row], ["union", metric], out=tmp_path / f"{metric}{number}", engine=PLAIN, bad="keep"
                )


def test_reference_that_no_metric_uses_may_be_missing(checkpoint: str, tmp_path: Path) -> None:
    rows = [{"story": STORIES[0], "reference": "He ran."}, {"story": STORIES[1]}]
    assert score_dataset(rows, "union", out=tmp_path, config=checkpoint, engine=PLAIN).bad == 0


def test_settings_are_validated_before_rows_are_read(checkpoint: str, tmp_path: Path) -> None:
    rows = (pytest.fail("a row was read") for _ in STORIES)
    for name, options, message in (
        ("device", {"device": "cuda:99"}, "device: expected an available device"),
        ("option", {"layer": 2}, "--layer: union has no such option"),
        ("type", {"batch_size": "2"}, "batch_size: expected a whole number"),
        ("precision", {"dtype": "float23"}, "expected dtype 'auto'"),
    ):
        with pytest.raises(ValueError, match=message):
            score_dataset(
                rows, "union", out=tmp_path / name, config=checkpoint, engine=PLAIN, bad="keep", **options
            )
    for name, option in (("ruber_bert", {"normalization": "batch"}), ("embedding_similarity", {"idf": True})):
        message = (
            f"{name}: expected another {next(iter(option))} .* with which a score depends on all stories"
        )
        with pytest.raises(ValueError, match=message):
            score_dataset(rows, name, out=tmp_path / name, engine=PLAIN, **option)
        with pytest.raises(ValueError, match=message):
            Scorer([name], **option)
    with pytest.raises(ValueError, match="unknown metric 'foo'"):
        score_dataset(rows, "foo", out=tmp_path / "foo", engine=PLAIN)
    with pytest.raises(ValueError, match="expected a single metric"):
        score_dataset(rows, ["union", "ppl"], out=tmp_path / "two", config=checkpoint, engine=PLAIN)


def test_scorer_works_with_dataset_map(checkpoint: str) -> None:
    scorer = Scorer(["union"], checkpoint, dtype="float32")
    rows = datasets.Dataset.from_list([{"story": story} for story in STORIES])
    scored = rows.map(scorer, batched=True, batch_size=2, new_fingerprint="scored")
    assert scored["score"] == pytest.approx(
        score("union", {"predictions": STORIES}, checkpoint, dtype="float32").lists["score"], abs=1e-6
    )


def test_a_metric_is_loaded_once(checkpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from openmeva.training.scoring import scorer

    loaded = []
    monkeypatch.setattr(scorer, "load", lambda *given: loaded.append(given) or load(*given))
    rows = [{"story": story} for story in STORIES]
    score_dataset(rows, "union", out=tmp_path, config=checkpoint, engine=PLAIN, size=Size(rows=1))
    assert loaded == [("union", checkpoint)]


def test_folder_of_weights_is_found_from_any_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("my_weights", "roc"):
        (tmp_path / name).mkdir()
    assert Scoring(("union",), "my_weights").config == str(tmp_path / "my_weights")
    assert Scoring(("union",), "roc").config == "roc"


def test_rows_that_a_metric_refuses_are_found_before_scoring(
    checkpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the metric reported them, one at a time, all others would be scored again after each."""
    calls = []

    def counting(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return score_with(*arguments, **options)

    monkeypatch.setattr("openmeva.training.scoring.scorer.score_with", counting)
    rows = [{"story": story, "reference": [""] if n % 2 else ["Ann ran."]} for n, story in enumerate(STORIES)]
    options = {"engine": PLAIN, "bad": "keep"}
    report = score_dataset(rows, "overlap", out=tmp_path / "references", **options)
    assert (report.scored, report.bad, len(calls)) == (3, 2, 2), "a trial, and all accepted rows at once"
    bad = (tmp_path / "references" / "bad.jsonl").read_text()
    assert bad.count("references: expected a text, got a blank one") == 2
