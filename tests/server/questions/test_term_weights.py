import pytest
from haystack import Document

from khub.components.catalog.catalog import open_catalog
from khub.components.question import Question
from khub.components.retrievers.sparse_retriever import SparseRetriever
from khub.components.text.stopwords import without_stopwords
from khub.server.library.ingest import ingest
from khub.server.questions.term_weights import term_weights

TEXT = Document(id="a", content="red red robots", meta={"source": "/x.md", "title": None})


@pytest.mark.unit
def test_parts_make_up_the_score():
    found = term_weights(TEXT, ["red", "robot", "blue"], {"red": 1.0, "robot": 2.0, "blue": 3.0}, 3.0)
    assert [(weight.term, weight.count) for weight in found] == [("robot", 1), ("red", 2)]
    assert sum(weight.bm25 for weight in found) == pytest.approx(3.0)


@pytest.mark.unit
def test_what_is_not_known_stays_open():
    assert [(w.term, w.idf, w.bm25) for w in term_weights(TEXT, ["red"], {}, 3.0)] == [("red", None, None)]
    assert [(w.idf, w.bm25) for w in term_weights(TEXT, ["red"], {"red": 1.0}, None)] == [(1.0, None)]
    # synonyms have given more than the terms can
    assert term_weights(TEXT, ["red"], {"red": 1.0}, 50.0)[0].bm25 == pytest.approx(1.0 * 2 * 2.2 / 3.2)


@pytest.mark.integration
def test_parts_of_real_scores(notes):
    ingest([str(notes)])
    assert open_catalog().chunks.count("default")
    terms = without_stopwords("herons wade in cold water rivers")
    found = SparseRetriever().run(Question("herons", terms=terms))
    assert found["documents"]
    for document in found["documents"]:
        parts = term_weights(document, terms, found["leg"].signs.rarity, document.score)
        assert sum(weight.bm25 for weight in parts) == pytest.approx(document.score, rel=1e-4)
