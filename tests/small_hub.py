"""A Hub on loopback that takes uploads of small files, for tests with the real client library."""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Files = dict[str, bytes]


class Handler(BaseHTTPRequestHandler):
    """The requests of `create_repo` and `upload_folder`."""

    repositories: dict[str, Files]

    def log_message(self, *_: Any) -> None:
        """Says nothing."""

    def answer(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        match = re.fullmatch(r"/api/\w+/([^/]+/[^/?]+)(?:/revision/[^?]+)?(?:\?.*)?", self.path)
        if match and match[1] in self.repositories:
            sha = hashlib.sha1(match[1].encode()).hexdigest()
            return self.answer(200, {"id": match[1], "sha": sha, "siblings": [], "private": False})
        return self.answer(404, {"error": f"no such path: {self.path}"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        url = f"http://{self.headers['Host']}"
        if self.path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}"
            self.repositories[name] = {}
            return self.answer(200, {"url": f"{url}/{name}", "name": name})
        if self.path == "/api/validate-yaml":
            return self.answer(200, {"errors": [], "warnings": []})
        match = re.fullmatch(r"/api/\w+/([^/]+/[^/]+)/(preupload|commit)/main(?:\?.*)?", self.path)
        if not match or match[1] not in self.repositories:
            return self.answer(404, {"error": f"no such path: {self.path}"})
        if match[2] == "preupload":
            asked = json.loads(body)["files"]
            files = [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in asked]
            return self.answer(200, {"files": files})
        for line in map(json.loads, body.splitlines()):
            if line["key"] == "file":
                value = line["value"]
                self.repositories[match[1]][value["path"]] = base64.b64decode(value["content"])
        commit = hashlib.sha1(body).hexdigest()
        return self.answer(
            200, {"success": True, "commitOid": commit, "commitUrl": f"{url}/{match[1]}/commit/{commit}"}
        )


@contextmanager
def small_hub() -> Iterator[tuple[str, dict[str, Files]]]:
    """The Hub's address, and its repositories' files by name."""
    handler = type("OneHub", (Handler,), {"repositories": {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler.repositories
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
