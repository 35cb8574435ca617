"""What a book says of itself: its chapters in reading order, and which of its pages only list them."""

import posixpath
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from khub.components.converters.html.parse import parse_html
from khub.components.converters.office.package import Package, q
from khub.components.errors import SourceDamagedError

_FIELDS = {"author": "creator", "created": "date", "publisher": "publisher", "language": "language"}


@dataclass(frozen=True, slots=True)
class Book:
    """The list of a book's parts.

    :param title: its title.
    :param metadata: author, created, publisher, language, description, where they are given.
    :param chapters: parts of the archive in reading order.
    :param navigation: those among them that are said to list the others.
    :param locked: parts that are encrypted.
    """

    title: str | None
    metadata: dict[str, str]
    chapters: list[str]
    navigation: frozenset[str]
    locked: frozenset[str]


def read_book(package: Package) -> Book:
    """Read the package document of an EPUB.

    :param package: the file.
    :raises SourceError: when it is missing or damaged.
    """
    container = package.xml("META-INF/container.xml")
    root = None if container is None else next(container.iter("{*}rootfile"), None)
    part = "" if root is None else root.get("full-path") or ""
    document = package.xml(part)
    if document is None:
        raise SourceDamagedError(
            f"{package.name!r} cannot be converted (its list of chapters is missing or damaged)",
            "open and save it with the program that made it, or replace it",
        )
    items = {item.get("id"): item for item in document.iter("{*}item")}
    parts = {name: resolve(part, item.get("href") or "") for name, item in items.items()}
    spine = [parts[name] for item in document.iter("{*}itemref") if (name := item.get("idref")) in parts]
    lists = {parts[name] for name, item in items.items() if "nav" in (item.get("properties") or "").split()}
    lists |= {resolve(part, one.get("href") or "") for one in document.iter("{*}reference") if one.get("type") == "toc"}
    titles = _texts(document, "title")
    return Book(titles[0] if titles else None, _metadata(document), spine, frozenset(lists), _locked(package))


def resolve(part: str, address: str) -> str:
    """Return the part of the archive to which an address in another part leads."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(part), unquote(address.partition("#")[0])))


def _metadata(document: Any) -> dict[str, str]:
    found = {key: ", ".join(dict.fromkeys(_texts(document, name))) for key, name in _FIELDS.items()}
    description = parse_html(" ".join(_texts(document, "description"))).get_text(" ", strip=True)
    return {**found, "description": description}


def _texts(document: Any, name: str) -> list[str]:
    texts = (" ".join("".join(element.itertext()).split()) for element in document.iter(q(f"dc:{name}")))
    return [text for text in texts if text]


def _locked(package: Package) -> frozenset[str]:
    encryption = package.xml("META-INF/encryption.xml")
    references = [] if encryption is None else encryption.iter("{*}CipherReference")
    return frozenset(unquote(one.get("URI") or "") for one in references)
