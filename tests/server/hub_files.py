"""Where the shipped graphs are, and copies of them that tests change."""

import shutil
from pathlib import Path

PIPELINES = Path(__file__).parents[2] / "pipelines"


def copy_pipelines(folder: Path) -> Path:
    """Copy the shipped graphs and return their folder."""
    return Path(shutil.copytree(PIPELINES, folder / "pipelines"))


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
