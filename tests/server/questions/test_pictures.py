"""Pictures that a caller may not see say nothing by the scores of others."""

import hashlib
import io
import json

import pytest
from PIL import Image

from khub.components.answer import Answer
from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.picture import DocumentPicture, Picture
from khub.server.questions import pictures
from khub.server.questions.pictures import pictures_by_words

pytestmark = pytest.mark.unit


def add(doc_id: str, colour: str, collection: str) -> str:
    """Add a document with a picture; return the sha256 of its file."""
    file = io.BytesIO()
    Image.new("RGB", (80, 60), colour).save(file, "PNG")
    data, catalog = file.getvalue(), open_catalog()
    with catalog.database.transaction() as connection:
        connection.execute(
            "INSERT INTO documents (doc_id, collection, source, status, updated_at) VALUES (?, ?, ?, 'ready', '')",
            (doc_id, collection, f"/{doc_id}"),
        )
    picture = Picture(1, 1, None, 80, 60, "image/png", data, "raster")
    catalog.images.stage(doc_id, [DocumentPicture(f"{doc_id}_1_1", doc_id, f"/{doc_id}", picture)])
    with catalog.database.transaction() as connection:
        connection.execute("UPDATE documents SET version = version + 1 WHERE doc_id = ?", (doc_id,))
    return hashlib.sha256(data).hexdigest()


def open_to(doc_id: str, level: str) -> None:
    """Give a document a chunk on all its pages that a level opens."""
    with open_catalog().database.transaction() as connection:
        columns = [row[1:4] for row in connection.execute("PRAGMA table_info(chunks)")]
        known = {"chunk_id": doc_id, "doc_id": doc_id, "collection": "work", "version": 1}
        known["meta"] = json.dumps({"access_level": level})
        needed = {name: known.get(name, 0 if kind == "INTEGER" else "") for name, kind, must in columns if must}
        row = {**needed, **known}
        marks = ",".join("?" * len(row))
        connection.execute(f"INSERT INTO chunks ({','.join(row)}) VALUES ({marks})", list(row.values()))


def test_the_score_of_a_picture_is_by_the_best_that_the_caller_may_see(monkeypatch):
    catalog = open_catalog()
    catalog.collections.create("work")
    closed, seen = add("closed", "red", "work"), add("seen", "blue", "work")
    open_to("closed", "board")
    open_to("seen", "staff")
    with catalog.database.transaction() as connection:
        connection.execute("UPDATE collections SET binding = ?", (json.dumps({"pictures": {}}),))
    monkeypatch.setattr(pictures, "question_cosines", lambda *_: {closed: 0.9, seen: 0.1})
    monkeypatch.setattr(pictures, "pictures_for", lambda *_: [])
    with calling_as(Caller("x", ("staff",))):
        (found,) = pictures_by_words("words", Answer("", collection="work"), 5).pictures
    assert (found["doc_id"], found["score"]) == ("seen", pictures.SHOWS)
