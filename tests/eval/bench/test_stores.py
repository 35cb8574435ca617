import gzip
import json

import numpy as np
import pytest
import yaml
from haystack.core.serialization import allow_deserialization_module

from khub.eval.bench.stores import STORES, measured, sentences
from tests.docs.markdown import ROOT
from tests.docs.test_diffs import the_diff
from tests.docs.unified_diff import apply

WORDS = {
    "Chroma, embedded": "",
    "Chroma, embedded, a million": "",
    "PostgreSQL with pgvector (HNSW)": "PgvectorStore",
    "PostgreSQL with pgvector (HNSW), a million": "PgvectorStore",
    "Qdrant, embedded": 'path: "{home}/dense/{collection}", embedding_dim',
    "Milvus Lite": "milvus.db",
}


@pytest.mark.unit
@pytest.mark.parametrize("store", STORES, ids=lambda store: store.name)
def test_what_is_measured_is_what_the_page_shows(store):
    text = (ROOT / "pipelines" / "ingest.yaml").read_text(encoding="utf-8")
    graph = yaml.safe_load(apply(the_diff(WORDS[store.name]), text) if WORDS[store.name] else text)
    shown = graph["components"]["write"]["init_parameters"]["template"]["init_parameters"]
    assert shown["retriever"] == store.retriever
    assert shown["store"] == {"type": store.type, "init_parameters": store.parameters}


@pytest.mark.integration
def test_a_store_that_finds_all_has_a_recall_of_one():
    allow_deserialization_module("khub.components.*")
    rows = np.random.default_rng(0).standard_normal((60, 384)).astype("<f4")
    vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    found = measured(STORES[0], vectors[:50], vectors[50:])
    assert found.recall == 1
    assert 0 < found.median_ms <= found.slow_ms
    longer = vectors[:50] * np.linspace(1, 9, 50)[:, None].astype("<f4")  # what a cosine does not see
    assert measured(STORES[0], longer, vectors[50:]).recall < 1


@pytest.mark.unit
def test_sentences_are_different_and_of_both_languages_by_turns(tmp_path):
    news = ["第一句话在这里说明了很多很多非常重要的事情。第二句话在这里说明了许多别的同样重要的事情。"] * 2
    pairs = ["A first sentence about herons in water.", "A second sentence about owls at night."] * 2
    for name, key, texts in (("text-zh/news", "text", news), ("parallel-zh-en/pairs", "en", pairs)):
        file = tmp_path / f"{name}.jsonl.gz"
        file.parent.mkdir()
        file.write_bytes(gzip.compress("\n".join(json.dumps({key: text}) for text in texts).encode()))
    found = list(sentences(tmp_path))
    assert len(found) == len(set(found)) == 4
    assert [text.isascii() for text in found] == [False, True, False, True]
