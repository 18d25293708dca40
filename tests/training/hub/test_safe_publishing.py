"""What publishing must not do on the Hub: replace the files of others, or leave a release that does not load."""

import pytest
from huggingface_hub.errors import HfHubHTTPError

from openmeva.training.hub.layout import Repository
from openmeva.training.hub.publish import publish
from tests.small_hub import Hub
from tests.training.hub.conftest import api, writes


def test_a_repository_of_others_is_not_replaced(hub: Hub, repositories: list[Repository]) -> None:
    ours = [repository for repository in repositories if repository.id in ("me/autos", "me/stories")]
    client, thesis = api(hub), b"a,b\n"
    client.create_repo("me/stories", repo_type="dataset")
    client.upload_file(
        path_or_fileobj=thesis, path_in_repo="thesis.csv", repo_id="me/stories", repo_type="dataset"
    )
    client.create_tag("me/stories", tag="v1.0-of-my-thesis", repo_type="dataset")
    writes(hub)
    with pytest.raises(ValueError, match=r"^dataset me/stories: expected no such repository"):
        publish(client, ours, "1.0.0")
    assert writes(hub) == []
    assert hub.repositories["datasets/me/stories"].files == {"thesis.csv": thesis}
    publish(client, ours, "1.0.0", replace=True)
    assert "thesis.csv" not in hub.repositories["datasets/me/stories"].files
    assert set(publish(client, ours, "1.1.0").values()) == {"tagged"}, "now it is ours"


def test_private_repositories_are_created(hub: Hub, repositories: list[Repository]) -> None:
    publish(api(hub), repositories[:2], "1.0.0", private=True)
    assert [hub.repositories[f"{r.kind}s/{r.id}"].private for r in repositories[:2]] == [True, True]
    publish(api(hub), repositories[2:3], "1.0.0")
    assert not hub.repositories[f"{repositories[2].kind}s/{repositories[2].id}"].private


def test_a_tag_that_could_not_be_moved_is_restored(
    hub: Hub, space: list[Repository], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = hub.repositories["spaces/me/openmeva"]
    released = stored.at("v1.0.0")
    (space[0].folder / "trivial.py").write_text("# newer\n")
    client = api(hub)
    create_tag, calls = client.create_tag, []

    def fail_once(*arguments: object, **options: object) -> None:
        calls.append(options["revision"])
        if len(calls) == 1:
            raise ConnectionError("reset")
        create_tag(*arguments, **options)

    monkeypatch.setattr(client, "create_tag", fail_once)
    with pytest.raises(ConnectionError):
        publish(client, space, "1.0.0", move_tags=True)
    assert stored.at("v1.0.0") == released, "what is published still loads"


def test_push_of_another_user_is_not_overwritten(
    hub: Hub, space: list[Repository], monkeypatch: pytest.MonkeyPatch
) -> None:
    (space[0].folder / "trivial.py").write_text("# newer\n")
    client = api(hub)
    create_commit, stored = client.create_commit, hub.repositories["spaces/me/openmeva"]

    def after_another(*arguments: object, **options: object) -> object:
        stored.commits.append(("f" * 40, {"theirs.txt": b""}))
        return create_commit(*arguments, **options)

    monkeypatch.setattr(client, "create_commit", after_another)
    with pytest.raises(HfHubHTTPError, match="412"):
        publish(client, space, "1.1.0")
    assert stored.commits[-1] == ("f" * 40, {"theirs.txt": b""})
