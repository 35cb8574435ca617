"""The writer binds a collection, records failures, and never reports an empty success."""

import pytest
from haystack import Pipeline
from toy_embedders import ToyDocumentEmbedder

import khub.components.ingest.collection_writer as module
from khub.components.catalog.scanned_pages import NEEDS_OCR
from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.ingest.collection_writer import CollectionWriter
from khub.components.stores.open_indexes import sparse_reader
from tests.components.conftest import chunks_of
from tests.error_codes import raises_code

pytestmark = pytest.mark.integration


def write(library, chunks, sources=(), embedder=None, template=None, **more):
    library.catalog.collections.create("books")
    embedded = CachedEmbedder(embedder or ToyDocumentEmbedder()).run(chunks)
    writer = CollectionWriter(template or library.chroma)
    return writer.run(**embedded, collection="books", sources=[{"path": s} for s in sources], **more)["report"]


def test_report_names_what_was_written(library):
    chunks = [*chunks_of("/a.md", ["herons", "terns"]), *chunks_of("/b.md", ["trout"])]
    report = write(library, chunks, ["/a.md", "/b.md"])
    assert [(w["source"], w["chunks"]) for w in report["written"]] == [("/a.md", 2), ("/b.md", 1)]
    assert (report["collection"], report["failed"]) == ("books", [])
    assert library.catalog.chunks.count("books") == 3
    assert [d["doc_id"] for d in library.catalog.documents.of_collection("books", "ready")] == [
        w["doc_id"] for w in report["written"]
    ]


def test_failures_of_all_stages_are_recorded(library):
    failures = [
        [{"source": "/x.pdf", "stage": "check", "error": "locked", "remedy": "unlock it"}],
        [{"source": "/y.pdf", "stage": "convert", "error": "broken", "remedy": "mend it"}],
    ]
    report = write(library, chunks_of("/a.md", ["herons"]), ["/a.md", "/x.pdf", "/y.pdf"], failed=failures)
    assert [f["source"] for f in report["failed"]] == ["/x.pdf", "/y.pdf"]
    rows = library.catalog.documents.of_collection("books", "failed")
    assert [(r["source"], r["error"], r["remedy"]) for r in rows] == [
        ("/x.pdf", "locked", "unlock it"), ("/y.pdf", "broken", "mend it"),
    ]  # fmt: skip


def test_file_of_which_nothing_came_is_a_failure_unless_it_waits(library):
    report = write(library, [], ["/empty.md", "/later.md"], remaining=["/later.md"])
    assert report["written"] == []
    assert [(f["source"], f["stage"]) for f in report["failed"]] == [("/empty.md", "split")]
    assert library.catalog.collections.binding("books") == {}


def test_common_metadata_belongs_to_the_document_and_the_rest_to_chunks(library):
    one, other = chunks_of("/a.md", ["herons", "terns"], author="李", sheet="s1")
    other.meta["sheet"] = "s2"
    write(library, [one, other])
    assert library.catalog.documents.of_collection("books")[0]["meta"]["author"] == "李"
    assert "sheet" not in library.catalog.documents.of_collection("books")[0]["meta"]
    assert [d.meta["sheet"] for d in library.catalog.chunks.visible("books")] == ["s1", "s2"]
    assert [d.meta["author"] for d in library.catalog.chunks.visible("books")] == ["李", "李"]


def test_field_that_only_the_first_chunk_has_stays_with_it(library):
    one, other = chunks_of("/a.md", ["herons", "terns"])
    one.meta["image_refs"] = ["x"]
    write(library, [one, other])
    assert ["image_refs" in d.meta for d in library.catalog.chunks.visible("books")] == [True, False]


def test_what_is_found_out_of_a_document_belongs_to_it_and_what_was_done_to_chunks_to_them(library):
    own = {"original": "x", "refined": True, "refined_from": "y", "captions": {}, "also_in": []}
    found = {"summary": "Birds.", "tags": ["heron"], "dates": ["2026-01-01"], "found_metadata": ["summary"]}
    write(library, chunks_of("/a.md", ["herons", "terns"], **found, **own))
    meta = library.catalog.documents.of_collection("books")[0]["meta"]
    assert {key: meta.get(key) for key in found} == found
    assert not set(own) & set(meta)
    assert all(own.items() <= chunk.meta.items() for chunk in library.catalog.chunks.visible("books"))


def test_degraded_chunks_are_reported_by_file_and_reason_and_mark_their_document(library):
    one, other, whole = chunks_of("/a.md", ["herons", "terns", "storks"])
    slow = {"stage": "refine", "reason": "no answer"}
    one.meta["degraded"] = [slow, {"stage": "caption", "reason": "refused"}]
    other.meta["degraded"] = [slow]
    report = write(library, [one, other, whole, *chunks_of("/b.md", ["trout"])])
    assert report["degraded"] == [
        {**slow, "source": "/a.md", "chunks": 2},
        {"stage": "caption", "reason": "refused", "source": "/a.md", "chunks": 1},
    ]
    first, second = library.catalog.documents.of_collection("books")
    assert first["meta"]["degraded_stages"] == ["caption", "refine"]
    assert "degraded_stages" not in second["meta"]
    assert ["degraded" in d.meta for d in library.catalog.chunks.visible("books")] == [True, True, False, False]
    assert set(library.catalog.documents.known([first["doc_id"], second["doc_id"]])) == {second["doc_id"]}


