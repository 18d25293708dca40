"""Publishing to a Hub on loopback, and loading from it with the real client libraries."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from huggingface_hub import constants
from huggingface_hub.errors import HfHubHTTPError
from safetensors.torch import save_file

from openmeva.training.hub.commands import publish as publish_project
from openmeva.training.hub.description import read_description
from openmeva.training.hub.layout import Repository
from openmeva.training.hub.publish import publish
from tests.small_hub import TOKEN, Hub
from tests.training.hub.conftest import api, writes
from tests.training.hub.test_install import run

EVERYTHING = {
    "models/me/story-encoder",
    "models/me/union-roc",
    "models/me/union-wp",
    "datasets/me/autos",
    "datasets/me/mans",
    "datasets/me/stories",
    "spaces/me/openmeva",
    "spaces/me/union",
}


def test_publishing_twice_changes_nothing(hub: Hub, repositories: list[Repository]) -> None:
    outcomes = publish(api(hub), repositories, "1.0.0")
    assert set(outcomes.values()) == {"created"}
    assert set(hub.repositories) == EVERYTHING
    for repository in repositories:
        stored = hub.repositories[f"{repository.kind}s/{repository.id}"]
        assert stored.files == {name: path.read_bytes() for name, path in repository.files().items()}
        assert stored.tags == {"v1.0.0": stored.commits[-1][0]}
    assert (
        next(r for r in writes(hub) if "/tag/" in r)
        == "POST /api/models/me/story-encoder/tag/"
        + (hub.repositories["models/me/story-encoder"].commits[-1][0])
    )
    assert set(publish(api(hub), repositories, "1.0.0").values()) == {"unchanged"}
    assert writes(hub) == []


def test_files_created_by_the_hub_are_kept(hub: Hub, repositories: list[Repository]) -> None:
    """The Hub creates `.gitattributes` in a repository, which marks large files."""
    union = [repository for repository in repositories if repository.id == "me/union-roc"]
    publish(api(hub), union, "1.0.0")
    hub.repositories["models/me/union-roc"].files[".gitattributes"] = b"*.safetensors filter=lfs\n"
    writes(hub)
    assert publish(api(hub), union, "1.0.0") == {"model me/union-roc": "unchanged"}
    assert writes(hub) == []


def test_name_lists_are_published_with_their_terms(repositories: list[Repository]) -> None:
    with_names = [repository for repository in repositories if "names.json" in repository.files()]
    assert with_names
    assert all("NAMES.md" in repository.files() for repository in with_names)


@pytest.mark.parametrize(
    "where",
    [
        "POST /api/spaces/me/openmeva/commit",
        "POST /api/datasets/me/autos/tag",
        "POST /api/models/me/union-wp/commit",
        "POST .*me/union-roc.git/info/lfs",
        "POST /api/models/me/union-roc/tag",
    ],
)
def test_a_failed_upload_resumes(hub: Hub, repositories: list[Repository], where: str) -> None:
    hub.failures = where
    with pytest.raises(HfHubHTTPError):
        publish(api(hub), repositories, "1.0.0")
    stored = set(hub.large)
    complete = {name for name, repository in hub.repositories.items() if repository.tags}
    writes(hub)
    hub.failures = ""
    outcomes = publish(api(hub), repositories, "1.0.0")
    assert {
        f"{k.partition(' ')[0]}s/{k.partition(' ')[2]}" for k, v in outcomes.items() if v == "unchanged"
    } == (complete)
    repeated_writes = writes(hub)
    assert not [r for r in repeated_writes if any(f"/{name}/" in r for name in complete)]
    assert not [r for r in repeated_writes if r.removeprefix("PUT /lfs/") in stored], (
        "no large file is uploaded twice"
    )
    assert all(repository.tags for repository in hub.repositories.values())
    assert set(hub.repositories) == EVERYTHING


def test_a_release_is_not_overwritten(hub: Hub, repositories: list[Repository], tmp_path: Path) -> None:
    publish(api(hub), repositories, "1.0.0")
    folder = tmp_path / "openmeva"
    shutil.copytree(next(r for r in repositories if r.id == "me/openmeva").folder, folder)
    changed = Repository("space", "me/openmeva", folder)
    (folder / "trivial.py").write_text("# newer\n")
    (folder / "sections.py").unlink()
    stored = hub.repositories["spaces/me/openmeva"]
    released = stored.commits[-1]
    with pytest.raises(ValueError, match=r"the tag v1\.0\.0 is at other files in me/openmeva"):
        publish(api(hub), [changed], "1.0.0")
    assert stored.commits[-1] == released

    assert publish(api(hub), [changed], "1.1.0") == {"space me/openmeva": "updated"}
    assert "sections.py" not in stored.files
    assert stored.at("v1.0.0") == released
    assert stored.at("v1.1.0") == stored.commits[-1]
    assert publish(api(hub), [changed], "1.2.0") == {"space me/openmeva": "tagged"}

    (folder / "trivial.py").write_text("# newest\n")
    assert publish(api(hub), [changed], "1.1.0", move_tags=True) == {"space me/openmeva": "updated"}
    assert stored.at("v1.1.0") == stored.commits[-1]


def test_tag_left_behind_by_failed_publication_can_be_moved(hub: Hub, space: list[Repository]) -> None:
    (space[0].folder / "trivial.py").write_text("# newer\n")
    hub.failures = "DELETE /api/spaces/me/openmeva/tag"
    with pytest.raises(HfHubHTTPError):
        publish(api(hub), space, "1.0.0", move_tags=True)
    hub.failures = ""
    stored = hub.repositories["spaces/me/openmeva"]
    assert stored.at("v1.0.0") != stored.commits[-1], "the new files are there, the tag is not"
    with pytest.raises(ValueError, match=r"the tag v1\.0\.0 is at other files in me/openmeva"):
        publish(api(hub), space, "1.0.0")
    assert publish(api(hub), space, "1.0.0", move_tags=True) == {"space me/openmeva": "tagged"}
    assert stored.at("v1.0.0") == stored.commits[-1]
    assert publish(api(hub), space, "1.0.0") == {"space me/openmeva": "unchanged"}


def test_dry_run_lists_files_and_sends_no_request(
    hub: Hub, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish_project(read_description(project), project, "me", dry_run=True, move_tags=False)
    printed = capsys.readouterr().out
    assert "model me/union-roc" in printed
    size = (project / "metrics" / "union" / "weights" / "roc" / "adapter.safetensors").stat().st_size
    assert f"{size:,}  adapter.safetensors" in printed
    assert "8 repositories" in printed
    assert hub.requests == []


def damage_card(project: Path) -> str:
    card = project / "metrics" / "union" / "README.md"
    card.write_text(card.read_text() + "\n## Plans\n")
    return "me/union/README.md: section 'Plans' is empty"


def damage_weights(project: Path) -> str:
    (project / "metrics" / "union" / "weights" / "roc" / "adapter2.safetensors").write_bytes(b"\x80\x04")
    return "me/union-roc/adapter2.safetensors: expected a safetensors file"


def damage_secret(project: Path) -> str:
    main = project / "metrics" / "union" / "scoring.py"
    main.write_text(main.read_text() + f'TOKEN = "hf_{"a" * 34}"\n')
    return "me/union/scoring.py: contains what looks like a Hugging Face token"


def damage_size(project: Path) -> str:
    folder = project / "metrics" / "union" / "weights" / "wp"
    save_file({"x": torch.zeros(10_000_000)}, folder / "big.safetensors")
    return "me/union-wp/big.safetensors: 40.0 MB, expected at most 40"


@pytest.mark.parametrize("damage", [damage_card, damage_weights, damage_secret, damage_size])
def test_damaged_checkout_is_not_published(hub: Hub, project: Path, tmp_path: Path, damage) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(project, damaged)
    problem = damage(damaged)
    with pytest.raises(ValueError, match="not published") as raised:
        publish_project(read_description(damaged), damaged, "me", dry_run=False, move_tags=False)
    assert problem in str(raised.value)
    assert hub.requests == []


def test_missing_token_is_reported(
    hub: Hub, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "none"))
    with pytest.raises(ValueError, match="expected a token with write access"):
        publish_project(read_description(project), project, "me", dry_run=False, move_tags=False)


@pytest.mark.parametrize(
    ("token", "status", "advice"),
    [("hf_wrong", 401, "write access to 'me'"), (TOKEN, 422, "\nRun the same command")],
)
def test_advice_after_an_error_of_the_hub_fits_its_cause(
    hub: Hub, project: Path, monkeypatch: pytest.MonkeyPatch, token: str, status: int, advice: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    hub.failures, hub.failure_status = "POST /api/repos/create", status
    with pytest.raises(ValueError, match=advice):
        publish_project(read_description(project), project, "me", dry_run=False, move_tags=False)


def test_options_of_the_command_reach_the_hub(hub: Hub, project: Path) -> None:
    def published(**options: Any) -> None:
        publish_project(
            read_description(project), project, "me", dry_run=False, **{"move_tags": False, **options}
        )

    published(private=True)
    assert all(repository.private for repository in hub.repositories.values())
    stored = hub.repositories["spaces/me/openmeva"]
    stored.commits.append(("e" * 40, {**stored.files, "more.txt": b""}))
    with pytest.raises(ValueError, match="--move-tags"):
        published()
    published(move_tags=True)
    assert set(stored.tags.values()) == {stored.commits[-1][0]}
    assert "more.txt" not in stored.files
    stored.tags.clear()
    stored.commits.append(("d" * 40, {"theirs.txt": b""}))
    with pytest.raises(ValueError, match="--replace"):
        published()
    published(replace=True)
    assert "theirs.txt" not in stored.files


USE = """
import json, sys
import datasets, evaluate, torch
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer
found = {}
union = evaluate.load("me/union", "wp")
found["scores"] = union.compute(predictions=["She ran home. She ate."], dtype="float32")["scores"]
found["signature"] = union.signature()
if sys.argv[2] == "online":
    pinned = evaluate.load("me/union", "wp", revision="v0.1.0")
    assert pinned.compute(predictions=["She ran home. She ate."], dtype="float32")["scores"] == found["scores"]
    stream = datasets.load_dataset("me/autos", "mini", split="invariance", streaming=True)
    found["stream"] = next(iter(stream))["story_id"]
    assert datasets.get_dataset_config_names("me/autos") == ["mini"]
    assert datasets.load_dataset("me/autos").num_rows == datasets.load_dataset("me/autos", "mini").num_rows
    try:
        datasets.load_dataset("me/mans")
    except FileNotFoundError as error:
        found["mans"] = str(error)
