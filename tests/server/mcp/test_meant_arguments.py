"""Arguments as models send them: numbers for text, blanks for nothing, names for ids."""

import json
import re

import pytest

from khub.server.mcp.meant_arguments import meant_arguments
from tests.server.mcp.conftest import GUIDE, MANUAL

TITLE = "Ember 300 Operator Manual"


@pytest.mark.unit
def test_only_what_is_given_counts_and_in_its_own_type():
    kinds = {"q": "string", "pages": "string", "names": "array", "n": "integer"}
    schema = {"properties": {name: {"type": kind} for name, kind in kinds.items()}, "required": ["q"]}
    for given, meant in (
        ({"q": "", "pages": "", "names": [], "n": None}, {"q": ""}),
        ({"q": 7, "pages": 3.0, "names": "a", "n": "3"}, {"q": "7", "pages": "3", "names": ["a"], "n": "3"}),
        ({"q": True, "pages": 1.5, "names": {"a": 1}}, {"q": True, "pages": "1.5", "names": [{"a": 1}]}),
        ({"q": ["a"], "pages": " ", "names": '["a"]'}, {"q": ["a"], "names": '["a"]'}),
        ({"q": "x", "pages": float("inf"), "n": 0}, {"q": "x", "pages": "inf", "n": 0}),
    ):
        assert meant_arguments(schema, given) == meant


@pytest.mark.integration
@pytest.mark.parametrize("pages", [4, "4", 4.0, " 4 ", "4-4", "4 – 4"])
def test_pages_are_taken_as_a_model_writes_them(call, manual, pages):
    given = {"doc_id": manual, "pages": pages, "section": "", "chunk_id": None, "after": ""}
    assert "E-1003" in call("read_section", given).structured_content["text"]


@pytest.mark.integration
@pytest.mark.parametrize("empty", ["", " ", None])
def test_a_blank_argument_is_one_that_is_not_given(call, manual, empty):
    others = dict.fromkeys(("collection", "filters", "graph", "detail", "top_k", "mode"), empty)
    assert call("query_knowledge_hub", {"query": "error memory", **others}).structured_content["citations"]
    nothing = dict.fromkeys(("collection", "text", "filters", "doc_id", "depth", "cursor"), empty)
    assert call("describe", nothing).structured_content["total"] == 3
    assert call("describe", {**nothing, "doc_id": manual}).structured_content["sections"]
    named = {"doc_id": manual, "sha256": empty, "source": empty}
    assert call("get_document_summary", named).structured_content["title"] == TITLE
    read = {"doc_id": manual, "section": empty, "pages": empty, "chunk_id": empty, "neighbours": empty}
    assert "This manual" in call("read_section", read).structured_content["text"][:200]
    assert call("get_page_image", {"doc_id": manual, "page": 4, "highlight": empty}).structured_content["drawn"]
    assert call("search_images", {"query": "diagram", "example": empty, "collection": "default"}).content


@pytest.mark.integration
def test_a_number_is_a_question_and_an_example_may_be_blank(call):
    assert not call("query_knowledge_hub", {"query": 4012, "mode": "keyword", "collection": "default"}).is_error
    assert call("describe", {"collection": "default", "text": 300}).structured_content["total"] == 1


@pytest.mark.integration
@pytest.mark.parametrize("name", [TITLE, TITLE.lower(), MANUAL.name, str(MANUAL), "start of the id", "id"])
def test_a_document_is_known_by_what_it_is_called(call, manual, name):
    name = {"id": manual, "start of the id": manual[:8]}.get(name, name)
    for tool, arguments in (
        ("get_document_summary", {"source": name}),
        ("get_document_summary", {"doc_id": name}),
        ("describe", {"doc_id": name}),
        ("read_section", {"doc_id": name, "pages": 1}),
        ("get_page_image", {"doc_id": name, "page": 1}),
    ):
        assert call(tool, arguments).structured_content["doc_id"] == manual, tool


@pytest.mark.integration
def test_a_name_of_several_documents_is_asked_back_with_their_ids(tmp_path, monkeypatch, with_client):
    from khub.components.catalog.catalog import open_catalog
    from khub.server.library.ingest import ingest
    from tests.conftest import convert_here

    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "hub"))
    convert_here(monkeypatch)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.md").write_text(f"# Herons\n\nThey wade in {folder}.\n", encoding="utf-8")
        assert not ingest([str(tmp_path / folder)], folder).failed
    ids = [open_catalog().documents.of_collection(name)[0]["doc_id"] for name in ("a", "b")]
    told = []

    async def test(client):
        tools = ("get_document_summary", "describe", "read_section", "delete_document")
        calls = [*((tool, {"doc_id": "Herons"}) for tool in tools), ("describe", {})]
        told.extend([await client.call_tool(*one) for one in calls])

    with_client(test, allow_write=True)
    *named, deleted, listed = (result.content[0].text for result in told)
    assert all(result.is_error for result in told)
    assert all(doc_id in text for text in named for doc_id in ids)
    assert "there is no document" in deleted  # only an id deletes
    assert "- a: 1 documents; markdown" in listed


