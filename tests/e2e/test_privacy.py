"""Private documents stay here: no connection is tried, and nothing is written but the hub's own folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "HOME",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
)
WINDOWS_FOLDERS = {"USERPROFILE": "HOME", "APPDATA": "HOME", "LOCALAPPDATA": "HOME", "TEMP": "TMPDIR", "TMP": "TMPDIR"}
KEPT = ("PATH", "SYSTEMROOT", "LANG")
GUARD = """\
import os, sys

NAMES = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
CONNECTIONS = {"socket.connect", "socket.sendto", "socket.sendmsg"}

def refuse(event, arguments):
    if event in CONNECTIONS and isinstance(arguments[1], tuple):
        tried = arguments[1]
    elif event in NAMES and arguments[0]:
        tried = arguments[0]
    else:
        return
    with open(os.environ["GUARD_LOG"], "a", encoding="utf-8") as log:
        log.write(f"{os.getpid()} {event} {tried}\\n")
    raise OSError(f"the guard refuses {event}")

with open(os.environ["GUARD_LOG"], "a", encoding="utf-8") as log:
    log.write(f"guarded {os.getpid()}\\n")
sys.addaudithook(refuse)
"""


class Sandbox:
    """Runs Python with empty folders all around and without a network; tells what was tried and written."""

    def __init__(self, root: Path) -> None:
        self.log = root / "guard.log"
        self.cwd = root / "cwd"
        self.hub = root / "hub"
        self.folders = {name: root / name.lower() for name in FOLDERS}
        guard = root / "guard" / "sitecustomize.py"
        for folder in (self.cwd, guard.parent, *self.folders.values()):
            folder.mkdir()
        guard.write_text(GUARD, encoding="utf-8")
        self.environment = {
            **{name: os.environ[name] for name in KEPT if name in os.environ},
            **{name: str(folder) for name, folder in self.folders.items()},
            **{name: str(self.folders[folder]) for name, folder in WINDOWS_FOLDERS.items()},
            "KHUB_HOME": str(self.hub),
            "KHUB_PIPELINES": str(ROOT / "pipelines"),
            "PYTHONPATH": os.pathsep.join((str(guard.parent), str(ROOT))),
            "PYTHONUTF8": "1",
            "GUARD_LOG": str(self.log),
        }

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*no_network(), sys.executable, *arguments]
        return subprocess.run(
            command,
            cwd=self.cwd,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    def guarded(self) -> int:
        return sum(line.startswith("guarded ") for line in self._lines())

    def tried(self) -> list[str]:
        return [line for line in self._lines() if not line.startswith("guarded ")]

    def written(self) -> list[str]:
        return [str(path) for folder in (self.cwd, *self.folders.values()) for path in folder.rglob("*")]

    def _lines(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines()


def no_network() -> list[str]:
    """The command prefix that takes the network away, where the system allows it; the guard is everywhere."""
    unshare = shutil.which("unshare")
    if not sys.platform.startswith("linux") or not unshare:
        return []
    prefix = [unshare, "--map-root-user", "--net"]
    return prefix if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0 else []


@pytest.fixture
def sandbox(tmp_path):
    return Sandbox(tmp_path)


@pytest.mark.parametrize(
    "attempt",
    [
        "socket.create_connection(('127.0.0.1', 9), timeout=1)",
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))",
        "socket.gethostbyname('telemetry.example')",
        "__import__('urllib.request').request.urlopen('http://192.0.2.1/', timeout=1)",
    ],
)
def test_the_guard_sees_what_is_tried(attempt, sandbox):
    done = sandbox.python("-c", f"import socket; {attempt}")
    assert done.returncode == 1
    assert "the guard refuses" in done.stderr
    assert len(sandbox.tried()) == 1
    assert sandbox.guarded() == 1


def test_the_snapshot_sees_what_is_written(sandbox):
    code = "import tempfile, pathlib; tempfile.mkstemp(); (pathlib.Path.home() / 'x').touch(); open('y', 'w').close()"
    assert sandbox.python("-c", code).returncode == 0
    assert len(sandbox.written()) == 3


@pytest.fixture
def samples(tmp_path):
    """The small samples, with others of the handbook so that every format is there."""
    folder = tmp_path / "samples"
    folder.mkdir()
    shipped = ROOT / "eval" / "samples"
    others = ("why-hybrid-zh.pptx", "glossary-en.csv", "example_component.py")
    for file in (*(path for path in shipped.iterdir() if path.is_file()), *(shipped / "handbook" / o for o in others)):
        shutil.copy(file, folder)
    kinds = {path.suffix for path in folder.iterdir()}
    assert kinds == {path.suffix for path in shipped.rglob("*") if path.is_file()}
    return folder


def test_ingest_and_query_stay_in_the_hub(sandbox, samples):
    commands = [
        ["ingest", str(samples), "--collection", "private"],
        ["query", "What does error code E-4012 mean?", "--collection", "private"],
        ["query", "P6 员工去上海出差，住宿标准是每晚多少？", "--collection", "private"],
        ["doctor"],
        ["delete", "--collection", "private", "--yes"],
    ]
    answers = []
    for command in commands:
        done = sandbox.python("-m", "khub.server.cli", *command)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        answers.append(done.stdout)
    assert "ember-300-operator-manual-en.pdf" in answers[1]
    assert "travel-policy-zh.pdf" in answers[2]
    assert sandbox.guarded() > len(commands)  # the converters' process has the guard as well
    assert sandbox.tried() == []
    assert sandbox.written() == []
    assert any(sandbox.hub.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="a folder has the rights of the one around it there")
def test_no_other_user_can_read_what_the_command_writes(sandbox, tmp_path):
    def open_to_others():
        return [path for path in (sandbox.hub, *sandbox.hub.rglob("*")) if path.stat().st_mode & 0o077]

    note = tmp_path / "p.md"
    note.write_text("# Wages\n\nThe wages of all of us.\n", encoding="utf-8")
    commands = [["ingest", str(note)], ["query", "wages"]]
    before = os.umask(0)
    try:
        assert [sandbox.python("-m", "khub.server.cli", *command).returncode for command in commands] == [0, 0]
        assert open_to_others() == []
        for path in (sandbox.hub, *sandbox.hub.rglob("*")):
            path.chmod(0o755)
        said = [sandbox.python("-m", "khub.server.cli", "query", "wages").stderr for _ in range(2)]
    finally:
        os.umask(before)
    assert said[0].startswith("khub: the hub in ")
    assert (said[0].count("\n"), said[1]) == (1, "")
    assert open_to_others() == []
