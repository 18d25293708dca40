"""The page that each metric folder holds."""

from pathlib import Path

import evaluate
import gradio as gr
import nltk
import pytest

from openmeva.spaces.layout import ROOT
from openmeva.spaces.metric_app import build, columns, compute, module_file, read_card

FOLDERS = sorted(
    path.parent
    for path in (ROOT / "metrics").glob("*/README.md")
    if (path.parent / f"{path.parent.name}.py").exists()
)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_metric_is_found_by_the_page(folder: Path) -> None:
    assert module_file(folder) == folder / f"{folder.name}.py"
    assert read_card(folder).lstrip().startswith("#")


def test_a_folder_without_a_metric_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("class A: pass\n")
    with pytest.raises(ValueError, match="expected one file"):
        module_file(tmp_path)


class Module:
    features = [{"predictions": ""}, {"predictions": "", "contexts": ""}]  # noqa: RUF012

    def _compute(self, predictions, contexts=None, show_progress=True):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def compute(self, predictions, contexts=None, show_progress=True):  # type: ignore[no-untyped-def]
        assert show_progress is False
        if predictions == ["bad"]:
            raise ValueError("row 0 <is> bad")
        if predictions == ["worse"]:
            raise RuntimeError(predictions)
        return {"score": len(predictions[0]), "contexts": contexts}


def test_fields_and_results() -> None:
    module = Module()
    names = columns(module)
    assert names == ["predictions", "contexts"]
    assert compute(module, names, ("abc", "")) == {"score": 3}
    assert compute(module, names, ("abc", "d")) == {"score": 3, "contexts": ["d"]}
    for texts, message in (
        (("", "x"), "type or paste"),
        (("a" * 10_001, ""), "10,000"),
        (("bad", ""), "row 0 &lt;is&gt; bad"),
        (("worse", ""), "Something went wrong"),
    ):
        with pytest.raises(gr.Error, match=message):
            compute(module, names, texts)


def test_overlap_scores_where_wordnet_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    module = evaluate.load(str(ROOT / "metrics" / "overlap"))
    with pytest.warns(UserWarning, match="METEOR needs WordNet"):
        found = compute(module, columns(module), ("He ran home.", "He ran."))
    assert found["rouge1"] == pytest.approx(0.8)


def test_the_page_is_built(tmp_path: Path) -> None:
    demo = build(ROOT / "metrics" / "openmeva")
    assert demo.title == "openmeva"
