"""Reads tracks as a component, which stands before the converter: see gpx.py for the shorter way."""

import re
from pathlib import Path
from typing import Any

from haystack import Document, component


@component
class TrackReader:
    """Reads the names of the points of a track; what is no track goes on."""

    extensions = (".gpx",)

    @component.output_types(documents=list[Document], sources=list[dict[str, Any]])
    def run(self, sources: list[dict[str, Any]]) -> dict[str, Any]:
        """Read the tracks.

        :param sources: records with `path`, `doc_id`, `sha256`, `size` and `meta`.
        :returns: `documents`: one of each track; `sources`: those of other files.
        """
        tracks = [source for source in sources if Path(source["path"]).suffix.lower() in self.extensions]
        return {
            "documents": [_document(source) for source in tracks],
            "sources": [source for source in sources if source not in tracks],
        }


def _document(source: dict[str, Any]) -> Document:
    text = "\n".join(re.findall("<name>(.*?)</name>", Path(source["path"]).read_text(encoding="utf-8")))
    record = {key: source[key] for key in ("doc_id", "sha256", "size")}
    return Document(
        content=text, meta={**source.get("meta", {}), **record, "source": source["path"], "doc_type": "track"}
    )
