"""Commands that other packages add by entry points."""

import importlib.metadata
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from typing import Annotated

import pytest
import typer

pytestmark = pytest.mark.integration


def greet(name: str, loud: Annotated[bool, typer.Option("--loud", help="With an exclamation mark.")] = False) -> None:
    """Greet somebody."""
    typer.echo(f"hello {name}{'!' if loud else ''}")


@pytest.fixture
def add(monkeypatch):
    """Return a function that adds entry points of the group; without a call there are none."""
    entries = []
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [e for e in entries if e.group == group])
    monkeypatch.setitem(sys.modules, "added_for_a_test", sys.modules[__name__])

    def add(name, value="added_for_a_test:greet", group="khub.commands"):
        entries.append(EntryPoint(name, value, group))

    return add


def test_an_added_command_runs_and_is_in_the_help(khub, add):
    add("model.greet")
    assert khub("model", "greet", "you", "--loud").stdout == "hello you!\n"
    help_text = khub("model", "-h").stdout
    assert help_text.index("card") < help_text.index("greet")
    assert "Greet somebody." in help_text
    assert "exclamation" in khub("model", "greet", "-h").stdout


@pytest.mark.parametrize(("name", "group"), [("trace.greet", "khub.commands"), ("greet", "khub.commands"),
                                             ("model.greet", "console_scripts")])  # fmt: skip
def test_others_are_not_added_to_the_group(khub, add, name, group):
    add(name, group=group)
    assert khub("model", "greet", "you").exit_code == 2
    assert "greet" not in khub("model", "-h").stdout


def test_no_package_replaces_a_command_of_the_hub(khub, add):
    add("model.card")
    assert "hello" not in khub("model", "card", "you").output
    assert khub("model", "-h").stdout.count("  card") == 1


@pytest.mark.parametrize("value", ["no_such_package_here:greet", "added_for_a_test:absent"])
def test_a_command_that_cannot_be_loaded_is_named(khub, add, value):
    add("model.greet", value)
    result = khub("model", "greet", "you")
    assert result.exit_code == 1
    assert "'model.greet'" in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_evaluation_is_added_by_the_installed_package(khub):
    assert "--compare" in khub("model", "eval", "-h").stdout


def test_other_commands_do_not_look_for_added_ones():
    code = (
        "import sys, khub.server.cli\n"
        "sys.exit(' '.join(m for m in ('importlib.metadata', 'eval', 'numpy', 'haystack') if m in sys.modules) or 0)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # -S: installed packages may import more
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_added_command_stands_beside_the_hubs_own(khub, add):
    add("khub.greet")
    assert khub("greet", "you").stdout == "hello you!\n".replace("!", "")
    assert "Greet somebody." in khub("-h").stdout
