"""Tracks and waypoints (.gpx), as a plug-in of MarkItDown."""

from typing import Any, BinaryIO

from defusedxml import ElementTree
from markitdown import DocumentConverter, DocumentConverterResult, MarkItDown, StreamInfo

__plugin_interface_version__ = 1
ACCEPTED_FILE_EXTENSIONS = [".gpx"]
HEADINGS = {"trk": "Track", "rte": "Route", "wpt": "Waypoint"}


class GpxConverter(DocumentConverter):
    """Writes the name and the description of each track, route and waypoint."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension."""
        return stream_info.extension in ACCEPTED_FILE_EXTENSIONS

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> DocumentConverterResult:  # noqa: ARG002
        """Read the file."""
        root = ElementTree.fromstring(file_stream.read())
        parts = [
            f"## {heading} {one.findtext('{*}name') or ''}\n\n{one.findtext('{*}desc') or ''}"
            for kind, heading in HEADINGS.items()
            for one in root.iterfind(f"{{*}}{kind}")
        ]
        return DocumentConverterResult(markdown="\n\n".join(parts), title=root.findtext("{*}metadata/{*}name"))


def register_converters(markitdown: MarkItDown, **kwargs: Any) -> None:  # noqa: ARG001
    """Add the converter: MarkItDown calls this."""
    markitdown.register_converter(GpxConverter())
