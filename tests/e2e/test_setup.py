"""The parts of `python -m server.setup` that need no network."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from server import setup

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environment(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]", encoding="utf-8")
    (tmp_path / "constraints.txt").write_text("rich==1", encoding="utf-8")
    return setup.Environment(tmp_path)


@pytest.fixture
def commands(environment, monkeypatch):
    """Record commands instead of running them; `python -m venv` leaves a file where its Python would be."""
    ran = []
    statuses = {}

    def run(command, folder, quiet=False):
        ran.append([str(part) for part in command])
        if "venv" in command:
            environment.python.parent.mkdir(parents=True, exist_ok=True)
            environment.python.touch()
        return next((status for word, status in statuses.items() if word in command), 0)

    monkeypatch.setattr(setup, "run", run)
    monkeypatch.setattr(setup.Environment.__init__, "__defaults__", (environment.root,))
    run.ran, run.statuses = ran, statuses
    return run


def test_first_install_makes_the_environment_and_the_second_does_nothing(environment, commands):
    environment.install()
    make, install = commands.ran
    assert make == [sys.executable, "-m", "venv", "--clear", str(environment.folder)]
    assert install[:4] == [str(environment.python), "-m", "pip", "install"]
    assert install[-4:] == ["--editable", ".", "--constraint", "constraints.txt"]
    commands.ran.clear()
    environment.install()
    assert commands.ran == []


def test_an_installation_says_what_it_does_before_it_begins_and_how_long_it_took(environment, monkeypatch):
    order = []
    monkeypatch.setattr(setup, "say", order.append)
    monkeypatch.setattr(
        setup, "run", lambda *_, **__: order.append("ran") or environment.folder.mkdir(exist_ok=True) or 0
    )
    environment.install()
    text = " ".join(order)
    assert text.startswith(
        "Installing knowledge-hub and the libraries that it needs into .venv. This takes about a min"
    )
    assert re.fullmatch(r"Installed in \d+ s\.", order[-1])
    assert order.count("ran") == 2
    order.clear()
    environment.python.parent.mkdir(parents=True, exist_ok=True)
    environment.python.touch()
    environment.install()
    assert order == []


def test_extras_stay_installed(environment, commands):
    environment.install(["test"])
    environment.install(["ocr", "eval"])
    assert ".[eval,ocr,test]" in commands.ran[-1]
    commands.ran.clear()
    environment.install(["test"])
    environment.install()
    assert commands.ran == []
    assert environment.installed_extras() == {"test", "ocr", "eval"}


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_change_installs_again_with_the_extras_of_before(name, environment, commands):
    environment.install(["test"])
    (environment.root / name).write_text("changed", encoding="utf-8")
    assert environment.installed_extras() is None
    commands.ran.clear()
    environment.install()
    assert commands.ran[0][-2:] == ["pip", "--version"]
    assert ".[test]" in commands.ran[1]
    assert environment.installed_extras() == {"test"}


def test_another_folder_or_a_lost_python_installs_again(environment, commands, tmp_path_factory):
    environment.install()
    moved = tmp_path_factory.mktemp("moved") / "hub"
    environment.root.rename(moved)
    assert setup.Environment(moved).installed_extras() is None
    moved.rename(environment.root)
    assert environment.installed_extras() == set()
    environment.python.unlink()
    commands.ran.clear()
    environment.install()
    assert "--clear" in commands.ran[0]


def test_a_failed_install_is_no_install(environment, commands):
    environment.install()
    commands.statuses["--editable"] = 1
    with pytest.raises(setup.SetupError, match="pip could not install"):
        environment.install(["test"])
    assert environment.installed_extras() is None


def test_an_environment_without_pip_is_mended_not_cleared(environment, commands):
    environment.python.parent.mkdir(parents=True)
    environment.python.touch()
    commands.statuses["--version"] = 1
    environment.install()
    assert commands.ran[1] == [sys.executable, "-m", "venv", str(environment.folder)]
    commands.statuses["venv"] = 1
    environment.stamp.write_text("no JSON", encoding="utf-8")
    with pytest.raises(setup.SetupError, match="cannot create"):
        environment.install()


def test_python_without_venv(environment, commands, monkeypatch, capsys):
    monkeypatch.setattr(setup.importlib.util, "find_spec", lambda name: None if name == "ensurepip" else name)
    assert setup.main(["install"]) == 1
    errors = capsys.readouterr().err
    assert "has no venv and ensurepip modules" in errors
    assert errors.count("\n") == 1
    assert commands.ran == []


@pytest.mark.parametrize(
    ("version", "fine"), [((3, 10, 9), False), ((2, 7), False), ((3, 11, 0), True), ((4, 0), True)]
)
def test_age_of_python(version, fine):
    if fine:
        setup.check_python(version)
        return
    with pytest.raises(setup.SetupError, match=rf"Python {version[0]}\.{version[1]} is too old: use 3\.11"):
        setup.check_python(version)


def test_demo_asks_in_order_and_stops_at_the_first_failure(environment, commands, capsys):
    assert setup.main(["demo"]) == 0
    asked = [command[3:] for command in commands.ran if "server.cli" in command]
    assert asked[0] == ["ingest", "eval/samples", "--collection", "demo"]
    assert [question[:2] for question in asked[1:]] == [["query", question] for question in setup.DEMO_QUESTIONS]
    assert all(question[2:4] == ["--collection", "demo"] for question in asked[1:])
    assert "$ khub query 'What does error code E-4012 mean?' --collection demo" in capsys.readouterr().out
    commands.ran.clear()
    commands.statuses["ingest"] = 3
    assert setup.main(["demo"]) == 3
    assert len(commands.ran) == 1


def test_lint_runs_all_and_tells_the_first_failure(environment, commands):
    commands.statuses.update({"--check": 4, "mypy": 5})
    assert setup.main(["lint"]) == 4
    assert [command[2:] for command in commands.ran[-3:]] == [list(linter) for linter in setup.LINTERS]
    assert any(".[test]" in command for command in commands.ran)


def test_tests_come_behind_clean_linters_and_want_coverage(environment, commands):
    assert setup.main(["test"]) == 0
    assert {"pytest", "not soak", "--cov-fail-under=80"} <= set(commands.ran[-1])
    commands.ran.clear()
    commands.statuses["mypy"] = 1
    assert setup.main(["test"]) == 1
    assert not any("pytest" in command for command in commands.ran)


def test_pytest_arguments_pass_through(environment, commands):
    commands.statuses["pytest"] = 5
    assert setup.main(["test", "-m", "unit", "tests/server", "-x"]) == 5
    assert commands.ran[-1] == [str(environment.python), "-m", "pytest", "-m", "unit", "tests/server", "-x"]


def test_install_extras_on_the_command_line(environment, commands):
    assert setup.main(["install", "--extras", "test,ocr"]) == 0
    assert ".[ocr,test]" in commands.ran[-1]
    with pytest.raises(SystemExit):
        setup.main(["demo", "--extras", "test"])


def test_a_command_runs_in_the_folder_and_its_status_comes_back(tmp_path):
    assert setup.run([sys.executable, "-c", "import sys; open('x', 'w').close(); sys.exit(7)"], tmp_path) == 7
    assert (tmp_path / "x").exists()


def test_it_needs_nothing_installed():
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); import server.setup"]
    assert subprocess.run(command, check=False).returncode == 0
