"""The load test accepts any address of a story scorer."""

import http.client

import pytest

from openmeva.training.speed.crowd import ScorerClient


@pytest.mark.parametrize("url", ["localhost:7860", "ftp://host/", "https://"])
def test_address_without_scheme_or_host_is_rejected(url: str) -> None:
    with pytest.raises(ValueError, match=f"expected an address such as http://localhost:7860, got {url}"):
        ScorerClient(url)


def test_requests_go_to_the_scheme_and_path_of_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    paths: list[str] = []

    def refuse(connection: http.client.HTTPSConnection, method: str, path: str, *_: object) -> None:
        paths.append(f"{type(connection).__name__} {connection.host}:{connection.port}{path}")
        raise ConnectionError

    monkeypatch.setattr(http.client.HTTPConnection, "request", refuse)
    for url in ("https://me.hf.space/", "http://localhost:7860/scorer"):
        with pytest.raises(ConnectionError):
            ScorerClient(url)
    assert paths == [
        "HTTPSConnection me.hf.space:443/config",
        "HTTPConnection localhost:7860/scorer/config",
    ]
