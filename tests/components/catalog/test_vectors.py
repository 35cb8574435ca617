"""Vectors are kept by text and model, as long as something needs them."""

import numpy as np
import pytest

from khub.components.catalog.vectors import LOOKUP_SIZE

pytestmark = pytest.mark.unit


def test_vectors_are_kept_as_float32_by_text_and_fingerprint(catalog):
    catalog.vectors.put([("t1", [0.1, 2.0]), ("t2", np.array([3.0, 4.0]))], "fp")
    found = catalog.vectors.get(["t1", "t2", "t3"], "fp")
    assert set(found) == {"t1", "t2"}
    assert found["t1"].tolist() == [float(np.float32(0.1)), 2.0]
    assert catalog.vectors.get(["t1"], "other") == {}


def test_known_vector_stays(catalog):
    catalog.vectors.put([("t1", [1.0])], "fp")
    catalog.vectors.put([("t1", [9.0]), ("t2", [2.0])], "fp")
    assert {k: v.tolist() for k, v in catalog.vectors.get(["t1", "t2"], "fp").items()} == {"t1": [1.0], "t2": [2.0]}


def test_more_hashes_than_one_lookup_takes(catalog):
    count = LOOKUP_SIZE * 2 + 1
    catalog.vectors.put([(f"t{n}", [float(n)]) for n in range(count)], "fp")
    assert len(catalog.vectors.get([f"t{n}" for n in range(count)], "fp")) == count
    catalog.vectors.drop_unused([f"t{n}" for n in range(count)])
    assert catalog.vectors.get([f"t{n}" for n in range(count)], "fp") == {}


def test_vectors_of_a_collection_come_in_the_order_of_its_chunks(catalog, publish):
    chunks = publish("bird", ["c", "a", "b"]).chunks
    catalog.vectors.put([(c.meta["text_hash"], [float(n)]) for n, c in enumerate(chunks[:2])], "fp")
    found = list(catalog.vectors.of_collection("docs", "fp"))
    assert [key for key, _ in found] == [c.id for c in chunks]
    assert [None if v is None else v.tolist() for _, v in found] == [[0.0], [1.0], None]


def test_vectors_of_visible_chunks_alone(catalog, publish, draft):
    old = publish("bird", ["a", "b"]).chunks
    catalog.vectors.put([(c.meta["text_hash"], [1.0]) for c in old], "fp")
    publish("bird", ["a"])
    ids = [c.id for c in old]
    assert list(catalog.vectors.of_chunks("docs", ids, "fp")) == [ids[0]]
    assert catalog.vectors.of_chunks("other", ids, "fp") == {}
    assert [key for key, _ in catalog.vectors.of_collection("docs", "fp")] == [ids[0]]


def test_dimension_is_that_of_the_bound_embedder(catalog, publish):
    (chunk,) = publish("bird", ["a"]).chunks
    assert catalog.vectors.dimension("docs") == 0
    catalog.vectors.put([(chunk.meta["text_hash"], [1.0] * 5)], "old")
    catalog.vectors.put([(chunk.meta["text_hash"], [1.0] * 7)], "fp")
    catalog.collections.bind("docs", {"embedder": {"fingerprint": "fp"}})
    assert catalog.vectors.dimension("docs") == 7
    catalog.collections.create("more")
    publish("bird", ["a"], collection="more")
    catalog.collections.bind("more", {"embedder": {"fingerprint": "old"}})
    assert catalog.vectors.dimension("more") == 5


def test_unused_vectors_go_and_needed_ones_stay(catalog, publish):
    (chunk,) = publish("bird", ["a"]).chunks
    needed = chunk.meta["text_hash"]
    catalog.vectors.put([(needed, [1.0]), ("gone", [1.0]), ("left", [1.0])], "fp")
    catalog.vectors.drop_unused([needed, "gone"])
    assert set(catalog.vectors.get([needed, "gone", "left"], "fp")) == {needed, "left"}
    assert catalog.vectors.drop_unreferenced() == 1
    assert set(catalog.vectors.get([needed, "left"], "fp")) == {needed}


def test_vectors_of_an_embedder_that_others_use_stay(catalog, publish):
    catalog.collections.create("more")
    texts = [publish("bird", ["a"]).chunks[0].meta["text_hash"], publish("x", ["b"], collection="more").chunks[0]]
    for fingerprint in ("new", "shared", "old"):
        catalog.vectors.put([(texts[0], [1.0])], fingerprint)
    catalog.collections.bind("more", {"embedder": {"fingerprint": "shared"}})
    catalog.vectors.drop_other("docs", "new")
    assert [f for f in ("new", "shared", "old") if catalog.vectors.get(texts[:1], f)] == ["new", "shared"]


def test_removed_collection_names_the_texts_that_may_be_unused(catalog, publish):
    catalog.collections.create("more")
    own, common = (c.meta["text_hash"] for c in publish("bird", ["own", "common"]).chunks)
    publish("x", ["common"], collection="more")
    catalog.vectors.put([(own, [1.0]), (common, [1.0])], "fp")
    catalog.vectors.drop_unused(catalog.collections.remove("docs"))
    assert set(catalog.vectors.get([own, common], "fp")) == {common}
    assert catalog.documents.of_collection("docs") == []
    assert catalog.chunks.visible_ids("docs") == set()


def test_vectors_by_language(catalog, publish):
    english, chinese = publish("en", ["a", "b"], language="en").chunks, publish("zh", ["甲"], language="zh").chunks
    catalog.vectors.put([(c.meta["text_hash"], [1.0]) for c in (*english, *chinese)], "fp")
    assert catalog.vectors.languages("docs") == {"en": 2, "zh": 1}
    assert set(catalog.vectors.of_language("docs", "en", "fp")) == {c.id for c in english}
    assert catalog.vectors.of_language("docs", "en", "other") == {}
    publish("en", ["a"], language="en")
    assert set(catalog.vectors.of_language("docs", "en", "fp")) == {english[0].id}


def test_a_sample_is_of_different_texts_and_always_the_same(catalog, publish):
    chunks = [c for name in ("one", "two") for c in publish(name, ["a", "b", "c"], language="en").chunks]
    hashes = sorted({c.meta["text_hash"] for c in chunks})
    catalog.vectors.put([(key, [float(n)]) for n, key in enumerate(hashes)], "fp")
    assert sorted(v.tolist() for v in catalog.vectors.sample("docs", "en", "fp", 2)) == [[0.0], [1.0]]
    assert len(catalog.vectors.sample("docs", "en", "fp", 50)) == len(hashes)
    assert catalog.vectors.sample("docs", "zh", "fp", 2) == []


def test_vectors_of_chunks_by_language(catalog, publish):
    chunks = [*publish("bird", ["a", "b"]).chunks, *publish("fish", ["c"], language="zh").chunks]
    catalog.vectors.put([(c.meta["text_hash"], [float(n)]) for n, c in enumerate(chunks)], "fp")
    found = catalog.vectors.by_language("docs", [c.id for c in chunks[1:]], "fp")
    assert {language: [v.tolist() for v in rows] for language, rows in found.items()} == {"en": [[1.0]], "zh": [[2.0]]}
    assert catalog.vectors.by_language("docs", [c.id for c in chunks], "other") == {}
    many = [chunks[0].id, *map(str, range(LOOKUP_SIZE)), chunks[1].id]
    assert len(catalog.vectors.by_language("docs", many, "fp")["en"]) == 2
