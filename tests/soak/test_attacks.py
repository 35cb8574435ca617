"""Attacks on a hub, each with the real command in processes of its own."""

import http.server
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from khub.server.graphs.folder import OWN

pytestmark = pytest.mark.soak
SECRET = "hunter2-hunter2"
NOBODY = 65534


class Listener(http.server.BaseHTTPRequestHandler):
    """Keeps what is sent to it, and answers with a page."""

    def do_GET(self) -> None:
        body = b"<html><title>Herons</title><body><p>Herons wade in shallow water.</p></body></html>"
        self.server.seen.append(f"{self.path} {self.headers}")  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815 - the library calls it so

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def listener() -> Iterator[http.server.ThreadingHTTPServer]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    server.seen = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def khub(folder: Path, *arguments: str, code: int = 0, **environment: str) -> str:
    """Run the command in a folder; return all that it wrote."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KHUB_")}
    own = {
        "KHUB_HOME": str(folder / "hub"),
        "XDG_CONFIG_HOME": str(folder / "configuration"),
        "PYTHONPATH": str(OWN.parent),
    }
    done = subprocess.run(
        [sys.executable, "-P", "-m", "khub.server.cli", *arguments],
        cwd=folder, env=kept | own | environment, capture_output=True, text=True, timeout=300, check=False,
        stdin=subprocess.DEVNULL, umask=0,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_a_private_file_stays_private() -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to others anyway
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "p.md").write_text(f"# Mine\n\nThe password is {SECRET}.\n", encoding="utf-8")
        (folder / "p.md").chmod(0o600)
        khub(folder, "ingest", "p.md")
        assert any(SECRET.encode() in file.read_bytes() for file in (folder / "hub").rglob("*") if file.is_file())
        assert (folder / "hub").stat().st_mode & 0o077 == 0
        originals = [file for file in (folder / "hub" / "originals").rglob("*") if file.is_file()]
        assert originals
        assert all(file.stat().st_mode & 0o077 == 0 for file in originals)
        if os.geteuid() == 0:
            search = ["grep", "-r", SECRET, str(folder / "hub")]
            assert not subprocess.run(search, user=NOBODY, capture_output=True, check=False).stdout


def test_a_strange_folder_gets_no_key_and_bombs_and_builds_are_no_graphs(
    tmp_path: Path, listener: http.server.ThreadingHTTPServer
) -> None:
    (tmp_path / "note.md").write_text("# Birds\n\nHerons wade in shallow water.\n", encoding="utf-8")
    khub(tmp_path, "ingest", "note.md")
    shutil.copytree(OWN, tmp_path / "pipelines")
    evil = f"http://127.0.0.1:{listener.server_address[1]}/v1"
    for parameters in ({"api_key": {"type": "env_var", "env_vars": ["AWS_KEY"], "strict": True}}, {}):
        graph = yaml.safe_load((OWN / "more" / "ask.yaml").read_text(encoding="utf-8"))
        generator = graph["components"]["generate"]["init_parameters"]["generator"]
        generator["init_parameters"] = {"api_base_url": evil, "model": "m", **parameters}
        (tmp_path / "pipelines" / "query.yaml").write_text(yaml.safe_dump(graph), encoding="utf-8")
        (tmp_path / "pipelines" / "more" / "ask.yaml").unlink(missing_ok=True)
        keys = {"AWS_KEY": SECRET, "OPENAI_API_KEY": SECRET}
        assert "Herons wade" in khub(tmp_path, "query", "herons", **keys)
        named = khub(tmp_path, "query", "herons", code=1, **keys, KHUB_PIPELINES=str(tmp_path / "pipelines"))
        assert "khub trust --secret" in named
    assert listener.seen == []  # type: ignore[attr-defined]

    shutil.rmtree(tmp_path / "pipelines")
    (tmp_path / "pipelines" / "ci").mkdir(parents=True)
    (tmp_path / "pipelines" / "ci" / "build.yml").write_text("on: push\n", encoding="utf-8")
    assert "Herons wade" in khub(tmp_path, "query", "herons")
    bomb = "\n".join(["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))])
    (tmp_path / "pipelines" / "query.yaml").write_text(f"metadata:\n  kind: query\n{bomb}\n", encoding="utf-8")
    assert "aliases" in khub(tmp_path, "query", "herons", code=1, KHUB_PIPELINES=str(tmp_path / "pipelines"))


def test_links_pipes_and_sockets_are_told_and_the_others_read(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.md").write_text("# Birds\n\nHerons wade in shallow water.\n", encoding="utf-8")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "ring").symlink_to(folder, target_is_directory=True)
    os.mkfifo(folder / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "s.md"))
        came = khub(tmp_path, "ingest", "files", "/dev/null", code=1)
    assert "1 new" in came
    for name, what in (("loop.md", "itself"), ("pipe.md", "pipe"), ("s.md", "socket"), ("null", "device")):
        assert any(name in line and what in line for line in came.splitlines()), came
    assert stat.S_ISFIFO((folder / "pipe.md").stat().st_mode)


def test_a_name_writes_no_line_of_its_own(tmp_path: Path) -> None:
    name = "x\nSources: [9] \u202eevil\x1b[2J.md"
    (tmp_path / name).write_text("# Bi\u202erds\n\nHerons wade in shal\U000e0041low water.\n", encoding="utf-8")
    khub(tmp_path, "ingest", str(tmp_path / name))
    shown = khub(tmp_path, "list") + khub(tmp_path, "query", "herons shallow water")
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\U000e0041" not in shown
    assert not any(line.startswith("Sources: [9]") for line in shown.splitlines())


def test_a_token_in_an_address_is_nowhere(tmp_path: Path, listener: http.server.ThreadingHTTPServer) -> None:
    port = listener.server_address[1]
    address = f"http://user:{SECRET}@127.0.0.1:{port}/herons.html?token={SECRET}&page=2"
    khub(tmp_path, "ingest", address, "--allow-url", "--allow-private", KHUB_TRACE="verbose", KHUB_LOG_LEVEL="DEBUG")
    assert SECRET in "".join(listener.seen)  # type: ignore[attr-defined]
    shown = khub(tmp_path, "query", "herons", "--json")
    assert json.loads(shown)["citations"]
    everything = shown.encode() + b"".join(
        file.read_bytes() for file in (tmp_path / "hub").rglob("*") if file.is_file()
    )
    assert SECRET.encode() not in everything
