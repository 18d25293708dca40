"""Sets the Hub client online: offline, it sends no requests, not even to loopback."""

import pytest
from huggingface_hub import constants


@pytest.fixture(autouse=True)
def _hub_client_online(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    for name in (
        "OPENMEVA_JUDGE_KEY",
        "OPENMEVA_JUDGE_SETTINGS",
        "HF_TOKEN",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)
