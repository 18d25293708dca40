"""The search paths of resources, and the command's messages if they are unavailable."""

import nltk
import pytest
from typer.testing import CliRunner

from openmeva.training.cli.app import app
from openmeva.training.text.knowledge import resources
from openmeva.training.text.knowledge.conceptnet_files import store
from openmeva.training.text.knowledge.resources import (
    MissingResourceError,
    fetch,
    find_resource,
    require_resource,
)
from openmeva.training.text.knowledge.wordnet_files import REQUIRED_FILES, FetchError


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "RESOURCES", tmp_path / ".resources")
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.delenv("NLTK_DATA", raising=False)
    return tmp_path


def write_wordnet(nltk_data):
    folder = nltk_data / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for name in REQUIRED_FILES:
        (folder / name).write_text("")
    for place in (nltk_data, folder.parent, folder, *folder.iterdir()):
        place.chmod(0o755)  # whatever the umask: else NLTK reads nothing
    return folder


def fail_if_fetched(*arguments, **options):
    raise AssertionError("unexpected fetch")


def test_missing_resource_error_names_the_command(empty_folder):
    for name, command in (
        ("wordnet", "run `make resources`$"),
        (
            "conceptnet",
            r"run `openmeva resources` \(downloads about 500 MB\), or `openmeva resources --conceptnet FILE` with",
        ),
    ):
        assert find_resource(name) is None
        with pytest.raises(MissingResourceError, match=command) as failure:
            require_resource(name)
        assert isinstance(failure.value, FileNotFoundError)
    with pytest.raises(ValueError, match="unknown resource 'framenet': expected one of wordnet, conceptnet"):
        require_resource("framenet")


def test_search_order(empty_folder, monkeypatch):
    path = store([("Antonym", "a", "b")], empty_folder / ".resources" / "conceptnet")
    assert require_resource("conceptnet") == path
    elsewhere = write_wordnet(empty_folder / "elsewhere")
    monkeypatch.setattr(nltk.data, "path", [str(empty_folder / "elsewhere")])
    assert require_resource("wordnet") == elsewhere
    own = write_wordnet(empty_folder / ".resources" / "nltk_data")
    assert require_resource("wordnet") == own
    monkeypatch.setenv("NLTK_DATA", str(empty_folder / "elsewhere"))
    assert require_resource("wordnet") == elsewhere


def test_group_writable_wordnet_is_refused_in_one_line(empty_folder, monkeypatch, recwarn):
    shared = empty_folder / "shared"
    write_wordnet(shared)
    shared.chmod(0o775)
    monkeypatch.setenv("NLTK_DATA", str(shared))
    with pytest.raises(
        MissingResourceError, match=f"chmod -R go-w {shared}`, or set NLTK_DATA to your own copy"
    ):
        require_resource("wordnet")
    result = CliRunner().invoke(app, ["resources", "--wordnet-only"])
    assert result.exit_code == 2
    assert result.stderr.startswith(
        f"error: {shared}: WordNet is there, but NLTK reads no data that others own"
    )
    assert not [warned for warned in recwarn if issubclass(warned.category, RuntimeWarning)]
    own = write_wordnet(empty_folder / "own")
    monkeypatch.setattr(nltk.data, "path", [str(shared), str(empty_folder / "own")])
    assert require_resource("wordnet") == own
    shared.chmod(0o755)
    assert require_resource("wordnet") == shared / "corpora" / "wordnet"


def test_nltk_path_is_extended_once(empty_folder):
    write_wordnet(empty_folder / ".resources" / "nltk_data")
    resources.use_with_nltk()
    resources.use_with_nltk()
    assert nltk.data.path == [str(empty_folder / ".resources" / "nltk_data")]


def test_real_wordnet_is_readable():
    resources.use_with_nltk()
    from nltk.corpus import wordnet

    assert wordnet.morphy("children", "n") == "child"
    assert wordnet.synsets("dog", "n")[0].lexname() == "noun.animal"


def test_fetch_stores_conceptnet_from_files(empty_folder, monkeypatch, capsys):
    monkeypatch.setattr(resources, "fetch_wordnet", lambda folder: write_wordnet(folder))
    (empty_folder / "first").write_text("love|||/r/Antonym|||hate\n")
    (empty_folder / "second").write_text("Causes\teat\tfull\n")
    fetch([empty_folder / "first", empty_folder / "second"])
    assert require_resource("conceptnet").read_text() == "Antonym\tlove\thate\nCauses\teat\tfull\n"
    assert "WordNet: " in capsys.readouterr().out


def test_fetch_refuses_bad_files(empty_folder, monkeypatch):
    monkeypatch.setattr(resources, "fetch_wordnet", lambda folder: folder)
    (empty_folder / "bad").write_text("prose\n")
    with pytest.raises(ValueError, match="line 1"):
        fetch([empty_folder / "bad"])
    with pytest.raises(FileNotFoundError, match="none"):
        fetch([empty_folder / "none"])


def test_fetch_without_any_source_exits_with_status_2(empty_folder, monkeypatch):
    def unavailable(folder):
        raise FetchError("WordNet could not be fetched")

    monkeypatch.setattr(resources, "fetch_wordnet", unavailable)
    result = CliRunner().invoke(app, ["resources", "--wordnet-only"])
    assert (result.exit_code, result.stderr) == (2, "error: WordNet could not be fetched\n")


def test_fetch_continues_without_conceptnet(empty_folder, monkeypatch, capsys):
    def unreachable(folder):
        raise RuntimeError("no route to the publisher")

    monkeypatch.setattr(resources, "fetch_wordnet", lambda folder: folder)
    monkeypatch.setattr(resources, "fetch_conceptnet", fail_if_fetched)
    fetch(wordnet_only=True)
    monkeypatch.setattr(resources, "fetch_conceptnet", unreachable)
    fetch()
    assert "no route" in capsys.readouterr().err
    store([("Antonym", "a", "b")], resources.conceptnet_folder())
    monkeypatch.setattr(resources, "fetch_conceptnet", fail_if_fetched)
    fetch()
