"""Results beside the commands that made them."""

import json
import time
from pathlib import Path
from typing import Any

from eval.bench.machine import machine

TITLES = {
    "structure": "Headings, tables and reading order of generated documents",
    "speed": "Speed",
    "pages": "PDF files as people make them",
    "bad": "Damaged files",
}


def write_results(folder: Path, section: str, text: str, data: Any, command: str) -> None:
    """Write one section of `documents.json` and write `documents.md` anew from all of them.

    :param folder: where both lie.
    :param section: a key of `TITLES`.
    :param text: the section in Markdown.
    :param data: the same as data.
    :param command: that makes it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "documents.json"
    results = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    results[section] = {
        "command": command, "machine": machine(), "date": time.strftime("%Y-%m-%d"), "text": text, "data": data,
    }  # fmt: skip
    file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    parts = ["# How documents are read"]
    for name, title in TITLES.items():
        if name in results:
            made = results[name]
            parts += [f"## {title}", f"    {made['command']}", f"{made['machine']}, {made['date']}.", made["text"]]
    (folder / "documents.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8", newline="\n")
