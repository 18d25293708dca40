"""Error messages, checks of uploads, addresses of the other Spaces, and threads."""

import asyncio
import inspect
import logging
from pathlib import Path

import gradio as gr
import pytest
from gradio.state_holder import SessionState
from gradio.utils import get_upload_folder

from openmeva.spaces import shell, threads
from openmeva.spaces.limits import MAX_OPEN_PAGES
from openmeva.spaces.threads import threads_each


def test_user_error_is_shown_escaped() -> None:
    def work(_: str) -> str:
        raise ValueError("The story <b> is empty.")

    shown = shell.html_or_error_card(work, "x")
    assert 'role="alert"' in shown
    assert "The story &lt;b&gt; is empty." in shown
    with pytest.raises(gr.Error, match="is empty"):
        shell.user_errors(work)("x")


def test_internal_error_reveals_no_user_text(caplog: pytest.LogCaptureFixture) -> None:
    def work(text: str) -> str:
        raise KeyError(text)

    with caplog.at_level(logging.INFO):
        shown = shell.html_or_error_card(work, "my secret")
        with pytest.raises(gr.Error) as raised:
            shell.user_errors(work)("my secret")
    assert "not with your text" in shown
    assert "KeyError" in caplog.text
    assert not [text for text in (shown, str(raised.value), caplog.text) if "secret" in text]


def test_only_uploads_are_opened(tmp_path: Path) -> None:
    outside = tmp_path / "passwords.csv"
    outside.write_text("story\nx y\n")
    for path in (str(outside), "/etc/passwd", f"{get_upload_folder()}/../../etc/passwd", ""):
        with pytest.raises(ValueError, match=r"Please choose it again\."):
            shell.upload_path({"path": path})
    with pytest.raises(ValueError, match="choose a file first"):
        shell.upload_path(None)
    assert outside.exists()


def test_an_upload_is_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    (tmp_path / "abc").mkdir()
    file = tmp_path / "abc" / "stories.csv"
    file.write_text("story\nx y\n")
    assert shell.upload_path({"path": str(file)}) == file


def test_repeated_updates_do_not_grow_the_session() -> None:
    """With plain values instead of `put`, Gradio would keep a component for each of them."""
    with gr.Blocks() as demo:
        html, data = gr.HTML(), gr.JSON()
        gr.Button().click(lambda: None, outputs=[html, data])
    (event,) = demo.fns.values()
    page = SessionState(demo)

    async def ask() -> None:
        for answer in (
            [shell.update_value("a"), shell.update_value(["b"])],
            [gr.skip(), gr.skip()],
            [shell.update_value(""), gr.skip()],
        ):
            await demo.postprocess_data(event, answer, page)

    for _ in range(3):
        asyncio.run(ask())
    assert len(page.blocks_config.blocks) == len(demo.blocks)


def test_launch_limits_session_state_and_disables_history(monkeypatch: pytest.MonkeyPatch) -> None:
    class Launched:
        def queue(self, **_: object) -> None: ...

        def launch(self, **options: object) -> dict[str, object]:
            return options

    for name in ("GRADIO_ANALYTICS_MAX_EVENTS", "GRADIO_ANALYTICS_CACHE_FREQUENCY"):
        monkeypatch.setenv(name, "1")
    options = shell.launch(Launched(), "leaderboard")  # type: ignore[arg-type]
    assert (options["state_session_capacity"], options["run_history"]) == (MAX_OPEN_PAGES, False)
    assert set(options) <= set(inspect.signature(gr.Blocks.launch).parameters)


def test_space_and_card_urls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert shell.space_url("story_scorer") == "http://127.0.0.1:7860"
    monkeypatch.setenv("SPACE_ID", "Some-Org/leaderboard")
    assert shell.space_url("story_scorer") == "https://some-org-story-scorer.hf.space"
    assert shell.card_url("union") == "https://huggingface.co/spaces/Some-Org/union"
    monkeypatch.setenv("STORY_SCORER_URL", "http://10.0.0.1:1/")
    assert shell.space_url("story_scorer") == "http://10.0.0.1:1"


def test_duplicated_space_links_to_the_publishers_spaces(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shell, "_PUBLISHER", tmp_path / "publisher.json")
    (tmp_path / "publisher.json").write_text('{"organisation": "Some-Org"}')
    monkeypatch.setenv("SPACE_ID", "visitor/leaderboard")
    assert shell.space_url("story_scorer") == "https://some-org-story-scorer.hf.space"
    assert shell.card_url("union") == "https://huggingface.co/spaces/Some-Org/union"
    monkeypatch.delenv("SPACE_ID")
    assert shell.space_url("story_scorer") == "http://127.0.0.1:7860"


@pytest.mark.parametrize(("cores", "expected"), [(64, 32), (4, 2), (1, 1)])
def test_thread_count_follows_available_cores(
    cores: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "cores", lambda: cores)
    assert threads_each() == expected
