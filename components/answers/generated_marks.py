"""The marks of a generated answer: `[n]` that point somewhere stay, everything that points elsewhere goes."""

import re
from collections.abc import Callable, Collection

_NUMBERS = r"\^?(\d{1,3}(?:\s*[,，、;；–-]\s*\d{1,3})*)"
_MARK = re.compile(
    rf"(?P<gap>(?:(?<![ \t])[ \t]++)?)(?:\[{_NUMBERS}\]|【{_NUMBERS}(?:†[^【】\n]*+)?】|［{_NUMBERS}］)(?!\()"
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_IMAGE = re.compile(r"!\[((?:[^\[\]\\\n]|\\.)*+)\](?:\((?:(?!\]\()[^)\n])*+\)|\[[^\[\]\n]*+\])")
_LINK = re.compile(r"\[([^\[\]\n]*+)\]\(\s*+<?((?:(?!\]\()[^)\s>])*+)>?(?:(?!\]\()[^)\n])*+\)")
"""Nothing of these goes over where the next one begins: many beginnings without an end would take long."""
_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s<>)\]】）。，；]+", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|audio|base|embed|form|iframe|img|input|link|meta|object|script|source|style|svg|video)\b[^>\n]*>?",
    re.IGNORECASE,
)
LONGEST_RANGE = 20


def checked_marks(text: str, known: Collection[int], passages: str) -> tuple[str, list[str]]:
    """Return the text with marks of one form, `[1][3]`, and without what points to no passage.

    `[1, 3]`, `[1-3]`, `[^1]` and `【1】` become `[1]`s. A number that is no passage's is taken out; so are pictures,
    HTML that loads or runs something, and links to addresses that stand in no passage, which would carry what was read
    to wherever a passage wants it. Code is left alone.

    :param text: a model's reply in Markdown.
    :param known: the numbers of the passages.
    :param passages: all that the passages say.
    :returns: the text, and what was taken out, as it stood there, each once.
    """
    removed: dict[str, None] = {}

    def check(part: str) -> str:
        part = _IMAGE.sub(lambda match: _without(match, removed, match[1]), part)
        part = _TAG.sub(lambda match: _without(match, removed, ""), part)
        part = _LINK.sub(lambda m: m[0] if m[2] and m[2] in passages else _without(m, removed, m[1]), part)
        part = _ADDRESS.sub(lambda m: m[0] if m[0].rstrip(".,") in passages else _without(m, removed, ""), part)
        return _MARK.sub(lambda match: _one_form(match, known, removed), part)

    checked = outside_code(text, check)
    return re.sub(r"(?<![ \t])[ \t]++$", "", checked, flags=re.MULTILINE).strip(), list(removed)


def marks_in(text: str) -> list[int]:
    """Return the numbers of a text's marks, each once, in their order."""
    return list(dict.fromkeys(number for match in _MARK.finditer(_CODE.sub("", text)) for number in _numbers(match)))


def without_marks(text: str) -> str:
    """Return the text without its marks."""
    return _MARK.sub("", text)


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Change what is not in backticks."""
    parts, at = [], 0
    for code in _CODE.finditer(text):
        parts += [change(text[at : code.start()]), code.group()]
        at = code.end()
    return "".join([*parts, change(text[at:])])


def _one_form(match: re.Match[str], known: Collection[int], removed: dict[str, None]) -> str:
    numbers = _numbers(match)
    removed.update((f"[{number}]", None) for number in numbers if number not in known)
    kept = "".join(f"[{number}]" for number in numbers if number in known)
    return match["gap"] + kept if kept else ""


def _numbers(match: re.Match[str]) -> list[int]:
    listed = next(group for group in match.groups()[1:] if group)
    numbers: list[int] = []
    for part in re.split(r"[,，、;；]", listed):
        first, *last = (int(number) for number in re.split(r"[–-]", part))
        end = last[-1] if last else first
        numbers += range(first, end + 1) if 0 < end - first <= LONGEST_RANGE else dict.fromkeys((first, end))
    return numbers


def _without(match: re.Match[str], removed: dict[str, None], instead: str) -> str:
    removed[match.group().strip()] = None
    return instead
