"""Results in model cards: only those of the card's own weights, with intervals."""

import json
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import ModelCard

from openmeva.training.benchmark.scoring.checkpoints import checkpoint_digests
from openmeva.training.common.cards import join_card
from openmeva.training.hub.results import add_metric_results, add_results, judgment_table, model_index

BODY = "# M\n\n## Results\n\nAccuracy .8.\n\n## Limits\n\nMany.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "metrics" / "union" / "weights" / "wp"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "adapter.safetensors").write_bytes(b"weights")
    return tmp_path


def results(root: Path) -> dict[str, Any]:
    def row(title: str, kind: str, value: float) -> dict[str, Any]:
        return {"title": title, "kind": kind, "pearson": value, "spearman": -0.04, "kendall": 0.1,
                "intervals": {"pearson": [-0.021, 0.26], "spearman": None}}  # fmt: skip

    return {
        "judged": {
            "mans_roc": {
                "title": "MANS-ROC",
                "corpus": "roc",
                "n": 495,
                "rows": [row("UNION", "ours", 0.288)],
            },
            "mans_wp": {
                "title": "MANS-WP",
                "corpus": "wp",
                "n": 495,
                "rows": [row("UNION", "paper", 0.326), row("UNION", "ours", 0.179), row("PPL", "ours", 0.1)],
            },
        },
        "weights": checkpoint_digests(root),
    }


def test_configuration_table_has_only_rows_of_its_corpus(root: Path) -> None:
    text = judgment_table("union", root, results(root), "wp")
    assert "| MANS-WP (495) | UNION, `wp` | .179 [-.02, .26] | -.040 |" in text
    assert "MANS-ROC" not in text
    assert text.count("| MANS-WP") == 1


def test_table_is_added_to_the_results_section(root: Path) -> None:
    body = add_results(BODY, "union", "wp", root, results(root))
    assert (
        body.index("Accuracy .8.")
        < body.index("### Agreement with human judgments")
        < body.index("## Limits")
    )
    other = "# M\n\n## Use\n\nSo.\n"
    assert add_results(other, "union", "wp", root, results(root)) == other


def test_metric_card_has_results_of_all_configurations(root: Path) -> None:
    body = add_metric_results(BODY, "union", root, results(root))
    assert body.index("## Agreement with human judgments") < body.index("## Limits")
    assert "`roc` | .288 [-.02, .26]" in body
    assert "`wp` | .179" in body


def test_changed_weights_do_not_get_old_results(root: Path) -> None:
    old_results = results(root)
    (root / "metrics/union/weights/wp/adapter.safetensors").write_bytes(b"other weights")
    text = judgment_table("union", root, old_results)
    assert ".288" in text
    assert ".179" not in text
    assert "not measured" in text


def test_changed_settings_do_not_get_old_results(root: Path) -> None:
    old_results, path = results(root), root / "metrics/union/weights/wp/config.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**settings, "union": {"max_length": 9}}), encoding="utf-8")
    assert "not measured" in judgment_table("union", root, old_results)


def test_a_metric_without_rows_has_no_table(root: Path) -> None:
    assert judgment_table("discriminator", root, results(root)) == ""
    assert add_metric_results(BODY, "discriminator", root, results(root)) == BODY


def test_front_matter_has_the_results_as_the_hub_reads_them(root: Path) -> None:
    index = model_index("someone/union-wp", "union", "wp", root, results(root))
    card = ModelCard(join_card({"license": "apache-2.0", "model-index": index}, BODY))
    assert card.data.model_name == "union-wp"
    assert [
        (one.dataset_type, one.dataset_config, one.metric_type, one.metric_value)
        for one in card.data.eval_results
    ] == [("someone/mans", "wp", "pearsonr", 0.179), ("someone/mans", "wp", "spearmanr", -0.04)]
    (root / "metrics/union/weights/wp/adapter.safetensors").write_bytes(b"other weights")
    stale = {**results(root), "weights": {"union/wp": "digest of the weights before"}}
    assert model_index("someone/union-wp", "union", "wp", root, stale) == []
