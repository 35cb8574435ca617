"""The PDF reader is a closed folder: others use what it names, and nothing else of it."""

import ast
import inspect

import pytest

import khub.components.converters.pdf as reader
from tests.conftest import ROOT

pytestmark = pytest.mark.unit

INSIDE = reader.__name__
OWN = ("components/converters/pdf/", "tests/components/converters/pdf/")


def imported(file):
    """The names of the reader that a file imports, each with its module."""
    text = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text if INSIDE in text else "")):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{INSIDE}."):
            yield from ((node.module, name.name) for name in node.names)
        elif isinstance(node, ast.Import):
            yield from ((name.name, "") for name in node.names if name.name.startswith(f"{INSIDE}."))


def test_nobody_reaches_inside():
    files = [
        file
        for folder in ("components", "server", "eval", "tests", "docs")
        for file in (ROOT / folder).rglob("*.py")
        if not file.relative_to(ROOT).as_posix().startswith(OWN)
    ]
    used = [(file.name, *found) for file in files for found in imported(file)]
    assert [one for one in used if one[1] != INSIDE or one[2] not in reader.__all__] == []
    assert {name for _, _, name in used} >= {"read_pdf", "read_share"}


def test_it_has_two_functions():
    assert [n for n in reader.__all__ if inspect.isfunction(getattr(reader, n))] == ["read_pdf", "read_share"]
