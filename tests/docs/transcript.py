"""Commands and the output that is shown below them, and whether that is what came."""

import re

CUT = "[…]"
VARYING = (  # what differs from run to run, and what stands for it
    (
        re.compile(r"^ingest (?:is under way|\d.*( left,|, at )).*\n", re.MULTILINE),
        "",
    ),  # on the way, where it takes long
    (re.compile(r"\d[\d,.]* (files|pages)/s"), r"N \1/s"),
    (re.compile(r"\b\d+(\.\d+)? ?s\b"), "T s"),
)


def commands(text: str) -> list[str]:
    """The commands of a script, one a line; a line that ends in a backslash goes on."""
    return [line for line in text.replace("\\\n", "").splitlines() if line.strip()]


def exchanges(text: str) -> list[tuple[str, str]]:
    """Each command behind a `$ `, and the output below it."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    assert parts[0] == "", "a transcript begins with a command"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def agrees(shown: str, came: str) -> bool:
    """Whether a shown output is what came: `[…]` stands for any lines, or for any part of one; times do not count."""
    return re.fullmatch("".join(map(_line_pattern, _steady(shown).splitlines())), _steady(came)) is not None


def pattern(shown: str) -> str:
    """The regular expression of one shown line."""
    return ".*?".join(re.escape(part) for part in shown.split(CUT))


def _line_pattern(line: str) -> str:
    return r"(?:.*\n)*?" if line.strip("> ") == CUT else pattern(line.rstrip()) + r"[ ]*\n"


def _steady(text: str) -> str:
    for varying, name in VARYING:
        text = varying.sub(name, text)
    return text
