"""Numbers of headings, as English and Chinese documents print them."""

from collections.abc import Callable

HAN = "零一二三四五六七八九十"
SCHEMES = {"en": ("decimal", "none", "chapter"), "zh": ("chapter", "decimal", "ideographic", "none")}


class Numbering:
    """Counts headings and returns them with their numbers.

    :param language: `en` or `zh`.
    :param scheme: one of `SCHEMES[language]`.
    """

    def __init__(self, language: str, scheme: str) -> None:
        self._prefix = _PREFIXES[language, scheme]
        self._counts = [0, 0, 0]

    def next(self, level: int, text: str) -> str:
        """Return the next heading of a level (2 to 4) as printed."""
        depth = level - 2
        self._counts = [*self._counts[:depth], self._counts[depth] + 1, *[0] * (2 - depth)]
        return self._prefix(self._counts[: depth + 1]) + text


def _decimal(counts: list[int]) -> str:
    return ".".join(map(str, counts)) + " "


def _english_chapter(counts: list[int]) -> str:
    return f"Chapter {counts[0]}. " if len(counts) == 1 else f"{'.'.join(map(str, counts))} "


def _chinese_chapter(counts: list[int]) -> str:
    number = HAN[counts[-1]]
    return (f"第{number}章 ", f"第{number}节 ", f"{number}、")[len(counts) - 1]


def _ideographic(counts: list[int]) -> str:
    number = HAN[counts[-1]]
    return (f"{number}、", f"（{number}）", f"{counts[-1]}. ")[len(counts) - 1]


def _none(counts: list[int]) -> str:  # noqa: ARG001
    return ""


_PREFIXES: dict[tuple[str, str], Callable[[list[int]], str]] = {
    ("en", "decimal"): _decimal,
    ("en", "chapter"): _english_chapter,
    ("en", "none"): _none,
    ("zh", "decimal"): _decimal,
    ("zh", "chapter"): _chinese_chapter,
    ("zh", "ideographic"): _ideographic,
    ("zh", "none"): _none,
}
