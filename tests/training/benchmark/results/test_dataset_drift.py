"""The drift table names its weights and their training corpora."""

import json
from pathlib import Path

import pytest

from openmeva.training.benchmark.data.registry import read_registry
from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.benchmark.results.dataset_drift import (
    SET_PAIRS,
    drift_cells,
    drift_weights,
    training_corpora,
)
from openmeva.training.benchmark.tables.further_tables import dataset_drift_table
from openmeva.training.benchmark.tables.sections import read_published
from openmeva.training.common.config import config_file, read_config
from openmeva.training.ppl.config import PplConfig
from openmeva.training.union.config import UnionConfig


@pytest.mark.parametrize(
    ("metric", "corpus", "corpora"),
    [("union", "roc", "ROC"), ("union", "wp", "ROC, WP"), ("ppl", "roc", "ROC"), ("ppl", "wp", "ROC, WP")],
)
def test_training_corpora_of_shipped_weights(metric: str, corpus: str, corpora: str, tmp_path: Path) -> None:
    weights = drift_weights(read_registry()[metric], corpus, tmp_path)
    assert (weights.config, weights.description()) == (corpus, f"{corpus} (trained on {corpora})")


def test_single_corpus_weights_are_preferred_if_present(tmp_path: Path) -> None:
    folder = tmp_path / "union-wp"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    manifest = {"config": {"start": None}, "data": {"wp/a.jsonl": "1", "plot_guided/AMT_WP.CSV": "2"}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    weights = drift_weights(read_registry()["union"], "wp", tmp_path)
    assert (weights.config, weights.description()) == (str(folder), "wp only (trained on WP)")
    assert training_corpora(tmp_path) is None


def test_training_corpora_include_those_of_initial_weights_that_are_gone(tmp_path: Path) -> None:
    """Named by configurations: of all training files, and of the weights that those were initialised from."""
    configs = {
        "second.yaml": {
            "corpus": {"name": "wp"},
            "start": "gone/first",
            "first": str(tmp_path / "first.yaml"),
        },
        "first.yaml": {"corpus": {"train": ["mine/a.jsonl", "roc/a.jsonl"]}},
    }
    for name, values in configs.items():
        (tmp_path / name).write_text(json.dumps(values))
    config = {
        "corpus": {"train": ["mine/b.jsonl"], "exclude": ["wp/judged.jsonl"]},
        "start": "gone/second",
        "first": str(tmp_path / "second.yaml"),
    }
    data = {"mine/b.jsonl": "1", "wp/judged.jsonl": "2"}
    (tmp_path / "manifest.json").write_text(json.dumps({"config": config, "data": data}))
    assert training_corpora(tmp_path) == ("roc", "wp")
    (tmp_path / "second.yaml").write_text(json.dumps({"corpus": {"train": ["mine/c.jsonl"]}}))
    assert training_corpora(tmp_path) == ()


def test_wp_only_configurations_train_on_wp_from_scratch() -> None:
    for kind, name in ((UnionConfig, "union"), (PplConfig, "ppl")):
        config = read_config(kind, config_file(name, "wp_only"))
        assert config.start is None
        assert {file.partition("/")[0] for file in config.corpus.train} == {"wp"}


def test_drift_table_names_the_weights_of_each_row() -> None:
    drift = {"UNION": {"roc": {"union_roc": {"pearson": 0.3}}, "wp": {"union_roc": {"pearson": 0.1}}}}
    weights = {"UNION": {"roc": "roc (trained on ROC)", "wp": "wp only (trained on WP)"}}
    published = read_published()
    table = dataset_drift_table(drift, published["union_drift"], weights)
    assert table.rows[0] == [
        "UNION",
        ".300",
        "–",
        ".100",
        "–",
        "roc (trained on ROC); wp only (trained on WP)",
    ]
    assert ["UNION (paper)", ".369", ".287", ".199", ".366", ""] in table.rows
    assert dataset_drift_table(drift, published["dataset_drift"], weights).rows == [], "MANS was not run"


def test_union_sets_use_log_perplexity_and_mans_raw_perplexity() -> None:
    rows = [
        {"story": story, "prompt": "Ann ran.", "ratings": [1.0], "score": 1.0} for story in ("One.", "Two.")
    ]
    loaded = [(TEST_SETS[name], rows) for name in sum(SET_PAIRS, ())]
    by_row = {
        title: {(corpus, name): scores for (corpus, name), (scores, _) in cells.items()}
        for entry in ("ppl", "union")
        for title, cells in drift_cells(
            read_registry()[entry], loaded, lambda work: {"scores": [-9.0, -3.0], "log_scores": [-2.2, -1.1]}
        ).items()
    }
    assert {title: {name for _, name in cells} for title, cells in by_row.items()} == {
        "PPL": set(SET_PAIRS[0]),
        "PPL (log)": set(SET_PAIRS[1]),
        "UNION": set(sum(SET_PAIRS, ())),
    }
    assert by_row["PPL (log)"]["wp", "union_roc"] == [-2.2, -1.1]
    assert by_row["PPL"]["wp", "mans_roc"] == [-9.0, -3.0]
    constant = drift_cells(read_registry()["union"], loaded, lambda work: {"scores": [0.5, 0.5]})
    assert constant == {}, "equal scores have no correlation"
