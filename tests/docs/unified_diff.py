"""Apply the diffs of the pages, which leave the numbers of lines out."""

import re
from pathlib import Path

HEADER = re.compile(r"--- (\S+)\n\+\+\+ (\S+)\n@@\n")


def changed_file(diff: str) -> str:
    """The file that a diff changes, as its head names it."""
    header = HEADER.match(diff)
    assert header, "a diff begins with the name of its file"
    assert header[1] == header[2]
    return header[1]


def apply(diff: str, text: str) -> str:
    """The text after the change; each part of the diff has to fit in exactly one place."""
    for hunk in diff[HEADER.match(diff).end() :].split("@@\n"):
        lines = [(line[:1] or " ", line[1:]) for line in hunk.splitlines()]
        old, new = ("".join(f"{line}\n" for sign, line in lines if sign in signs) for signs in (" -", " +"))
        places = text.count(f"\n{old}")
        assert places == 1, f"fits in {places} places:\n{old}"
        text = text.replace(f"\n{old}", f"\n{new}")
    return text


def edit(diff: str, folder: Path) -> None:
    """Change the file in a folder."""
    file = folder / changed_file(diff)
    file.write_text(apply(diff, file.read_text(encoding="utf-8")), encoding="utf-8")
