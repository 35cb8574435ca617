import pytest

from components.errors import GraphError
from eval.run.fitting_ingest import fitting_ingest
from server.graphs import load_graph
from tests.server.hub_files import edit

pytestmark = pytest.mark.integration


def test_the_one_of_the_same_suffix_is_taken():
    assert fitting_ingest(load_graph("query_fast")).name == "ingest_fast"
    assert fitting_ingest(load_graph("query")).name == "ingest"


def test_else_the_one_that_has_the_same_embedder_and_store(pipelines):
    (pipelines / "query_fast.yaml").rename(pipelines / "query_quick.yaml")
    assert fitting_ingest(load_graph("query_quick")).name == "ingest_fast"
    (pipelines / "query.yaml").rename(pipelines / "ask.yaml")
    assert fitting_ingest(load_graph("ask")).name == "ingest"


def test_a_graph_that_is_named_by_its_file_may_lie_anywhere(pipelines, tmp_path):
    file = (pipelines / "query_fast.yaml").rename(tmp_path / "variant-7.yaml")
    assert fitting_ingest(load_graph(str(file))).name == "ingest_fast"


def test_a_twin_of_another_store_is_passed_over(pipelines):
    edit(pipelines / "ingest_fast.yaml", "distance_function: cosine", "distance_function: l2")
    with pytest.raises(GraphError, match="no ingest graph fills what 'query_fast' reads: name one by --ingest"):
        fitting_ingest(load_graph("query_fast"))


def test_a_graph_without_a_dense_leg_of_its_own_takes_its_twin(pipelines):
    text = (pipelines / "query_fast.yaml").read_text(encoding="utf-8")
    start, end = text.index("          embedder:"), text.index("  sparse:")
    (pipelines / "query_fast.yaml").write_text(f"{text[:start]}\n{text[end:]}", encoding="utf-8")
    assert fitting_ingest(load_graph("query_fast")).name == "ingest_fast"


def test_a_broken_twin_is_told_and_others_are_passed_over(pipelines):
    (pipelines / "ingest_aaa.yaml").write_text("metadata: {kind: ingest, description: x}\n", encoding="utf-8")
    (pipelines / "query_fast.yaml").rename(pipelines / "query_quick.yaml")
    assert fitting_ingest(load_graph("query_quick")).name == "ingest_fast"
    edit(pipelines / "ingest_fast.yaml", "chunk_size", "chunk_sise")
    (pipelines / "query_quick.yaml").rename(pipelines / "query_fast.yaml")
    with pytest.raises(GraphError, match="chunk_sise"):
        fitting_ingest(load_graph("query_fast"))
