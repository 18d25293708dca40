"""The page of each metric's own Space."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import evaluate
import gradio as gr
import httpx
import nltk
import pytest
from datasets import Value
from huggingface_hub import constants

from openmeva.metrics.overlap import meteor
from openmeva.spaces.layout import ROOT
from openmeva.spaces.metric_app import (
    build,
    compute,
    fetch,
    input_columns,
    launch,
    load,
    module_file,
    read_card,
)
from tests.hub_state import Hub, Repository
from tests.small_hub import small_hub, use_endpoint

FOLDERS = sorted(
    path.parent
    for path in (ROOT / "metrics").glob("*/README.md")
    if (path.parent / f"{path.parent.name}.py").exists()
)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_module_and_card_of_each_metric_are_found(folder: Path) -> None:
    assert module_file(folder) == folder / f"{folder.name}.py"
    assert read_card(folder).lstrip().startswith("#")


def test_a_folder_without_a_metric_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("class A: pass\n")
    with pytest.raises(ValueError, match="expected one file"):
        module_file(tmp_path)


TEXT = Value("string")


class Module:
    features = [{"predictions": TEXT}, {"predictions": TEXT, "contexts": TEXT}]  # noqa: RUF012

    def _compute(self, predictions, contexts=None, show_progress=True):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def compute(self, predictions, contexts=None, show_progress=True):  # type: ignore[no-untyped-def]
        assert show_progress is False
        if predictions == ["bad"]:
            raise ValueError("row 0 <is> bad")
        if predictions == ["worse"]:
            raise RuntimeError(predictions)
        return {"score": len(predictions[0]), "contexts": contexts}


def test_input_columns_and_computed_results() -> None:
    module = Module()
    names = input_columns(module)
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


def test_missing_reference_is_asked_for_by_the_name_of_its_field() -> None:
    module = evaluate.load(str(ROOT / "metrics" / "overlap"))
    with pytest.raises(gr.Error, match=r"Please fill in: Reference\."):
        compute(module, input_columns(module), ("He ran home.", " "))


def test_overlap_works_without_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meteor, "_resource_folders", lambda: [tmp_path])
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    module = evaluate.load(str(ROOT / "metrics" / "overlap"))
    with pytest.warns(UserWarning, match="METEOR needs WordNet"):
        result = compute(module, input_columns(module), ("He ran home.", "He ran."))
    assert result["rouge1"] == pytest.approx(0.8)


def test_metric_without_story_inputs_has_no_text_fields() -> None:
    assert input_columns(evaluate.load(str(ROOT / "metrics" / "openmeva"))) == []
    demo = build(ROOT / "metrics" / "openmeva")
    assert demo.title == "openmeva"
    assert not [block for block in demo.blocks.values() if isinstance(block, gr.Textbox)]


METRIC = """
import datasets
import evaluate
from huggingface_hub import hf_hub_download

class Tiny(evaluate.Metric):
    def _info(self):
        text = datasets.Features({"predictions": datasets.Value("string")})
        return evaluate.MetricInfo(description="d", citation="", inputs_description="", features=text)

    def _download_and_prepare(self, dl_manager):
        self.factor = int(open(hf_hub_download("me/tiny", "factor.txt")).read())

    def _compute(self, predictions):
        return {"score": self.factor * len(predictions[0])}
"""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Hub]]:
    """A metric's published folder, and the Hub with its weights."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "tiny.py").write_text(METRIC)
    (folder / "README.md").write_text("---\ntitle: tiny\n---\n# The card\n")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(time, "sleep", lambda _: None)  # between the client's own attempts
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", str(tmp_path / "metrics"))
    with small_hub() as hub:
        use_endpoint(hub.endpoint, monkeypatch)
        hub.repositories["models/me/tiny"] = Repository([("c" * 40, {"factor.txt": b"2"})])
        yield folder, hub


def shown(page: gr.Blocks) -> str:
    return "".join(str(block.value) for block in page.blocks.values() if isinstance(block, gr.Markdown))


def test_failed_download_is_retried(tiny: tuple[Path, Hub]) -> None:
    folder, hub = tiny
    hub.fault = "500"
    paused: list[float] = []

    def mend(pause: float) -> None:
        paused.append(pause)
        hub.fault = ""

    page = build(folder, sleep=mend)
    assert paused == [10]
    assert "could not be fetched" not in shown(page)
    (click,) = page.fns.values()
    assert click.fn("She ate.") == {"score": 16}


def test_download_that_failed_at_startup_is_retried_on_each_click(tiny: tuple[Path, Hub]) -> None:
    folder, hub = tiny
    hub.fault = "500"
    paused: list[float] = []
    page = build(folder, sleep=paused.append)
    assert paused == [10, 30]
    assert "pressing “Score” tries again" in shown(page)
    assert "The card" in shown(page)
    (click,) = page.fns.values()
    with pytest.raises(gr.Error, match="could not be fetched from the Hub"):
        click.fn("She ate.")
    hub.fault = ""
    assert click.fn("She ate.") == {"score": 16}


def test_typed_stories_are_not_stored(
    tiny: tuple[Path, Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = tiny
    options: dict[str, object] = {}
    monkeypatch.setattr(gr.Blocks, "launch", lambda page, **given: options.update(given, page=page))
    launch(folder)
    assert options["run_history"] is False
    module = load(folder / "tiny.py")
    assert fetch(module)
    written = []
    monkeypatch.setattr(
        type(module), "_compute", lambda *_, **__: written.extend(tmp_path.rglob("*.arrow")) or {"score": 1}
    )
    compute(module, ["predictions"], ("My secret diary.",))
    assert written == []


def test_uploads_are_rejected(
    tiny: tuple[Path, Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gradio accepts uploads on every page, even if no field takes files."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    real = gr.Blocks.launch
    served: list[gr.Blocks] = []

    def without_waiting(page: gr.Blocks, **options: Any) -> object:
        served.append(page)
        return real(page, **options, prevent_thread_lock=True, quiet=True)

    monkeypatch.setattr(gr.Blocks, "launch", without_waiting)
    launch(tiny[0])
    (page,) = served
    try:
        response = httpx.post(
            f"{page.local_api_url}upload", files={"files": ("diary.txt", b"a" * 20_000)}, trust_env=False
        )
    finally:
        page.close()
    assert response.status_code == 413
    assert not [path for path in (tmp_path / "uploads").rglob("*") if path.is_file()]
    assert page.delete_cache == (300, 3600)
