"""A component for the graphs of jobs that run in processes of their own."""

import logging
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from haystack import component

HELD, CHILD = "held", "child"
"""Beside a file: it is not read while the first is there; the second holds the id of a process that the job starts."""


@component
class Says:
    """Passes files on, says what it finds in its process, and leaves behind there what a job may leave."""

    def __init__(self, word: str):
        self.word = word

    @component.output_types(sources=list[dict[str, Any]])
    def run(self, sources: list[dict[str, Any]]):
        for source in sources:
            file = Path(source["path"])
            left, level = os.environ.get("LEFT_BY_A_JOB"), logging.getLogger().level
            print(f"{self.word} {file.name} in {tempfile.gettempdir()}, left: {left}, level {level}")  # noqa: T201
            subprocess.run([sys.executable, "-c", f"print('a child at {file.name}')"], check=True)
            os.environ["LEFT_BY_A_JOB"] = file.name
            logging.getLogger().setLevel(logging.CRITICAL)
            if (file.parent / HELD).exists():
                child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
                (file.parent / CHILD).write_text(str(child.pid))
            while (file.parent / HELD).exists():
                time.sleep(0.02)
        return {"sources": sources}
