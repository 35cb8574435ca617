"""What a document's file name and title say of it: words, and the years that it is of."""

import re
from functools import lru_cache

_YEAR = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?:(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01]))?(?!\d)"
    r"|(?<![a-z])fy ?'?(?P<short>\d\d)(?!\d)",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def file_words(source: str) -> str:
    """Return the words of a file's name without its extension."""
    name = source.replace("\\", "/").rstrip("/").rpartition("/")[2]
    stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
    return re.sub(r"[_\-.\s]+", " ", stem).strip()


def years_of(source: str, title: str | None) -> list[str]:
    """Return the years in the name of a document's file and in its title."""
    return years_in(f"{file_words(source.partition('#row=')[0])}\n{title or ''}")


def years_in(text: str) -> list[str]:
    """Return the years that a text names, those of FY23 and 20230315 too, each once."""
    return list(dict.fromkeys(match["year"] or f"20{match['short']}" for match in _YEAR.finditer(text)))
