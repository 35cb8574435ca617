"""What make does before there is anything but a Python."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
PYTHON = """\
#!/bin/sh
echo "$@" >> ran
case "$*" in
*version_info*) exit $OLD ;;
*ensurepip*) exit $BARE ;;
*"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
*"-m pip install"*) exit $OFFLINE ;;
esac
"""


@pytest.fixture
def make(tmp_path, needs_program):
    """Return a function that runs make in a folder whose Python notes what it is asked for, in the file `ran`."""
    needs_program("make", "make")
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "python").write_text(PYTHON, encoding="utf-8")
    (tmp_path / "python").chmod(0o755)

    def run(*targets, **answers):
        (tmp_path / "ran").unlink(missing_ok=True)
        outer = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # if make runs this
        environment = {**outer, "OLD": "0", "BARE": "0", "OFFLINE": "0", **answers}
        command = ["make", f"PYTHON={tmp_path / 'python'}", *targets]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        ran = tmp_path / "ran"
        done.ran = ran.read_text(encoding="utf-8").splitlines() if ran.exists() else []
        return done

    return run


def installs(done):
    return [line for line in done.ran if "pip install" in line]


def test_help_names_every_target(make):
    [phony] = [line for line in (ROOT / "Makefile").read_text("utf-8").splitlines() if line.startswith(".PHONY:")]
    assert [line.split()[0] for line in make().stdout.splitlines()] == phony.split()[1:]


def test_packages_are_installed_once_for_each_set_of_extras_and_again_after_a_change(make, tmp_path):
    first = make("lint")
    assert first.returncode == 0
    assert "-e .[test] -c constraints.txt" in installs(first)[0]
    assert first.ran[-1] == "-m mypy"
    assert installs(make("lint", "fmt")) == []
    assert ".[test,eval,ocr]" in installs(make("gate"))[0]
    os.utime(tmp_path / "constraints.txt")
    assert len(installs(make("lint"))) == 1


def test_a_failed_install_is_no_install(make):
    assert make("lint", OFFLINE="1").returncode != 0
    assert len(installs(make("lint"))) == 1


@pytest.mark.parametrize(("lack", "said"), [("OLD", "no Python 3.11 or newer"), ("BARE", "no venv and ensurepip")])
def test_a_python_that_will_not_do_is_told_in_one_line(make, lack, said):
    done = make("demo", **{lack: "1"})
    assert done.returncode != 0
    assert [said in line for line in done.stderr.splitlines() if not line.startswith("make")] == [True]
    assert installs(done) == []


def test_the_tests_of_the_optional_parts_do_not_repeat_the_others(make):
    done = make("test", "test-all")
    all_but, *others = [line for line in done.ran if "not soak" in line]
    assert "--cov-fail-under=80" in all_but
    later = [word.removeprefix("--ignore=") for word in all_but.split() if word.startswith("--ignore=")]
    assert {"tests/eval/lab", "tests/dashboard/browser"} <= set(later) <= set(" ".join(others).split())
