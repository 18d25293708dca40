"""Model cards, including the shipped ones, equal what their manifests generate."""

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openmeva.metrics.core.checkpoint import find_checkpoint
from openmeva.training.bleurt.card import write_bleurt_card
from openmeva.training.classifier.card import write_classifier_card
from openmeva.training.common.model_card import (
    backbone_note,
    card_command,
    excluded_files,
    lineage,
    load_argument,
    start_digest_note,
    write_model_card,
)
from openmeva.training.embedding_similarity.card import write_similarity_card
from openmeva.training.encoder.card import write_encoder_card
from openmeva.training.files import checksum
from openmeva.training.grammar.card import card
from openmeva.training.paths import ROOT, WEIGHTS
from openmeva.training.plot_guided.generator.card import stories_with_plots, write_card
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


def test_every_card_writer_has_shipped_weights() -> None:
    assert {name.split("/")[0] for name in SHIPPED} == set(WRITERS)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_card_matches_its_manifest(name: str, tmp_path: Path) -> None:
    manifest = json.loads((METRICS / name / "manifest.json").read_text(encoding="utf-8"))
    if (settings := METRICS / name / "config.json").is_file():
        shutil.copy(settings, tmp_path)
    WRITERS[name.split("/")[0]](tmp_path, manifest)
    written = (tmp_path / "README.md").read_text(encoding="utf-8")
    published = "openmeva/story-encoder" if name == "weights/encoder" else name.split("/")[-1]
    shipped = (METRICS / name / "README.md").read_text(encoding="utf-8")
    assert written.replace(tmp_path.as_posix(), published) == shipped


def test_shipped_grammar_card_matches_its_manifest() -> None:
    folder = WEIGHTS / "grammar"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert card(manifest) == (folder / "README.md").read_text()
    assert {name: results["stories"] for name, results in manifest["human"].items()} == {
        "roc": 400,
        "wp": 100,
    }


@pytest.mark.parametrize("name", sorted(path.name for path in WEIGHTS.glob("generator-*")))
def test_shipped_generator_card_matches_its_manifest(name: str, tmp_path: Path) -> None:
    """Except for the generated stories, because the generator is not shipped."""
    manifest = json.loads((WEIGHTS / name / "manifest.json").read_text())
    write_card(manifest, "@stories@", "@stories@", tmp_path)
    shipped, rest = (WEIGHTS / name / "README.md").read_text(), (tmp_path / "README.md").read_text()
    pattern = ".+".join(map(re.escape, rest.split("@stories@")))
    assert re.fullmatch(pattern, shipped, re.DOTALL)


def test_generator_card_states_treatment_of_names_and_paper_results(tmp_path: Path) -> None:
    manifest = json.loads((WEIGHTS / "generator-roc_smollm2" / "manifest.json").read_text())
    corpus = {"corpus": {**manifest["config"]["corpus"], "delexicalize": False}}
    for changes, expected in (
        (
            {"base": "bart-base"},
            "with the original names. The paper's BART has 3.44 on ROC and 6.79 on WP, with a mark\nafter each sentence",
        ),
        ({"base": "gpt2", "plots": "opening"}, "with the original names. The paper's GPT-2 has 8.28 on ROC"),
    ):
        write_card({**manifest, "config": {**manifest["config"], **corpus, **changes}}, "", "", tmp_path)
        text = (tmp_path / "README.md").read_text()
        assert expected in text
        assert "[MALE]" not in text
    assert (
        stories_with_plots(["Ann was hungry."], "storyline", delexicalize=False)[0].text == "ann was hungry ."
    )


def test_card_fields_come_from_manifest_and_arguments(tmp_path: Path) -> None:
    template = "{config[name]}, {steps:,} steps, seed {config[seed]}, {kind}\n{data}\n"
    write_model_card(tmp_path, template, MANIFEST, kind="whole")
    expected = "tiny, 1,200 steps, seed 3, whole\n| `a.txt` | `12ab` |\n| `b.txt` | `34cd` |\n"
    assert (tmp_path / "README.md").read_text() == expected
    write_model_card(tmp_path, "{steps} {config[name]}", MANIFEST, steps="few")
    assert (tmp_path / "README.md").read_text() == "few tiny"


def test_card_names_make_base_only_for_the_models_that_it_fetches(tmp_path: Path) -> None:
    for package, command in ((None, "hf download"), ({"install": "pip install x"}, "make base")):
        encoder = {"hub": "someone/encoder", "package": package}
        (tmp_path / "config.json").write_text(json.dumps({"union": {"encoder": encoder}}))
        assert f"`someone/encoder`, run `{command}" in backbone_note(tmp_path)


