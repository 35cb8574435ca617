"""Documents are listed, read, edited and deleted over HTTP, by those who may."""

import json
import time

import pytest

from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.documents import DEGRADED_STAGES, doc_id_of
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.server.http.conftest import bearer

pytestmark = pytest.mark.integration

PUBLIC = Caller("guest", levels=("public",))


@pytest.fixture
def client(hub, serving):
    with serving(write="w") as client:
        client.headers.update(bearer("w"))
        yield client


@pytest.fixture
def birds(notes):
    return doc_id_of("default", str(notes / "birds.md"))


def cited(question, **more):
    return [citation.title for citation in ask(question, **more).citations]


def test_documents_are_paged_in_any_order_and_the_list_has_a_tag(client, notes):
    first = client.get("/documents", params={"limit": 2, "sort": "-title"}).json()
    assert (first["collection"], first["total"], len(first["documents"])) == ("default", 3, 2)
    second = client.get("/documents", params={"limit": 2, "sort": "-title", "cursor": first["next_cursor"]}).json()
    titles = [one["title"] for one in first["documents"] + second["documents"]]
    assert (titles, second["next_cursor"]) == (sorted(titles, key=str.lower, reverse=True), None)
    for sort in ("source", "updated_at", "-pages", "chunks"):
        assert len(client.get("/documents", params={"sort": sort}).json()["documents"]) == 3
    reply = client.get("/documents")
    assert client.get("/documents", headers={"If-None-Match": reply.headers["etag"]}).status_code == 304


def test_documents_are_found_by_words_status_and_filter(client, notes, tmp_path):
    empty = tmp_path / "empty.txt"
    empty.write_text("", encoding="utf-8")
    assert ingest([str(empty)]).failed
    by_type = json.dumps({"field": "meta.doc_type", "operator": "==", "value": "text"})
    for query, names in (
        ({"text": "BIRDS"}, ["birds.md"]),
        ({"status": "failed"}, ["empty.txt"]),
        ({"filters": by_type}, ["fish.txt"]),
        ({"text": "预算"}, ["预算.md"]),
        ({"text": doc_id_of("default", str(notes / "fish.txt"))[:6]}, ["fish.txt"]),
    ):
        found = client.get("/documents", params=query).json()
        assert ([one["source"].rpartition("/")[2] for one in found["documents"]], found["total"]) == (names, 1), query
    beginning = doc_id_of("default", str(notes / "fish.txt"))[:5]
    assert client.get("/documents", params={"text": beginning}).json()["total"] == 0
    (failed,) = client.get("/documents", params={"status": "failed"}).json()["documents"]
    assert failed["remedy"]
    assert client.get(f"/documents/{failed['doc_id']}").json()["remedy"] == failed["remedy"]
    (counted,) = client.get("/collections").json()["collections"]
    assert (counted["documents"], counted["failed"]) == (3, 1)


def test_a_field_that_no_document_has_is_said_and_what_was_meant(client, birds):
    for field, said in (("type", "'doc_type'"), ("doc_type", "")):
        asked = json.dumps({"field": f"meta.{field}", "operator": "==", "value": "nothing"})
        found = client.get("/documents", params={"filters": asked}).json()
        assert (found["total"], said in " ".join(found["notes"]), bool(found["notes"])) == (0, True, bool(said))


def test_stages_that_were_degraded_are_named(client, birds):
    open_catalog().documents.change_meta(birds, {DEGRADED_STAGES: ["caption"]})
    assert client.get(f"/documents/{birds}").json()["degraded"] == ["caption"]
    (row,) = client.get("/documents", params={"text": "birds.md"}).json()["documents"]
    assert row["degraded"] == ["caption"]
    assert (
        client.get(f"/documents/{birds}").json()["sha256"] == open_catalog().documents.find("default", birds)["sha256"]
    )


@pytest.mark.parametrize(
    "query",
    [{"cursor": "x"}, {"cursor": "WyJ4Il0="}, {"sort": "size"}, {"limit": 0}, {"filters": "{"}, {"filters": "[]"},
     {"filters": '{"field": "meta.x", "operator": "==", "value": NaN}'}, {"unknown": "1"},
     {"filters": '{"field": "meta.access_level", "operator": "==", "value": "x"}'}, {"status": "lost"}],
)  # fmt: skip
def test_what_no_list_can_be_asked_is_refused(client, query):
    assert client.get("/documents", params=query).status_code == 422


def test_a_cursor_belongs_to_its_list(client):
    cursor = client.get("/documents", params={"limit": 1}).json()["next_cursor"]
    assert client.get("/documents", params={"limit": 1, "cursor": cursor, "sort": "title"}).status_code == 422
    assert client.get("/documents", params={"limit": 1, "cursor": cursor}).status_code == 200


