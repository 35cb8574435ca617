"""Source code of any language along its blank lines and its indentation."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from khub.components.splitters.definition_lines import defined_name
from khub.components.splitters.definitions import Definition, Fits, SourceCode, code_section
from khub.components.splitters.sections import Section

_LINE = re.compile(r"([ \t]*)([^\r\n]*)(?:\r\n|\r|\n|$)")
_CLOSING = re.compile(r"[)\]}]|end\b|(?:else|elif|elsif|catch|except|finally|rescue|ensure)\b")
_TAB = 4
_LEVELS_TRIED = 4


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    indent: int
    text: str

    @property
    def closes(self) -> bool:
        """Whether it belongs to what stands before it."""
        return bool(_CLOSING.match(self.text))


def read_code_blocks(text: str, fits: Fits) -> SourceCode:
    """Read source code without knowing its language.

    A block begins at a line that is not indented, after a blank line or after the bracket that closes the one before.
    A block that does not fit is divided in the same way at the next indentation at which there are definitions.

    :param text: the code.
    :param fits: says of a span whether it fits a chunk.
    :returns: its blocks as sections, each named by its definition if it has just one; definitions bear the names that
        stand in their lines.
    """
    lines = [
        _Line(match.start(), match.end(), len(match[1].expandtabs(_TAB)), match[2].strip())
        for match in _LINE.finditer(text)
        if match.end() > match.start()
    ]
    outermost = min((line.indent for line in lines if line.text), default=0)
    reader = _Reader(lines, fits)
    return SourceCode(list(reader.sections(0, len(lines), outermost, ())), reader.definitions)


class _Reader:
    def __init__(self, lines: list[_Line], fits: Fits) -> None:
        self._lines, self._fits = lines, fits
        followed = zip(lines, [*(line.text for line in lines[1:]), ""], strict=False)
        self._names = [defined_name(line.text, following) if line.text else None for line, following in followed]
        self.definitions = [
            Definition(name, lines[i].start, lines[self._last(i)].end) for i, name in enumerate(self._names) if name
        ]

    def sections(self, first: int, last: int, indent: int, path: tuple[str, ...]) -> Iterator[Section]:
        """Yield the sections of `lines[first:last]`, whose blocks have an indentation."""
        for begin, end in self._blocks(first, last, indent):
            if not any(line.text for line in self._lines[begin:end]):
                continue
            names = {name for i in range(begin, end) if (name := self._names[i]) and self._lines[i].indent == indent}
            named = (*path, *names) if len(names) == 1 else path
            level = len(path) + 1
            start, stop = self._lines[begin].start, self._lines[end - 1].end
            inner = None if self._fits(start, stop) else self._inner(begin, end, indent)
            if inner is None:
                yield code_section(named, level, start, stop)
            else:
                yield from self.sections(begin, end, inner, named)

    def _blocks(self, first: int, last: int, indent: int) -> Iterator[tuple[int, int]]:
        begin = first
        for i in range(first + 1, last):
            line, before = self._lines[i], self._lines[i - 1]
            separate = not before.text or (before.indent == indent and before.closes)
            if separate and line.text and line.indent == indent and not line.closes:
                yield begin, i
                begin = i
        if begin < last:
            yield begin, last

    def _inner(self, first: int, last: int, indent: int) -> int | None:
        """Return the least indentation that divides a block into several, one of them with a definition."""
        deeper = sorted({line.indent for line in self._lines[first:last] if line.text and line.indent > indent})
        for inner in deeper[:_LEVELS_TRIED]:
            defines = any(self._names[i] and self._lines[i].indent == inner for i in range(first, last))
            if defines and sum(1 for _ in self._blocks(first, last, inner)) > 1:
                return inner
        return None

    def _last(self, index: int) -> int:
        """Return the last line of the definition that begins at a line."""
        indent, last = self._lines[index].indent, index
        for i in range(index + 1, len(self._lines)):
            line = self._lines[i]
            if line.text and line.indent <= indent and not line.closes:
                break
            if line.text:
                last = i
            if line.text and line.indent <= indent:
                break
        return last
