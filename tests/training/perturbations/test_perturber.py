"""The entry point: names, needs, rows of a dataset, bad input."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import datasets
import pytest

from openmeva.training.files import read_rows
from openmeva.training.paths import STORIES
from openmeva.training.perturbations import (
    ASPECTS,
    PerturbationMaterial,
    Perturber,
    parse,
    perturb,
    perturber,
)
from openmeva.training.perturbations.engine.similarity import MoverSimilarity
from openmeva.training.perturbations.file import PerturbationConfig, perturb_file
from openmeva.training.text.knowledge import resources

ROWS = {
    "story_id": ["a", "b", "c"],
    "story": ["Ben fed the hens. They were happy.", "it rained . we stayed home .", "Nora sang. She won."],
}


def test_map_gives_the_same_rows_with_one_and_two_processes() -> None:
    stories = datasets.Dataset.from_dict(ROWS)
    single_process = stories.map(perturb("typo", seed=1))
    two_processes = stories.map(perturb("typo", seed=1), num_proc=2)
    assert single_process.to_dict() == two_processes.to_dict()
    assert single_process.column_names == [
        "story_id",
        "story",
        "perturbed",
        "aspect",
        "technique",
        "changed_spans",
    ]
    assert all(row["perturbed"] != row["story"] for row in single_process)


def test_rows_are_perturbed_as_by_the_command(tmp_path: Path) -> None:
    perturb_file(STORIES, tmp_path / "cases.jsonl", PerturbationConfig("typo", seed=1))
    cases = {row.values["perturbed_from"]: row.values["story"] for row in read_rows(tmp_path / "cases.jsonl")}
    rows, perturber = [row.values for row in read_rows(STORIES)], perturb("typo", seed=1)
    assert {row["kind"] for row in rows} == {"roc", "wp"}
    perturbed = {row["story_id"]: perturber(row)["perturbed"] for row in rows}
    assert {story_id: text for story_id, text in perturbed.items() if text} == cases
    named = perturber({"id": rows[-1]["story_id"], "prompt": rows[-1]["context"], "story": rows[-1]["story"]})
    assert named["perturbed"] == perturbed[rows[-1]["story_id"]]


def test_unselected_row_has_no_perturbed_story() -> None:
    row = perturb("contraction")({"story_id": "1", "story": "He ran. She sang."})
    assert row == {"perturbed": None, "aspect": "contraction", "technique": None, "changed_spans": []}


def test_row_without_id_is_perturbed_deterministically() -> None:
    row = {"story": "Ben fed the hens. They were happy."}
    assert perturb("typo")(row) == perturb("typo")(dict(row))
    assert perturb("typo")({**row, "story_id": None}) == perturb("typo")(row), "an empty cell is no id"


def test_row_without_id_is_seeded_by_its_text() -> None:
    perturber = Perturber("typo", 1, material=PerturbationMaterial(keep=0))
    for text in (
        "He walked home slowly.",
        "She carried heavy boxes upstairs.",
        "They \ud800 wandered around.",
    ):
        result = perturber.perturb(text, text)
        assert result is not None
        assert perturber({"story": text})["perturbed"] == result.story


def test_unknown_aspect_error_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'spelling'.*lexical_repetition.*typo"):
        perturb("spelling")


def test_unknown_technique_error_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'shout'.*swap, repeat, delete"):
        perturb("typo", techniques=["shout"])


@pytest.mark.parametrize("aspect", ["relatedness", "paraphrase", "semantic_repetition"])
def test_missing_material_is_reported(aspect: str) -> None:
    with pytest.raises(ValueError, match=f"{aspect}: expected a"):
        perturb(aspect, material=PerturbationMaterial())


def test_paraphrases_come_from_rules_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perturber, "MoverSimilarity", lambda: lambda pairs: [0.5] * len(pairs))
    result = perturb("semantic_repetition", seed=1)({"story": "Ann ran home quickly. She told her mother."})
    assert result["aspect"] == "semantic_repetition"
    with pytest.raises(ValueError, match=r"relatedness: .* \(material=PerturbationMaterial\(corpus=…\)\)"):
        perturb("relatedness")


@pytest.mark.parametrize("aspect", ["synonym", "causal_relationship"])
def test_missing_resource_error_names_its_command(aspect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "find_resource", lambda name: None)
    with pytest.raises(resources.MissingResourceError, match=r"make resources"):
        perturb(aspect)


@pytest.mark.parametrize("row", [{}, {"story": None}, {"story": "  "}, {"story": 3}])
def test_rows_without_a_story_are_refused(row: dict) -> None:
    with pytest.raises(ValueError, match="expected a text in 'story'"):
        perturb("typo")(row)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="seed of 0 or more"):
        perturb("typo", seed=-1)
    with pytest.raises(ValueError, match="at least one technique"):
        perturb("typo", techniques=[])
    with pytest.raises(ValueError, match="keep"):
        PerturbationMaterial(keep=-1)


def test_every_aspect_is_registered_under_its_name() -> None:
    assert all(name == aspect.name for name, aspect in ASPECTS.items())
    assert len(ASPECTS) == 13
    assert isinstance(perturb("typo"), Perturber)


class PartialSimilarity(MoverSimilarity):
    """Decides by letters whether texts are similar; needs no model, and records the texts to prepare."""

    def __init__(self) -> None:
        super().__init__()
        self.prepared: set[str] = set()

    def prepare(self, texts: Sequence[str]) -> None:
        self.prepared.update(texts)

    def _scores(self, pairs: Sequence[tuple[str, str]], dtype: str) -> list[float]:
        return [float(sum(map(ord, second)) % 2) for _, second in pairs]


@pytest.mark.parametrize("aspect", ["semantic_repetition", "paraphrase", "typo"])
def test_perturb_all_gives_the_same_results_as_perturb(aspect: str, material: PerturbationMaterial) -> None:
    texts = [
        "Nora hired a lawyer because she was afraid. Later she won the case and thanked him.",
        "The boys were glad when the rain stopped. They quickly started a big game in the yard.",
        "My father purchased a new car. He didn't like the color. He could not return it.",
        "After the storm ended, we mended the roof. I was very tired. Everybody helped.",
        "He ran.",
    ]
    similarity = PartialSimilarity()
    perturber = Perturber(aspect, 1, material=replace(material, similarity=similarity))
    ids = [str(number) for number in range(len(texts))]
    together = perturber.perturb_all(parse(texts), ids)
    assert together == [perturber.perturb(text, story_id) for text, story_id in zip(texts, ids, strict=True)]
    assert any(together)
    assert bool(similarity.prepared) == (aspect != "typo")
    with pytest.raises(ValueError, match="zip"):
        perturber.perturb_all(parse(texts), ids[1:])
