"""Books chapter by chapter, behind MarkItDown's front door."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any, BinaryIO
from urllib.parse import unquote

from bs4 import BeautifulSoup
from lxml import etree
from markitdown import DocumentConverter, StreamInfo

from components.converters.html.page_markdown import page_markdown
from components.converters.office.package import Package
from components.converters.office.pictures import PictureCollector
from components.converters.structured_result import StructuredResult
from components.converters.text_decoder import NotTextError, decode_text
from components.errors import SourceError

_FIELDS = {"creator": "author", "date": "created", "publisher": "publisher", "language": "language"}
_TEXT_TYPES = {"application/xhtml+xml", "text/html", "application/x-dtbook+xml", ""}
_CONTENTS = re.compile(r"(?:.*[-_/])?(?:toc|nav|contents)(?:[-_]?\d*)?(?:\.x?html?)?", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)


class BookConverter(DocumentConverter):
    """Reads an EPUB's chapters in reading order, with their pictures; its table of contents is left out."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension == ".epub"

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Read the book.

        :param file_stream: the file.
        :param stream_info: its `filename` is used in messages.
        :returns: the chapters, each under its heading; title, author and other metadata; the pictures.
        :raises SourceError: when it is damaged or protected.
        """
        package = Package(file_stream.read(), stream_info.filename or "the file")
        opf, root = _root_file(package)
        items = {item.get("id"): item for item in _named(root, "item")}
        names = _chapter_names(package, opf, items)
        pictures = PictureCollector()
        chapters = []
        for part, item in _spine(root, opf, items):
            data = package.read(part)
            if data is None:
                continue
            if part in _locked(package):
                raise SourceError(f"{package.name!r} is protected (DRM)", "use a copy without protection")
            text = _chapter(package, part, data, pictures)
            if text and not (_is_contents(item) and _is_list(text)):
                name = names.get(part)
                chapters.append(text if _HEADING.search(text) or not name else f"## {name}\n\n{text}")
        metadata = {key: ", ".join(found) for tag, key in _FIELDS.items() if (found := _texts(root, tag))}
        description = " ".join(_texts(root, "description"))
        if metadata.get("author", "").lower() == "unknown":
            del metadata["author"]
        metadata["description"] = BeautifulSoup(description, "html.parser").get_text(" ", strip=True)
        title = next(iter(_texts(root, "title")), None)
        return StructuredResult("\n\n".join(chapters), title=title, metadata=metadata, pictures=pictures.pictures)


def _root_file(package: Package) -> tuple[str, Any]:
    container = package.xml("META-INF/container.xml")
    found = [] if container is None else [one.get("full-path") for one in _named(container, "rootfile")]
    root = package.xml(found[0]) if found and found[0] else None
    if root is None:
        raise package.damaged("its list of chapters is missing")
    return str(found[0]), root


def _spine(root: Any, opf: str, items: dict[str | None, Any]) -> Iterator[tuple[str, Any]]:
    for reference in _named(root, "itemref"):
        item = items.get(reference.get("idref"))
        if item is not None and (item.get("media-type") or "") in _TEXT_TYPES:
            yield _resolved(opf, item.get("href") or ""), item


def _chapter(package: Package, part: str, data: bytes, pictures: PictureCollector) -> str:
    try:
        text = decode_text(data)
    except NotTextError:
        return ""
    soup = BeautifulSoup(text, "html.parser")
    for element in soup.select("script, style, nav, template, head, [hidden]"):
        element.decompose()
    # A drawing that only wraps a picture, as on most covers.
    for image in soup.find_all("image"):
        image.name, image["src"] = "img", image.get("xlink:href") or image.get("href") or ""
    return page_markdown(soup, pictures, lambda address: package.read(_resolved(part, address)))


def _chapter_names(package: Package, opf: str, items: dict[str | None, Any]) -> dict[str, str]:
    names: dict[str, str] = {}
    for item in items.values():
        part = _resolved(opf, item.get("href") or "")
        if item.get("media-type") == "application/x-dtbncx+xml" and (root := package.xml(part)) is not None:
            for point in _named(root, "navPoint"):
                target = next((one.get("src") for one in _named(point, "content")), None)
                label = " ".join(" ".join(one.itertext()) for one in list(_named(point, "navLabel"))[:1]).strip()
                if target and label:
                    names.setdefault(_resolved(part, target), label)
        elif "nav" in (item.get("properties") or "").split() and (data := package.read(part)):
            for link in BeautifulSoup(data, "html.parser").select("nav a[href]"):
                names.setdefault(_resolved(part, str(link["href"])), link.get_text(" ", strip=True))
    return names


def _locked(package: Package) -> set[str]:
    root = package.xml("META-INF/encryption.xml")
    return set() if root is None else {unquote(one.get("URI") or "") for one in _named(root, "CipherReference")}


def _is_contents(item: Any) -> bool:
    named = _CONTENTS.fullmatch(item.get("id") or "") or _CONTENTS.fullmatch(item.get("href") or "")
    return bool(named) or "nav" in (item.get("properties") or "").split()


def _is_list(text: str) -> bool:
    # A chapter may have been given such a name; contents have short lines only.
    return all(len(line) < 200 for line in text.splitlines())


def _resolved(part: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(part), unquote(address.partition("#")[0])))


def _named(root: Any, name: str) -> Iterator[Any]:
    for element in root.iter():
        if isinstance(element.tag, str) and etree.QName(element).localname == name:
            yield element


def _texts(root: Any, name: str) -> list[str]:
    return [text for one in _named(root, name) if (text := " ".join((one.text or "").split()))]
