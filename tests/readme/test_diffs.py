"""Each change of a graph that the README shows fits the shipped graph, and what comes out is a graph."""

import http.server
import importlib
import json
import threading

import pytest

from components.answers.answer_builder import AnswerBuilder
from tests.readme.markdown import ENGLISH, ROOT, blocks
from tests.readme.unified_diff import apply, changed_file, edit
from tests.server.hub_files import shipped

DIFFS = [b for b in blocks(ENGLISH) if b.language == "diff" and changed_file(b.text).startswith("pipelines/")]
OF_EXTRAS = {  # a word of a diff, the module it needs, the extra that brings it
    "SentenceTransformers": ("haystack_integrations.components.embedders.sentence_transformers", "local-models"),
    "Qdrant": ("haystack_integrations.document_stores.qdrant", "qdrant"),
}
WEIGHT, BOUND, NO_LEG, NO_RANKER = "+          sparse_weight", "min_confidence", "-  sparse:", "-  rank:"


def the_diff(word):
    (diff,) = [block.text for block in DIFFS if word in block.text]
    return diff


@pytest.mark.integration
@pytest.mark.parametrize("diff", DIFFS, ids=str)
def test_a_changed_graph_is_a_graph(diff, graphs, khub):
    file = changed_file(diff.text)
    edit(diff.text, graphs)
    module, extra = next((needed for word, needed in OF_EXTRAS.items() if word in diff.text), (None, None))
    if module is None or is_installed(module):
        assert khub(graphs, "graph", "check", file) == (0, f"{file}: ok\n")
        return
    code, came = khub(graphs, "graph", "check", file, "--json")
    problems = [problem for graph in json.loads(came)["graphs"] for problem in graph["problems"]]
    assert code == 1
    assert {p["remedy"] for p in problems} == {
        f"python -m server.setup install --extras {extra}"
    }  # and nothing else is wrong
    pytest.skip(f"checked but for the extra {extra!r}, which is not installed")


def is_installed(module):
    try:
        return bool(importlib.import_module(module))
    except ImportError:
        return False


@pytest.mark.unit
def test_all_swaps_are_there():
    words = (
        "khub-fast",
        *OF_EXTRAS,
        "OpenAI",
        "top_k: 3\n",
        WEIGHT,
        NO_LEG,
        NO_RANKER,
        BOUND,
        "template:",
        "chunk_size",
        "NearDuplicates",
    )
    assert [word for word in words if not any(word in block.text for block in DIFFS)] == []
    assert len(DIFFS) == 12


@pytest.mark.integration
def test_each_small_swap_changes_what_it_says(graphs, khub):
    said = {
        "+      top_k: 3\n": "~ parameter answer.top_k: 5 -> 3",
        WEIGHT: f"~ parameter rank.component.{shipped('query', 'sparse_weight: .*')} -> 0.5",
        BOUND: f"~ parameter answer.min_confidence: {AnswerBuilder().min_confidence} -> 0.39",
        "chunk_size": f"~ parameter split.{shipped('ingest', 'chunk_size: .*')} -> 500",
    }
    for word, line in said.items():
        file = changed_file(the_diff(word))
        (graphs / "new.yaml").write_text(apply(the_diff(word), (ROOT / file).read_text(encoding="utf-8")), "utf-8")
        assert line in khub(graphs, "graph", "diff", file, "new.yaml")[1].splitlines()


@pytest.mark.integration
def test_a_graph_without_a_leg_answers(graphs, khub):
    edit(the_diff(NO_LEG), graphs)
    note(graphs)
    assert khub(graphs, "ingest", "notes")[0] == 0
    assert [leg["name"] for leg in ask(graphs, khub)["legs"]] == ["dense"]


@pytest.mark.integration
def test_a_graph_without_a_ranker_answers_in_the_order_of_the_joiner(graphs, khub):
    edit(the_diff(NO_RANKER), graphs)
    note(graphs)
    assert khub(graphs, "ingest", "notes")[0] == 0
    ranks = [citation["ranks"] for citation in ask(graphs, khub)["citations"]]
    assert ranks
    assert all("rerank" not in found for found in ranks)


@pytest.mark.integration
def test_a_collection_moves_to_the_static_embedder(graphs, khub):
    note(graphs)
    assert khub(graphs, "ingest", "notes")[0] == 0
    edit(the_diff("-          model: khub-base\n-          fallback: khub-fast\n+          model: khub-fast"), graphs)
    assert "does not fit this graph" in khub(graphs, "ingest", "notes")[1]
    assert khub(graphs, "reindex", "--collection", "default")[0] == 0
    code, came = khub(graphs, "query", "herons")
    assert "this graph's question by khub-base" in came
    assert "degraded: dense" in came or code == 1
    edit(the_diff("-          template:"), graphs)
    answer = ask(graphs, khub)
    assert answer["degraded"] == []
    assert [leg["used"] for leg in answer["legs"]] == [True, True]


@pytest.mark.integration
def test_a_collection_moves_to_a_server_that_speaks_the_openai_protocol(graphs, khub, embedding_server, monkeypatch):
    monkeypatch.setenv("EMBEDDING_API_KEY", "secret")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    note(graphs)
    edit(the_diff("OpenAI").replace("127.0.0.1:8080", embedding_server.address), graphs)
    edit(the_diff("-          template:"), graphs)
    assert khub(graphs, "ingest", "notes")[0] == 0
    answer = ask(graphs, khub)
    assert answer["degraded"] == []
    assert [leg["used"] for leg in answer["legs"]] == [True, True]
    assert embedding_server.asked == [("my-model", "Bearer secret")] * 2
    assert b"secret" not in b"".join(file.read_bytes() for file in (graphs / "data").rglob("*") if file.is_file())

    embedding_server.stop()
    answer = ask(graphs, khub)
    assert [entry["stage"] for entry in answer["degraded"]] == ["dense"]
    assert "Herons" in answer["answer"]


def note(folder):
    (folder / "notes").mkdir()
    (folder / "notes" / "birds.md").write_text("# Birds\n\nHerons wade slowly.\n", encoding="utf-8")


def ask(folder, khub):
    _, came = khub(folder, "query", "How do herons wade?", "--json")
    return json.JSONDecoder().raw_decode(came[came.index("{\n") :])[0]


@pytest.fixture
def embedding_server():
    """A server with one model, whose vectors say how long a text is."""

    class Handler(http.server.BaseHTTPRequestHandler):
        asked, address = [], ""

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.asked.append((body["model"], self.headers["Authorization"]))
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            data = [{"object": "embedding", "index": i, "embedding": [1.0, len(t)]} for i, t in enumerate(texts)]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            answer = {"object": "list", "data": data, "model": body["model"], "usage": usage}
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()

    def stop():
        server.shutdown()
        server.server_close()
        thread.join()

    Handler.address, Handler.stop = f"127.0.0.1:{server.server_port}", staticmethod(stop)
    yield Handler
    if thread.is_alive():
        stop()
