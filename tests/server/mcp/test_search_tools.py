"""Questions through the MCP server."""

import json

import anyio
import pytest

from khub.server.mcp.budget import BUDGET_TOKENS, text_tokens
from khub.server.traces.index import read_traces

pytestmark = pytest.mark.integration
TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def call(with_client, name, era="auto", **arguments):
    results = []

    async def test(client):
        results.append(await client.call_tool(name, arguments))

    with_client(test, mode=era)
    return results[0]


def test_answer_stands_alone_and_is_mirrored_as_data(hub, with_client, era):
    result = call(
        with_client, "query_knowledge_hub", era, query="Where is the error memory read?", collection="default"
    )
    text, data = result.content[0].text, result.structured_content
    assert not result.is_error
    assert "[1]" in text
    assert "ember-300-operator-manual-en.pdf" in text
    assert "5.1 Reading the error memory" in text
    assert "page 4" in text
    first = data["citations"][0]
    assert (first["id"], first["page"], first["title"]) == (1, 4, "Ember 300 Operator Manual")
    assert "error memory" in first["evidence"]
    assert (data["collection"], data["graph"], data["abstained"]) == ("default", "query", False)
    assert "Collection searched: default." in text  # there is another one
    assert all(f"`{citation['chunk_id'][:8]}`" in text for citation in data["citations"])


def test_concise_data_hold_the_evidence_once_and_nothing_that_is_empty(hub, with_client):
    result = call(with_client, "query_knowledge_hub", query="Where is the error memory read?", collection="default")
    data = result.structured_content
    assert set(data) == {"abstained", "confidence", "citations", "collection", "graph", "trace_id"}
    for citation in data["citations"]:
        assert {"id", "chunk_id", "doc_id", "source", "title", "evidence"} <= set(citation)
        assert set(citation) <= {"id", "chunk_id", "doc_id", "source", "title", "evidence", "page"}
        assert 0 < len(citation["evidence"]) <= 300
        assert None not in citation.values()


def test_data_say_what_went_wrong(hub, with_client):
    ask = {"query": "What does error code E-9876 mean? page:99", "collection": "default", "filters": ["doc_typ=pdf"]}
    data = call(with_client, "query_knowledge_hub", **ask).structured_content
    assert data["filters"][0]["unknown_fields"] == [{"field": "doc_typ", "meant": "doc_type"}]
    unknown = call(with_client, "query_knowledge_hub", query="What does E-9876 mean?", collection="default")
    assert unknown.structured_content["unknown"] == ["e-9876"]


def test_an_abstention_says_so_in_the_data_too(hub, with_client):
    result = call(with_client, "query_knowledge_hub", query="qwertz zuiop", mode="keyword", collection="birds")
    data = result.structured_content
    assert (data["abstained"], data["citations"]) == (True, [])
    assert data["answer"] in result.content[0].text


@pytest.mark.parametrize("named", [TRACEPARENT, "00-0-0-0", None])
def test_a_call_is_a_part_of_the_trace_that_its_client_names(hub, with_client, era, named):
    results = []

    async def test(client):
        for meta in ({"traceparent": named} if named else None, None):
            arguments = {"query": "emergency stop", "collection": "default"}
            results.append(await client.call_tool("query_knowledge_hub", arguments, meta=meta))

    with_client(test, mode=era)
    first, second = ((result.meta or {}).get("traceparent") for result in results)
    later, asked = read_traces(2, "query")
    assert second is None
    assert "parent" not in later
    if named == TRACEPARENT:
        assert first.split("-")[1] == asked["parent"]["trace_id"] == named.split("-")[1]
        assert asked["trace_id"].startswith(first.split("-")[2])
    else:
        assert first is None
        assert "parent" not in asked


def test_chinese_question_is_answered_in_chinese(hub, with_client):
    result = call(with_client, "query_knowledge_hub", query="酒店每晚最多多少钱?", collection="default")
    assert "六百元" in result.content[0].text
    assert "检索的集合：default。" in result.content[0].text


def test_top_k_filters_and_graph_are_followed(hub, with_client):
    only_docx = {"field": "meta.doc_type", "operator": "==", "value": "docx"}
    result = call(
        with_client, "query_knowledge_hub", query="reranking depth", collection="default", top_k=2, filters=only_docx,
        graph="more/query_llm",
    )  # fmt: skip
    data = result.structured_content
    assert data["graph"] == "more/query_llm"
    assert len(data["citations"]) == 2
    assert {citation["source"].rpartition(".")[2] for citation in data["citations"]} == {"docx"}


@pytest.mark.parametrize(
    ("mode", "used"),
    [({}, ["dense", "sparse"]), ("both", ["dense", "sparse"]), ("keyword", ["sparse"]), ("meaning", ["dense"])],
)
def test_modes_are_the_legs_that_are_used(hub, with_client, mode, used):
    ask = {"query": "emergency stop", "collection": "default", "detail": "full", **({"mode": mode} if mode else {})}
    data = call(with_client, "query_knowledge_hub", **ask).structured_content
    assert sorted(leg["name"] for leg in data["legs"] if leg["used"]) == used
    assert data["citations"]