def test_a_document_is_read_in_all_its_parts(client, birds):
    one = client.get(f"/documents/{birds}").json()
    assert (one["title"], one["original"], one["chunks"]) == ("Birds", True, 1)
    assert client.get(f"/documents/{birds}/sections").json()["sections"][0]["path"] == "Birds"
    [chunk] = client.get(f"/documents/{birds}/chunks").json()["chunks"]
    assert "Herons wade" in chunk["text"]
    text = client.get(f"/documents/{birds}/markdown")
    assert (text.headers["content-type"], "Herons wade" in text.text) == ("text/markdown; charset=utf-8", True)
    for part in ("", "/sections", "/chunks", "/markdown", "/original"):
        assert client.get(f"/documents/none{part}").status_code == 404


def test_passages_are_paged(client, tmp_path):
    long = tmp_path / "long.md"
    long.write_text("\n\n".join(f"# Part {n}\n\n{'Geese fly south. ' * 60}" for n in range(5)), encoding="utf-8")
    assert not ingest([str(long)]).failed
    path = f"/documents/{doc_id_of('default', str(long))}"
    for name in ("chunks", "sections"):
        whole = client.get(f"{path}/{name}").json()
        found, cursor = [], None
        while True:
            page = client.get(f"{path}/{name}", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
            found += page[name]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert (found, len(found)) == (whole[name], whole["total"])
        assert len(found) > 2


def test_the_original_is_sent_so_that_nothing_in_it_runs(client, notes):
    ids = {name: doc_id_of("default", str(notes / name)) for name in ("birds.md", "预算.md")}
    reply = client.get(f"/documents/{ids['birds.md']}/original")
    assert reply.content == (notes / "birds.md").read_bytes()
    assert reply.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in reply.headers["content-security-policy"]
    assert reply.headers["content-type"] == "application/octet-stream"
    known = {"If-None-Match": reply.headers["etag"]}
    assert client.get(f"/documents/{ids['birds.md']}/original", headers=known).status_code == 304
    assert client.get(f"/documents/{ids['birds.md']}/original", headers={"Range": "bytes=0-3"}).status_code == 206
    chinese = client.get(f"/documents/{ids['预算.md']}/original").headers["content-disposition"]
    assert "filename*=utf-8''%E9%A2%84%E7%AE%97.md" in chinese


def test_metadata_and_tags_hold_at_once_and_for_questions(client, birds):
    edit = {"tags": ["wading"], "metadata": {"team": "north", "year": 2026}}
    edited = client.patch(f"/documents/{birds}", json=edit).json()
    assert (sorted(edited["changed"]), edited["rewritten"]) == (["tags", "team", "year"], 0)
    assert (edited["document"]["tags"], edited["document"]["metadata"]["team"]) == (["wading"], "north")
    north = {"field": "meta.team", "operator": "==", "value": "north"}
    assert cited("How do herons wade?", filters=north) == ["Birds"]
    assert client.patch(f"/documents/{birds}", json={"metadata": {"team": None}}).status_code == 200
    assert cited("How do herons wade?", filters=north) == []
    assert client.patch(f"/documents/{birds}", json={"metadata": {"year": 2026}}).json()["changed"] == []


def test_a_new_title_is_searched_and_nothing_else_is_lost(client, birds):
    before = client.get(f"/documents/{birds}").json()
    edited = client.patch(f"/documents/{birds}", json={"title": "Zanzibar almanac"}).json()
    assert (edited["changed"], edited["rewritten"]) == (["title"], 1)
    for leg in ("sparse", "dense"):
        assert cited("Zanzibar almanac", legs=[leg])[0] == "Zanzibar almanac"
    after = edited["document"]
    kept = ("ingested_at", "tags", "summary", "original", "chunks", "metadata", "source")
    assert {key: after[key] for key in kept} == {key: before[key] for key in kept}


def test_levels_of_a_document_open_and_close_it(client, birds):
    with calling_as(PUBLIC):
        assert open_catalog().opened_collections.names() == []
    assert client.patch(f"/documents/{birds}", json={"access_level": "public"}).status_code == 200
    with calling_as(PUBLIC):
        assert cited("How do herons wade?") == ["Birds"]
    assert client.patch(f"/documents/{birds}", json={"access_level": None}).status_code == 200
    with calling_as(PUBLIC):
        assert open_catalog().opened_collections.names() == []
    assert cited("How do herons wade?")[0] == "Birds"


@pytest.mark.parametrize(
    "body",
    [b"{}", b'{"title": ""}', b'{"title": null}', b'{"title": "a\\u0000b"}', b'{"title": "\\ud800"}', b'{"x": 1}',
     b'{"metadata": {"doc_id": "x"}}', b'{"metadata": {"found_metadata": ["x"]}}', b'{"metadata": {"a\\"b": 1}}',
     b'{"metadata": {"a": NaN}}', b'{"metadata": {"a": {"b": 1}}}', b'{"metadata": {"tags": ["x"]}}',
     b'{"metadata": {"a": 99999999999999999999}}', b'{"metadata": {"\\ud800": 1}}', b'{"\\ud800": 1}',
     b'{"metadata": {"boxes": [1]}}', b'{"access_level": []}'],
)  # fmt: skip
def test_what_cannot_be_edited_is_refused(client, birds, body):
    reply = client.patch(f"/documents/{birds}", content=body, headers={"Content-Type": "application/json"})
    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json"), reply.text


def test_of_two_who_have_seen_the_same_one_edits(client, birds):
    seen = client.get(f"/documents/{birds}").headers["etag"]
    first = client.patch(f"/documents/{birds}", json={"tags": ["a"]}, headers={"If-Match": seen})
    second = client.patch(f"/documents/{birds}", json={"title": "Mine"}, headers={"If-Match": seen})
    assert (first.status_code, second.status_code) == (200, 412)
    assert second.headers["content-type"] == "application/problem+json"
    now = client.get(f"/documents/{birds}")
    assert (now.json()["title"], now.json()["tags"], now.headers["etag"]) == ("Birds", ["a"], first.headers["etag"])
    for header in (f'"x", W/{now.headers["etag"]}', "*"):
        assert client.patch(f"/documents/{birds}", json={}, headers={"If-Match": header}).status_code == 422
        assert (
            client.patch(f"/documents/{birds}", json={"tags": ["a"]}, headers={"If-Match": header}).status_code == 200
        )
    assert client.patch("/documents/none", json={"title": "x"}, headers={"If-Match": seen}).status_code == 404


def test_nothing_is_deleted_that_was_changed_meanwhile(client, birds, monkeypatch):
    monkeypatch.setattr(
        "khub.server.jobs.runner.Runner._start_next", lambda _: None
    )  # a job at work holds its collection
    stale = {"If-Match": '"old"'}
    for path in (f"/documents/{birds}", "/collections/default"):
        assert client.delete(path, headers=stale).status_code == 412
        assert client.get(path).status_code == 200
    job = client.post("/collections/default/reindex", json={}).headers["location"]
    assert client.delete(job, headers=stale).status_code == 412
    for path in (f"/documents/{birds}", "/collections/default"):
        assert client.delete(path, headers={"If-Match": client.get(path).headers["etag"]}).status_code == 200


def test_the_list_has_the_metadata(client, birds):
    client.patch(f"/documents/{birds}", json={"tags": ["t"], "metadata": {"team": "north"}})
    (row,) = client.get("/documents", params={"text": "birds.md"}).json()["documents"]
    assert row["metadata"] == client.get(f"/documents/{birds}").json()["metadata"]
    assert row["metadata"]["team"] == "north"


def test_a_collection_that_a_job_makes_is_empty_and_one_that_is_not_there_is_not_found(client, monkeypatch):
    monkeypatch.setattr("khub.server.jobs.runner.Runner._start_next", lambda _: None)  # it waits
    sent = client.post("/documents", json={"source": "a.md", "text": "# A\n\nText.", "collection": "soon"})
    assert sent.status_code == 202
    page = client.get("/documents", params={"collection": "soon"})
    assert (page.status_code, page.json()["total"], page.json()["documents"]) == (200, 0, [])
    none = client.get("/documents", params={"collection": "none"})
    assert (none.status_code, none.json()["remedy"]) == (404, client.get("/collections/none").json()["remedy"])
    assert client.post("/collections/none/reindex", json={}).status_code == 404


def test_a_deleted_document_is_gone(client, birds):
    deleted = client.delete(f"/documents/{birds}").json()
    assert (deleted["doc_id"], deleted["chunks"]) == (birds, 1)
    assert client.get(f"/documents/{birds}").status_code == 404
    assert client.delete(f"/documents/{birds}").status_code == 404
    assert "Birds" not in cited("How do herons wade?")


def test_a_document_that_failed_can_be_deleted_but_not_given_a_title(client, tmp_path):
    empty = tmp_path / "empty.txt"
    empty.write_text("", encoding="utf-8")
    ingest([str(empty)])
    path = f"/documents/{doc_id_of('default', str(empty))}"
    assert client.patch(path, json={"title": "New"}).status_code == 409
    assert client.delete(path).status_code == 200


def test_ten_thousand_documents_are_paged_by_the_database(client):
    catalog = open_catalog()
    rows = [(f"{n:032x}", f"/many/{n:05}.md", f"Title {n % 100}") for n in range(10_000)]
    catalog.collections.create("many")
    with catalog.database.transaction() as connection:
        connection.executemany(
            "INSERT INTO documents (doc_id, collection, source, status, version, title, updated_at, chunks) "
            "VALUES (?, 'many', ?, 'ready', 1, ?, '2026-01-01', 0)",
            rows,
        )
    for sort in ("source", "-title"):
        started = time.perf_counter()
        reply = client.get("/documents", params={"collection": "many", "sort": sort, "limit": 100})
        assert (reply.status_code, reply.json()["total"]) == (200, 10_000)
        assert time.perf_counter() - started < 2
