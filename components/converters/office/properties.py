"""What an Office file says of itself."""

import re
from typing import Any

from khub.components.converters.office.package import Package, q

_FIELDS = {
    "dc:creator": "author",
    "cp:lastModifiedBy": "last_modified_by",
    "dcterms:created": "created",
    "dcterms:modified": "modified",
    "dc:subject": "subject",
    "cp:keywords": "keywords",
    "dc:description": "description",
    "cp:category": "category",
}
_NOBODY = {"python-docx", "python-pptx", "openpyxl", "un-named", "unknown", "microsoft office user", "user", "admin"}
_WRITERS_NOTE = re.compile(r"generated (by|using) .*", re.IGNORECASE)


def read_properties(package: Package) -> tuple[str | None, dict[str, Any]]:
    """Read the core properties.

    :param package: the file.
    :returns: its title as written there, and author, last_modified_by, created and modified (as written: ISO 8601),
        subject, keywords, description and category, where they are filled in by a person.
    """
    parts = package.related("", "core-properties")
    root = package.xml(parts[0]) if parts else None
    if root is None:
        return None, {}
    found = {}
    for tag, key in _FIELDS.items():
        value = " ".join((root.findtext(q(tag)) or "").split())
        if value and value.lower() not in _NOBODY and not _WRITERS_NOTE.fullmatch(value):
            found[key] = value
    return root.findtext(q("dc:title")), found
