"""Opening what a graph names says what works, asks nobody anything, and leaves nothing."""

import socket
import tempfile
import threading
from pathlib import Path

import pytest
import yaml
from haystack.document_stores.in_memory.document_store import _STORAGES

from khub.components.stores.chroma_store import ChromaStore
from khub.server.graphs import opened_parts
from khub.server.graphs.opened_parts import open_parts
from khub.server.graphs.yaml_lines import read_yaml
from tests.server.library.test_store_moves import MEMORY, RETRIEVER

pytestmark = pytest.mark.integration

TEXT = """\
metadata: {kind: ingest, description: x}
components:
  generate:
    type: haystack.components.generators.chat.openai.OpenAIChatGenerator
    init_parameters:
      api_key: {type: env_var, env_vars: [KHUB_LLM_API_KEY], strict: true}
      api_base_url: ADDRESS
inputs: {messages: generate.messages}
outputs: {replies: generate.replies}
"""
RANKED = """\
metadata: {kind: query, description: x}
components:
  rank:
    type: khub.components.rankers.bounded_ranker.BoundedRanker
    init_parameters:
      ranker:
        type: khub.components.rankers.rerank_server.RerankServer
        init_parameters: {url: ADDRESS, model: m}
inputs: {question: rank.question, documents: rank.documents}
outputs: {documents: rank.documents}
"""


@pytest.fixture(autouse=True)
def _temporary(tmp_path, monkeypatch):
    """Stores are tried in a folder that can be looked into afterwards."""
    (tmp_path / "tried").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tried"))
    yield
    assert list((tmp_path / "tried").iterdir()) == []
    assert not (tmp_path / "home").exists()


def states(path):
    return {(part.component, part.part): (part.state, part.said) for part in open_parts(path)}


def failure(path):
    (part,) = [part for part in open_parts(path) if part.state == opened_parts.FAILED]
    return part


def down(*_args, **_kwargs):
    raise ConnectionError("refused")


def test_stores_and_own_models_are_opened(pipelines):
    assert states(pipelines / "ingest_fast.yaml") == {
        ("embed", "DocumentEmbedder"): ("opened", "384 dimensions"),
        ("write", "CollectionWriter"): ("opened", ""),
        ("write", "ChromaStore"): ("opened", "takes 384 dimensions"),
    }


def test_store_on_a_server_keeps_nothing(pipelines):
    path = pipelines / "ingest_fast.yaml"
    graph = yaml.safe_load(path.read_text(encoding="utf-8"))
    graph["components"]["write"]["init_parameters"]["template"]["init_parameters"].update(
        store=MEMORY, retriever=RETRIEVER
    )
    path.write_text(yaml.safe_dump(graph), encoding="utf-8")
    of_others = set(_STORAGES)
    assert states(path)[("write", "InMemoryDocumentStore")] == ("opened", "takes 384 dimensions")
    made = set(_STORAGES) - of_others
    assert made
    assert not any(_STORAGES.pop(index) for index in made)


@pytest.mark.parametrize("step", ["from_dict", "count_documents", "search_embeddings"])
def test_store_that_cannot_be_opened(pipelines, monkeypatch, step):
    path = pipelines / "ingest_fast.yaml"
    opened_parts.load_graph(str(path))
    monkeypatch.setattr(ChromaStore, step, down)
    part = failure(path)
    assert (part.component, part.part) == ("write", "ChromaStore")
    assert part.said.endswith("(ConnectionError: refused)")
    assert part.remedy


def test_store_of_another_dimension(pipelines, monkeypatch):
    def write(_, documents, policy):
        if len(documents[0].embedding) != 768:
            raise ValueError("expected 768 dimensions")

    monkeypatch.setattr(ChromaStore, "write_documents", write)
    assert "expected 768 dimensions" in failure(pipelines / "ingest_fast.yaml").said


def test_store_that_does_not_answer_is_waited_for_no_longer(pipelines, monkeypatch):
    answers = threading.Event()
    monkeypatch.setattr(opened_parts, "LIMIT_S", 0.5)
    path = pipelines / "ingest_fast.yaml"
    opened_parts.load_graph(str(path)).warm_up()
    ended = []
    drop = opened_parts.drop_index
    monkeypatch.setattr(opened_parts, "drop_index", lambda *given: (drop(*given), ended.append(1)))
    monkeypatch.setattr(ChromaStore, "count_documents", lambda _: answers.wait(20))
    part = failure(path)
    answers.set()
    assert "0.5 s" in part.said
    while not ended or list(Path(tempfile.gettempdir()).iterdir()):
        threading.Event().wait(0.01)


def test_server_of_a_model_is_connected_to_and_asked_nothing(write_graph, monkeypatch):
    monkeypatch.setenv("KHUB_LLM_API_KEY", "secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        path = write_graph("ask", TEXT.replace("ADDRESS", f"http://{address}/v1"))
        assert states(path)[("generate", "OpenAIChatGenerator")][0] == "opened"
        connection, _ = server.accept()
        with connection:
            assert connection.recv(1) == b""
    part = failure(path)
    assert f"http://{address} (" in part.said
    assert "another address in the graph" in part.remedy


def test_server_that_a_class_of_the_hub_asks_is_connected_to_as_well(write_graph):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
    assert failure(write_graph("rank", RANKED.replace("ADDRESS", address))).part == "RerankServer"


def test_model_folder_inside_a_bounded_ranker_has_to_be_there(write_graph, tmp_path):
    own = "khub.components.rankers.onnx_cross_encoder.OnnxCrossEncoder"
    text = RANKED.replace("khub.components.rankers.rerank_server.RerankServer", own)
    path = write_graph("rank", text.replace("{url: ADDRESS, model: m}", f"{{folder: {tmp_path / 'none'}}}"))
    part = failure(path)
    assert (part.component, part.part) == ("rank", "OnnxCrossEncoder")
    assert str(tmp_path / "none") in part.said
    assert part.remedy


@pytest.mark.parametrize(("name", "state"), [("none", opened_parts.FAILED), ("", opened_parts.NOT_CHECKED)])
def test_model_folder_of_a_component_of_others_has_to_be_there(tmp_path, name, state):
    entry = {"type": "x.rankers.SomeRanker", "init_parameters": {"model": str(tmp_path / name)}}
    assert opened_parts._of_others("rank", entry, entry).state == state


def test_provider_is_not_asked(write_graph, monkeypatch):
    monkeypatch.setenv("KHUB_LLM_API_KEY", "secret")
    kind = "haystack.components.generators.chat.openai.OpenAIChatGenerator"
    monkeypatch.setenv("KHUB_SECRETS", f"KHUB_LLM_API_KEY@{kind}")
    path = write_graph("ask", TEXT.replace("      api_base_url: ADDRESS\n", ""))
    assert states(path) == {
        ("generate", "OpenAIChatGenerator"): ("not checked", "its provider would be asked, which may cost money")
    }


def test_what_others_bring_is_named(write_graph):
    data = read_yaml(TEXT).data
    data["components"]["write"] = {"type": "components.x.W", "init_parameters": {"template": {"store": MEMORY}}}
    data["components"]["own"] = {"type": "khub.components.rankers.score_ranker.ScoreRanker"}
    assert opened_parts.unopened_parts(data) == ["InMemoryDocumentStore", "OpenAIChatGenerator"]
