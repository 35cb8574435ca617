"""Each change of a graph that the pages show fits the shipped graph, and what comes out is a graph."""

import http.server
import importlib
import json
import threading

import pytest

from docs.providers import entries
from tests.docs.markdown import PAGES, ROOT, blocks
from tests.docs.unified_diff import apply, changed_file, edit

DIFFS = [b for page in PAGES for b in blocks(page, "diff") if changed_file(b.text).startswith("pipelines/")]
OF_EXTRAS = {  # a word of a diff, and the module that it needs
    "SentenceTransformers": "haystack_integrations.components.embedders.sentence_transformers",
    "SpeechReader": "faster_whisper",
    "QdrantStore": "haystack_integrations.document_stores.qdrant",
    "PgvectorStore": "haystack_integrations.document_stores.pgvector",
    "MilvusStore": "milvus_haystack",
    "OpenSearch": "haystack_integrations.document_stores.opensearch",
    "Elasticsearch": "haystack_integrations.document_stores.elasticsearch",
    "Weaviate": "haystack_integrations.document_stores.weaviate",
    "Pinecone": "haystack_integrations.document_stores.pinecone",
    "Anthropic": "haystack_integrations.components.generators.anthropic",
    "Cohere": "haystack_integrations.components.rankers.cohere",
    "Jina": "haystack_integrations.components.embedders.jina",
    "Ollama": "haystack_integrations.components.generators.ollama",
    "Mistral": "haystack_integrations.components.generators.mistral",
    "OpenRouter": "haystack_integrations.components.generators.openrouter",
}
TRUSTED = [one.trust.split()[3:5] for one in entries() if one.trust]
ALLOWED = ",".join(
    (
        "KHUB_LLM_API_KEY@llm.example.com",
        "KHUB_LLM_API_KEY@127.0.0.1",
        *(f"{variable}@{host}" for variable, host in TRUSTED),
        "PG_CONN_STR@khub.components.stores.pgvector_store.PgvectorStore",
    )
)
NO_LEG, FAST = "-  sparse:", "+          model: khub-fast"


def the_diff(word):
    """The one diff that holds a word (a page in Chinese may show it, too)."""
    (diff,) = {block.text for block in DIFFS if word in block.text}
    return diff


def missing_module(diff):
    """The module of an extra that a diff needs and that is not installed, "" where there is none."""
    return next((module for word, module in OF_EXTRAS.items() if word in diff and not is_installed(module)), "")


def is_installed(module):
    try:
        return bool(importlib.import_module(module))
    except ImportError:
        return False


@pytest.mark.integration
@pytest.mark.parametrize("diff", DIFFS, ids=str)
def test_a_changed_graph_is_a_graph(diff, graphs, khub, monkeypatch):
    file = changed_file(diff.text)
    edit(diff.text, graphs)
    for variable, _ in TRUSTED:
        monkeypatch.setenv(variable, "a-key")  # one of the classes reads its key where it is built
    module = missing_module(diff.text)
    if not module:
        code, came = khub(graphs, "graph", "check", file, KHUB_SECRETS=ALLOWED)
        assert (code, came.partition(";")[0].strip()) == (0, f"{file}: ok")
        return
    code, came = khub(graphs, "graph", "check", file, "--json", KHUB_SECRETS=ALLOWED)
    problems = [problem for graph in json.loads(came)["graphs"] for problem in graph["problems"]]
    assert code == 1
    assert {problem["code"] for problem in problems} == {"library_missing"}
    pytest.skip(f"checked but for {module}, which is not installed")


@pytest.mark.integration
@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("+    init_parameters: {top_k: 3}", "~ parameter answer.top_k: 5 -> 3"),
        ("sparse_weight: 0.6", "~ parameter rank.sparse_weight: 0.3 -> 0.6"),
        ("fusion: rrf", "~ parameter rank.fusion: weighted_sum -> rrf"),
        ("min_confidence", "~ parameter answer.min_confidence: 0.24 -> 0.45"),
        ("preference_weight", "~ parameter select.preference_weight: 0.15 -> 0"),
        ("chunk_size: 500", "~ parameter split.chunk_size: 1000 -> 500"),
        ("-  translate:", "- component translate: khub.components.query.query_translation.QueryTranslation"),
    ],
)
def test_each_small_swap_changes_what_it_says(word, line, graphs, khub):
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
@pytest.mark.parametrize("word", ["-  translate:", "fusion: rrf", "preference_weight"])
def test_a_changed_query_graph_answers(word, graphs, khub):
    edit(the_diff(word), graphs)
    note(graphs)
    assert khub(graphs, "ingest", "notes", "--graph", "ingest_fast")[0] == 0
    answer = ask(graphs, khub)
    assert answer["degraded"] == []
    assert answer["citations"]


@pytest.mark.integration
def test_a_collection_moves_to_the_static_embedder(graphs, khub):
    note(graphs)
    assert khub(graphs, "ingest", "notes")[0] == 0
    edit(the_diff(FAST), graphs)
    assert "khub reindex" in khub(graphs, "ingest", "notes")[1]
    assert khub(graphs, "reindex", "--collection", "default")[0] == 0
    answer = ask(graphs, khub)
    assert answer["degraded"] == []
    assert [leg["used"] for leg in answer["legs"]] == [True, True]


@pytest.mark.integration
def test_a_collection_moves_to_a_server_that_speaks_the_openai_protocol(graphs, khub, embedding_server, monkeypatch):
    monkeypatch.setenv("EMBEDDING_API_KEY", "secret")
    monkeypatch.setenv("KHUB_SECRETS", ALLOWED)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    note(graphs)
    edit(the_diff("EMBEDDING_API_KEY").replace("127.0.0.1:8080", embedding_server.address), graphs)
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


def ask(folder, khub, *options):
    _, came = khub(folder, "query", "How do herons wade?", "--json", *options)
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