def test_missing_card_field_is_reported(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="minutes"):
        write_model_card(tmp_path, "{minutes:g}", MANIFEST)
    assert not (tmp_path / "README.md").exists()


def test_card_command_rewrites_the_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(MANIFEST))
    monkeypatch.setattr(sys, "argv", ["card", str(tmp_path)])
    card_command(lambda folder, manifest: write_model_card(folder, "{steps}", manifest), "A card.")
    assert (tmp_path / "README.md").read_text() == "1200"


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ({"threads": 2}, "on 2 thread(s)"),
        ({"threads": 16, "gpu": "NVIDIA H200"}, "on one NVIDIA H200"),
        ({"threads": 1, "processes": 2}, "on 2 processes, each with 1 thread(s)"),
    ],
)
def test_card_names_the_hardware(manifest: dict[str, Any], expected: str, tmp_path: Path) -> None:
    write_model_card(tmp_path, "on {machine}", {"data": {}, "config": {"base": "other"}, **manifest})
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == expected


def test_card_notes_that_the_initial_weights_have_changed() -> None:
    """A training can be reproduced only from the same initial weights."""
    manifests = [json.loads(path.read_text()) for path in METRICS.glob("*/weights/*/manifest.json")]
    with_start = [
        manifest
        for manifest in manifests
        if "start" in manifest and (ROOT / str(manifest["config"].get("start"))).is_dir()
    ]
    assert with_start
    for manifest in with_start:
        current = checksum(ROOT / manifest["config"]["start"] / "adapter.safetensors")
        assert ("an earlier version" in start_digest_note(manifest)) == (current != manifest["start"])
    assert start_digest_note({}) == ""


def card_of(name: str, folder: Path, changes: Any = (), **top: Any) -> str:
    """The card of a shipped manifest, with changes to its configuration and to itself, written into `folder`."""
    manifest = json.loads((METRICS / name / "manifest.json").read_text(encoding="utf-8"))
    manifest = {**manifest, **top, "config": {**manifest["config"], **dict(changes)}}
    shutil.copy(METRICS / name / "config.json", folder)
    WRITERS[name.split("/")[0]](folder, manifest)
    return (folder / "README.md").read_text(encoding="utf-8")


def licence_in(card: str) -> str:
    return card.split("## Data and licence")[1].split("## Citation")[0]


@pytest.mark.parametrize("base", ["encoder", "bert-base-uncased"])
@pytest.mark.parametrize(
    "name",
    [
        "bleurt/weights/roc",
        "discriminator/weights/roc",
        "embedding_similarity/weights/default",
        "plot_coherence/weights/roc",
        "ppl/weights/roc",
        "ruber_bert/weights/roc",
        "sentavg/weights/roc",
        "union/weights/roc",
        "weights/encoder",
    ],
)
def test_card_of_a_custom_corpus_names_no_other_corpus_or_backbone(
    name: str, base: str, tmp_path: Path
) -> None:
    corpus = {"train": ["mine/x.jsonl"], "validation": ["mine/x.jsonl"]}
    glove = "glove.txt" if base != "encoder" else None  # SENTAVG has no other backbone
    if name == "weights/encoder" and base == "encoder":
        base = "all-minilm-l6-v2"  # it cannot be its own backbone
    changes = {"base": base, "corpus": corpus, "teacher": None, "start": None, "glove": glove}
    if name.startswith("embedding"):
        changes["teacher"] = "roberta-base"
    card = card_of(name, tmp_path, changes, data={"mine/x.jsonl": "12ab"}, vectors=glove or "the encoder's")
    assert "English the corpus" not in card
    licence = licence_in(card)
    assert "Check who owns the stories before you redistribute the weights. The " in licence
    encoder_note = "\nThe story encoder below was initialised from"
    assert (encoder_note in licence) == (base == "encoder")
    assert not any(corpus in licence.split(encoder_note)[0] for corpus in ("ROCStories", "WritingPrompts"))
    if base == "bert-base-uncased":
        phrases = ("ROCStories", "WritingPrompts", "MiniLM", "the project's story encoder")
        assert not [phrase for phrase in phrases if phrase in card.split("## Citation")[0]]


