"""Temporary files of a program lie in the hub and go with it, however it ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OWN = """
import os, sqlite3, subprocess, sys, tempfile
from pathlib import Path
from khub.components.temporary_files import temporary_files_in
with temporary_files_in(Path(sys.argv[1])):
    print(tempfile.mkdtemp())
    print(os.environ["SQLITE_TMPDIR"])
    child = "import tempfile; print(tempfile.gettempdir())"
    print(subprocess.check_output([sys.executable, "-c", child], text=True).strip())
    sys.stdout.flush()
    if len(sys.argv) > 2:
        sys.stdin.read()
"""
pytestmark = pytest.mark.integration


def started(home, *arguments):
    command = [sys.executable, "-c", OWN, str(home), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def test_files_lie_in_the_hub_and_go_with_the_program(tmp_path):
    home = tmp_path / "home"
    said, _ = started(home).communicate(timeout=60)
    assert all(Path(line).is_relative_to(home / "tmp") for line in said.split())
    assert not home.exists()  # no hub was made


def test_what_a_killed_program_left_goes_and_what_a_living_one_has_stays(tmp_path):
    (tmp_path / "catalog.sqlite3").touch()
    living, killed = started(tmp_path, "wait"), started(tmp_path, "wait")
    try:
        of_living, of_killed = (Path(one.stdout.readline().strip()) for one in (living, killed))
        killed.kill()
        killed.wait(30)
        assert of_killed.is_dir()
        started(tmp_path).communicate(timeout=60)
        assert not of_killed.parent.exists()
        assert of_living.is_dir()
    finally:
        for one in (living, killed):
            one.communicate(timeout=30)
    assert [path.name for path in tmp_path.iterdir()] == ["catalog.sqlite3"]


@pytest.mark.e2e
def test_a_command_keeps_its_temporary_files_in_the_hub(tmp_path):
    (tmp_path / "hub").mkdir()
    program = "import os, sys; sys.argv[1:] = ['list']\nimport khub.components.catalog.catalog as of\n"
    program += "opened = of.open_catalog\n"
    program += "of.open_catalog = lambda: (print(os.environ['SQLITE_TMPDIR']), opened())[1]\n"
    program += "from khub.server.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "KHUB_HOME": str(tmp_path / "hub")}
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert Path(said.stdout.split()[0]).is_relative_to(tmp_path / "hub" / "tmp")
    assert not list(tmp_path.glob("hub/tmp/*"))
