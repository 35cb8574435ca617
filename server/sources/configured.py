"""The sources that are followed again and again, as `sources.yaml` names them."""

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from khub.components.bounded_yaml import load_yaml
from khub.components.catalog.collections import DEFAULT_COLLECTION, check_name
from khub.components.errors import KhubError, OptionError
from khub.components.home import hub_home
from khub.components.sources.address import is_source_address
from khub.components.text.nearest_name import nearest
from khub.server.graphs.folder import graph_folder
from khub.server.sources.asked_source import AskedSource

FILE = "sources.yaml"
OF_ALL = ("source", "collection", "graph", "level", "private", "max_mb", "max_items", "every")
"""What an entry may say of any source; the rest are settings of its own kind."""
QUOTED = re.compile(r"""(['"])(.*?)\1""")
EVERY = re.compile(r"(\d+(?:\.\d+)?)\s*(m|min|minutes?|h|hours?|d|days?)", re.IGNORECASE)
SECONDS = {"m": 60.0, "h": 3600.0, "d": 86_400.0}
LEAST_S = 60.0


def sources_files() -> list[Path]:
    """Return where such files are: in the hub's folder, and among the graphs; those that are there."""
    graphs = graph_folder()
    places = (hub_home() / FILE, graphs / FILE, graphs / "more" / FILE)
    return [place for place in places if place.is_file()]


def entries_of_files() -> list[Mapping[str, Any]]:
    """Return the entries of all files as they stand there, those that are mappings."""
    entries = []
    for file in sources_files():
        with contextlib.suppress(OptionError):  # whoever lists or syncs all is told
            entries += [entry for entry in _entries(file) if isinstance(entry, Mapping)]
    return entries


def configured_sources() -> list[AskedSource]:
    """Return the sources of all files, each once, but for entries that cannot be used: see `read_sources`."""
    return read_sources()[0]


def read_sources() -> tuple[list[AskedSource], list[OptionError]]:
    """Return the sources of all files, and what is wrong: one entry that cannot be used stops no other."""
    found: dict[str, AskedSource] = {}
    wrong: list[OptionError] = []
    for file in sources_files():
        try:
            entries = _entries(file)
        except OptionError as error:
            wrong.append(error)
            continue
        for number, entry in enumerate(entries, 1):
            where = f"entry {number} of {file.name}"
            try:
                asked = asked_by(entry, where)
                if asked.key in found:
                    raise OptionError(f"{where} names {asked.shown!r} again", "leave one of them out")
                found[asked.key] = asked
            except OptionError as error:
                wrong.append(error)
    return list(found.values()), wrong


def source_of_key(key: str) -> AskedSource:
    """Return a source by its key.

    :raises OptionError: if no file names it.
    """
    for asked in configured_sources():
        if asked.key == key:
            return asked
    raise OptionError(f"no source {key[:40]!r} stands in {FILE}", "see khub sources", code="setting_invalid")


def asked_by(entry: Any, where: str) -> AskedSource:
    """Return the source that an entry asks for.

    :param entry: as it is read from YAML.
    :param where: it stands, for the message.
    :raises OptionError: naming what is wrong with it.
    """
    if isinstance(entry, str):
        entry = {"source": entry}
    if not isinstance(entry, Mapping) or not is_source_address(str(entry.get("source", ""))):
        raise OptionError(f"{where} names no source", 'write {source: "web:https://docs.example.com", every: 6 hours}')
    settings = {str(key): value for key, value in entry.items() if key not in OF_ALL}
    if close := [key for key in settings if nearest(key, OF_ALL, "") and key not in ("pages", "path")]:
        raise OptionError(f"{where} has no {close[0]!r}", nearest(close[0], OF_ALL, ""))
    collection = str(entry.get("collection") or DEFAULT_COLLECTION)
    try:
        check_name(collection)
        every = entry.get("every")
        return AskedSource(
            address=str(entry["source"]),
            collection=collection,
            graph=str(entry.get("graph") or "ingest"),
            level=entry.get("level", ""),
            private=_truth(entry.get("private", False)),
            max_mb=float(entry.get("max_mb", AskedSource.max_mb)),
            max_items=int(entry.get("max_items", AskedSource.max_items)),
            every_s=None if every is None else seconds_of(every),
            settings=settings,
        )
    except (KhubError, TypeError, ValueError) as error:
        raise OptionError(f"{where} cannot be used ({error})", "correct it") from error


def seconds_of(every: Any) -> float:
    """Return the seconds of a time such as `6 hours`, `30m` or `1 day`.

    :raises OptionError: if it is none, or shorter than a minute.
    """
    found = EVERY.fullmatch(str(every).strip())
    seconds = float(found[1]) * SECONDS[found[2][0].lower()] if found else 0.0
    if seconds < LEAST_S:
        raise OptionError(f"{every!r} is no time from one sync to the next", "write it like 6 hours, 30 min or 1 day")
    return seconds


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise OptionError(f"`private` is {value!r}", "say true or false")
    return value


def _entries(file: Path) -> list[Any]:
    try:
        data = load_yaml(file.read_text("utf-8"))
    except yaml.YAMLError as error:
        raise OptionError(f"{file} cannot be read ({_slip(error)})", "correct it") from None
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"{file} cannot be read ({' '.join(str(error).split())})", "correct it") from error
    entries = data.get("sources") if isinstance(data, Mapping) else data
    if not isinstance(entries, list) and (entries is not None or (isinstance(data, Mapping) and "sources" not in data)):
        raise OptionError(f"{file} holds no list of sources", "begin it with `sources:`, and an entry a line")
    return entries or []


def _slip(error: yaml.YAMLError) -> str:
    """Return what is wrong and in which line, and nothing of what stands there: it may be a password."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return QUOTED.sub(_unsaid, " ".join(str(error).split()))
    said = QUOTED.sub(_unsaid, error.problem or "it is no YAML")
    return f"{said}, line {error.problem_mark.line + 1}" if error.problem_mark else said


def _unsaid(quoted: re.Match[str]) -> str:
    """Return a sign or the name of a token as it is, and nothing of a value such as `*secret` or `!secret`."""
    return quoted[0] if len(quoted[2]) == 1 or quoted[2].startswith(("<", "\\")) else "'…'"
