"""Perturbations and negative samples of a corpus do not depend on how it is split into parts."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from openmeva.training.autos import command
from openmeva.training.cli.app import app
from openmeva.training.corpora.story_rows import read_story_rows
from openmeva.training.files import read_rows, write_rows, write_text
from openmeva.training.negatives.file import NegativeSamplingConfig
from openmeva.training.paths import STORIES as STORIES_FILE
from openmeva.training.perturbations.file import PerturbationConfig, perturb_file
from openmeva.training.scale import knowledge, perturbing
from openmeva.training.scale.autos import AutosTests
from openmeva.training.scale.negatives import Sampling
from openmeva.training.scale.parts import Size
from openmeva.training.scale.perturbing import Perturbation
from openmeva.training.text.knowledge.resources import lexicon_files
from tests.tiny.work import rows_in
from tests.training.scale.test_runs import counted

STORIES = [
    "Ben was late. He ran because it rained. Nora laughed.",
    "Nora sang. She won a prize. The crowd loved her. She went home.",
    "Tom lost his dog. He looked for it all day. It slept at home. Tom was happy.",
    "Ann baked a cake. She ate it. She was full. She took a nap.",
]


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    write_rows(tmp_path / "stories.jsonl", [{"story": story, "aspect": "mine"} for story in STORIES])
    return tmp_path / "stories.jsonl"


def run_in_both_sizes(stories: Path, out: Path, work: Any) -> list[dict[str, Any]]:
    """The rows of a run, the same for parts of one row and for one part."""
    outputs = []
    for rows in (1, 100):
        report = counted(stories, out / str(rows), work=work, size=Size(rows))
        assert report.scored == len(STORIES)
        outputs.append(rows_in(out / str(rows)))
    assert outputs[0] == outputs[1]
    return outputs[0]


def test_perturbations_equal_those_of_the_command(stories: Path, tmp_path: Path) -> None:
    config = PerturbationConfig("typo", seed=3)
    perturbed_rows = run_in_both_sizes(stories, tmp_path / "out", Perturbation(config))
    perturb_file(stories, tmp_path / "cases.jsonl", config)
    cases = {row.values["perturbed_from"]: row.values for row in read_rows(tmp_path / "cases.jsonl")}
    assert {f"{number:06d}" for number, row in enumerate(perturbed_rows, 1) if row["perturbed"]} == set(cases)
    for number, row in enumerate(perturbed_rows, 1):
        case = cases[f"{number:06d}"]
        assert row["perturbed"] == case["story"]
        assert row["technique"] == case["technique"]
        assert row["changed_spans"] == case["changed_spans"]
        assert (row["aspect"], row["perturb_aspect"]) == ("mine", "typo")
    with pytest.raises(ValueError, match="relatedness: expected a file of other stories"):
        counted(stories, tmp_path / "none", work=Perturbation(PerturbationConfig("relatedness")))
    write_rows(tmp_path / "short.jsonl", [{"story": STORIES[0]}, {"story": "Ben ran."}])
    with pytest.raises(ValueError, match=r"short\.jsonl, line 2: expected at least two sentences"):
        counted(tmp_path / "short.jsonl", tmp_path / "short", work=Perturbation(config))


def test_stories_with_and_without_contexts_are_read_as_without_an_engine(tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    first = {"story": STORIES[0], "context": STORIES[0].split(". ")[0] + ".", "reference": "He left."}
    write_rows(path, [first, *({"story": story} for story in STORIES[1:])])
    sampling = NegativeSamplingConfig(techniques=("repetition",), cache=tmp_path / "tags")
    for name, work in (
        ("perturbed", Perturbation(PerturbationConfig("typo"))),
        ("negative", Sampling(sampling, str(path))),
    ):
        assert all(row[name] for row in run_in_both_sizes(path, tmp_path / name, work))


def test_new_columns_get_numbers_if_names_are_taken(tmp_path: Path) -> None:
    names = ["perturbed", "perturb_perturbed", "negative", "union_negative"]
    path = tmp_path / "stories.jsonl"
    write_rows(path, [{"story": story, **dict.fromkeys(names, "mine")} for story in STORIES])
    sampling = NegativeSamplingConfig(techniques=("repetition",), cache=tmp_path / "tags")
    for work, new in (
        (Perturbation(PerturbationConfig("typo")), "perturb_perturbed_2"),
        (Sampling(sampling, str(path)), "union_negative_2"),
    ):
        for row in run_in_both_sizes(path, tmp_path / new, work):
            assert row[new] not in (None, "mine")
            assert {row[name] for name in names} == {"mine"}


def test_stories_are_read_as_the_command_reads_them(tmp_path: Path) -> None:
    (tmp_path / "wp.txt").write_text("He found the letter . </s> She opened it slowly . </s>\n")
    write_rows(tmp_path / "wp.jsonl", [{"story": " He found the letter . <newline> She opened it slowly . "}])
    config = PerturbationConfig("typo", seed=3)
    for name in ("wp.txt", "wp.jsonl"):
        counted(tmp_path / name, tmp_path / f"{name}-out", work=Perturbation(config))
        (row,) = rows_in(tmp_path / f"{name}-out")
        perturb_file(tmp_path / name, tmp_path / "cases.jsonl", config)
        (case,) = (case_row.values for case_row in read_rows(tmp_path / "cases.jsonl"))
        assert "</s>" not in row["perturbed"]
        assert (row["perturbed"], row["changed_spans"]) == (case["story"], case["changed_spans"])
        (span,) = row["changed_spans"]
        assert row["story"][: span["original_start"]] == row["perturbed"][: span["start"]]


def test_autos_rows_equal_those_of_the_builder(
    tmp_path: Path, everyday_facts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "MoverSimilarity", lambda: lambda pairs: [0.3] * len(pairs))
    rows = read_story_rows(STORIES_FILE, limit=2)[0]
    write_rows(
        tmp_path / "stories.jsonl", [{"story_id": row["story_id"], "story": row["story"]} for row in rows]
    )
    path, out = str(tmp_path / "stories.jsonl"), tmp_path / "whole"
    tests = AutosTests(path, grammar="none", seed=1)
    assert counted(path, tmp_path / "parts", work=tests, size=Size(1)).scored == len(rows)
    output = rows_in(tmp_path / "parts")
    options = ["--grammar", "none", "--seed", "1", "--engine", "plain", "--out", str(out)]
    result = CliRunner().invoke(app, ["autos", "--stories", path, "--pool", path, *options])
    assert result.exit_code == 0, result.output
    assert output == rows_in(out)
    values = [{"story_id": row["story_id"], "story": row["story"]} for row in rows]
    write_rows(tmp_path / "reversed.jsonl", values[::-1])
    counted(tmp_path / "reversed.jsonl", tmp_path / "reversed", work=tests)
    assert sorted(rows_in(tmp_path / "reversed"), key=str) == sorted(output, key=str)
    builder = command.make_builder(rows, "rules", "none", 1)
    expected = [*builder.discrimination(rows).rows, *builder.invariance(rows, "human").rows]
    of_stories = [row for row in output if row["origin"] == "human"]
    assert sorted(of_stories, key=str) == sorted(expected, key=str)
    perturbed_again = [row for row in output if row["origin"] == "discrimination" and row["label"] == 0]
    perturbed = {row["story_id"]: row["perturbed_from"] for row in expected if row["label"] == 0}
    assert perturbed_again
    assert len({row["perturbed_from"] for row in perturbed_again}) == len(
        {perturbed[row["perturbed_from"]] for row in perturbed_again}
    )


def test_negative_samples_come_from_a_pool(stories: Path, tmp_path: Path) -> None:
    config = NegativeSamplingConfig(seed=1, techniques=("repetition", "reordering"), cache=tmp_path / "tags")
    samples = run_in_both_sizes(stories, tmp_path / "out", Sampling(config, str(stories)))
    for row in samples:
        assert row["negative"] not in (None, row["original"])
        assert row["applied"]
        assert all(name.rpartition("_")[2] in config.techniques for name in row["applied"])
    counted(stories, tmp_path / "again", work=Sampling(config, str(stories)))
    counted(
        stories, tmp_path / "again", work=Sampling(config, str(stories))
    )  # what the first one cached is no other setting
    with pytest.raises(ValueError, match="expected techniques among repetition"):
        counted(
            stories,
            tmp_path / "bad",
            work=Sampling(NegativeSamplingConfig(techniques=("foo",)), str(stories)),
        )


def test_duplicate_ids_do_not_affect_results(
    tmp_path: Path, everyday_facts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "MoverSimilarity", lambda: lambda pairs: [0.3] * len(pairs))
    ids = ["a", "b", "a", "a"]
    rows = [{"story_id": name, "story": story} for name, story in zip(ids, STORIES, strict=True)]
    write_rows(tmp_path / "twice.jsonl", rows)
    path = str(tmp_path / "twice.jsonl")
    for name, work in {
        "autos": AutosTests(path, grammar="none"),
        "perturb": Perturbation(PerturbationConfig("typo")),
    }.items():
        outputs = []
        for size in (1, 2, 100):
            assert counted(path, tmp_path / f"{name}{size}", work=work, size=Size(size)).scored == 4
            outputs.append(rows_in(tmp_path / f"{name}{size}"))
        assert outputs[0] == outputs[1] == outputs[2]


def test_signature_covers_lexicons_and_encoder(
    stories: Path, tmp_path: Path, everyday_facts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "MoverSimilarity", lambda: None)
    weights = tmp_path / "encoder" / "model.safetensors"
    write_text(weights, "first")
    monkeypatch.setattr(command, "ENCODER", weights.parent)
    monkeypatch.setattr(perturbing, "ENCODER", weights.parent)
    works: dict[str, Any] = {
        "negatives": Sampling(
            NegativeSamplingConfig(techniques=("repetition",), cache=tmp_path / "tags"), str(stories)
        ),
        "perturb": Perturbation(PerturbationConfig("paraphrase")),
        "autos": AutosTests(str(stories), grammar="none"),
    }

    def signatures() -> dict[str, str]:
        return {name: work.start([], False).signature for name, work in works.items()}

    before = signatures()
    write_text(weights, "second")
    assert {name for name, signature in signatures().items() if signature != before[name]} == {
        "perturb",
        "autos",
    }
    before = signatures()
    for lexicon in ("wordnet", "conceptnet"):
        write_text(tmp_path / lexicon, "other")
        files = {**lexicon_files(), lexicon: tmp_path / lexicon}
        monkeypatch.setattr(knowledge, "lexicon_files", lambda: files)  # noqa: B023 - called here
        after = signatures()
        assert all(after[name] != before[name] for name in works)
        before = after


def test_bad_operation_settings_are_reported_by_check(stories: Path, tmp_path: Path) -> None:
    missing_file = str(tmp_path / "gone.jsonl")
    for work in (
        Sampling(NegativeSamplingConfig(), missing_file),
        AutosTests(missing_file),
        Perturbation(PerturbationConfig("relatedness", corpus=missing_file)),
    ):
        with pytest.raises(FileNotFoundError, match=r"gone\.jsonl"):
            work.check(here=True)
    for invalid, message in (
        (Perturbation(PerturbationConfig("typo", techniques=("foo",))), "typo: unknown technique 'foo'"),
        (
            Perturbation(PerturbationConfig("typo", context="frist")),
            "expected 'first_sentence' or 'none', got 'frist'",
        ),
        (Sampling(NegativeSamplingConfig(recipe="foo"), str(stories)), "recipe: expected one of"),
    ):
        with pytest.raises(ValueError, match=message):
            invalid.check(here=True)
