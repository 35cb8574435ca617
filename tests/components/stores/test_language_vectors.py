"""Vectors by language, as of the last commit."""

import numpy as np
import pytest
from toy_embedders import vector_of

from khub.components.stores import language_vectors as module
from khub.components.stores.language_vectors import language_vectors

pytestmark = pytest.mark.integration

QUESTION = np.asarray(vector_of("toy", "herons wade"), "<f4")


@pytest.fixture
def books(library):
    library.add("/en.md", ["herons wade slowly", "swifts sleep aloft"])
    library.add("/zh.md", ["苍鹭在浅水中慢慢行走", "雨燕在空中睡觉", "herons 苍鹭在浅水中行走"])
    return library


def fingerprint(library):
    return library.catalog.collections.binding("books")["embedder"]["fingerprint"]


def held(library):
    return language_vectors(library.catalog, "books", fingerprint(library))


def contents(library, ids):
    documents = library.catalog.chunks.fetch("books", ids)
    return [documents[one][0].content for one in ids]


def test_the_nearest_of_one_language_come_best_first(books):
    vectors = held(books)
    assert vectors.languages == {"en": 2, "zh": 3}
    assert contents(books, vectors.nearest("en", QUESTION, 5)) == ["herons wade slowly", "swifts sleep aloft"]
    assert contents(books, vectors.nearest("zh", QUESTION, 1)) == ["herons 苍鹭在浅水中行走"]
    assert vectors.nearest("ko", QUESTION, 5) == []


def test_only_what_is_allowed_counts(books):
    every = held(books).nearest("zh", QUESTION, 5)
    assert held(books).nearest("zh", QUESTION, 5, allowed=set(every[1:])) == every[1:]
    assert held(books).nearest("zh", QUESTION, 5, allowed=set()) == []


def test_a_language_with_too_many_chunks_is_left_out(books, monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 2)
    assert held(books).nearest("zh", QUESTION, 5) == []
    assert len(held(books).nearest("en", QUESTION, 5)) == 2


def test_a_commit_is_seen_and_another_collection_is_another(books):
    before = held(books)
    assert held(books) is before
    books.add("/more.md", ["herons wade on"])
    after = held(books)
    assert after is not before
    assert after.languages["en"] == 3
    assert len(after.nearest("en", QUESTION, 5)) == 3


def test_a_collection_that_is_gone_is_forgotten(books, monkeypatch):
    monkeypatch.setattr(module, "_open", {})
    held(books)
    books.catalog.collections.remove("books")
    books.add("/other.md", ["herons"], collection="other")
    language_vectors(books.catalog, "other", "f")
    assert {key[1] for key in module._open} == {"other"}


def test_the_spread_is_that_of_cosines_within_the_languages(books, monkeypatch):
    assert held(books).spread(QUESTION) is None
    monkeypatch.setattr(module, "ENOUGH", 5)
    rows = {"en": [], "zh": []}
    for language, chosen in rows.items():
        vectors = books.catalog.vectors.of_language("books", language, fingerprint(books))
        chosen.extend(float(vector @ QUESTION) for vector in vectors.values())
    wanted = np.sqrt((2 * np.var(rows["en"]) + 3 * np.var(rows["zh"])) / 5)
    found = held(books).spread(QUESTION)
    assert found == pytest.approx(wanted, abs=1e-6)


def test_a_sample_stands_for_the_language(books, monkeypatch):
    monkeypatch.setattr(module, "SAMPLE", 2)
    monkeypatch.setattr(module, "ENOUGH", 4)
    monkeypatch.setattr(module, "_open", {})
    sample = books.catalog.vectors.sample("books", "zh", fingerprint(books), 2)
    assert len(sample) == 2
    assert held(books).spread(QUESTION) is not None
    monkeypatch.setattr(module, "ENOUGH", 5)
    assert held(books).spread(QUESTION) is None


def test_the_spread_among_some_chunks_is_that_of_their_cosines(books, monkeypatch):
    monkeypatch.setattr(module, "ENOUGH", 2)
    vectors = books.catalog.vectors.of_language("books", "zh", fingerprint(books))
    some = sorted(vectors)[:2]
    wanted = np.std([float(vectors[chunk_id] @ QUESTION) for chunk_id in some])
    found = held(books).spread(QUESTION, some)
    assert found == pytest.approx(wanted, abs=1e-6)
    assert held(books).spread(QUESTION, some[:1]) == held(books).spread(QUESTION)
    assert held(books).spread(QUESTION, ["gone", "away"]) == held(books).spread(QUESTION)
    monkeypatch.setattr(module, "SAMPLE", 2)
    first, _, last = sorted(vectors)
    assert held(books).spread(QUESTION, [first, some[1], last]) == held(books).spread(QUESTION, [first, last])
