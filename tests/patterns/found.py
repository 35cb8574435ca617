"""Every regular expression of the product, and how the code goes through a text with it."""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDERS = ("components", "server", "dashboard", "eval")
NOT_SHIPPED = "eval/lab/"
"""Reads corpora that its developers choose, and is not in the wheel."""
WAYS = {
    **dict.fromkeys(("finditer", "findall", "sub", "subn", "split"), "finditer"),
    **{name: name for name in ("search", "match", "fullmatch")},
}
"""Method -> the one that stands for it: what goes from match to match does it as `finditer`."""
EVERY_WAY = frozenset(WAYS.values())


@dataclass(frozen=True)
class Found:
    """A pattern, where it stands first, and the ways it is used: all of them where nobody can tell."""

    pattern: re.Pattern[Any]
    place: str
    ways: frozenset[str]


@cache
def all_patterns() -> list[Found]:
    """Return each pattern once: what modules, classes and their tuples and dicts hold, and what functions write."""
    trees = {path: ast.parse(path.read_text("utf-8")) for path in _files()}
    uses = {path: _uses(tree) for path, tree in trees.items()}
    patterns: dict[tuple[Any, int], re.Pattern[Any]] = {}
    places: dict[tuple[Any, int], str] = {}
    ways: dict[tuple[Any, int], set[str]] = defaultdict(set)
    for path, tree in trees.items():
        module, place = _imported(path), path.relative_to(ROOT).as_posix()
        held = [(name, pattern, uses[path].get(name, ())) for name, pattern in _held(module)]
        for name, pattern, used in [*held, *_written(tree, module)]:
            key = (pattern.pattern, pattern.flags)
            patterns.setdefault(key, pattern)
            places.setdefault(key, f"{place}:{name}")
            ways[key].update(used)
    return [Found(patterns[key], places[key], frozenset(ways[key]) or EVERY_WAY) for key in patterns]


def _files() -> list[Path]:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in paths if not path.relative_to(ROOT).as_posix().startswith(NOT_SHIPPED)]


def _imported(path: Path) -> ModuleType | None:
    """Import a module; None where an extra is missing, and for a script, which would run."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if path.name == "__main__.py" or parts[:2] in (("dashboard", "pages"), ("dashboard", "app")):
        return None
    try:
        return importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    except ImportError:
        return None


def _uses(tree: ast.Module) -> dict[str, set[str]]:
    """Return name -> the ways in which a file uses what it stands for; all of them where it is handed on."""
    uses: dict[str, set[str]] = defaultdict(set)
    called = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in WAYS and isinstance(node.value, ast.Name | ast.Attribute):
            uses[_name(node.value)].add(WAYS[node.attr])
            called.add(node.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) and node not in called:
            uses[_name(node)] |= EVERY_WAY
    return uses


def _name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _held(module: ModuleType | None) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Walk the globals of a module, and the attributes of its classes."""
    for name, value in vars(module).items() if module else ():
        yield from ((name, pattern) for pattern in _inside(value))
        if isinstance(value, type) and value.__module__ == module.__name__:
            for attribute, inner in vars(value).items():
                yield from ((attribute, pattern) for pattern in _inside(inner))


def _inside(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif type(value) in (dict, list, tuple, set, frozenset):
        items: Iterable[Any] = [*value.keys(), *value.values()] if isinstance(value, dict) else value
        for item in items:
            yield from _inside(item)


def _written(tree: ast.Module, module: ModuleType | None) -> Iterator[tuple[str, re.Pattern[Any], Iterable[str]]]:
    """Yield what is compiled or used at once, `re.sub(r"…", …)`: literals, and what names of the module make up."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args or ast.unparse(node.func)[:3] != "re.":
            continue
        method = ast.unparse(node.func)[3:]
        flags = next((word.value for word in node.keywords if word.arg == "flags"), None)
        place = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(method, 2)
        flags = flags or (node.args[place] if len(node.args) > place else ast.Constant(0))
        if method != "compile" and method not in WAYS:
            continue
        try:
            names = {"re": re, **(vars(module) if module else {})}
            regex, bits = (eval(ast.unparse(part), names) for part in (node.args[0], flags))
            pattern = re.compile(regex, bits)
        except (NameError, TypeError):
            continue  # made of what is known at run time alone
        yield str(node.lineno), pattern, {WAYS[method]} if method in WAYS else EVERY_WAY if _within(tree, node) else ()


def _within(tree: ast.Module, node: ast.AST) -> bool:
    """Say whether a function makes it: what a module makes is found under its name."""
    functions = (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    return any(node is inner for function in functions for inner in ast.walk(function))