@pytest.mark.parametrize("name", SHIPPED)
def test_licence_section_covers_all_training_files(name: str) -> None:
    manifests = [json.loads((METRICS / name / "manifest.json").read_text(encoding="utf-8"))]
    licence = licence_in((METRICS / name / "README.md").read_text(encoding="utf-8"))
    if "openmeva/story-encoder" in (METRICS / name / "config.json").read_text(encoding="utf-8"):
        manifests.append(json.loads((METRICS / "weights/encoder/manifest.json").read_text(encoding="utf-8")))
        assert "`sentence-transformers/all-MiniLM-L6-v2` (Apache-2.0)" in licence
    files = {
        file
        for manifest in manifests
        for file in set(manifest["data"]) - set(excluded_files(manifest["config"]))
    }
    for file in files:
        corpus = "ROCStories (" if re.search(r"\broc", file) else "WritingPrompts ("
        assert corpus in licence, file
    assert ("AF_MANPLTS" in licence) == ("roc/plot_guided_af_valid.tsv.gz" in files)
    assert ("Their repository is Apache-2.0" in licence) == ("AF_MANPLTS" in licence)


def test_licence_sections_of_grammar_and_encoder_name_their_sources() -> None:
    cola = licence_in((WEIGHTS / "grammar" / "README.md").read_text(encoding="utf-8"))
    assert "which its authors distribute for research" in cola
    encoder = licence_in((METRICS / "embedding_similarity/weights/encoder/README.md").read_text())
    expected = lineage({"config": {}, "data": {"roc/x": ""}})
    assert "all-MiniLM-L6-v2" in expected
    assert expected in encoder
    assert "all-MiniLM-L6-v2" in cola


def test_card_says_only_if_trained_on_one_corpus(tmp_path: Path) -> None:
    assert "English ROCStories only." in card_of("union/weights/roc_base", tmp_path)
    assert "English ROCStories, and on the other data named above." in card_of("union/weights/roc", tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "bleurt/weights/roc",
        "embedding_similarity/weights/default",
        "plot_coherence/weights/roc",
        "ppl/weights/roc",
        "ruber_bert/weights/roc",
        "union/weights/roc",
    ],
)
def test_card_of_a_resumed_run_says_what_its_minutes_cover(name: str, tmp_path: Path) -> None:
    assert "after the last resume" not in card_of(name, tmp_path)
    assert re.search(r";\safter the last resume: [\d.]+ minutes", card_of(name, tmp_path, resumed=True))


def test_card_of_several_seeds_says_what_its_counts_cover(tmp_path: Path) -> None:
    several = card_of("plot_coherence/weights/base", tmp_path)
    assert "The counts are those of the first run.\n\nData: 1,782 groups" in several
    assert "On 40 held-out groups of each run, by" in several
    assert "of each run" not in card_of("plot_coherence/weights/roc", tmp_path)
    resumed = card_of("plot_coherence/weights/base", tmp_path, resumed=True)
    assert "one seed per run;\nafter the last resumes: 40.9 minutes in total" in resumed


def test_perplexity_card_names_initial_weights_and_hardware(tmp_path: Path) -> None:
    started = card_of("ppl/weights/wp", tmp_path, {"start": "runs/mine"}, gpu="NVIDIA H200", processes=4)
    assert "initialised from `runs/mine`" in started
    assert "on 4 processes, each with one NVIDIA H200, with torch" in started
    hub = card_of("ppl/weights/roc_base", tmp_path, encoder="12ab")
    assert "trained on the Hub's weights (SHA-256 `12ab`)" in hub
    sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    packaged = card_of("ppl/weights/roc_base", tmp_path, encoder=sha256)
    assert f"trained on the package's weights (SHA-256 `{sha256}`)" in packaged


def test_card_example_loads_the_folder_of_the_card(tmp_path: Path) -> None:
    other = tmp_path / "roc"  # a published name elsewhere
    other.mkdir()
    for folder in (other, tmp_path):
        match = re.search(r'evaluate.load\("metrics/union", "(.+)"\)', card_of("union/weights/roc", folder))
        assert match
        assert find_checkpoint("union", match[1], {"roc": "openmeva/union-roc"}) == folder
    assert load_argument(METRICS / "union" / "weights" / "roc", "union") == "roc"
    first = METRICS / "union" / "weights" / "roc-first"
    assert load_argument(first, "union") == "metrics/union/weights/roc-first"
    assert load_argument(ROOT / "runs" / "union-roc" / "first", "union") == "runs/union-roc/first"
    assert load_argument(ROOT / "roc", "union") == "./roc"
