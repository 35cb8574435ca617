"""Bring blocks of code into one form."""

import json
import re

from haystack import Document, component

from components.enrichers.cleaned_document import cleaned
from components.enrichers.edits import Edit
from components.errors import GraphError
from components.splitters.markdown_blocks import parse_blocks

VERSION = "1"
"""Changes whenever the same text would be cleaned otherwise."""

ALIASES = {
    "py": "python", "python3": "python", "sh": "bash", "shell": "bash", "zsh": "bash", "console": "bash",
    "js": "javascript", "ts": "typescript", "c++": "cpp", "c#": "csharp", "cs": "csharp", "yml": "yaml",
    "golang": "go", "rs": "rust", "rb": "ruby", "ps1": "powershell", "md": "markdown", "docker": "dockerfile",
}  # fmt: skip
"""What writers call a language -> its usual name."""

_SIGNS = (
    ("bash", re.compile(r"\A#!.*sh\b|^\s*(?:\$ |sudo |apt(?:-get)? |pip install |cd |export \w+=)", re.MULTILINE)),
    (
        "python",
        re.compile(r"^\s*(?:def \w+\(.*\).*:|class \w+.*:|from [\w.]+ import |import [\w.]+\s*$)", re.MULTILINE),
    ),
    (
        "sql",
        re.compile(
            r"^\s*(?:SELECT\b.+?\bFROM|INSERT INTO|CREATE TABLE|UPDATE \S+ SET)\b",
            re.DOTALL | re.MULTILINE | re.IGNORECASE,
        ),
    ),
    ("html", re.compile(r"\A\s*<(?:!DOCTYPE html|html|div|body|table)\b", re.IGNORECASE)),
    ("javascript", re.compile(r"^\s*(?:const|let|var) \w+ ?=|^\s*function \w+\(|=> \{", re.MULTILINE)),
    (
        "java",
        re.compile(r"^\s*(?:public|private|protected) (?:static |final )*(?:class|void|int|String)\b", re.MULTILINE),
    ),
    ("cpp", re.compile(r"^\s*#include\s*[<\"]", re.MULTILINE)),
)
_OPENING = re.compile(r"( {0,3})(`{3,}|~{3,})[ \t]*([^\n]*)")
_CLOSING = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")


@component
class CodeNormalizer:
    """Gives fenced code one form: fences of backticks, the language's usual name, no tabs, no trailing blanks.

    Works on converted documents and on chunks.

    :param tab_width: columns from one tab stop to the next, 1 or more.
    :param guess_language: name the language of a block that has none where it shows plainly.
    :raises GraphError: when `tab_width` is out of range.
    """

    def __init__(self, tab_width: int = 4, guess_language: bool = True) -> None:
        if tab_width < 1:
            raise GraphError(f"CodeNormalizer has tab_width={tab_width}", "give 1 or more (4 is the default)")
        self.tab_width = tab_width
        self.guess_language = guess_language

    @property
    def fingerprint(self) -> str:
        """Names everything that decides how a text is cleaned."""
        return f"CodeNormalizer(tab_width={self.tab_width}, guess_language={self.guess_language}, version={VERSION})"

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Normalise the code of each document.

        :param documents: converted documents, or chunks.
        :returns: `documents`, in the same order (see `components.enrichers.cleaned_document.cleaned`).
        """
        return {"documents": [cleaned(document, [self._edits]) for document in documents]}

    def _edits(self, text: str, page_starts: list[int]) -> list[Edit]:  # noqa: ARG002 - a rule's parameters
        if "```" not in text and "~~~" not in text:
            return []
        blocks = [block for block in parse_blocks(text) if block.kind == "code"]
        return [Edit(block.start, block.end, self._normal(text[block.start : block.end])) for block in blocks]

    def _normal(self, block: str) -> str:
        first, *lines = block.rstrip("\n").split("\n")
        opening = _OPENING.match(first)
        if opening is None:
            return block
        indent, fence, info = opening.groups()
        closing = _CLOSING.fullmatch(lines[-1]) if lines else None
        closed = closing is not None and closing[1].startswith(fence)
        body = lines[:-1] if closed else lines
        body = [line.expandtabs(self.tab_width).rstrip() for line in body]
        if closed:  # else what follows the fence may be anything
            body = "\n".join(body).strip("\n").split("\n")
        inner = "\n".join(body)
        language, _, rest = info.strip().partition(" ")
        language = ALIASES.get(language.lower(), language.lower())
        if not language and self.guess_language and closed:
            language = guessed_language(inner)
        longest = max((len(run) for run in re.findall(r"^ {0,3}(`{3,})", inner, re.MULTILINE)), default=2)
        ticks = "`" * max(3, longest + 1)
        end = "\n" * (len(block) - len(block.rstrip("\n")))
        head = f"{indent}{ticks}{language}{' ' + rest if rest else ''}"
        return "\n".join([head, inner, *([f"{indent}{ticks}"] if closed else [])]) + end


def guessed_language(code: str) -> str:
    """Return the language of code where it shows plainly, else ""."""
    if code.lstrip().startswith(("{", "[")):
        try:
            json.loads(code)
        except ValueError:
            pass
        else:
            return "json"
    return next((name for name, sign in _SIGNS if sign.search(code)), "")
