"""A hub on this computer: what the Hugging Face hub's own client asks of it, over real HTTP."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

ID = "someone/some-model"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = (".safetensors", ".bin")
"""Files that the hub gives from another address, as it keeps them elsewhere."""


@dataclass
class Hub:
    """One repository, what is wrong with it, and what it was asked for.

    gated       the status with which files are refused: 401 to a stranger, 403 to one who was not granted access
    is_down     every answer is 503
    answer      what every question is answered with, where it is no hub
    cuts        so many more times a large file breaks off in its middle
    down_after  after such a cut, the hub is down
    """

    files: dict[str, bytes]
    gated: int | None = None
    is_down: bool = False
    answer: bytes | None = None
    cuts: int = 0
    down_after: bool = False
    asked: list[str] = field(default_factory=list)
    resumed: list[int] = field(default_factory=list)
    """From which byte on a file was asked for, where that was not the first."""
    address: str = ""

    @property
    def given(self) -> set[str]:
        """The files that were asked for whole or in part."""
        return {line.rpartition("/")[2] for line in self.asked if line.startswith("GET") and "/api/" not in line}


@contextmanager
def serving(files: Mapping[str, bytes]) -> Iterator[Hub]:
    """Serve a repository of these files on a free port while the context lasts."""
    hub = Hub(dict(files))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Answers as huggingface.co does, as far as its client looks."""

    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.asked.append(f"{self.command} {path}")
        api, resolve = f"/api/models/{ID}/", f"/{ID}/resolve/"
        if self.hub.is_down:
            self._refuse(503, "", "down")
        elif self.hub.answer is not None:
            self._send(200, self.hub.answer, {})
        elif path in (f"{api}revision/main", f"{api}revision/{COMMIT}"):
            self._send_json({"id": ID, "sha": COMMIT, "siblings": [{"rfilename": name} for name in self.hub.files]})
        elif path == f"{api}tree/{COMMIT}":
            self._send_json([self._entry(name) for name in self.hub.files])
        elif path.startswith(resolve):
            self._resolve(path.removeprefix(resolve).partition("/")[2])
        elif path.startswith("/elsewhere/"):
            self._send_file(path.removeprefix("/elsewhere/"))
        else:
            self._refuse(404, "RepoNotFound", "Repository not found")

    def _resolve(self, name: str) -> None:
        if self.hub.gated is not None:
            self._refuse(self.hub.gated, "GatedRepo", "Access to this model is restricted")
        elif name not in self.hub.files:
            self._refuse(404, "EntryNotFound", "Entry not found")
        elif name.endswith(LARGE):
            body = self.hub.files[name]
            self._send(302, b"", {
                "Location": f"{self.hub.address}/elsewhere/{name}", "X-Repo-Commit": COMMIT,
                "X-Linked-ETag": f'"{_etag(body)}"', "X-Linked-Size": str(len(body)),
            })  # fmt: skip
        else:
            self._send_file(name)

    def _send_file(self, name: str) -> None:
        body = self.hub.files[name]
        begin = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
        headers = {"ETag": f'"{_etag(body)}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        if begin:
            self.hub.resumed.append(begin)
            headers["Content-Range"] = f"bytes {begin}-{len(body) - 1}/{len(body)}"
        cut = self.command == "GET" and name.endswith(LARGE) and self.hub.cuts > 0
        if cut:
            self.hub.cuts -= 1
            self.hub.is_down = self.hub.down_after
        self._send(206 if begin else 200, body[begin:], headers, cut=cut)

    def _entry(self, name: str) -> dict[str, object]:
        body = self.hub.files[name]
        entry: dict[str, object] = {"type": "file", "path": name, "size": len(body), "oid": _etag(body)}
        large = {"lfs": {"oid": _etag(body), "size": len(body), "pointerSize": 134}}
        return entry | (large if name.endswith(LARGE) else {})

    def _send_json(self, content: object) -> None:
        self._send(200, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def _refuse(self, status: int, code: str, message: str) -> None:
        self._send(status, b"", {"X-Error-Code": code, "X-Error-Message": message})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str], *, cut: bool = False) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body[: len(body) // 2] if cut else body)
        self.close_connection = self.close_connection or cut


def _etag(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