found["autos"] = datasets.load_dataset("me/autos", "mini").num_rows
found["stories"] = datasets.load_dataset("me/stories", "mini", split="test", revision="v0.1.0").num_rows
AutoModel.from_pretrained("me/story-encoder")
model = AutoModelForSequenceClassification.from_pretrained("me/union-wp").eval()
tokenizer = AutoTokenizer.from_pretrained("me/union-wp")
with torch.inference_mode():
    logits = model(**tokenizer("she ran home . she ate .", return_tensors="pt")).logits
found["transformers"] = torch.sigmoid(logits)[0].tolist()
json.dump(found, open(sys.argv[1], "w"))
"""


def test_published_repositories_load_from_an_empty_cache(hub: Hub, project: Path, tmp_path: Path) -> None:
    """From an empty cache in another folder; then again from the cache, with the Hub gone."""
    publish_project(read_description(project), project, "me", dry_run=False, move_tags=False)
    (tmp_path / "elsewhere").mkdir()
    hub.requests.clear()
    online, offline = tmp_path / "online.json", tmp_path / "offline.json"
    settings = {"HF_ENDPOINT": hub.endpoint, "HF_HUB_DISABLE_XET": "1"}
    run(USE, tmp_path / "home", tmp_path / "elsewhere", str(online), "online", **settings)
    first = json.loads(online.read_text())
    assert first["transformers"] == pytest.approx(first["scores"], abs=1e-3)
    assert first["stories"] == 152
    assert first["stream"]
    assert "me/mans" in first["mans"]
    assert "built_by_openmeva_judged" in first["mans"]
    assert "openmeva judged mans" in hub.repositories["datasets/me/mans"].files["README.md"].decode()
    assert not [request for request in hub.requests if "openmeva/" in request.replace("me/openmeva", "")]
    fetched = [r for r in hub.requests if r.startswith("GET") and "/models" not in r and "resolve" in r]
    adapter = [r for r in fetched if "me/union-wp/resolve" in r and r.endswith("adapter.safetensors")]
    assert len(adapter) == 1

    flags = {"HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "HF_ENDPOINT": "http://127.0.0.1:9"}
    run(USE, tmp_path / "home", tmp_path / "elsewhere", str(offline), "offline", **flags)
    second = json.loads(offline.read_text())
    assert second == {key: value for key, value in first.items() if key not in ("stream", "mans")}
