import pytest

from khub.components.errors import GraphError
from khub.eval.run.fitting_ingest import fitting_ingest, named_ingest
from khub.server.graphs.load import load_graph
from tests.error_codes import raises_code
from tests.server.hub_files import edit, name_parts

pytestmark = pytest.mark.integration


@pytest.fixture
def fast(pipelines):
    """The file of a graph that embeds questions by khub-fast, named after no ingest graph."""
    file = pipelines / "query_quick.yaml"
    file.write_bytes((pipelines / "query.yaml").read_bytes())
    name_parts(file, pipelines / "ingest_fast.yaml", embedder="khub-fast")
    return file


def test_the_one_of_the_same_suffix_is_taken(pipelines):
    (pipelines / "query_fast.yaml").write_bytes((pipelines / "query.yaml").read_bytes())
    assert fitting_ingest(load_graph("query_fast")).name == "ingest_fast"
    assert fitting_ingest(load_graph("query")).name == "ingest"


def test_else_the_one_that_has_the_same_embedder_and_store(fast, pipelines):
    assert fitting_ingest(load_graph("query_quick")).name == "ingest_fast"
    (pipelines / "query.yaml").rename(pipelines / "ask.yaml")
    assert fitting_ingest(load_graph("ask")).name == "ingest"


def test_one_that_is_named_has_to_fill_what_the_query_graph_reads(fast):
    assert named_ingest(load_graph("query"), "ingest_fast").name == "ingest_fast"
    assert named_ingest(load_graph("query_quick"), "ingest_fast").name == "ingest_fast"
    with raises_code("binding_embedder", "'query_quick'", "'ingest'"):
        named_ingest(load_graph("query_quick"), "ingest")


def test_a_graph_that_is_named_by_its_file_may_lie_anywhere(fast, tmp_path):
    assert fitting_ingest(load_graph(str(fast.rename(tmp_path / "variant-7.yaml")))).name == "ingest_fast"


def test_one_of_another_store_is_passed_over(fast, pipelines):
    edit(pipelines / "ingest_fast.yaml", "distance_function: cosine", "distance_function: l2")
    with raises_code("graph_stage_missing", "'query_quick'", "--ingest"):
        fitting_ingest(load_graph("query_quick"))


def test_a_broken_twin_is_told_and_others_are_passed_over(fast, pipelines):
    (pipelines / "ingest_aaa.yaml").write_text("metadata: {kind: ingest, description: x}\n", encoding="utf-8")
    assert fitting_ingest(load_graph("query_quick")).name == "ingest_fast"
    edit(pipelines / "ingest_fast.yaml", "chunk_size", "chunk_sise")
    fast.rename(pipelines / "query_fast.yaml")
    with pytest.raises(GraphError, match="chunk_sise"):
        fitting_ingest(load_graph("query_fast"))
