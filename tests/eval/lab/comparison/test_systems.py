"""Each system indexes and finds the same chunks, in a process that has not filled the index, too."""

import importlib
import importlib.util
import json
import logging

import pytest

from khub.components.home import hub_home
from khub.eval.bench.corpus import Corpus
from khub.eval.lab.comparison.chunk import Chunk, write_chunks
from khub.eval.lab.comparison.data_set import CHUNKS_FILE, QUESTIONS_FILE, split_questions
from khub.eval.lab.comparison.known_items import make_questions
from khub.eval.lab.comparison.measure import measure_cold, measure_ingest, measure_query
from khub.eval.lab.comparison.system import CLASSES, Clock, load_system
from tests.error_codes import raises_code
from tests.server.hub_files import copy_pipelines, edit

pytestmark = pytest.mark.integration
NO_LANGCHAIN = importlib.util.find_spec("langchain_chroma") is None
SYSTEMS = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            name == "langchain" and NO_LANGCHAIN, reason='no LangChain: pip install -e ".[bench]" -c constraints.txt'
        ),
    )
    for name in CLASSES
]
COUNT = 60


@pytest.fixture
def data(tmp_path):
    """The folder of a small data set of ten documents."""
    chunks = []
    for number in range(COUNT):
        language = ("en", "zh")[number % 2]
        content = Corpus(language, number).document(300)
        meta = {
            "doc_id": f"d{number // 6}", "source": f"/notes/{number // 6}.md", "doc_type": "markdown", "title": "Notes",
            "section": "", "page": None, "start": 0, "end": len(content), "ordinal": number % 6, "language": language,
        }  # fmt: skip
        chunks.append(Chunk(f"c{number}", f"Notes\n{content}", content, meta))
    write_chunks(tmp_path / CHUNKS_FILE, chunks)
    questions = split_questions(make_questions(chunks, 50, seed=1), 27)
    (tmp_path / QUESTIONS_FILE).write_text(json.dumps(questions), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_was_indexed_is_found(name, data):
    home = hub_home()
    figures = measure_ingest(name, data, home)
    assert figures["chunks"] == COUNT
    assert figures["chunks_per_s"] == pytest.approx(COUNT / figures["seconds"], rel=0.05)
    assert 0 < figures["parts_s"]["embed"] < figures["seconds"]
    assert figures["disk_mb"] > 0.1
    cold = measure_cold(name, data, home, 1, 10, started=0.0)
    assert cold["seconds"] >= sum(cold["parts_s"].values()) - cold["parts_s"]["import"]
    query = measure_query(name, data, home, top_k=10)
    assert query["queries"] == 27
    assert query["hit_rate"] > 0.9
    assert 0 < query["p50_ms"] <= query["p95_ms"] <= query["p99_ms"]
    assert query["degraded"] == 0
    stages = query["stages_p50_ms"]
    assert (stages.keys() >= {"dense", "sparse", "join", "rank", "answer", "total"}) if name == "hub" else stages == {}


@pytest.mark.parametrize("name", SYSTEMS)
def test_an_answer_has_as_many_chunks_as_wanted(name, data):
    measure_ingest(name, data, hub_home())
    system = load_system(name, hub_home(), Clock())
    system.open()
    question = json.loads((data / QUESTIONS_FILE).read_text(encoding="utf-8"))[2][0]
    for top_k in (3, 10):
        found = system.search(question[0], top_k)
        assert len(found.ids) == len(set(found.ids)) == top_k
        assert question[1] in found.ids


@pytest.mark.parametrize("name", [name for name in CLASSES if name != "langchain"])
def test_an_empty_index_gets_no_figures(name, data):
    system = load_system(name, hub_home(), Clock())
    system.prepare()
    system.finish()
    with raises_code("evaluation_failed", name, "0 of 27 chunks", "10 results"):
        measure_query(name, data, hub_home(), top_k=10)


def test_systems_embed_alike(data):
    """The vectors in the hub's catalog are those that Haystack's store holds."""
    from haystack import Document

    from khub.components.catalog.catalog import open_catalog

    measure_ingest("hub", data, hub_home())
    collection = open_catalog().collections.binding("default")
    kept = dict(open_catalog().vectors.of_collection("default", collection["embedder"]["fingerprint"]))
    measure_ingest("haystack", data, data / "haystack")
    store = json.loads((data / "haystack" / "store.json").read_text(encoding="utf-8"))
    assert len(kept) == len(store["documents"]) == COUNT
    for document in map(Document.from_dict, store["documents"]):
        assert document.embedding == pytest.approx(kept[document.id].tolist(), abs=1e-6)


def test_another_embedder_in_the_graph_is_refused(data, tmp_path, monkeypatch):
    pipelines = copy_pipelines(tmp_path)
    edit(pipelines / "ingest_fast.yaml", "model: khub-fast", "model: khub-base")
    monkeypatch.setenv("KHUB_PIPELINES", str(pipelines))
    with raises_code("graph_parameter_invalid", "'ingest_fast'", "'khub-base'", "khub-fast"):
        measure_ingest("hub", data, hub_home())


def test_stages_that_were_replaced_are_counted(data, caplog):
    measure_ingest("hub", data, hub_home())
    for index in (hub_home() / "sparse").iterdir():
        (index / "meta.json").write_text("{", encoding="utf-8")
    caplog.set_level(logging.CRITICAL)
    assert measure_query("hub", data, hub_home(), top_k=10)["degraded"] == 27


@pytest.mark.skipif(NO_LANGCHAIN, reason='no LangChain: pip install -e ".[bench]" -c constraints.txt')
def test_langchain_tells_the_cost_of_its_keyword_index(data):
    parts = measure_ingest("langchain", data, hub_home())["parts_s"]
    assert 0 < parts["tokenize"] < parts["keyword"]


@pytest.mark.skipif(not NO_LANGCHAIN, reason="LangChain is installed")
def test_without_langchain_nothing_else_asks_for_it():
    importlib.import_module("khub.eval.lab.comparison.__main__")
    with pytest.raises(ImportError, match="langchain"):
        load_system("langchain", hub_home(), Clock())
