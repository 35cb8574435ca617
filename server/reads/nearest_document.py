"""The document that a name which none has may mean."""

from khub.components.catalog.parts import shown_name
from khub.components.catalog.reader import CatalogReader
from khub.components.text.nearest_name import nearest

COMPARED = 500
"""So many documents of each collection are compared: likeness is slow to tell."""


def nearest_document(reader: CatalogReader, collections: list[str], name: str) -> str:
    """Return `did you mean 'x'?` for the title or file name most like a name, and how to see which there are."""
    rows = [row for collection in collections for row in reader.documents(collection, 0, COMPARED)]
    names = [one for row in rows for one in (row["title"], shown_name(row["source"])) if one]
    listed = "describe lists the documents"
    similar = nearest(name, names, "")
    return f"{similar} {listed}" if similar else listed
