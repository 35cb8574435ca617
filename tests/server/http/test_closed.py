"""A token for one collection and one level finds nothing else, through any route and any tool of MCP."""

import json
import re
from dataclasses import dataclass

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.http.app import build_app
from khub.server.http.routes import all_routes
from khub.server.http.service_options import ServiceOptions
from khub.server.library.ingest import ingest
from khub.server.named_tokens import create_token
from tests.server.http.conftest import bearer
from tests.server.http.test_tokens import MCP, greeting

pytestmark = pytest.mark.integration

QUESTION = "Which bird eats fish at the quiet lake?"
NOTES = {  # collection, level -> the bird that this note alone names
    ("open", "public"): "heron",
    ("open", "secret"): "cormorant",
    ("shut", "public"): "kingfisher",
    ("shut", "secret"): "osprey",
}
CLOSED_BIRDS = tuple(bird for where, bird in NOTES.items() if where != ("open", "public"))

# What is sent to each route; `{doc_id}` and the like are things that are closed. None: no body.
OPEN, SHUT = {"query": QUESTION}, {"query": QUESTION, "collection": "shut"}
FROM_DIFY = {"query": QUESTION, "retrieval_setting": {"top_k": 5, "score_threshold": 0}}
MODES = ("both", "keyword", "meaning")
CHAT = {"messages": [{"role": "user", "content": QUESTION}]}
FILTER = {"field": "meta.access_level", "operator": "==", "value": "secret"}
BODIES = {
    ("GET", "/healthz"): [None],
    ("GET", "/readyz"): [None],
    ("GET", "/openapi.json"): [None],
    ("GET", "/docs"): [None],
    ("GET", "/metrics"): [None],
    ("GET", "/graphs"): [None],
    ("GET", "/graphs/{name:path}"): [None],
    ("GET", "/graphs/{name:path}/mermaid"): [None],
    ("POST", "/{name:path}/run"): [OPEN, SHUT, {"query": QUESTION}, {**OPEN, "filters": FILTER}],
    ("GET", "/documents"): [None],
    ("GET", "/documents/{doc_id}"): [None],
    ("GET", "/documents/{doc_id}/sections"): [None],
    ("GET", "/documents/{doc_id}/chunks"): [None],
    ("GET", "/documents/{doc_id}/markdown"): [None],
    ("GET", "/documents/{doc_id}/original"): [None],
    ("PATCH", "/documents/{doc_id}"): [{"title": "Mine", "access_level": "public"}],
    ("DELETE", "/documents/{doc_id}"): [None],
    ("GET", "/collections"): [None],
    ("POST", "/collections"): [{"name": "shut"}],
    ("GET", "/collections/{name}"): [None],
    ("DELETE", "/collections/{name}"): [None],
    ("POST", "/collections/{name}/reindex"): [{}],
    ("GET", "/images/{image_id}"): [None],
    ("GET", "/pages/{doc_id}/{page}.png"): [None],
    ("POST", "/search/images"): [{"query": "bird"}, {"query": "bird", "collection": "shut"}],
    ("GET", "/traces"): [None],
    ("GET", "/traces/{trace_id}"): [None],
    ("POST", "/feedback"): [{"trace_id": "{trace_id}", "chunk_id": "{chunk_id}", "right": True}],
    ("POST", "/documents"): [{"source": "x.md", "text": "mine", "collection": "shut"}],
    ("GET", "/sources"): [None],
    ("POST", "/sources/{key}/sync"): [None],
    ("GET", "/jobs"): [None],
    ("GET", "/jobs/{job_id}"): [None],
    ("DELETE", "/jobs/{job_id}"): [None],
    ("GET", "/jobs/{job_id}/events"): [None],
    ("GET", "/models"): [None],
    ("GET", "/v1/models"): [None],
    ("GET", "/models/{model:path}"): [None],
    ("GET", "/v1/models/{model:path}"): [None],
    ("POST", "/embeddings"): [{"model": "khub-fast", "input": "bird"}],
    ("POST", "/v1/embeddings"): [{"model": "khub-fast", "input": "bird"}],
    ("POST", "/chat/completions"): [{"model": "khub", **CHAT}, {"model": "khub:shut", **CHAT}],
    ("POST", "/v1/chat/completions"): [
        {"model": "khub", **CHAT},
        {"model": "khub:shut", **CHAT},
        {"model": "khub", "stream": True, **CHAT},
    ],
    ("POST", "/responses"): [{"model": "khub", "input": QUESTION}, {"model": "khub:shut", "input": QUESTION}],
    ("POST", "/v1/responses"): [{"model": "khub", "input": QUESTION}, {"model": "khub:shut", "input": QUESTION}],
    ("POST", "/completions"): [{"model": "khub", "prompt": QUESTION}],
    ("POST", "/v1/completions"): [{"model": "khub", "prompt": QUESTION}],
    ("POST", "/retrieval"): [{**FROM_DIFY, "knowledge_id": name} for name in ("open", "shut")],
    ("GET", "/api/v1/knowledge/{id}"): [None],
    ("GET", "/api/v1/knowledge/{id}/files"): [None],
    ("POST", "/api/v1/knowledge/{id}/sync/diff"): [{"manifest": [{"filename": "{bird}.md", "checksum": "x"}]}],
    ("POST", "/api/v1/knowledge/{id}/sync/cleanup"): [{"file_ids": ["{doc_id}"]}],
    ("POST", "/api/v1/knowledge/{id}/reset"): [None],
    ("POST", "/api/v1/files/"): [None],  # a form: see the ways to write
    ("POST", "/mcp"): [{}],  # its tools: below
    ("DELETE", "/mcp"): [None],
}
TELL = {  # routes where who may see all is told of a closed bird by these requests, so that silence means something
    ("POST", "/{name:path}/run"),
    ("GET", "/documents/{doc_id}"),
    ("GET", "/documents/{doc_id}/sections"),
    ("GET", "/documents/{doc_id}/chunks"),
    ("GET", "/documents/{doc_id}/markdown"),
    ("GET", "/documents/{doc_id}/original"),
    ("GET", "/traces"),
    ("GET", "/traces/{trace_id}"),
    ("POST", "/v1/chat/completions"),
    ("POST", "/chat/completions"),
    ("POST", "/v1/responses"),
    ("POST", "/responses"),
    ("POST", "/retrieval"),
}
ARGUMENTS = {  # of each tool
    "query_knowledge_hub": [
        *({**where, "mode": mode} for where in (OPEN, SHUT) for mode in MODES),
        {"query": QUESTION},
        {**OPEN, "filters": FILTER, "detail": "full"},
    ],
    "list_collections": [{}],
    "get_document_summary": [{"doc_id": "{doc_id}"}, {"source": "{bird}.md"}],
    "search_images": [OPEN, SHUT],
    "describe": [{}, {"collection": "shut"}, {"doc_id": "{doc_id}"}, {"doc_id": "{mistyped}"}],
    "read_section": [
        {"doc_id": "{doc_id}"},
        {"chunk_id": "{chunk_id}", "neighbours": 3},
        {"chunk_id": "{chunk_start}"},
    ],
    "get_page_image": [{"doc_id": "{doc_id}", "page": 1}, {"highlight": "{chunk_id}"}],
    "verify_answer": [{"answer": "A bird eats fish."}, {"answer": "A bird eats fish.", "collection": "shut"}],
    "search": [{"query": QUESTION}, {"query": "{bird}"}],
    "fetch": [{"id": "{doc_id}"}, {"id": "{doc_id}#0"}],
    "ingest": [{"paths": ["{bird}.md"], "collection": "shut"}],
    "remember": [{"title": "Mine", "text": "mine", "collection": "shut"}],
    "job_status": [{"job_id": "{job_id}"}],
    "delete_document": [{"doc_id": "{doc_id}"}],
}
TELLING_CALLS = [  # as `TELL`
    *(("query_knowledge_hub", {**SHUT, "mode": mode}) for mode in MODES),
    ("describe", {"collection": "shut"}),
    ("describe", {"doc_id": "{doc_id}"}),
    ("describe", {"doc_id": "{mistyped}"}),
    ("read_section", {"doc_id": "{doc_id}"}),
    ("read_section", {"chunk_id": "{chunk_start}"}),
    ("get_document_summary", {"doc_id": "{doc_id}"}),
    ("search", {"query": QUESTION}),
    ("fetch", {"id": "{doc_id}"}),
]
RESOURCES = ["khub://shut/documents", "khub://open/documents", "khub://doc/{doc_id}", "khub://chunk/{chunk_id}"]


