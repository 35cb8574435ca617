"""Python source code along its definitions."""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from khub.components.splitters.definitions import Definition, Fits, SourceCode, code_section
from khub.components.splitters.sections import Section

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)


class UnreadablePythonError(Exception):
    """The text is no Python of this interpreter's version."""


def read_python(text: str, fits: Fits) -> SourceCode:
    """Read Python.

    Each function and class is a section of its own, the comments and decorators above it included, and so are the
    statements between two of them. A class that does not fit is divided in the same way: its head, then its methods.

    Not by Haystack's `PythonCodeSplitter`: it gives neither offsets nor the names of functions, and puts the head of
    the class before each method, so that a chunk is not what stands in the file.

    :param text: a module.
    :param fits: says of a span whether it fits a chunk.
    :returns: its sections; definitions are qualified (`Class.method`), those inside of functions left out.
    :raises UnreadablePythonError: when it does not parse.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the user's code, not of ours
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadablePythonError(str(error)) from error
    reader = _Reader(text, fits)
    return SourceCode(list(reader.sections(tree.body, 0, len(text), ())), list(reader.definitions(tree.body, "")))


class _Reader:
    def __init__(self, text: str, fits: Fits) -> None:
        self._text, self._fits = text, fits
        self._lines = [0, *(match.end() for match in _LINE_BREAK.finditer(text)), len(text)]

    def sections(self, body: Sequence[ast.stmt], start: int, end: int, path: tuple[str, ...]) -> Iterator[Section]:
        at = after = start
        for node in body:
            if isinstance(node, _DEFINITIONS):
                if self._text[at:after].strip():
                    yield code_section(path, len(path) + 1, at, after)
                    at = after
                yield from self._definition(node, at, path)
                at = self._end(node)
            after = max(self._end(node), at)
        if self._text[at:end].strip():
            yield code_section(path, len(path) + 1, at, end)

    def _definition(self, node: _Function | ast.ClassDef, start: int, path: tuple[str, ...]) -> Iterator[Section]:
        path, end = (*path, node.name), self._end(node)
        if isinstance(node, ast.ClassDef) and not self._fits(start, end):
            yield from self.sections(node.body, start, end, path)
        else:
            yield code_section(path, len(path), start, end)

    def definitions(self, body: Sequence[ast.AST], outer: str) -> Iterator[Definition]:
        for node in body:
            if isinstance(node, _DEFINITIONS):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                yield Definition(outer + node.name, self._lines[first - 1], self._end(node))
            if isinstance(node, ast.ClassDef):
                yield from self.definitions(node.body, f"{outer}{node.name}.")
            elif isinstance(node, ast.stmt | ast.excepthandler) and not isinstance(node, _FUNCTIONS):
                # Below `if`, `try` and `with` stand definitions of the same scope.
                yield from self.definitions(list(ast.iter_child_nodes(node)), outer)

    def _end(self, node: ast.stmt) -> int:
        return self._lines[min(node.end_lineno or node.lineno, len(self._lines) - 1)]
