"""Which folder the graphs are taken from, and whether a graph is the hub's own."""

import logging
import os
import re
from functools import cache
from itertools import islice
from pathlib import Path

from khub.components.trust import trusted_folders

OWN = Path(__file__).absolute().parents[2] / "pipelines"
SUFFIXES = (".yaml", ".yml")
MOST_FILES = 1000
"""So many files of a working folder are looked into for a graph."""
MOST_BYTES = 1_000_000
"""A larger file is no graph."""
_METADATA = re.compile(r"^metadata:(.*(?:\n(?:[ \t#].*)?)*)", re.MULTILINE)
_KIND = re.compile(r"\bkind:[ \t]*[^\s#]")
notice = logging.getLogger("khub.notice")


def graph_folder() -> Path:
    """Return the folder of graphs: `$KHUB_PIPELINES`, else `./pipelines` if it is trusted, else the hub's own."""
    if named := os.environ.get("KHUB_PIPELINES"):
        return Path(named).expanduser().absolute()
    if (here := working_folder()) is None:
        return OWN
    if trusted_folders().get(str(here)):
        return here
    _tell_untrusted(here)
    return OWN


def working_folder() -> Path | None:
    """Return `./pipelines` if it holds graphs and is not the hub's own folder."""
    if os.environ.get("KHUB_PIPELINES"):
        return None
    here = Path("pipelines").absolute()
    return here if here.is_dir() and not is_own(here) and _holds_graphs(here) else None


def is_own(path: Path) -> bool:
    """Say whether a graph, or a folder of graphs, is one that comes with the hub."""
    return path.resolve().is_relative_to(OWN.resolve())


def declares_kind(text: str) -> bool:
    """Say whether a YAML text, right or wrong, declares `metadata.kind`: one that does not is no graph."""
    return bool((metadata := _METADATA.search(text)) and _KIND.search(metadata[1]))


def graph_files(folder: Path) -> list[Path]:
    """Return the files in a folder and below it that declare `metadata.kind`."""
    files = (file for suffix in SUFFIXES for file in folder.rglob(f"*{suffix}") if file.is_file())
    return [file for file in files if _is_graph(file)]


@cache
def _holds_graphs(folder: Path) -> bool:
    files = (file for suffix in SUFFIXES for file in folder.rglob(f"*{suffix}") if file.is_file())
    return any(_is_graph(file) for file in islice(files, MOST_FILES))


def _is_graph(file: Path) -> bool:
    try:
        return file.stat().st_size <= MOST_BYTES and declares_kind(file.read_text("utf-8", errors="replace"))
    except OSError:
        return False


@cache
def _tell_untrusted(folder: Path) -> None:
    notice.warning("the graphs in %s are not used, but the hub's own (to use them: khub trust %s)", folder, folder)
