"""A web server on this machine that serves files as told, and misbehaves as told."""

import contextlib
import io
import re
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MTX = b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 1.0\n"


@dataclass(frozen=True)
class Request:
    """What a client asked for."""

    path: str
    range: str | None
    if_range: str | None
    agent: str


class Handler(BaseHTTPRequestHandler):
    """Answers each request with the next of the script, and well once that is used up."""

    protocol_version = "HTTP/1.1"
    site: "Site"

    def do_GET(self) -> None:
        told = self.headers
        request = Request(self.path, told["Range"], told["If-Range"], told["User-Agent"])
        with self.site.lock:
            self.site.requests.append(request)
            behaviour = self.site.script.pop(0) if self.site.script else well
        self.close_connection = True
        with contextlib.suppress(ConnectionError):
            behaviour(self, self.site.files.get(self.path))

    def begin(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()

    def validators(self) -> dict[str, str]:
        return {"ETag": self.site.etag} if self.site.etag else {}

    def log_message(self, format: str, *args: object) -> None:
        pass


Behaviour = Callable[[Handler, bytes | None], None]


@dataclass
class Site:
    """url : of the server. files : path to content. script : how to answer the next requests. requests :
    all that came."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    script: list[Behaviour] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    etag: str = '"1"'
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def ranges(self) -> list[str | None]:
        return [request.range for request in self.requests]


@contextlib.contextmanager
def serving() -> Iterator[Site]:
    """A server until the end of the block."""
    site = Site()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Scripted", (Handler,), {"site": site}))
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


def well(handler: Handler, body: bytes | None) -> None:
    """As a good server does: length, validator, ranges."""
    _serve(handler, body, None)


def _serve(handler: Handler, body: bytes | None, sent: int | None) -> None:
    """sent : bytes of what is announced that come, None for all."""
    if body is None:
        return refused(404)(handler, body)
    asked = re.fullmatch(r"bytes=([0-9]+)-", handler.headers.get("Range", ""))
    if handler.headers.get("If-Range", handler.site.etag) != handler.site.etag:
        asked = None
    first = int(asked[1]) if asked else 0
    if first and first >= len(body):
        return refused(416, Content_Range=f"bytes */{len(body)}")(handler, body)
    headers = {"Content-Length": str(len(body) - first), **handler.validators()}
    if asked:
        headers["Content-Range"] = f"bytes {first}-{len(body) - 1}/{len(body)}"
    handler.begin(206 if asked else 200, headers)
    handler.wfile.write(body[first:][:sent])
    return None


def answered(status: int, data: bytes, **headers: str) -> Behaviour:
    """With that, whatever was asked for. A header's name is written with _ for -."""

    def behave(handler: Handler, body: bytes | None) -> None:
        written = {name.replace("_", "-"): value for name, value in headers.items()}
        handler.begin(status, {"Content-Length": str(len(data)), **written})
        handler.wfile.write(data)

    return behave


def refused(status: int, **headers: str) -> Behaviour:
    """With that status and a page that says so."""
    return answered(status, b"<html>no</html>", **{"Content-Type": "text/html", **headers})


def noting(sent: list[str | None], behaviour: Behaviour) -> Behaviour:
    """The same, and what the request says of who asks is added to `sent`."""

    def behave(handler: Handler, body: bytes | None) -> None:
        sent.append(handler.headers["Authorization"])
        behaviour(handler, body)

    return behave


def cut(sent: int) -> Behaviour:
    """`sent` bytes of what is announced come, then the connection closes."""
    return lambda handler, body: _serve(handler, body, sent)


def stalled(sent: int, seconds: float) -> Behaviour:
    """`sent` bytes come, then nothing for so long."""

    def behave(handler: Handler, body: bytes | None) -> None:
        cut(sent)(handler, body)
        handler.wfile.flush()
        time.sleep(seconds)

    return behave


def held(sent: int, until: threading.Event) -> Behaviour:
    """`sent` bytes come, then nothing before the event."""

    def behave(handler: Handler, body: bytes | None) -> None:
        cut(sent)(handler, body)
        handler.wfile.flush()
        until.wait(60)

    return behave


def dripping(step: int, seconds: float) -> Behaviour:
    """`step` bytes at a time, so many seconds apart."""

    def behave(handler: Handler, body: bytes | None) -> None:
        assert body is not None
        handler.begin(200, {"Content-Length": str(len(body)), **handler.validators()})
        for start in range(0, len(body), step):
            handler.wfile.write(body[start : start + step])
            handler.wfile.flush()
            time.sleep(seconds)

    return behave


def no_length(handler: Handler, body: bytes | None) -> None:
    """The end of the connection is the end of the file."""
    assert body is not None
    handler.begin(200, {})
    handler.wfile.write(body)


def no_range(handler: Handler, body: bytes | None) -> None:
    """Ranges are ignored."""
    assert body is not None
    handler.begin(200, {"Content-Length": str(len(body))})
    handler.wfile.write(body)


def archive(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """A .tar.gz."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for member, data in members:
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def regular(name: str, data: bytes = MTX) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    return member, data


def special(name: str, kind: bytes, target: str = "/etc/passwd") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member, b""
