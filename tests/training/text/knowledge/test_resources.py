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
def empty(tmp_path, monkeypatch):
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


def refuse(*arguments, **options):
    raise AssertionError("nothing is to be fetched")


def test_missing_resources(empty):
    for name, command in (("wordnet", "make resources"), ("conceptnet", "--conceptnet FILE")):
        assert find_resource(name) is None
        with pytest.raises(MissingResourceError, match=command) as failure:
            require_resource(name)
        assert isinstance(failure.value, FileNotFoundError)
    with pytest.raises(ValueError, match="unknown resource 'framenet': expected one of wordnet, conceptnet"):
        require_resource("framenet")


def test_places(empty, monkeypatch):
    path = store([("Antonym", "a", "b")], empty / ".resources" / "conceptnet")
    assert require_resource("conceptnet") == path
    elsewhere = write_wordnet(empty / "elsewhere")
    monkeypatch.setattr(nltk.data, "path", [str(empty / "elsewhere")])
    assert require_resource("wordnet") == elsewhere
    own = write_wordnet(empty / ".resources" / "nltk_data")
    assert require_resource("wordnet") == own
    monkeypatch.setenv("NLTK_DATA", str(empty / "elsewhere"))
    assert require_resource("wordnet") == elsewhere


def test_what_nltk_refuses_to_read_is_refused_in_one_line(empty, monkeypatch, recwarn):
    shared = empty / "shared"
    write_wordnet(shared)
    shared.chmod(0o775)
    monkeypatch.setenv("NLTK_DATA", str(shared))
    with pytest.raises(
        MissingResourceError, match=f"chmod -R go-w {shared}`, or set NLTK_DATA to your own copy"
    ):
        require_resource("wordnet")
    ended = CliRunner().invoke(app, ["resources", "--wordnet-only"])
    assert ended.exit_code == 2
    assert ended.stderr.startswith(
        f"error: {shared}: WordNet is there, but NLTK reads no data that others own"
    )
    assert not [warned for warned in recwarn if issubclass(warned.category, RuntimeWarning)]
    own = write_wordnet(empty / "own")
    monkeypatch.setattr(nltk.data, "path", [str(shared), str(empty / "own")])
    assert require_resource("wordnet") == own
    shared.chmod(0o755)
    assert require_resource("wordnet") == shared / "corpora" / "wordnet"


def test_nltk_is_told_once(empty):
    write_wordnet(empty / ".resources" / "nltk_data")
    resources.use_with_nltk()
    resources.use_with_nltk()
    assert nltk.data.path == [str(empty / ".resources" / "nltk_data")]


def test_the_real_wordnet_is_readable():
    resources.use_with_nltk()
    from nltk.corpus import wordnet

    assert wordnet.morphy("children", "n") == "child"
    assert wordnet.synsets("dog", "n")[0].lexname() == "noun.animal"


def test_fetching_with_a_file(empty, monkeypatch, capsys):
    monkeypatch.setattr(resources, "fetch_wordnet", lambda folder: write_wordnet(folder))
    (empty / "first").write_text("love|||/r/Antonym|||hate\n")
    (empty / "second").write_text("Causes\teat\tfull\n")
    fetch([empty / "first", empty / "second"])
    assert require_resource("conceptnet").read_text() == "Antonym\tlove\thate\nCauses\teat\tfull\n"
    assert "WordNet: " in capsys.readouterr().out


def test_fetching_with_a_bad_file(empty, monkeypatch):
    monkeypatch.setattr(resources, "fetch_wordnet", lambda folder: folder)
    (empty / "bad").write_text("prose\n")
    with pytest.raises(ValueError, match="line 1"):
        fetch([empty / "bad"])
    with pytest.raises(FileNotFoundError, match="none"):
        fetch([empty / "none"])


def test_fetching_without_any_source(empty, monkeypatch):
    def nothing(folder):
        raise FetchError("WordNet could not be fetched")

    monkeypatch.setattr(resources, "fetch_wordnet", nothing)
    ended = CliRunner().invoke(app, ["resources", "--wordnet-only"])
    assert (ended.exit_code, ended.stderr) == (2, "error: WordNet could not be fetched\n")


def test_fetching_goes_on_without_conceptnet(empty, monkeypatch, capsys):
    def unreachable(folder):
        raise RuntimeError("no route to the publisher")

    monkeypatch.setattr(resources, "fetch_wordnet", lambda folder: folder)
    monkeypatch.setattr(resources, "fetch_conceptnet", refuse)
    fetch(wordnet_only=True)
    monkeypatch.setattr(resources, "fetch_conceptnet", unreachable)
    fetch()
    assert "no route" in capsys.readouterr().err
    store([("Antonym", "a", "b")], resources.conceptnet_folder())
    monkeypatch.setattr(resources, "fetch_conceptnet", refuse)
    fetch()