@dataclass(frozen=True)
class Closed:
    """Things that the token must not reach."""

    bird: str
    doc_id: str
    chunk_id: str
    chunk_start: str
    mistyped: str
    trace_id: str
    job_id: str

    def put_in(self, value):
        """Return a URL or a body with the ids in it."""
        text = json.dumps(value)
        for name, one in vars(self).items():
            text = text.replace(f"{{{name}}}", one)
        return json.loads(text)


@pytest.fixture
def house(fixed_graphs, tmp_path, converted_here, serving):
    """A service over two collections, a token that sees a quarter of it, one that sees all, and what is closed."""
    for (collection, level), bird in NOTES.items():
        note = tmp_path / f"{bird}.md"
        note.write_text(f"# The {bird}\n\nThe {bird} is a bird that eats fish at the quiet lake.\n", encoding="utf-8")
        assert not ingest([str(note)], collection, meta={"access_level": level}).failed
    limited, _ = create_token("limited", write=True, collections=["open"], levels=["public"])
    everything, _ = create_token("all", write=True)
    with serving(roots=(tmp_path,)) as client:
        asked = client.post(
            "/query/run", json={"query": f"{QUESTION} osprey", "collection": "shut"}, headers=bearer(everything)
        )
        new = {"source": "grebe.md", "text": "# Grebe", "collection": "shut"}
        job = client.post("/documents", json=new, headers=bearer(everything)).json()["job_id"]
        closed = []
        for (collection, _), bird in NOTES.items():
            if bird in CLOSED_BIRDS:
                row = open_catalog().documents.find(collection, str(tmp_path / f"{bird}.md"))
                chunk = open_catalog().documents.chunks(row["doc_id"])[0]["chunk_id"]
                closed.append(
                    Closed(bird, row["doc_id"], chunk, chunk[:8], f"The {bird[:-1]}", asked.json()["trace_id"], job)
                )
        yield client, limited, everything, closed


