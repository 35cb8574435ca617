"""Chunks: only the published version of a document is seen, and what leaves awaits its removal."""

import pytest

from khub.components.catalog.chunks import LOOKUP_SIZE

pytestmark = pytest.mark.unit


def shown(catalog, collection="docs"):
    return [chunk.content for chunk in catalog.chunks.visible(collection)]


def test_staged_chunks_are_seen_by_nobody(catalog, draft):
    new = draft("bird", ["herons"])
    catalog.chunks.stage(new, "staged")
    assert shown(catalog) == []
    assert catalog.chunks.visible_ids("docs") == set()
    assert catalog.chunks.count("docs") == 0
    assert not catalog.chunks.has_any("docs")
    assert catalog.chunks.fetch("docs", [new.chunks[0].id]) == {}
    assert catalog.chunks.text_hashes(new.doc_id) == {}
    assert catalog.chunks.matching("docs", {"field": "language", "operator": "==", "value": "en"}) == []
    assert catalog.chunks.unpublished("docs") == [(new.chunks[0].id, False)]
    assert catalog.chunks.has_unpublished("docs")


def test_published_chunk_comes_back_as_it_went_in(catalog, publish):
    new = publish("bird", ["herons 鹭"], extra={"author": "李"}, page=3, pages=[2, 4], table_header="a | b")
    (chunk,) = catalog.chunks.visible("docs")
    ((fetched, vector),) = catalog.chunks.fetch("docs", [new.chunks[0].id]).values()
    assert (chunk.id, chunk.content, vector) == (new.chunks[0].id, "herons 鹭", None)
    assert fetched.meta == chunk.meta
    assert fetched.meta == {
        "doc_id": new.doc_id, "source": "/files/bird.md", "doc_type": "markdown", "title": "bird", "section": "A > B",
        "page": 3, "pages": [2, 4], "start": 0, "end": 8, "ordinal": 0, "language": "en", "author": "李",
        "table_header": "a | b", "text_hash": new.chunks[0].meta["text_hash"],
    }  # fmt: skip


def test_next_version_replaces_the_first_in_one_step(catalog, publish, draft):
    old = publish("bird", ["herons", "swifts"])
    new = draft("bird", ["herons", "terns"])
    catalog.chunks.stage(new, "staged")
    assert shown(catalog) == ["herons", "swifts"]
    before = catalog.collections.commits("docs")
    catalog.chunks.publish(new)
    assert shown(catalog) == ["herons", "terns"]
    assert catalog.collections.commits("docs") == before + 1
    assert catalog.chunks.count("docs") == 2
    assert catalog.chunks.has_any("docs")
    assert catalog.chunks.removals("docs") == [old.chunks[1].id]
    assert set(catalog.chunks.text_hashes(new.doc_id)) == {c.id for c in new.chunks}


def test_staging_again_replaces_what_was_staged(catalog, draft):
    catalog.chunks.stage(draft("bird", ["first", "draft"]), "staged")
    new = draft("bird", ["second"])
    catalog.chunks.stage(new, "staged")
    catalog.chunks.publish(new)
    assert shown(catalog) == ["second"]


def test_superseded_texts_are_forgotten_and_their_hashes_named(catalog, publish):
    old = publish("bird", ["herons", "swifts"])
    publish("fish", ["trout"])
    publish("bird", ["herons", "terns"])
    assert sorted(catalog.chunks.forget_superseded([old.doc_id])) == sorted(c.meta["text_hash"] for c in old.chunks)
    assert catalog.chunks.forget_superseded([old.doc_id]) == []
    assert shown(catalog) == ["trout", "herons", "terns"]
    assert not catalog.chunks.has_unpublished("docs")


