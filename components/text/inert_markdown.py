"""Markdown in the words of others, in which nothing is live: no picture, link target or tag for whoever draws it.

A picture is fetched from where its address says, and so tells whoever wrote it who asked, when and from where; a link
may lead elsewhere than it says. Code stays as it is, in fences at the margin (of a quote, too) and in backticks. Bare
addresses stay: they show where they lead, and nothing is fetched.
"""

import re

_LINE_END = re.compile(r"\r\n?|\n")
_FENCE = re.compile(r"(?P<quote>(?:> ?)?)(?P<mark>`{3,}+|~{3,}+)[\w+#. -]*+$")
_OTHER_FENCE = re.compile(r"[\s>*+\-\d.)]*+(?:`{3,}+(?=[^`]*$)|~{3})")
"""Within a list, perhaps, or the end of such a one, or the head of a table: only a whole parser could tell."""
_MAY_BE_FENCE = re.compile(r"[\s>*+\-\d.)]*+(?:[`~]{0,2}$|```|~~~)")
_SIGN = re.compile(r"\\(?:.|$)|`++|!(?=\[|$)|<(?=[A-Za-z/!?]|$)|\](?=[(:]|$)")
"""What begins a picture, a tag, or the target of a link or of a definition; and what makes that no beginning."""


def inert(markdown: str) -> str:
    """Return Markdown with its tables, lists, headings and code, and without all that does something."""
    text = InertMarkdown()
    return text.add(markdown) + text.end()


class InertMarkdown:
    """Makes Markdown inert that comes in pieces, and gives each piece as soon as it is clear what it is.

    It takes for code only what is code for every reader of CommonMark. Where a pair of backticks may reach over lines
    or cells of a table, the rest of the paragraph is text; behind a fence that may belong to a list, all is.
    """

    def __init__(self) -> None:
        self._rest = ""
        self._fence: re.Match[str] | None = None
        self._begun = False
        """Whether a part of this line has been given."""
        self._pairs_known = True
        self._lost_in: str | None = None
        """Where it is not known any more what fences begin and end: in a quote (`>`), or to the end (nothing)."""

    def add(self, piece: str) -> str:
        """Return what can be shown now that a piece has come."""
        *lines, rest = _LINE_END.split((self._rest + piece).removesuffix("\r"))
        shown = "".join(self._line(line) + "\n" for line in lines)
        if self._begun or not (self._fence or _MAY_BE_FENCE.match(rest)):
            self._begun = True
            part, rest = self._text(rest, ends=False)
            shown += part
        self._rest = rest + ("\r" if (self._rest + piece).endswith("\r") else "")  # half of a line's end, perhaps
        return shown

    def end(self) -> str:
        """Return what is left at the end."""
        *lines, rest = _LINE_END.split(self._rest)
        return "".join(self._line(line) + "\n" for line in lines) + self._line(rest)

    def _line(self, line: str) -> str:
        begun, self._begun = self._begun, False
        if not begun and self._is_code(line):
            return line
        if not begun and not line.strip("> \t"):
            self._pairs_known = True
            if self._lost_in == ">" and ">" not in line:  # here every quote ends
                self._lost_in = None
        return self._text(line, ends=True)[0]

    def _is_code(self, line: str) -> bool:
        """Say whether a line stands in a fence, or is one."""
        if self._fence and line.startswith(self._fence["quote"].strip()):
            mark, inner = self._fence["mark"], line.expandtabs(4)
            if self._fence["quote"]:
                inner = inner.removeprefix(">").removeprefix(" ")
            if re.fullmatch(rf" {{0,3}}{mark[0]}{{{len(mark)},}}\s*+", inner):
                self._fence = None
            return True
        fence = _FENCE.match(line)
        self._fence = fence if self._lost_in is None else None
        if not self._fence and (fence or _OTHER_FENCE.match(line)):
            self._lost_in = ">" if line.startswith(">") and self._lost_in != "" else ""
        return self._fence is not None

    def _text(self, text: str, ends: bool) -> tuple[str, str]:
        """Return text of a line with what is live escaped, and the part of it that waits for what follows.

        :param ends: whether the line ends with it.
        """
        shown: list[str] = []
        at = 0
        while sign := _SIGN.search(text, at):
            open_ended = sign.end() == len(text) and not ends
            code = _code_end(text, sign) if sign[0][0] == "`" and self._pairs_known and not open_ended else None
            if open_ended or (code in (-1, len(text)) and not ends):  # more backticks may come
                return "".join([*shown, text[at : sign.start()]]), text[sign.start() :]
            shown.append(text[at : sign.start()])
            at = sign.end()
            if code is None:
                shown.append(sign[0] if at == len(text) else _escaped(sign[0]))
            elif code == -1 or "|" in text[at:code]:
                self._pairs_known = False
                shown.append(sign[0])
            else:
                shown.append(text[sign.start() : code])
                at = code
        return "".join([*shown, text[at:]]), ""


def _code_end(text: str, opening: re.Match[str]) -> int:
    """Return where the code ends that backticks begin: behind as many of them; -1 where there are none."""
    closing = re.compile(rf"(?<!`){opening[0]}(?!`)").search(text, opening.end())
    return closing.end() if closing else -1


def _escaped(sign: str) -> str:
    if sign == "]":
        return "]\\"
    return sign if sign[0] in "\\`" else f"\\{sign}"