def routes():
    found = {
        (method, route.path)
        for route in all_routes(build_app(ServiceOptions()).routes)
        for method in (getattr(route, "methods", None) or {"POST"}) - {"HEAD"}
    }
    return sorted(found)


def url_of(path, closed):
    # All traces: what this test itself asked would push the one with a bird off the first page.
    url = f"{path}?limit=200" if path == "/traces" else path
    url = (
        url.replace("{name:path}", "query")
        .replace("{name}", "shut")
        .replace("{id}", "shut")
        .replace("{model:path}", "khub:shut")
        .replace("{key}", "0" * 16)
    )
    url = closed.put_in(url).replace("{page}", "1").replace("{image_id}", "0" * 64)
    assert "{" not in url, f"{path}: say what stands here"
    return url


def replies(client, token, method, path, closed):
    """Yield what is answered to each request of the table, without what the request itself said."""
    for one in closed:
        for body in BODIES[method, path]:
            sent = None if body is None else one.put_in(body)
            reply = client.request(method, url_of(path, one), json=sent, headers=bearer(token))
            yield one, reply


def birds_in(text):
    return [bird for bird in CLOSED_BIRDS if bird in text.lower()]


def test_every_route_and_tool_stands_in_the_table(house):
    client, limited, _, _ = house
    assert set(routes()) == set(BODIES)
    ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    reply = client.post("/mcp", json=ask, headers={**greeting(client, limited), **bearer(limited)})
    assert {tool["name"] for tool in answer_of(reply)["tools"]} == set(ARGUMENTS)


def test_no_route_tells_of_what_is_closed_and_none_changes_it(house):
    client, limited, everything, closed = house
    before = rows()
    for method, path in routes():
        for one, reply in replies(client, limited, method, path, closed):
            asked = (method, path, one.bird, reply.status_code, reply.text[:500])
            assert not birds_in(reply.text), asked
            assert one.chunk_id not in reply.text, asked
            assert reply.status_code < 500 or path == "/readyz", asked
            if "{" in path and "{name:path}" not in path:
                assert reply.status_code in (403, 404, 422), asked
    assert rows() == before
    told = {
        (method, path)
        for method, path in TELL
        if any(birds_in(reply.text) for _, reply in replies(client, everything, method, path, closed))
    }
    assert told == TELL


def test_no_tool_tells_of_what_is_closed_and_none_changes_it(house):
    client, limited, everything, closed = house
    before = rows()
    sessions = {token: {**greeting(client, token), **bearer(token)} for token in (limited, everything)}
    for name, calls in ARGUMENTS.items():
        for one in closed:
            for arguments in calls:
                text = called(client, sessions[limited], name, one.put_in(arguments))
                said = json.dumps(one.put_in(arguments)).lower()
                assert not [bird for bird in birds_in(text) if bird not in said], (name, arguments, text[:500])
    for uri in RESOURCES:
        for one in closed:
            assert not birds_in(read(client, sessions[limited], one.put_in(uri))), uri
    assert rows() == before
    for name, arguments in TELLING_CALLS:
        told = [birds_in(called(client, sessions[everything], name, one.put_in(arguments))) for one in closed]
        assert any(told), (name, arguments)
    assert all(
        any(birds_in(read(client, sessions[everything], one.put_in(uri))) for one in closed) for uri in RESOURCES
    )


def rows():
    """Return what is stored of all that is closed."""
    catalog = open_catalog()
    found = [
        (row["source"], row["title"], row["meta"])
        for name in ("open", "shut")
        for row in catalog.documents.of_collection(name)
    ]
    return sorted((row for row in found if "grebe" not in row[0]), key=str)


def answer_of(reply):
    lines = [line.partition(":")[2] for line in reply.text.splitlines() if line.startswith("data:")]
    return json.loads(next((line for line in reversed(lines) if line.strip()), reply.text)).get("result", {})


def called(client, headers, name, arguments):
    ask = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return re.sub(r"\\+", "", client.post("/mcp", json=ask, headers={**MCP, **headers}).text)


def read(client, headers, uri):
    ask = {"jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": {"uri": uri}}
    return client.post("/mcp", json=ask, headers={**MCP, **headers}).text
