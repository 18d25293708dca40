"""A local Hub that accepts uploads and serves downloads, for tests with the real client libraries.

Commits, tags, large files (LFS) and ranges are kept in memory. It implements only what huggingface_hub,
transformers, datasets and evaluate request.
"""

import base64
import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from huggingface_hub import constants

from tests.hub_state import LARGE, TOKEN, Files, Hub, Repository


def _digest(*parts: Any) -> str:
    return hashlib.sha1(repr(parts).encode()).hexdigest()


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _entry(path: str, content: bytes) -> dict[str, Any]:
    entry = {"type": "file", "path": path, "size": len(content), "oid": _blob(content)}
    if path.endswith(LARGE):
        sha = hashlib.sha256(content).hexdigest()
        entry["lfs"] = {"oid": sha, "size": len(content), "pointerSize": 130}
    return entry


class Handler(BaseHTTPRequestHandler):
    """One request; `hub` is set by `small_hub`."""

    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Logs nothing."""

    def send(self, status: int, content: bytes = b"", **headers: str) -> None:
        """Sends a response, for a HEAD request without its body."""
        self.send_response(status)
        headers.setdefault("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def answer(self, status: int, body: Any) -> None:
        """Sends a JSON response."""
        self.send(status, json.dumps(body).encode(), Content_Type="application/json")

    def refuse(self, status: int, code: str) -> None:
        """Sends an error in the Hub's format."""
        body = json.dumps({"error": code}).encode()
        self.send(status, body, Content_Type="application/json", X_Error_Code=code, X_Error_Message=code)

    def handle_request(self) -> Any:
        """Reads the request and calls the method of its route."""
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlsplit(self.path)
        self.query = parse_qs(url.query)
        line = f"{self.command} {url.path}"
        self.hub.requests.append(line)
        if self.hub.failures and re.search(self.hub.failures, line):
            return self.refuse(self.hub.failure_status, "Refused")
        writes = (
            self.command in ("POST", "PUT", "DELETE") and "paths-info" not in line and "/lfs/" not in line
        )
        if writes and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.refuse(401, "Unauthorized")
        for pattern, method in ROUTES:
            match = re.fullmatch(pattern, line)
            if match:
                return method(self, *map(unquote, match.groups(default="")))
        return self.refuse(404, "NotFound")

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = handle_request  # noqa: N815 (the base class' names)

    def commit_of(self, name: str, revision: str) -> tuple[str, Files] | None:
        """The commit; if it does not exist, sends an error and returns None."""
        repository = self.hub.repositories.get(name)
        if repository is None:
            self.refuse(404, "RepoNotFound")
            return None
        found = repository.at(revision)
        if found is None:
            self.refuse(404, "RevisionNotFound")
        return found

    def create(self) -> None:
        asked = json.loads(self.body)
        kind = f"{asked.get('type', 'model')}s"
        name = f"{asked.get('organization') or 'tester'}/{asked['name']}"
        url = f"{self.hub.endpoint}/{'' if kind == 'models' else kind + '/'}{name}"
        if f"{kind}/{name}" in self.hub.repositories:
            return self.answer(409, {"error": "exists", "url": url})
        self.hub.repositories[f"{kind}/{name}"] = Repository(
            [(_digest(kind, name), {})], private=asked.get("visibility") == "private"
        )
        return self.answer(200, {"url": url, "name": name, "id": name})

    def validate(self) -> None:
        self.answer(200, {"errors": [], "warnings": []})

    def info(self, name: str, revision: str) -> None:
        if found := self.commit_of(name, revision or "main"):
            kind, _, repo_id = name.partition("/")
            siblings = [{"rfilename": path} for path in sorted(found[1])]
            self.answer(
                200, {"id": repo_id, "_id": "0", "sha": found[0], "siblings": siblings, "private": False,
                      "tags": [], "downloads": 0, "likes": 0, "modelId": repo_id, "sdk": kind}
            )  # fmt: skip

    def refs(self, name: str) -> None:
        if found := self.commit_of(name, "main"):
            tags = [
                {"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": commit}
                for tag, commit in self.hub.repositories[name].tags.items()
            ]
            main = {"name": "main", "ref": "refs/heads/main", "targetCommit": found[0]}
            self.answer(200, {"branches": [main], "tags": tags, "converts": []})

    def tree(self, name: str, revision: str, folder: str) -> None:
        found = self.commit_of(name, revision)
        if not found:
            return None
        prefix = f"{folder}/" if folder else ""
        deep = self.query.get("recursive", ["false"])[0].lower() in ("true", "1")
        files = {path: content for path, content in found[1].items() if path.startswith(prefix)}
        if folder and not files:
            return self.refuse(404, "EntryNotFound")
        entries, folders = [], set()
        for path, content in files.items():
            parts = path.removeprefix(prefix).split("/")
            folders |= {
                prefix + "/".join(parts[:i]) for i in range(1, len(parts) if deep else min(len(parts), 2))
            }
            if deep or len(parts) == 1:
                entries.append(_entry(path, content))
        return self.answer(200, [*map(_folder, sorted(folders)), *entries])

    def paths(self, name: str, revision: str) -> None:
        if found := self.commit_of(name, revision):
            text = self.body.decode()
            wanted = json.loads(text)["paths"] if text.startswith("{") else parse_qs(text).get("paths", [])
            entries = [_entry(path, found[1][path]) for path in wanted if path in found[1]]
            entries += [
                _folder(p)
                for p in wanted
                if p not in found[1] and any(f.startswith(f"{p}/") for f in found[1])
            ]
            self.answer(200, entries)

    def preupload(self, name: str, revision: str) -> None:
        if self.commit_of(name, revision):
            asked = json.loads(self.body)["files"]
            modes = [
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if file["path"].endswith(LARGE) else "regular",
                    "shouldIgnore": False,
                }
                for file in asked
            ]
            self.answer(200, {"files": modes})

    def batch(self, name: str) -> None:
        objects = []
        for asked in json.loads(self.body)["objects"]:
            upload = {"upload": {"href": f"{self.hub.endpoint}/lfs/{asked['oid']}"}}
            objects.append({**asked, **({} if asked["oid"] in self.hub.large else {"actions": upload})})
        self.answer(200, {"transfer": "basic", "objects": objects})

    def store(self, sha: str) -> None:
        if hashlib.sha256(self.body).hexdigest() != sha:
            return self.refuse(400, "BadDigest")
        self.hub.large[sha] = self.body
        return self.send(200)

    def commit(self, name: str, revision: str) -> None:
        if not (found := self.commit_of(name, revision)):
            return
        files = dict(found[1])
        for line in map(json.loads, filter(None, self.body.splitlines())):
            key, value = line["key"], line["value"]
            if key == "header" and value.get("parentCommit") not in (None, found[0]):
                self.refuse(412, "ParentCommitMismatch")
                return
            if key == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif key == "lfsFile":
                files[value["path"]] = self.hub.large[value["oid"]]
            elif key == "deletedFile":
                files.pop(value["path"])
        oid = _digest(name, found[0], sorted((path, _blob(content)) for path, content in files.items()))
        self.hub.repositories[name].commits.append((oid, files))
        url = f"{self.hub.endpoint}/{name}/commit/{oid}"
        self.answer(200, {"success": True, "commitOid": oid, "commitUrl": url})

    def tag(self, name: str, revision: str) -> None:
        if found := self.commit_of(name, revision):
            self.hub.repositories[name].tags[json.loads(self.body)["tag"]] = found[0]
            self.answer(200, {})

    def untag(self, name: str, tag: str) -> None:
        del self.hub.repositories[name].tags[tag]
        self.answer(200, {})

    def resolve(self, kind: str, repo_id: str, revision: str, path: str) -> None:
        found = self.commit_of(f"{kind or 'models/'}{repo_id}", revision)
        if not found:
            return None
        if path not in found[1]:
            body = b'{"error": "EntryNotFound"}'
            return self.send(404, body, X_Error_Code="EntryNotFound", X_Repo_Commit=found[0])
        content = found[1][path]
        if self.hub.fault == "500":
            return self.refuse(500, "InternalError")
        if self.hub.fault == "slow":
            time.sleep(1)
        entry = _entry(path, content)
        headers = {"X_Repo_Commit": found[0], "ETag": f'"{entry["oid"]}"', "Accept_Ranges": "bytes"}
        if "lfs" in entry:
            headers |= {"X_Linked_ETag": f'"{entry["lfs"]["oid"]}"', "X_Linked_Size": str(len(content))}
        if self.hub.fault == "wrong":
            content = content[:-1] + bytes([content[-1] ^ 1])
        if self.hub.fault == "cut" and self.command == "GET":
            headers["Content-Length"] = str(len(content))
            content, self.close_connection = content[: len(content) // 2], True
        asked = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if asked and self.command == "GET":
            start, end = int(asked[1]), min(int(asked[2] or len(content)), len(content) - 1)
            headers["Content_Range"] = f"bytes {start}-{end}/{len(content)}"
            return self.send(206, content[start : end + 1], **headers)
        return self.send(200, content, **headers)


def _folder(path: str) -> dict[str, Any]:
    return {"type": "directory", "path": path, "size": 0, "oid": _digest(path)}


_NAME = r"((?:models|datasets|spaces)/[^/]+/[^/]+)"
ROUTES = [
    (r"POST /api/repos/create", Handler.create),
    (r"POST /api/validate-yaml", Handler.validate),
    (rf"GET /api/{_NAME}(?:/revision/([^/]+))?", Handler.info),
    (rf"GET /api/{_NAME}/refs", Handler.refs),
    (rf"GET /api/{_NAME}/tree/([^/]+)(?:/(.+?))?/?", Handler.tree),
    (rf"POST /api/{_NAME}/paths-info/([^/]+)", Handler.paths),
    (rf"POST /api/{_NAME}/preupload/([^/]+)", Handler.preupload),
    (rf"POST /api/{_NAME}/commit/([^/]+)", Handler.commit),
    (rf"POST /api/{_NAME}/tag/([^/]+)", Handler.tag),
    (rf"DELETE /api/{_NAME}/tag/([^/]+)", Handler.untag),
    (r"POST /(.+)\.git/info/lfs/objects/batch", Handler.batch),
    (r"PUT /lfs/([0-9a-f]+)", Handler.store),
    (r"(?:GET|HEAD) /((?:datasets|spaces)/)?([^/]+/[^/]+)/(?:resolve|raw)/([^/]+)/(.+)", Handler.resolve),
]


def use_endpoint(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the client use this address; it has already read its environment variables."""
    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    template = f"{endpoint}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


@contextmanager
def small_hub() -> Iterator[Hub]:
    """A Hub for as long as the block runs."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("OneHub", (Handler,), {"hub": hub}))
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
