"""No two folders import each other, and no files in a circle."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[1]
PACKAGES = ("components", "server", "dashboard", "eval")
LAYERS = {"components": set(), "server": {"components"}, "dashboard": {"components", "server", "eval"}}
FILES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts): file
    for name in PACKAGES
    for file in (ROOT / name).rglob("*.py")
}


def imported(module: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(FILES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in (f"{node.module}.{alias.name}" for alias in node.names):
                found = name.removeprefix("khub.")
                yield found if found in FILES else found.rpartition(".")[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name.removeprefix("khub.") for alias in node.names)


IMPORTS = {module: {name for name in imported(module) if name in FILES and name != module} for module in FILES}


def folder_of(module: str) -> str:
    """Return the first folder below the package; a file at its root is a folder of its own."""
    parts = module.split(".")
    return ".".join(parts[:2])


@pytest.mark.parametrize("package", PACKAGES)
def test_no_two_folders_import_each_other(package):
    pairs = {
        (folder_of(module), folder_of(name))
        for module, names in IMPORTS.items()
        for name in names
        if folder_of(module) != folder_of(name) and module.startswith(f"{package}.")
    }
    assert [pair for pair in sorted(pairs) if pair[::-1] in pairs] == []


def test_no_files_import_each_other_in_a_circle():
    try:
        TopologicalSorter(IMPORTS).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("package", LAYERS)
def test_imports_go_one_way(package):
    roots = {
        name.split(".")[0] for module, names in IMPORTS.items() if module.startswith(f"{package}.") for name in names
    }
    assert roots - {package} <= LAYERS[package]
