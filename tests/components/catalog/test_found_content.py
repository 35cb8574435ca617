"""How many tables and pictures documents hold."""

import pytest

from khub.components.catalog.picture import DocumentPicture, Picture
from khub.components.catalog.reader import CatalogReader

pytestmark = pytest.mark.unit

TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |"
ALIGNED = "Words.\n\n|a|b|\n|:--|--:|\n|1|2|"


@pytest.fixture
def shelf(catalog, publish, draft):
    """`full` with two tables and a figure, `bare` with words alone."""
    new = draft("full", [TABLE, ALIGNED])
    catalog.chunks.stage(new, "f")
    figure = Picture(1, 1, None, 9, 9, "image/png", b"1", "raster")
    catalog.images.stage(new.doc_id, [DocumentPicture("figure", new.doc_id, "", figure)])
    catalog.chunks.publish(new)
    publish("bare", ["a | b, --- and no table"])
    return CatalogReader(catalog.database)


def test_tables_and_pictures_are_counted(shelf, draft):
    full, bare = (draft(name, [""]).doc_id for name in ("full", "bare"))
    assert shelf.content_of([full, bare]) == {full: {"tables": 2, "pictures": 1}, bare: {"tables": 0, "pictures": 0}}


def test_rows_come_by_their_ids_and_none_of_what_is_not_there(shelf, draft):
    full = draft("full", [""]).doc_id
    assert {doc_id: row["title"] for doc_id, row in shelf.documents_of([full, "unknown"]).items()} == {full: "full"}
