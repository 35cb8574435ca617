"""Nobody deletes what it may not read as a whole, and what was sent goes with its document."""

import pytest

from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import CollectionError
from khub.server.jobs.deletions import delete_known_documents, delete_opened_collection
from khub.server.library.ingest import ingest
from khub.server.library.uploads import uploads_of

pytestmark = pytest.mark.integration
BOUND = Caller("a.1", levels=("internal",))


@pytest.fixture
def sent(pipelines):
    """Ids of a document that was sent with a level, and of one without."""
    folder = uploads_of("default")
    folder.mkdir(parents=True)
    ids = []
    for name, meta in (("open.md", {"access_level": "internal"}), ("closed.md", None)):
        (folder / name).write_text(f"# {name}\n\nText.\n", encoding="utf-8")
        ids.append(ingest([str(folder / name)], meta=meta).written[0]["doc_id"])
    return ids


def there():
    return {row["doc_id"] for row in open_catalog().documents.of_collection("default")}


def test_a_closed_document_keeps_all_that_are_named_with_it(sent):
    with calling_as(BOUND), pytest.raises(CollectionError):
        delete_known_documents(sent)
    assert there() == set(sent)
    with calling_as(BOUND):
        delete_known_documents(sent[:1])
    assert there() == set(sent[1:])
    assert [path.name for path in uploads_of("default").iterdir()] == ["closed.md"]


def test_a_collection_with_closed_parts_stays(sent):
    with calling_as(BOUND), pytest.raises(CollectionError):
        delete_opened_collection("default")
    assert delete_opened_collection("default") == 2
    assert not open_catalog().collections.exists("default")
    assert not uploads_of("default").exists()
