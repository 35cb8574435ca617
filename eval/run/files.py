"""Files of a run: written whole, or grown line by line so that a killed run loses at most the line it was writing."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from khub.components.private_files import private_folder


def write_file(path: Path, text: str) -> None:
    """Write a file whole: whoever reads it sees the old text or the new one. Its folder is made."""
    private_folder(path.parent)
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def append_row(path: Path, row: Mapping[str, Any]) -> None:
    """Append one JSON object as one line, and hand it to the system."""
    private_folder(path.parent)
    with path.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())


def read_rows(path: Path) -> list[Any]:
    """Return the rows of a file, none if it is not there; a last line that was not finished is cut off the file."""
    if not path.is_file():
        return []
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        with path.open("r+b") as file:
            file.truncate(whole)
    return [json.loads(line) for line in data[:whole].decode("utf-8").split("\n") if line]
