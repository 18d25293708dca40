"""The three file formats of ConceptNet, and the file made from them."""

import gzip
import http.server
import threading

import pytest

from openmeva.training.text.knowledge.conceptnet_files import (
    FILE_NAME,
    download,
    fetch_conceptnet,
    load,
    read_assertions,
    store,
)

LISTS = """\
love|||/r/Antonym|||hate war
love|||/r/NotHasProperty|||
love|||/r/RelatedTo|||heart
Dog|||/r/NotDesires|||Fleas
"""
TRIPLES = """\
RelatedTo\tdog\tanimal
Causes\tread book\tlearn
NotCapableOf\tdog\tfly\t1
"""
DUMP = """\
/a/[/r/Antonym/,/c/en/hot/,/c/en/cold/]\t/r/Antonym\t/c/en/hot/a/wn/all\t/c/en/cold\t{"weight": 1.0}
/a/[/r/Antonym/,/c/fr/chaud/,/c/fr/froid/]\t/r/Antonym\t/c/fr/chaud\t/c/fr/froid\t{"weight": 1.0}
/a/[/r/Antonym/,/c/en/hot/,/c/fr/froid/]\t/r/Antonym\t/c/en/hot\t/c/fr/froid\t{"weight": 1.0}
/a/[/r/Causes/,/c/en/push_hard/,/c/en/fall/]\t/r/Causes\t/c/en/push_hard\t/c/en/fall/v\t{"weight": 1.0}
/a/[/r/RelatedTo/,/c/en/dog/,/c/en/animal/]\t/r/RelatedTo\t/c/en/dog\t/c/en/animal\t{"weight": 1.0}
"""
FORMATS = {
    "lists": (
        LISTS,
        [("Antonym", "love", "hate"), ("Antonym", "love", "war"), ("NotDesires", "dog", "fleas")],
    ),
    "triples": (TRIPLES, [("Causes", "read book", "learn"), ("NotCapableOf", "dog", "fly")]),
    "dump": (DUMP, [("Antonym", "hot", "cold"), ("Causes", "push hard", "fall")]),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("compressed", [False, True])
def test_each_format_is_recognised(tmp_path, form, compressed):
    text, expected = FORMATS[form]
    path = tmp_path / ("assertions.gz" if compressed else "assertions")
    path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    assert list(read_assertions(path)) == expected
    assert load(fetch_conceptnet(tmp_path / "stored", path)) == sorted(expected)


def test_assertions_of_several_sources_are_merged(tmp_path):
    store([("Antonym", "b", "c"), ("Antonym", "a", "b")], tmp_path)
    path = store([("Antonym", "a", "b"), ("Causes", "a", "c"), ("Antonym", "", "x")], tmp_path)
    assert load(path) == [("Antonym", "a", "b"), ("Antonym", "b", "c"), ("Causes", "a", "c")]
    assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("love|||/r/Antonym|||hate\nlove hate\n", "line 2: expected head"),
        ("Antonym\ta\tb\nAntonym a b\n", "line 2: expected relation, head, tail"),
        ("/a/x\t/r/Antonym\t/c/en/a\t/c/en/b\t{}\n/a/y\n", "line 2: expected five columns"),
        ("some prose\n", "line 1"),
        ("", "expected at least one line, got an empty file"),
    ],
)
def test_bad_line_is_reported_and_nothing_is_stored(tmp_path, text, message):
    path = tmp_path / "bad"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        fetch_conceptnet(tmp_path / "stored", path)
    assert not (tmp_path / "stored").exists()


def test_damaged_archive_is_refused(tmp_path):
    path = tmp_path / "dump.gz"
    for content in (gzip.compress(DUMP.encode())[:-20], b"no archive"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is damaged"):
            fetch_conceptnet(tmp_path / "stored", path)


def test_file_without_used_relations_is_refused(tmp_path):
    path = tmp_path / "other"
    path.write_text("RelatedTo\tdog\tanimal\n")
    with pytest.raises(ValueError, match="no English assertions with the relations Antonym"):
        fetch_conceptnet(tmp_path / "stored", path)


def test_missing_file_or_network_is_reported(tmp_path):
    with pytest.raises(FileNotFoundError):
        fetch_conceptnet(tmp_path, tmp_path / "none")
    with pytest.raises(RuntimeError, match="--conceptnet FILE"):
        fetch_conceptnet(tmp_path, url="http://127.0.0.1:9/none.csv.gz")


@pytest.fixture
def dump_server():
    """A server on this machine that answers every request with the dump, and counts the requests."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = gzip.compress(DUMP.encode())
            body = body[: len(body) // 2] if "broken" in self.path else body
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            """Quiet."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_dump_is_filtered_while_downloading(dump_server, tmp_path):
    assert list(download(f"{dump_server}/dump.csv.gz")) == FORMATS["dump"][1]
    assert load(fetch_conceptnet(tmp_path, url=f"{dump_server}/dump.csv.gz")) == sorted(FORMATS["dump"][1])


def test_broken_connection_stores_nothing(dump_server, tmp_path):
    with pytest.raises(RuntimeError, match="could not be fetched"):
        fetch_conceptnet(tmp_path / "stored", url=f"{dump_server}/broken.csv.gz")
    assert not (tmp_path / "stored").exists()