def test_removals_are_listed_until_both_indexes_have_lost_them(catalog, publish, draft):
    old = publish("bird", ["herons", "swifts", "owls"])
    publish("bird", ["herons"])
    swifts, owls = old.chunks[1].id, old.chunks[2].id
    assert set(catalog.chunks.removals("docs")) == {swifts, owls}
    assert len(catalog.chunks.removals("docs", 1)) == 1
    catalog.chunks.forget_removals("docs", [owls])
    assert catalog.chunks.removals("docs") == [swifts]
    catalog.chunks.stage(draft("bird", ["herons", "swifts"]), "staged")  # about to be written again
    assert catalog.chunks.removals("docs") == []


def test_staged_versions_are_leftovers_of_a_dead_writer(catalog, publish, draft):
    publish("bird", ["herons"])
    catalog.chunks.stage(draft("bird", ["herons", "late"]), "staged")
    catalog.chunks.stage(draft("fish", ["trout"]), "staged")
    late, trout = draft("bird", ["late"]).chunks[0], draft("fish", ["trout"]).chunks[0]
    assert set(catalog.chunks.unpublished("docs")) == {(late.id, False), (trout.id, False)}
    hashes = catalog.chunks.forget_leftovers("docs")
    assert {late.meta["text_hash"], trout.meta["text_hash"]} <= set(hashes)
    assert catalog.chunks.unpublished("docs") == []
    assert not catalog.chunks.has_unpublished("docs")
    assert shown(catalog) == ["herons"]
    assert [d["source"] for d in catalog.documents.of_collection("docs")] == ["/files/bird.md"]


def test_visible_chunk_that_was_staged_under_another_title_is_named(catalog, publish, draft):
    chunk = publish("bird", ["herons"]).chunks[0]
    new = draft("bird", ["herons"], text_hash="of another title")
    catalog.chunks.stage(new, "staged")
    assert catalog.chunks.unpublished("docs") == [(chunk.id, True)]


def test_withdrawn_documents_are_out_of_sight_at_once(catalog, publish):
    keep, drop = publish("keep", ["herons"]), publish("drop", ["swifts", "terns"])
    before = catalog.collections.commits("docs")
    hashes = catalog.chunks.withdraw("docs", [drop.doc_id, "unknown"])
    assert sorted(hashes) == sorted(c.meta["text_hash"] for c in drop.chunks)
    assert set(catalog.chunks.removals("docs")) == {c.id for c in drop.chunks}
    assert catalog.chunks.visible_ids("docs") == {keep.chunks[0].id}
    assert catalog.collections.commits("docs") == before + 1
    catalog.chunks.withdraw("docs", [keep.doc_id])
    assert not catalog.chunks.has_any("docs")


def test_collections_do_not_see_each_other(catalog, publish):
    catalog.collections.create("more")
    here = publish("bird", ["herons"])
    assert (catalog.chunks.has_any("docs"), catalog.chunks.has_any("more")) == (True, False)
    there = publish("bird", ["herons"], collection="more")
    assert here.chunks[0].id != there.chunks[0].id
    assert list(catalog.chunks.fetch("docs", [here.chunks[0].id, there.chunks[0].id])) == [here.chunks[0].id]
    catalog.chunks.withdraw("more", [there.doc_id])
    assert catalog.chunks.removals("docs") == []
    catalog.chunks.forget_leftovers("docs")
    assert catalog.chunks.removals("more") == [there.chunks[0].id]


def test_vectors_come_along_for_one_fingerprint(catalog, publish):
    one, other = publish("bird", ["herons", "swifts"]).chunks
    catalog.vectors.put([(one.meta["text_hash"], [1.0, 2.0])], "fp")
    found = catalog.chunks.fetch("docs", [one.id, other.id], "fp")
    assert found[one.id][1].tolist() == [1.0, 2.0]
    assert found[other.id][1] is None
    assert catalog.chunks.fetch("docs", [one.id], "other")[one.id][1] is None


def test_more_chunks_than_one_lookup_takes(catalog, publish):
    new = publish("long", [f"part {n}" for n in range(LOOKUP_SIZE * 2 + 3)])
    assert len(catalog.chunks.fetch("docs", [c.id for c in new.chunks])) == LOOKUP_SIZE * 2 + 3
