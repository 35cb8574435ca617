import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from khub.components.errors import GraphError
from khub.server.graphs.folder import graph_folder
from khub.server.graphs.load import GraphInfo, list_graphs, load_graph
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def test_graph_says_what_it_takes_and_gives(write_graph):
    path = write_graph("query")
    graph = load_graph("query")
    assert (graph.name, graph.path, graph.kind) == ("query", path, "query")
    assert graph.metadata["description"] == "finds and answers"
    assert graph.inputs == {
        "query": ["find.query", "answer.query"],
        "collection": ["find.collection"],
        "limit": ["find.limit"],
    }
    assert graph.outputs == {"answer": "answer.answer", "documents": "find.documents"}
    assert graph.required == {"query"}


def test_names_in_sub_folders_and_paths(write_graph, tmp_path, query_text):
    write_graph("more/x")
    (tmp_path / "own.yml").write_text(query_text, encoding="utf-8")
    assert load_graph("more/x").name == "more/x"
    assert load_graph("own.yml").path == tmp_path / "own.yml"


def test_folder_is_the_named_one_or_the_one_here_or_that_of_the_repository(write_graph, tmp_path, monkeypatch):
    assert graph_folder().name == "pipelines"
    assert (graph_folder().parent / "server" / "cli.py").exists()
    write_graph("query")
    assert graph_folder() == tmp_path / "pipelines"
    monkeypatch.setenv("KHUB_PIPELINES", str(tmp_path / "other"))
    assert graph_folder() == tmp_path / "other"


def test_unknown_name_gets_the_nearest(write_graph):
    write_graph("query")
    write_graph("more/x")
    with raises_code("graph_unknown", "'qury'", "'query'"):
        load_graph("qury")
    with raises_code("graph_unknown", "'gone.yaml'"):
        load_graph("gone.yaml")


@pytest.mark.parametrize("name", ["../secret", "/etc/x", "more/../../secret", "a\\b", "", ".", "C:x", "more//x"])
def test_name_does_not_leave_the_folder(name, write_graph, tmp_path, query_text):
    write_graph("more/x")
    (tmp_path / "secret.yaml").write_text(query_text, encoding="utf-8")
    with pytest.raises(GraphError, match="unknown graph"):
        load_graph(name)


def test_error_names_file_line_component_and_remedy(write_graph, query_text):
    write_graph("query", query_text.replace("top_k: 2", "topk: 2"))
    with raises_code("graph_parameter_unknown", "pipelines/query.yaml:6: find", "'topk'", "'top_k'"):
        load_graph("query")


def test_file_that_is_not_utf8(tmp_path, write_graph):
    write_graph("query").write_bytes(b"metadata:\n  kind: query\na: \xff")
    with raises_code("graph_unreadable", "'pipelines/query.yaml'", "UTF-8"):
        load_graph("query")


def test_same_object_until_the_file_is_edited(write_graph, query_text):
    path = write_graph("query")
    graph = load_graph("query")
    assert load_graph("query") is graph
    path.write_text(query_text.replace("top_k: 2", "top_k: 7"), encoding="utf-8")  # the same size
    os.utime(path, ns=(1, 1))
    edited = load_graph("query")
    assert edited is not graph
    assert edited.pipeline.get_component("find").top_k == 7


def test_broken_edit_is_an_error_and_not_the_old_graph(write_graph, query_text):
    path = write_graph("query")
    load_graph("query")
    path.write_text(query_text.replace("top_k: 2", "topk: 22"), encoding="utf-8")
    for _ in range(2):
        with pytest.raises(GraphError, match="topk"):
            load_graph("query")
    path.write_text(query_text.replace("top_k: 2", "top_k: 222"), encoding="utf-8")
    assert load_graph("query").pipeline.get_component("find").top_k == 222


def test_many_threads_load_one_graph(write_graph):
    write_graph("query")
    barrier = threading.Barrier(8)

    def load(_):
        barrier.wait()
        return load_graph("query")

    with ThreadPoolExecutor(8) as pool:
        assert len({id(graph) for graph in pool.map(load, range(8))}) == 1


def test_allowed_modules_come_from_the_environment(write_graph, monkeypatch):
    write_graph("query")
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "")
    with raises_code("graph_module_not_allowed", "'graph_parts'"):
        load_graph("query")


def test_list_shows_broken_files_too(write_graph):
    query = write_graph("query")
    broken = write_graph("more/broken", "metadata:\n  kind: query\na: [")
    assert list_graphs() == [
        GraphInfo("more/broken", broken, "", ""),
        GraphInfo("query", query, "query", "finds and answers"),
    ]


def test_list_shows_what_a_file_says_since_it_was_edited(write_graph):
    write_graph("query")
    assert [info.description for info in list_graphs()] == ["finds and answers"]
    write_graph("query", "metadata: {kind: query, description: finds more}\n")
    assert [info.description for info in list_graphs()] == ["finds more"]


def test_folder_without_graphs_is_told_with_the_variable_that_names_another(tmp_path, monkeypatch):
    monkeypatch.setenv("KHUB_PIPELINES", str(tmp_path))
    with raises_code("graph_unknown", "KHUB_PIPELINES"):
        load_graph("query")
