"""Presentations slide by slide, behind MarkItDown's front door."""

from collections import Counter
from typing import Any, BinaryIO

from markitdown import DocumentConverter, StreamInfo

from khub.components.converters.document_title import office_title
from khub.components.converters.office.package import NAMES, Package, q
from khub.components.converters.office.pictures import PictureCollector
from khub.components.converters.office.properties import read_properties
from khub.components.converters.pptx.cover import cover_title
from khub.components.converters.pptx.slide import SlideReader, pictures_of
from khub.components.converters.structured_result import StructuredResult

_COVERS = 2
"""Slides on which a title is looked for: the first may be a picture."""
_REPEATED = 3


class SlidesConverter(DocumentConverter):
    """Reads a presentation from its XML: a slide is a page.

    An own one, because MarkItDown's (python-pptx) fails on a shape that it does not know, and loses lists, links,
    merged cells, diagrams, pictures and text behind alternative content.
    """

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension == ".pptx"

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Read all slides.

        :param file_stream: the file.
        :param stream_info: its `filename` is used in messages.
        :returns: one page a slide, the title (what the first slide shows, else of the properties), the metadata and
            the pictures.
        :raises SourceError: when the file lacks its presentation.
        """
        package = Package(file_stream.read(), stream_info.filename or "the file")
        parts = _slides(package)
        # A picture on many slides, and on at least half of them, is part of the design.
        counts = Counter(picture for part in parts for picture in pictures_of(package, part))
        decoration = {one for one, count in counts.items() if count >= max(_REPEATED, len(parts) / 2)}
        reader = SlideReader(package, decoration)
        pages, pictures = [], []
        for number, part in enumerate(parts, 1):
            collector = PictureCollector(number)
            pages.append(reader.read(part, collector))
            pictures += collector.pictures
        named, metadata = read_properties(package)
        title = office_title(named, cover_title(map(package.xml, parts[:_COVERS])), "\n".join(pages))
        return StructuredResult(title=title, metadata=metadata, pages=pages, pictures=pictures, heading_is_title=False)


def _slides(package: Package) -> list[str]:
    root = package.main_xml()
    relations = package.relations(package.main)
    listed = [one.get(q("r:id")) for one in root.iterfind("p:sldIdLst/p:sldId", NAMES)]
    parts = [relations[key].target for key in listed if key in relations]
    if not parts:
        raise package.damaged("it has no slides")
    return parts
