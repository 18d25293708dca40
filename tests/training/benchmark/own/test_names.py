"""A user's own files and scores with duplicate or reserved names, and sets too large for pairwise accuracy."""

import gzip
import json
import re
import shutil
from pathlib import Path

import pytest

from openmeva.training.benchmark.data.sets import TEST_SETS, TestSet
from openmeva.training.benchmark.own.judging import judge
from openmeva.training.benchmark.results import judged

COUNT = 24


def scores(stories: list[str]) -> list[int]:
    return [len(story) for story in stories]


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    path = tmp_path / "rated.jsonl"
    rows = [
        {"story": f"He ran {'home ' * (k % 5)}{k}.", "score": k % 7, "prompt": k // 2} for k in range(COUNT)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_scores_named_like_a_trivial_row_are_renamed(tmp_path: Path, rated: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("length\n" + "".join(f"{k % 4}\n" for k in range(COUNT)), encoding="utf-8")
    report = judge(file, judged=rated, draws=100)
    rows = report.results["judged"]["judged_rated"]["rows"]
    assert (rows["length (yours)"]["kind"], rows["length"]["kind"]) == ("own", "trivial")
    assert "length (yours) on rated.jsonl" in report.html()


@pytest.mark.parametrize("kind", ["autos", "preferences"])
def test_functions_named_like_a_trivial_row_are_renamed_on_every_kind_of_set(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {
            "story_id": f"{k}{label}", "story": "good " * (k + 2) if label else f"bad {k}", "aspect": "typo",
            "label": label, "perturbed_from": None if label else f"{k}1", "pair": str(k), "score": float(label),
        }
        for k in range(8)
        for label in (1, 0)
    ]  # fmt: skip
    shape = "preferences" if kind == "preferences" else "autos_discrimination"
    monkeypatch.setitem(TEST_SETS, "some", TestSet("some", "Some", "roc", shape, lambda _: rows, "", {}))

    def distinct_1(stories: list[str]) -> list[int]:
        return scores(stories)

    result = judge(distinct_1, "some", draws=100).results[kind]["some"]["rows"]
    assert (result["distinct_1 (yours)"]["kind"] == "trivial", result["distinct_1"]["kind"]) == (
        False,
        "trivial",
    )


def test_files_with_the_same_name_are_rejected(tmp_path: Path, rated: Path) -> None:
    same_name = tmp_path / "other" / "rated.JSONL.gz"
    same_name.parent.mkdir()
    same_name.write_bytes(gzip.compress(rated.read_bytes()))
    with pytest.raises(
        ValueError, match=f"whose names differ before the extension, got {rated} and {same_name}"
    ):
        judge(scores, judged=[rated, same_name])
    parts = [shutil.copy(rated, tmp_path / f"rated.{letter}.jsonl") for letter in "ab"]
    result = judge(scores, judged=parts, draws=100)
    assert list(result.results["judged"]) == ["judged_rated.a", "judged_rated.b"]


def test_pairwise_accuracy_is_omitted_for_large_sets(rated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged, "MAX_PAIRED_STORIES", COUNT - 1)
    page = judge(scores, judged=rated, draws=100).html()
    assert "Pairs correct is omitted: it is not computed for more than" in page


HOSTILE = ("a|b <i>x</i>", "[z](y) *s*", "*t", "_u_ `v`")


def test_special_characters_in_names_are_escaped_in_the_report(tmp_path: Path, rated: Path) -> None:
    judged_file = rated.rename(tmp_path / "rated [1] (2)|.jsonl")

    def mine(stories: list[str]) -> dict[str, list[int]]:
        return {name: [len(story) * (k + 1) % 11 for story in stories] for k, name in enumerate(HOSTILE)}

    out = tmp_path / "out"
    judge(mine, judged=judged_file, draws=100).write(out)
    markdown = (out / "report.md").read_text(encoding="utf-8")
    pictures = re.findall(r"(?m)^!\[(?:[^\[\]\\]|\\.)*\]\((\S+)\)$", markdown)
    assert len(pictures) == markdown.count("](figures/") == 2
    assert all((out / name).is_file() for name in pictures)
    for table in re.findall(r"(?m)(?:^\|.*\n)+", markdown):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    assert not re.search(r"(?<!\\)<i>|(?<!\\)\*[st]|\]\(y|(?<!\\)`v|(?<![\\\w])_u", markdown)
    latex = (out / "report.tex").read_text(encoding="utf-8")
    assert "{}[z](y) *s*" in latex
    assert not re.search(r"(?m)^[\[*]", latex)


def test_figure_names_that_differ_only_in_special_characters_stay_unique(tmp_path: Path, rated: Path) -> None:
    with_space = shutil.copy(rated, tmp_path / "a b.jsonl")
    report = judge(scores, judged=[with_space, shutil.copy(rated, tmp_path / "a_b.jsonl")], draws=100)
    names = [picture.name for part in report.parts for picture in part.pictures]
    assert len(set(names)) == len(names)
    assert {"forest_judged_a_b", "forest_judged_a_b_2"} <= set(names)


def test_error_messages_name_the_metric_and_its_source(tmp_path: Path, rated: Path) -> None:
    def mine(stories: list[str]) -> dict[str, list[int]]:
        return {"a": scores(stories), "b": [1] * len(stories)}

    with pytest.raises(ValueError, match=r"^b on rated\.jsonl: .*all 24 scores are 1"):
        judge(mine, judged=rated)
    files = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for file in files:
        file.write_text("score\n" + "".join(f"{k}\n" for k in range(COUNT)), encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"got 'your metric' twice, of one\.csv .* and of two\.csv .*: name the"
    ):
        judge(scores=files, judged=rated)

    def with_nan(stories: list[str]) -> list[float]:
        return [float("nan"), *map(float, scores(stories)[1:])]

    with pytest.raises(ValueError, match="got nan; a story without a score has None"):
        judge(with_nan, judged=rated)
