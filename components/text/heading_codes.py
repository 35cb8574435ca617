"""Codes in the headings of a passage: those of its section, and those that stand in it."""

import re

from haystack import Document

from khub.components.text.codes import codes_of_heading
from khub.components.text.heading_path import JOINT

_HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)


def heading_codes(passage: Document) -> set[str]:
    """Return the versions, section numbers and part numbers under which a passage stands."""
    headings = [*str(passage.meta.get("section") or "").split(JOINT), *_HEADING.findall(passage.content or "")]
    return {code for heading in headings for code in codes_of_heading(heading)}