def test_first_batch_binds_and_later_ones_fit(library):
    write(library, chunks_of("/a.md", ["herons"]))
    binding = library.catalog.collections.binding("books")
    assert binding["store"] == library.chroma.to_dict()
    assert binding["embedder"]["identity"]["model"] == "toy"
    write(library, chunks_of("/b.md", ["terns"]), embedder=ToyDocumentEmbedder(batch=5))
    assert library.catalog.collections.binding("books") == binding


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        ("embedder", "binding_embedder", ["by Toy toy (", "Toy other"]),
        ("prefix", "binding_embedder", ["by Toy toy (", "another version or setting of Toy toy"]),
        ("store", "binding_store", ["InMemoryDocumentStore"]),
        ("tokenizer", "binding_mismatch", ["now it is 99"]),
    ],
)
def test_mismatch_is_refused_with_the_command_that_repairs_it(library, monkeypatch, change, code, named):
    write(library, chunks_of("/a.md", ["herons"]))
    embedder = {"embedder": ToyDocumentEmbedder("other"), "prefix": ToyDocumentEmbedder(prefix="p ")}.get(change)
    if change == "tokenizer":
        monkeypatch.setattr(module, "TOKENIZER_VERSION", "99")
    template = library.memory if change == "store" else library.chroma
    with raises_code(code, *named, "khub reindex --collection books --graph NAME"):
        write(library, chunks_of("/b.md", ["terns"]), embedder=embedder, template=template)
    assert [d.content for d in library.catalog.chunks.visible("books")] == ["herons"]


def test_template_decides_where_vectors_lie(library):
    write(library, chunks_of("/a.md", ["herons"]), template=library.memory)
    assert not (library.catalog.home / "dense").exists()
    store, _ = library.memory.build("books_g1", library.catalog.home)
    assert store.count_documents() == 1
    assert sparse_reader(library.catalog, "books").get().count() == 1


def test_round_trip(library):
    pipeline = Pipeline()
    pipeline.add_component("write", CollectionWriter(library.chroma))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*"])
    assert again.dumps() == pipeline.dumps()
    assert again.get_component("write").template.to_dict() == library.chroma.to_dict()


def test_chunks_of_a_stored_document_are_written_only_while_it_is_the_same(library):
    for source in ("/a.md", "/b.md", "/c.md"):
        library.add(source, ["herons"])
    ids = [chunks_of(source, [""])[0].meta["doc_id"] for source in ("/a.md", "/b.md", "/c.md", "/gone.md")]
    chunks = [chunk for source in ("/a.md", "/b.md", "/gone.md") for chunk in chunks_of(source, ["terns"])]
    report = write(library, chunks, versions={ids[0]: 1, ids[1]: 7, ids[3]: 1})
    assert [entry["source"] for entry in report["written"]] == ["/a.md"]
    visible = {chunk.meta["source"]: chunk.content for chunk in library.catalog.chunks.visible("books")}
    assert visible == {"/a.md": "terns", "/b.md": "herons", "/c.md": "herons"}


def test_a_new_collection_is_made_by_the_first_document_and_not_by_failures(library):
    record = {"path": "/a.pdf", "doc_id": "a"}
    failure = {"source": "/b.pdf", "stage": "convert", "error": "is damaged", "remedy": "replace it"}
    writer, embedder = CollectionWriter(library.chroma), CachedEmbedder(ToyDocumentEmbedder())
    nothing = {"documents": [], "embedder": embedder.binding(), "collection": "new", "sources": [record]}
    report = writer.run(**nothing, failed=[[failure]])["report"]
    assert [entry["source"] for entry in report["failed"]] == ["/b.pdf", "/a.pdf"]
    assert "new" not in library.catalog.collections.names()
    assert library.catalog.documents.of_collection("new") == []
    batch = embedder.run(chunks_of("/c.md", ["herons"], "new"))
    writer.run(**batch, collection="new", sources=[], failed=[[failure]])
    assert "new" in library.catalog.collections.names()
    assert [row["status"] for row in library.catalog.documents.of_collection("new")] == ["failed", "ready"]


def test_pages_that_could_not_be_read_are_reported_with_what_to_do(library):
    chunks = chunks_of("/a.pdf", ["herons"], needs_ocr=[2, 3], garbled_pages=[2])
    waiting = chunks_of("/b.pdf", ["terns"], garbled_pages=[1], ocr_errors=["page 1 was not read (no time left)"])
    first, unread, second, picture = write(
        library, [*chunks, *waiting, *chunks_of("/c.png", ["[IMAGE: c_1_1]"], needs_ocr=[1])]
    )["degraded"]
    reason = "left out, since its fonts do not say what the text means"
    about = {"stage": "convert", "reason": reason, "source": "/a.pdf", "chunks": 1, "pages": [2]}
    assert first == {**about, "remedy": NEEDS_OCR}
    assert (second["pages"], second["remedy"]) == ([1], "page 1 was not read (no time left)")
    assert (unread["source"], unread["pages"], unread["remedy"]) == ("/a.pdf", [3], NEEDS_OCR)
    assert (picture["source"], picture["pages"], picture["reason"]) == ("/c.png", [1], unread["reason"])
    ids = [row["doc_id"] for row in library.catalog.documents.of_collection("books")]
    assert set(library.catalog.documents.known(ids)) == set(ids)  # else they would be read again each time