def test_full_detail_gives_whole_passages_within_the_budget(hub, with_client):
    ask = {"query": "reset emergency stop battery scanner field", "collection": "default", "top_k": 20}
    concise = call(with_client, "query_knowledge_hub", **ask)
    full = call(with_client, "query_knowledge_hub", detail="full", **ask)
    for result in (concise, full):
        assert text_tokens(result.content[0].text) <= BUDGET_TOKENS
        assert text_tokens(json.dumps(result.structured_content, ensure_ascii=False)) <= BUDGET_TOKENS
    assert [c["chunk_id"] for c in full.structured_content["citations"]] == [
        c["chunk_id"] for c in concise.structured_content["citations"]
    ]
    whole = [c for c in full.structured_content["citations"] if not c["text_shortened"]]
    assert len(whole) > 5
    assert all(c["uri"] == f"khub://chunk/{c['chunk_id']}" for c in full.structured_content["citations"])
    assert {"legs", "timings_ms", "intent"} <= set(full.structured_content)


def test_a_hundred_passages_stay_within_the_budget(hub, with_client):
    ask = {"query": "reset emergency stop battery scanner field", "collection": "default", "top_k": 100}
    result = call(with_client, "query_knowledge_hub", detail="full", **ask)
    citations = result.structured_content["citations"]
    assert len(citations) > 20
    assert text_tokens(result.content[0].text) <= BUDGET_TOKENS
    assert sum(text_tokens(c["text"]) for c in citations if c["text"]) <= BUDGET_TOKENS


def test_question_about_a_figure_shows_it(hub, with_client):
    result = call(
        with_client, "query_knowledge_hub", query="bi-encoder compares two vectors, cross-encoder reads together",
        collection="default",
    )  # fmt: skip
    images = [block for block in result.content if block.type == "image"]
    assert 1 <= len(images) <= 3
    other = call(with_client, "query_knowledge_hub", query="How long is the certificate valid?", collection="default")
    assert not [block for block in other.content if block.type == "image"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"collection": "nope"}, "birds, default"),
        ({"graph": "nope"}, "query_llm"),
        ({"graph": "pipelines/query.yaml"}, "query_llm"),
        ({"graph": "../pipelines/query"}, "query_llm"),
        ({"graph": "ingest"}, "query_llm"),
        ({"colection": "default"}, "collection"),
        ({"top_k": 0}, "top_k"),
        ({"mode": "exact"}, "keyword"),
        ({"query": ["x"]}, "query"),
        ({"query": ""}, "query"),
        ({"query": "x" * 1_000_000}, "query"),
        ({"filters": {"field": "meta.page", "operator": "~", "value": 1}}, "~"),
        ({"filters": "page"}, "page"),
    ],
)
def test_mistakes_are_told_to_the_model(hub, with_client, arguments, named):
    result = call(with_client, "query_knowledge_hub", **{"query": "robot", **arguments})
    assert result.is_error
    assert named in result.content[0].text
    assert len(result.content[0].text) < 2000


def test_missing_question_is_told_to_the_model(hub, with_client):
    result = call(with_client, "query_knowledge_hub")
    assert result.is_error
    assert "query: Field required" in result.content[0].text


def test_stages_are_reported_as_they_begin_and_end(hub, with_client, era):
    told = []

    async def test(client):
        async def progress(step, total, message):
            told.append((step, message))

        await client.call_tool(
            "query_knowledge_hub", {"query": "emergency stop", "collection": "default"}, progress_callback=progress
        )

    with_client(test, mode=era)
    assert [step for step, _ in told] == list(range(1, len(told) + 1))
    messages = [message for _, message in told]
    assert "dense begins" in messages
    for stage in ("dense", "sparse", "fusion", "rank"):
        [ended] = [message for message in messages if message.startswith(f"{stage}: ")]
        assert " hits, " in ended
        assert " ms" in ended
        assert "Ember 300 Operator Manual" in ended
    assert messages[-1].startswith("answer: ")


SLOW = """\
metadata: {kind: query, description: slow}
components:
  find:
    type: graph_parts.Find
    init_parameters: {delay_s: 0.5}
  answer:
    type: graph_parts.Answer
    init_parameters: {prefix: found}
connections:
  - {sender: find.documents, receiver: answer.documents}
inputs:
  query: [find.query, answer.query]
  collection: find.collection
outputs:
  answer: answer.answer
"""


def test_mode_that_a_graph_cannot_follow_is_told(hub, with_client, tmp_path, monkeypatch):
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "slow.yaml").write_text(SLOW, encoding="utf-8")
    monkeypatch.setenv("KHUB_PIPELINES", str(tmp_path / "graphs"))
    ask = {"query": "x", "collection": "default", "graph": "slow", "mode": "keyword"}
    result = call(with_client, "query_knowledge_hub", **ask)
    assert result.is_error
    assert "`mode`" in result.content[0].text


def test_cancelled_question_stops_at_the_next_stage(hub, with_client, era, tmp_path, monkeypatch):
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "slow.yaml").write_text(SLOW, encoding="utf-8")
    monkeypatch.setenv("KHUB_PIPELINES", str(tmp_path / "graphs"))
    begun = []

    async def test(client):
        async def progress(step, total, message):
            begun.append(message)
            if message == "find begins":
                scope.cancel()

        with anyio.CancelScope() as scope:
            await client.call_tool(
                "query_knowledge_hub", {"query": "x", "collection": "default", "graph": "slow"},
                progress_callback=progress,
            )  # fmt: skip
        assert scope.cancelled_caught
        traces = hub / "logs" / "traces.jsonl"
        with anyio.fail_after(5):
            while '"slow"' not in traces.read_text(encoding="utf-8").splitlines()[-1]:  # noqa: ASYNC110
                await anyio.sleep(0.05)
        last = traces.read_text(encoding="utf-8").splitlines()[-1]
        assert "CancelledError" in last
        await anyio.sleep(0.7)  # as long as `find` takes; `answer` would follow it
        assert (await client.list_tools()).tools  # the server lives

    with_client(test, mode=era)
    assert begun == ["find begins"]