@pytest.mark.integration
@pytest.mark.parametrize("section", ["Error codes", "error codes", "5", 5, "5  ERROR CODES", "Section 5", "§5"])
def test_a_section_is_known_but_for_case_number_and_space(call, manual, section):
    exact = call("read_section", {"doc_id": manual, "section": "5 Error codes"}).structured_content
    assert call("read_section", {"doc_id": manual, "section": section}).structured_content == exact


@pytest.mark.integration
def test_a_section_that_is_not_there_is_answered_with_the_nearest(call, manual):
    result = call("read_section", {"doc_id": manual, "section": "7 Eror code"})
    assert result.is_error
    assert "'5 Error codes'" in result.content[0].text
    assert "describe" in result.content[0].text


@pytest.mark.integration
def test_documents_are_found_by_words_of_title_and_file(call):
    for words in ("manual ember", "EMBER-300", "operator"):
        result = call("describe", {"collection": "default", "text": words})
        assert [row["file"] for row in result.structured_content["documents"]] == [MANUAL.name]
        assert MANUAL.name in result.content[0].text
    assert call("describe", {"collection": "default", "text": "ember heron"}).structured_content["total"] == 0


@pytest.mark.integration
@pytest.mark.parametrize(
    "filters",
    [
        ["doc_type=docx"],
        "doc_type=docx",
        "type:docx",
        ["type:docx", "language in en,zh"],
        {"field": "meta.doc_type", "operator": "==", "value": "docx"},
        [{"field": "meta.doc_type", "operator": "==", "value": "docx"}, "language=en"],
        json.dumps({"field": "meta.doc_type", "operator": "==", "value": "docx"}),
    ],
)
def test_filters_are_taken_as_text_and_as_objects(call, filters):
    asked = call("query_knowledge_hub", {"query": "reranking", "collection": "default", "filters": filters})
    assert {citation["source"] for citation in asked.structured_content["citations"]} == {str(GUIDE)}
    listed = call("describe", {"collection": "default", "filters": filters}).structured_content
    assert [row["file"] for row in listed["documents"]] == [GUIDE.name]


@pytest.mark.integration
@pytest.mark.parametrize("mode", ["both", "keyword", "meaning", None])
def test_a_field_that_no_document_has_is_told(call, mode):
    tool, query = ("query_knowledge_hub", {"query": "robot", "mode": mode}) if mode else ("describe", {})
    result = call(tool, {**query, "collection": "default", "filters": ["doc_typ=pdf"]})
    text = result.content[0].text.replace("\\", "")  # nothing in it is live for who draws it
    assert re.search(r"doc_typ\b", text)
    assert "doc_type" in text


@pytest.mark.integration
def test_a_missing_collection_is_answered_with_what_the_others_hold(call):
    for tool in ("query_knowledge_hub", "describe", "verify_answer"):
        words = {"query_knowledge_hub": {"query": "robot"}, "verify_answer": {"answer": "It is red."}}.get(tool, {})
        text = call(tool, {**words, "collection": "nope"}).content[0].text
        assert "- birds: 1 documents; markdown" in text
        assert "- default: 3 documents; " in text


@pytest.mark.integration
def test_no_result_holds_what_an_adapter_cannot_pass_on(call, manual):
    chunk = call("read_section", {"doc_id": manual, "pages": 4}).structured_content["passages"][0]["chunk_id"]
    for tool, arguments in (
        ("query_knowledge_hub", {"query": "bi-encoder compares two vectors, cross-encoder reads", "top_k": 3}),
        ("query_knowledge_hub", {"query": "emergency stop", "mode": "keyword"}),
        ("query_knowledge_hub", {"query": "emergency stop", "mode": "meaning", "detail": "full"}),
        ("list_collections", {}),
        ("describe", {}),
        ("get_document_summary", {"doc_id": manual}),
        ("describe", {"doc_id": manual}),
        ("read_section", {"doc_id": manual}),
        ("get_page_image", {"highlight": chunk}),
        ("search_images", {"query": "bi-encoder"}),
        ("verify_answer", {"answer": "The robot has two emergency stop buttons."}),
    ):
        result = call(tool, arguments)
        assert not result.is_error, tool
        assert {block.type for block in result.content} <= {"text", "image"}, tool


@pytest.mark.integration
@pytest.mark.parametrize("filters", ["year:2024", {"field": "meta.year", "operator": "==", "value": None}])
def test_a_field_may_be_missing_where_the_filter_keeps_what_lacks_it(call, filters):
    asked = {"query": "emergency stop", "collection": "default", "filters": filters}
    assert call("query_knowledge_hub", asked).structured_content["citations"]
