"""What there is to say of how a text file was decoded."""

from typing import Any

from khub.components.converters.text_decoder import DecodedText

GUESSED = "guessed_encoding"
"""Metadata of a document: the encoding of its file, where nothing in the file says which it is."""
BROKEN = "characters that are no text in its encoding, each shown as U+FFFD"


def with_encoding_notes(converted: dict[str, Any], found: DecodedText) -> dict[str, Any]:
    """Return a converted document's fields with the encoding where it was guessed; `removed` has what was broken."""
    told = dict(converted)
    if found.guessed:
        told["metadata"] = {**converted.get("metadata", {}), GUESSED: found.guessed}
    if found.broken:
        told["removed"] = {**converted.get("removed", {}), BROKEN: found.broken}
    return told
