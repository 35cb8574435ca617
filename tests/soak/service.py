"""`khub serve` in a process of its own over a hub of its own, its memory watched and its figures written down."""

import contextlib
import itertools
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

from khub.components.home import hub_home
from khub.eval.bench.attacks import FIGURES
from khub.eval.bench.corpus import Corpus
from khub.server.library.ingest import ingest

ROOT = Path(__file__).parents[2]
READ, WRITE = "reading", "writing"
BOUNDARY = "cut-here"
FORM = f"multipart/form-data; boundary={BOUNDARY}"
END = f"\r\n--{BOUNDARY}--\r\n".encode()
JOB_ENDED = ("finished", "failed", "cancelled")
WRITTEN_BESIDE = ("here", "temp", "user")


@dataclass
class Service:
    """A service that is ready.

    :param folder: that of the test; in it lie the log, and the folders that must stay empty.
    """

    folder: Path
    process: "subprocess.Popen[bytes]"
    port: int

    def client(self, token: str = WRITE, **options: Any) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"}
        given = {"timeout": 120, "verify": False, **options}  # certificates would be read for nothing, and take long
        return httpx.Client(base_url=f"http://127.0.0.1:{self.port}", headers=headers, **given)

    def head(self, method: str, path: str, *lines: str, token: str = WRITE) -> bytes:
        """Return what a client sends before a body."""
        fixed = (f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Authorization: Bearer {token}")
        return "\r\n".join((*fixed, *lines, "", "")).encode()

    def connect(self, first: bytes = b"") -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        connection.sendall(first)
        return connection

    def refuses(self) -> bool:
        try:
            self.connect().close()
        except ConnectionError:
            return True
        return False

    def written_beside(self) -> list[str]:
        """Return what lies outside of the hub's own folder."""
        return [str(path) for name in WRITTEN_BESIDE for path in (self.folder / name).rglob("*")]

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)


@contextlib.contextmanager
def serving(folder: Path, *options: str, **environment: str) -> Iterator[Service]:
    """Run `khub serve` over the hub of this process, from an empty folder and with an empty one for temporary files."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    here, temp, user = (folder / name for name in WRITTEN_BESIDE)
    for empty in (here, temp, user):
        empty.mkdir(exist_ok=True)
    own = {"PYTHONPATH": str(ROOT), "TMPDIR": str(temp), "HOME": str(user), "KHUB_HOME": str(hub_home()),
           "KHUB_TOKEN": READ, "KHUB_WRITE_TOKEN": WRITE, "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip
    command = [sys.executable, "-m", "khub.server.cli", "serve", "--port", str(port), *options]
    with (folder / "service.log").open("ab") as log:
        process = subprocess.Popen(command, cwd=here, env={**os.environ, **own, **environment}, stdout=log, stderr=log)
    service = Service(folder, process, port)
    try:
        with service.client() as client:
            until(lambda: not service.refuses() and client.get("/readyz").status_code == 200, 90)
        yield service
    finally:
        left = service.children() if process.poll() is None else []
        for one in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        process.kill()
        process.wait(30)


def fill(folder: Path, count: int = 40) -> Callable[[], str]:
    """Ingest generated documents into the collection `default`; return what gives questions about them."""
    files, corpus = folder / "files", Corpus("en", seed=3)
    files.mkdir()
    for number in range(count):
        (files / f"{number}.md").write_text(corpus.document(3000), encoding="utf-8")
    assert len(ingest([str(files)], graph_name="ingest_fast").written) == count
    return corpus.question


def until(true: Callable[[], Any], patience_s: float = 60) -> None:
    deadline = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.02)


def part(name: str, field_name: str = "files") -> bytes:
    """Return what a file of a form begins with."""
    disposition = f'form-data; name="{field_name}"' + (f'; filename="{name}"' if name else "")
    return f"\r\n--{BOUNDARY}\r\nContent-Disposition: {disposition}\r\n\r\n".encode()


def form_field(name: str, value: str) -> bytes:
    return part("", name) + value.encode()


def body(*parts: bytes | Iterator[bytes]) -> Iterator[bytes]:
    """Yield a form whose files go through the fast graph."""
    yield form_field("graph", "ingest_fast")
    for one in parts:
        yield from [one] if isinstance(one, bytes) else one
    yield END


def send(client: httpx.Client, *parts: bytes | Iterator[bytes]) -> httpx.Response:
    return client.post("/documents", content=body(*parts), headers={"Content-Type": FORM})


def ended(client: httpx.Client, reply: httpx.Response, patience_s: float = 120) -> dict[str, Any]:
    """Wait until the job of an upload has ended; return it."""
    assert reply.status_code == 202, reply.text
    return ended_job(client, reply.headers["location"], patience_s)


def ended_job(client: httpx.Client, address: str, patience_s: float = 120) -> dict[str, Any]:
    job = dict[str, Any]()

    def has_ended() -> bool:
        job.update(client.get(address).json())
        return job["state"] in JOB_ENDED

    until(has_ended, patience_s)
    return job


def incoming() -> list[str]:
    """Return the folders of uploads that have not come whole."""
    folder = hub_home() / "incoming"
    return [path.name for path in folder.glob("*") if path.is_dir()]


def sent(connection: socket.socket, blocks: Iterator[bytes], chunked: bool) -> tuple[int, int]:
    """Send a body until it ends or is answered; return the status and how many bytes went out by then.

    A client that reads only when it has sent everything would not see how early it was refused.
    """
    count = 0
    for block in blocks:
        connection.sendall(b"%x\r\n%b\r\n" % (len(block), block) if chunked else block)
        count += len(block)
        if select.select([connection], [], [], 0)[0]:
            break
    else:
        connection.sendall(b"0\r\n\r\n" if chunked else b"")
    return status_of(connection), count


def status_of(connection: socket.socket) -> int:
    """Return the status of the answer that comes; 0 where the connection ends without."""
    with contextlib.suppress(ConnectionError):
        line = connection.recv(65536).split(b" ")
        return int(line[1]) if len(line) > 1 else 0
    return 0


@dataclass(frozen=True)
class Asked:
    """A question that was asked.

    :param status: 0 where the connection was refused, or ended before there was any answer.
    """

    began: float
    status: int
    text: str = ""


@contextlib.contextmanager
def asking(
    service: Service, clients: int, question: Callable[[], str], until_refused: bool = False
) -> Iterator[list[Asked]]:
    """Let so many clients ask one question after the other while the block runs; each over connections of its own.

    :param until_refused: let a client end where nobody answers, in place of failing.
    """
    asked, stopped = list[Asked](), threading.Event()
    questions = [question() for _ in range(200)]

    def ask(number: int) -> None:
        for query in itertools.islice(itertools.cycle(questions), number * 10, None):
            if stopped.is_set():
                return
            began = time.monotonic()
            try:
                with service.client() as client:
                    reply = client.post("/query/run", json={"query": query})
                asked.append(Asked(began, reply.status_code, reply.text))
            except httpx.TransportError as error:
                asked.append(Asked(began, 0, str(error)))
                if until_refused:
                    return

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield asked
    finally:
        stopped.set()
        for thread in threads:
            thread.join(60)


def note(attack: str, measured: str, bar: str) -> None:
    """Write a figure down.

    :param bar: what it is held to; the test has held it.
    """
    test = os.environ["PYTEST_CURRENT_TEST"].partition(" ")[0]
    row = {"attack": attack, "measured": measured, "bar": bar, "test": test}
    if os.environ.get(FIGURES):
        with Path(os.environ[FIGURES]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    sys.stdout.write(f"\n{attack}: {measured} ({bar})\n")
