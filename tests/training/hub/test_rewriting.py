"""Published copies name published repositories."""

import pytest

from openmeva.training.hub.rewriting import name_folders, pin_module, pin_settings, rename

NAMES = ["union", "union-roc", "openmeva", "story-encoder", "autos"]
MODULE = '''"""A module. ä"""
HUB_IDS: dict[str, str] = {"roc": "me/union-roc", "wp": "me/union-wp"}
OTHER = {"roc": "me/union-roc"}
'''


def renamed(text: str) -> str:
    return name_folders(rename(text, "openmeva", "me", NAMES), "me", NAMES)


def test_ids_are_renamed_and_paths_unchanged() -> None:
    assert renamed('"openmeva/union-roc", "openmeva/union"') == '"me/union-roc", "me/union"'
    assert renamed("https://huggingface.co/openmeva/union-roc.") == "https://huggingface.co/me/union-roc."
    assert renamed("huggingface.co/spaces/openmeva/union") == "huggingface.co/spaces/me/union"
    assert renamed('evaluate.load("metrics/union", "roc")') == 'evaluate.load("me/union", "roc")'
    assert renamed("evaluate.load('openmeva/openmeva')") == "evaluate.load('me/openmeva')"
    assert renamed('load_dataset("datasets/autos", "mini")') == 'load_dataset("me/autos", "mini")'
    remark = "# from the root of the repository"
    assert renamed(f'a = load_dataset("datasets/autos")  {remark}\nb') == 'a = load_dataset("me/autos")\nb'
    two = 'evaluate.load("metrics/union"), evaluate.load("metrics/union")  # both'
    assert renamed(two) == two.replace("metrics/", "me/")
    for text in (
        "metrics/openmeva/loading.py",
        "`metrics/union`",
        "openmeva/union-roc2",
        "my-openmeva/union",
    ):
        assert renamed(text) == text


def test_only_ids_of_a_module_are_pinned() -> None:
    pinned = pin_module(MODULE, "v1.2.3")
    assert '{"roc": "me/union-roc@v1.2.3", "wp": "me/union-wp@v1.2.3"}' in pinned
    assert pinned.replace("@v1.2.3", "") == MODULE
    assert 'OTHER = {"roc": "me/union-roc"}' in pinned


def test_module_without_ids_is_unchanged() -> None:
    assert pin_module("x = 1\n", "v1") == "x = 1\n"


def test_ids_that_cannot_be_rewritten_are_refused() -> None:
    with pytest.raises(ValueError, match="HUB_IDS: expected a dict of strings, got "):
        pin_module('HUB_IDS = dict(roc="me/union-roc")\n', "v1")


def test_settings_are_pinned() -> None:
    config = {"union": {"encoder": {"hub": "me/e", "path": "../../x", "sha256": "1"}}, "hidden_size": 3}
    assert pin_settings(config, "v1") == {
        "union": {"encoder": {"hub": "me/e@v1", "path": "encoder", "sha256": "1"}},
        "hidden_size": 3,
    }


def test_reference_to_external_encoder_is_unchanged() -> None:
    theirs = {"encoder": {"hub": "them/encoder", "sha256": "0", "added_tokens": ["[MALE]"]}}
    assert pin_settings({"plot_coherence": theirs}, "v1") == {"plot_coherence": theirs}
    assert pin_settings({"model_type": "bert", "union": {"max_length": 4}}, "v1") == {
        "model_type": "bert",
        "union": {"max_length": 4},
    }
