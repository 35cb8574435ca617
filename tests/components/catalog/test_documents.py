"""Documents: found as a person names them; a failure hides nothing that was there."""

import pytest

from khub.components.catalog.documents import doc_id_of
from khub.components.errors import CollectionError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def test_id_depends_on_collection_and_source():
    ids = {doc_id_of("a", "/x"), doc_id_of("b", "/x"), doc_id_of("a", "/y"), doc_id_of("a/", "x")}
    assert len(ids) == 4
    assert all(len(i) == 32 and int(i, 16) >= 0 for i in ids)
    assert doc_id_of("a", "/x") == doc_id_of("a", "/x")


@pytest.mark.parametrize("name", ["id", "start", "/files/鸟.md", "鸟.md", "files/鸟.md"])
def test_document_is_found_by_whatever_names_it(catalog, publish, name):
    publish("other", ["x"])
    doc_id = publish("鸟", ["herons"]).doc_id
    asked = {"id": doc_id, "start": doc_id[:6]}.get(name, name)
    assert catalog.documents.find("docs", asked)["doc_id"] == doc_id


@pytest.mark.parametrize("name", ["", "gone.md", "ird.md", "/other/bird.md", "start"])
def test_name_of_none_says_where_to_look(catalog, publish, name):
    doc_id = publish("bird", ["herons"]).doc_id
    with raises_code("document_unknown", "'docs'", "khub list --collection docs"):
        catalog.documents.find("docs", doc_id[:5] if name == "start" else name)


def test_name_of_several_is_refused_with_their_ids(catalog, publish):
    one, other = publish("a/bird", ["x"]), publish("b/bird", ["y"])
    with raises_code("document_ambiguous", "'bird.md'", "2 documents") as error:
        catalog.documents.find("docs", "bird.md")
    assert one.doc_id[:12] in error.value.remedy
    assert other.doc_id[:12] in error.value.remedy


def test_whole_source_wins_over_the_end_of_another(catalog, publish):
    publish("files/bird", ["x"])  # /files/files/bird.md ends in /files/bird.md
    wanted = publish("bird", ["y"])
    assert catalog.documents.find("docs", "/files/bird.md")["doc_id"] == wanted.doc_id


def test_windows_path_is_found_by_its_file_name(catalog):
    catalog.documents.record_failure("docs", "C:\\files\\bird.md", "broken", "mend it")
    assert catalog.documents.find("docs", "bird.md")["source"] == "C:\\files\\bird.md"


def test_documents_of_other_collections_are_not_found(catalog, publish):
    catalog.collections.create("more")
    publish("bird", ["x"], collection="more")
    with pytest.raises(CollectionError):
        catalog.documents.find("docs", "bird.md")
    assert catalog.documents.of_collection("docs") == []


def test_row_tells_what_is_known(catalog, publish):
    new = publish("bird", ["short", "a far longer text in Chinese? no"], extra={"author": "李"}, page_count=3)
    (row,) = catalog.documents.of_collection("docs")
    assert row["doc_id"] == new.doc_id
    assert {key: row[key] for key in ("status", "doc_type", "title", "language", "pages", "chunks", "size")} == {
        "status": "ready", "doc_type": "markdown", "title": "bird", "language": "en", "pages": 3, "chunks": 2,
        "size": 7,
    }  # fmt: skip
    assert (row["meta"], row["error"]) == ({"author": "李"}, None)


def test_language_of_a_document_is_that_of_most_of_its_text(catalog, draft):
    new = draft("bird", ["a long piece of English text", "短"])
    new.chunks[1].meta["language"] = "zh"
    catalog.chunks.stage(new, "staged")
    catalog.chunks.publish(new)
    assert catalog.documents.of_collection("docs")[0]["language"] == "en"
    new.chunks[0].meta["language"] = "zh"
    catalog.chunks.stage(new, "staged")
    catalog.chunks.publish(new)
    assert catalog.documents.of_collection("docs")[0]["language"] == "zh"


def test_failure_of_a_new_file_is_a_row_without_chunks(catalog):
    catalog.documents.record_failure("docs", "/files/x.pdf", "it is locked", "unlock it")
    (row,) = catalog.documents.of_collection("docs", "failed")
    assert (row["source"], row["error"], row["remedy"]) == ("/files/x.pdf", "it is locked", "unlock it")
    assert catalog.documents.of_collection("docs", "ready") == []
    assert catalog.documents.known([row["doc_id"]]) == {}


def test_failure_keeps_the_earlier_version_and_is_tried_again(catalog, publish):
    new = publish("bird", ["herons"])
    assert catalog.documents.known([new.doc_id]) == {new.doc_id: ("ready", new.meta["sha256"], "r1")}
    catalog.documents.record_failure("docs", "/files/bird.md", "it is locked", "unlock it")
    (row,) = catalog.documents.of_collection("docs", "ready")
    assert row["error"] == "it is locked"
    assert catalog.chunks.visible_ids("docs") == {new.chunks[0].id}
    assert catalog.documents.known([new.doc_id]) == {}  # so that the next ingest reads it again
    publish("bird", ["herons"])
    assert catalog.documents.of_collection("docs")[0]["error"] is None


def test_chunks_of_a_document_come_in_order_and_of_the_visible_version_alone(catalog, publish, draft):
    new = publish("bird", ["one", "two", "three"])
    catalog.chunks.stage(draft("bird", ["other"]), "staged")
    assert [c["content"] for c in catalog.documents.chunks(new.doc_id)] == ["one", "two", "three"]
    assert catalog.documents.chunks("none") == []


def test_more_ids_than_one_lookup_takes(catalog, publish):
    new = publish("bird", ["x"])
    assert list(catalog.documents.known([*map(str, range(1200)), new.doc_id])) == [new.doc_id]


@pytest.mark.parametrize("text", ["a\0b", "a literal \\u0000 stays", "\\\\u0000", "\\\0"])
def test_metadata_is_json_whatever_text_is_in_it(catalog, publish, text):
    new = publish("codes", ["text"], extra={"note": text, "list": [text, {"deep": text}]})
    stored = catalog.documents.said([new.doc_id])[new.doc_id][1]
    kept = text.replace("\0", "")
    assert stored == {"note": kept, "list": [kept, {"deep": kept}]}
