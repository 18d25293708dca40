"""Cards say what their manifests say, those that are shipped included."""

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openmeva.training.bleurt.card import write_bleurt_card
from openmeva.training.classifier.card import write_classifier_card
from openmeva.training.common.model_card import begun_with, card_command, write_model_card
from openmeva.training.embedding_similarity.card import write_similarity_card
from openmeva.training.encoder.card import write_encoder_card
from openmeva.training.files import checksum
from openmeva.training.grammar.card import card
from openmeva.training.paths import ROOT, WEIGHTS
from openmeva.training.plot_guided.generator.card import write_card
from openmeva.training.ppl.card import write_ppl_card
from openmeva.training.ruber_bert.card import write_ruber_card
from openmeva.training.sentavg.card import write_sentavg_card
from openmeva.training.union.card import write_union_card

METRICS = ROOT / "metrics"
WRITERS: dict[str, Callable[[Path, Any], None]] = {  # by the metric's folder
    "bleurt": write_bleurt_card,
    "discriminator": write_classifier_card,
    "embedding_similarity": write_similarity_card,
    "plot_coherence": write_classifier_card,
    "ppl": write_ppl_card,
    "ruber_bert": write_ruber_card,
    "sentavg": write_sentavg_card,
    "union": write_union_card,
    "weights": write_encoder_card,
}
SHIPPED = sorted(
    path.parent.relative_to(METRICS).as_posix()
    for pattern in ("*/weights/*/manifest.json", "weights/*/manifest.json")
    for path in METRICS.glob(pattern)
)
MANIFEST = {"config": {"name": "tiny", "seed": 3}, "data": {"a.txt": "12ab", "b.txt": "34cd"}, "steps": 1200}


def test_every_writer_has_weights() -> None:
    assert {name.split("/")[0] for name in SHIPPED} == set(WRITERS)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_card_is_what_its_manifest_says(name: str, tmp_path: Path) -> None:
    manifest = json.loads((METRICS / name / "manifest.json").read_text(encoding="utf-8"))
    if (settings := METRICS / name / "config.json").is_file():
        shutil.copy(settings, tmp_path)
    WRITERS[name.split("/")[0]](tmp_path, manifest)
    assert (tmp_path / "README.md").read_bytes() == (METRICS / name / "README.md").read_bytes()


def test_the_shipped_card_of_the_grammar_classifier_is_what_its_manifest_says() -> None:
    folder = WEIGHTS / "grammar"
    assert card(json.loads((folder / "manifest.json").read_text())) == (folder / "README.md").read_text()


@pytest.mark.parametrize("name", sorted(path.name for path in WEIGHTS.glob("generator-*")))
def test_a_shipped_generator_s_card_is_what_its_manifest_says(name: str, tmp_path: Path) -> None:
    """But for the stories that it wrote, whose model is not shipped."""
    manifest = json.loads((WEIGHTS / name / "manifest.json").read_text())
    write_card(manifest, "@stories@", "@stories@", tmp_path)
    shipped, rest = (WEIGHTS / name / "README.md").read_text(), (tmp_path / "README.md").read_text()
    pattern = ".+".join(map(re.escape, rest.split("@stories@")))
    assert re.fullmatch(pattern, shipped, re.DOTALL)


def test_fields_are_the_manifest_s_and_those_given(tmp_path: Path) -> None:
    template = "{config[name]}, {steps:,} steps, seed {config[seed]}, {kind}\n{data}\n"
    write_model_card(tmp_path, template, MANIFEST, kind="whole")
    expected = "tiny, 1,200 steps, seed 3, whole\n| `a.txt` | `12ab` |\n| `b.txt` | `34cd` |\n"
    assert (tmp_path / "README.md").read_text() == expected
    write_model_card(tmp_path, "{steps} {config[name]}", MANIFEST, steps="few")
    assert (tmp_path / "README.md").read_text() == "few tiny"


def test_a_field_that_is_nowhere_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="minutes"):
        write_model_card(tmp_path, "{minutes:g}", MANIFEST)
    assert not (tmp_path / "README.md").exists()


def test_the_command_writes_the_card_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(MANIFEST))
    monkeypatch.setattr(sys, "argv", ["card", str(tmp_path)])
    card_command(lambda folder, manifest: write_model_card(folder, "{steps}", manifest), "A card.")
    assert (tmp_path / "README.md").read_text() == "1200"


@pytest.mark.parametrize(
    ("manifest", "told"),
    [({"threads": 2}, "on 2 thread(s)"), ({"threads": 16, "gpu": "NVIDIA H200"}, "on one NVIDIA H200")],
)
def test_a_card_says_what_trained(manifest: dict[str, Any], told: str, tmp_path: Path) -> None:
    write_model_card(tmp_path, "on {machine}", {"data": {}, "config": {"base": "other"}, **manifest})
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == told


def test_weights_that_began_with_others_than_lie_there_now_say_so() -> None:
    """Commands repeat a training only with the weights that it began with."""
    manifests = [json.loads(path.read_text()) for path in METRICS.glob("*/weights/*/manifest.json")]
    begun = [one for one in manifests if "start" in one and (ROOT / str(one["config"].get("start"))).is_dir()]
    assert begun
    for one in begun:
        there = checksum(ROOT / one["config"]["start"] / "adapter.safetensors")
        assert ("a former version" in begun_with(one)) == (there != one["start"])
    assert begun_with({}) == ""


@pytest.mark.parametrize("name", ["ppl/weights/roc", "union/weights/roc", "plot_coherence/weights/roc"])
def test_a_card_of_an_own_corpus_names_no_other(name: str, tmp_path: Path) -> None:
    manifest = json.loads((METRICS / name / "manifest.json").read_text(encoding="utf-8"))
    manifest["config"]["corpus"] = {"train": ["fairy.jsonl"]}
    manifest["data"] = {"fairy.jsonl": "12ab"}
    WRITERS[name.split("/")[0]](tmp_path, manifest)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    licence = card.split("## Data and licence")[1].split("## Citation")[0]
    assert "Ask whose stories they are before you pass the weights on. The stories are not part" in licence
    assert not any(corpus in licence for corpus in ("ROCStories", "WritingPrompts"))
    assert "English the corpus" not in card
