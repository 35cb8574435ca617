"""The parts of an Office Open XML file and how they refer to each other."""

import io
import posixpath
import re
import zipfile
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lxml import etree

from khub.components.errors import SourceDamagedError, SourceError

_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/")
_TRANSITIONAL = {
    b"wordprocessingml/main": b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    b"officeDocument/relationships": b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    b"officeDocument/math": b"http://schemas.openxmlformats.org/officeDocument/2006/math",
    b"drawingml/main": b"http://schemas.openxmlformats.org/drawingml/2006/main",
    b"drawingml/chart": b"http://schemas.openxmlformats.org/drawingml/2006/chart",
    b"drawingml/diagram": b"http://schemas.openxmlformats.org/drawingml/2006/diagram",
    b"drawingml/picture": b"http://schemas.openxmlformats.org/drawingml/2006/picture",
    b"drawingml/wordprocessingDrawing": b"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
}
_STRICT_NAME = re.compile(rb"http://purl\.oclc\.org/ooxml/(" + b"|".join(map(re.escape, _TRANSITIONAL)) + rb")")

NAMES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "v": "urn:schemas-microsoft-com:vml",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "cp": "http://schemas.openxmlformats.org/package/2006/metadata/core-properties",
}
"""Prefixes for `find` and `q`; files in the strict form are read as if they used these, too."""


def q(name: str) -> str:
    """Return the qualified name of `prefix:name`."""
    prefix, local = name.split(":")
    return f"{{{NAMES[prefix]}}}{local}"


def parse_xml(data: bytes) -> Any:
    """Parse XML without resolving entities or reaching for the network.

    :param data: the file.
    :returns: the root element.
    :raises etree.XMLSyntaxError: when it is no XML.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, huge_tree=True
    )
    if _STRICT.search(data):
        data = _STRICT_NAME.sub(lambda found: _TRANSITIONAL[found[1]], data)
    return etree.fromstring(data, parser)


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a part points to: `target` is the path of another part, or an address when it is `external`."""

    kind: str
    target: str
    external: bool


class Package:
    """An open Office file.

    :param data: the whole file, already looked into by `check_zip`.
    :param name: file name, for messages.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._archive = zipfile.ZipFile(io.BytesIO(data))
        self._names = {entry.lower(): entry for entry in self._archive.namelist()}
        self._relations: dict[str, dict[str, Relation]] = {}

    def read(self, part: str) -> bytes | None:
        """Return the bytes of a part; None when it is not there or cannot be unpacked."""
        entry = self._names.get(part.lstrip("/").lower())
        if entry is None:
            return None
        try:
            return self._archive.read(entry)
        except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError):
            return None

    def xml(self, part: str) -> Any | None:
        """Return the root element of a part; None when it is not there or no XML."""
        data = self.read(part)
        try:
            return None if data is None else parse_xml(data)
        except etree.XMLSyntaxError:
            return None

    def relations(self, part: str) -> dict[str, Relation]:
        """Return the relations of a part ("" for those of the package) by their id."""
        if part not in self._relations:
            folder, file = posixpath.split(part)
            root = self.xml(posixpath.join(folder, "_rels", f"{file}.rels"))
            self._relations[part] = {} if root is None else dict(_relations(root, folder))
        return self._relations[part]

    def related(self, part: str, kind: str) -> list[str]:
        """Return the parts to which `part` has a relation of a kind (the last word of its type)."""
        found = self.relations(part).values()
        return [relation.target for relation in found if relation.kind == kind and not relation.external]

    @cached_property
    def main(self) -> str:
        """The part that holds the document itself.

        :raises SourceError: when there is none.
        """
        parts = self.related("", "officeDocument")
        if not parts or self.read(parts[0]) is None:
            raise self.damaged("its main part is missing")
        return parts[0]

    def main_xml(self) -> Any:
        """Return the root element of the main part.

        :raises SourceError: when it is missing or no XML.
        """
        root = self.xml(self.main)
        if root is None:
            raise self.damaged("its main part cannot be read")
        return root

    def damaged(self, reason: str) -> SourceError:
        """Return the error that says what is wrong with the file."""
        remedy = "open and save it with the program that made it, or replace it"
        return SourceDamagedError(f"{self.name!r} is damaged ({reason})", remedy)


def _relations(root: Any, folder: str) -> list[tuple[str, Relation]]:
    found = []
    for element in root.iter(_RELATIONSHIP):
        target, external = element.get("Target") or "", element.get("TargetMode") == "External"
        if not external:
            target = posixpath.normpath(posixpath.join(folder, target)).lstrip("/")
        kind = (element.get("Type") or "").rsplit("/", 1)[-1]
        found.append((element.get("Id") or "", Relation(kind, target, external)))
    return found
