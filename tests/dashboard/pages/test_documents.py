"""The pages about documents: what is listed, what is shown of one, who may change it."""

import os

import pytest

from khub.components.catalog.access import Caller
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.scanned_pages import NEEDS_OCR
from khub.dashboard.parts.documents.document_list import MOST_TAGS
from khub.server.access_right import Access
from khub.server.http.tokens import Tokens
from khub.server.http.visitors import Visitors
from khub.server.jobs.known_jobs import known_jobs
from khub.server.library.ingest import ingest
from khub.server.named_tokens import create_token
from khub.server.questions.ask import ask
from khub.server.reads.hub_reads import reader
from khub.server.reads.original_file import original_of
from tests.components.converters.mail.mails import attach, mail
from tests.dashboard.conftest import COLLECTION, audited, reading, tables, texts, use_reader, use_table


def _row(doc_type):
    return next(row for row in reader().documents(COLLECTION, 0, 10) if row["doc_type"] == doc_type)


def _listed(page):
    """Return the rows of the list."""
    return [row for rows in tables(page) for row in rows]


def _has(rows, *titles):
    """Say whether these rows, and no others, are listed."""
    return len(rows) == len(titles) and all(any(row[0].startswith(title) for row in rows) for title in titles)


def _labels(page):
    return [link.label for link in page.page_link]


def _herons():
    return next(row for row in reader().documents(COLLECTION, 0, 10) if row["title"] == "Herons")


@pytest.fixture
def looking_as(monkeypatch):
    """Return a function that lets somebody look at the pages."""

    def look(access, **rights):
        who = Caller("somebody", **rights)
        for place in ("khub.dashboard.page", "khub.dashboard.visitor"):
            monkeypatch.setattr(f"{place}.visitor", lambda: (access, who))

    return look


@pytest.fixture
def closed(hub):
    """The hub with a PDF that is public but for its first passage."""
    row = _row("pdf")
    first, *others = reader().chunks_of_section(row["doc_id"], "")
    with open_catalog().database.transaction() as connection:
        for chunk, level in ((first, "secret"), *((other, "public") for other in others)):
            connection.execute(
                "UPDATE chunks SET meta = json_set(meta, '$.access_level', ?) WHERE chunk_id = ?", (level, chunk.id)
            )
    return row, first


@pytest.mark.integration
def test_a_listed_document_is_opened_and_the_visit_kept(hub, open_page):
    page = open_page("documents", q="heron")
    row = _herons()
    use_table(page, "documents", open=f"documents?doc={row['doc_id']}")
    assert page.query_params["doc"] == row["doc_id"]
    assert page.title[0].value == "Herons"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ({"q": "heron"}, {"Herons"}),
        ({"q": "heron type:markdown"}, {"Herons"}),
        ({"q": "heron type:pdf"}, set()),
        ({"q": "lang:zh -type:pdf"}, {"差旅预算"}),
        ({"q": "tag:birds"}, {"Herons"}),
        ({"q": "tag:birds,fish"}, {"Herons"}),
        ({"tag": "birds"}, {"Herons"}),
        ({"type": "markdown", "written": "en"}, {"Herons"}),
        ({"type": "markdown", "sort": "title"}, {"Herons", "差旅预算"}),
        ({"status": "again"}, set()),
    ],
)
def test_a_list_is_narrowed_by_its_address(hub, open_page, address, expected):
    open_catalog().documents.change_meta(_herons()["doc_id"], {"tags": ["birds"]})
    assert _has(_listed(open_page("documents", **address)), *expected)


@pytest.mark.integration
def test_a_list_is_narrowed_by_a_tag_and_says_so_in_the_address(hub, open_page):
    row = _row("markdown")
    open_catalog().documents.change_meta(row["doc_id"], {"tags": ["birds of *water*"]})
    page = open_page("documents")
    page.session_state["filters"] = True
    page.run()
    page.selectbox(key="tag").select("birds of *water*").run()
    assert len(_listed(page)) == 1
    assert page.query_params["tag"] == "birds of *water*"
    page.session_state["filters"] = False
    assert len(_listed(page.run())) == 1, "closed filters still hold"


@pytest.mark.integration
def test_a_tag_beyond_those_that_are_offered_stays_when_the_filters_are_opened(hub, open_page):
    tags = [f"tag {number:03}" for number in range(MOST_TAGS + 2)]
    open_catalog().documents.change_meta(_herons()["doc_id"], {"tags": tags})
    page = open_page("documents", tag=tags[-1])
    page.session_state["filters"] = True
    page.run()
    assert (page.query_params["tag"], page.selectbox(key="tag").value) == (tags[-1],) * 2
    assert tags[-2] not in page.selectbox(key="tag").options


@pytest.mark.integration
def test_a_list_is_sorted_by_its_heads_and_says_so_in_the_address(hub, open_page):
    page = open_page("documents")
    pages = [row["pages"] or 0 for row in reader().documents(COLLECTION, 0, 10)]
    use_table(page, "documents", sort="-pages")
    assert [int(row[2] or 0) for row in _listed(page)] == sorted(pages, reverse=True)
    assert page.query_params["sort"] == "-pages"
    use_table(page, "documents", sort="type")
    assert [row[1] for row in _listed(page)] == sorted(row[1] for row in _listed(page))
    use_table(page, "documents", sort="nothing that there is")
    assert page.query_params["sort"] == "type"


@pytest.mark.integration
def test_fifty_are_shown_and_the_others_on_further_pages(hub, open_page):
    for number in range(120):
        open_catalog().documents.record_failure(COLLECTION, f"/files/{number:03}.pdf", "no text", "leave it out")
    page = open_page("documents", status="again", sort="source")
    assert _listed(page)[0][0].startswith("000")
    assert len(_listed(page)) == 50
    page.pagination(key="at").set_value(3).run()
    assert len(_listed(page)) == 20
    page.text_input(key="q").set_value("files").run()
    assert _listed(page)[0][0].startswith("000"), "the first page of what is searched for now"


@pytest.mark.integration
def test_collections_are_listed_together_and_one_by_one(hub, open_page, tmp_path, converted_here):
    file = tmp_path / "storks.md"
    file.write_text("# Storks\n\nStorks clatter.\n", encoding="utf-8")
    ingest([str(file)], "other")
    page = open_page("documents")
    assert {row[0].rpartition(" ")[2] for row in _listed(page)} == {COLLECTION, "other"}
    page.selectbox(key="collection").select("other").run()
    assert _has(_listed(page), "Storks")
    assert page.query_params["collection"] == "other"


@pytest.mark.integration
def test_what_needs_attention_is_said_in_the_list(hub, open_page):
    open_catalog().documents.record_failure(COLLECTION, "/files/locked.pdf", "it is locked", "open it without password")
    open_catalog().documents.record_failure(COLLECTION, "/files/scan.pdf", "it is scanned", NEEDS_OCR)
    more = {"damaged_pages": [2], "garbled_pages": [2, 3], "degraded_stages": ["refine"]}
    open_catalog().documents.change_meta(_herons()["doc_id"], more)
    said = {row[0].split(" ")[0]: row[-1] for row in _listed(open_page("documents"))}
    assert "failed" in said["locked.pdf"]
    assert "open it without password" in said["locked.pdf"]
    assert said["scan.pdf"].startswith("waits for OCR")
    assert said["Herons"] == "2 pages missing degraded"
    doc_id = doc_id_of(COLLECTION, "/files/locked.pdf")
    assert "open it without password" in "".join(error.value for error in open_page("documents", doc=doc_id).error)


def _change(page, way, *doc_ids):
    """Open the window in which the documents of these ids are changed."""
    use_table(page, "documents", selected=list(doc_ids))
    page.menu_button(key="change").click(way).run()
    return page


def _go_on(page, way):
    """Choose again what was chosen: a window stays open by itself in a browser alone."""
    page.menu_button(key="change").click(way)
    return page


@pytest.mark.integration
def test_selected_documents_are_tagged(hub, open_page):
    ids = [row["doc_id"] for row in reader().documents(COLLECTION, 0, 10)]
    for doc_id, tags in zip(ids, (["old", "kept"], None, ["other"]), strict=False):
        open_catalog().documents.change_meta(doc_id, {"tags": tags})
    page = _change(open_page("documents"), "tags", *ids[:2])
    _go_on(page, "tags").multiselect(key="tags to add").set_value(["new"])
    page.multiselect(key="tags to remove").set_value(["old"]).run()
    _go_on(page, "tags").button(key="save tags").click().run()
    assert not page.error
    assert [reader().document(one)["meta"].get("tags") for one in ids[:3]] == [["kept", "new"], ["new"], ["other"]]
    assert sorted(audited()) == sorted(("PATCH", f"/documents/{one}", 200) for one in ids[:2])


@pytest.mark.integration
def test_selected_documents_get_levels(hub, open_page, monkeypatch):
    row = _herons()
    page = _change(open_page("documents"), "levels", row["doc_id"])
    _go_on(page, "levels").multiselect(key="levels").set_value(["secret"]).run()
    _go_on(page, "levels").button(key="save levels").click().run()
    assert not page.error
    assert reader().document(row["doc_id"])["meta"]["access_level"] == ["secret"]
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert reader().document(row["doc_id"]) is None


@pytest.mark.integration
def test_one_that_cannot_be_changed_stops_no_other(hub, open_page):
    open_catalog().documents.record_failure(COLLECTION, "/files/locked.pdf", "it is locked", "open it without password")
    failed, row = doc_id_of(COLLECTION, "/files/locked.pdf"), _herons()
    page = _change(open_page("documents"), "levels", failed, row["doc_id"])
    _go_on(page, "levels").multiselect(key="levels").set_value(["secret"]).run()
    _go_on(page, "levels").button(key="save levels").click().run()
    assert len(page.error) == 1
    assert reader().document(row["doc_id"])["meta"]["access_level"] == ["secret"]
    assert ("PATCH", f"/documents/{row['doc_id']}", 200) in audited()
    assert {status for _, path, status in audited() if path == f"/documents/{failed}"} <= {400, 409}


@pytest.mark.integration
def test_selected_documents_are_read_again_by_a_job(hub, open_page):
    row = _herons()
    page = _change(open_page("documents"), "again", row["doc_id"])
    _go_on(page, "again").button(key="read again").click().run()
    assert not page.error
    job = open_catalog().jobs.get(page.query_params["job"])
    assert (job["kind"], job["paths"], job["collection"]) == ("ingest", [row["source"]], COLLECTION)
    assert not open_catalog().documents.known([row["doc_id"]])[row["doc_id"]][2], "else it counts as unchanged"


@pytest.mark.integration
def test_selected_documents_are_moved_by_a_job(hub, open_page):
    row = _herons()
    page = _change(open_page("documents"), "move", row["doc_id"])
    assert page.selectbox(key="collection of files").options == ["default"], "not the one where it is"
    _go_on(page, "move").button(key="move them").click().run()
    assert not page.error
    job = open_catalog().jobs.get(page.query_params["job"])
    assert (job["kind"], job["moved"], job["collection"]) == ("move", [row["doc_id"]], "default")


@pytest.mark.integration
def test_a_file_that_is_gone_is_not_read_again(hub, open_page):
    open_catalog().documents.record_failure(COLLECTION, "/files/locked.pdf", "it is locked", "open it without password")
    page = _change(open_page("documents"), "again", doc_id_of(COLLECTION, "/files/locked.pdf"))
    _go_on(page, "again").button(key="read again").click().run()
    assert "is gone" in page.error[0].value
    assert known_jobs((), 0, 10)[0] == 0


@pytest.mark.integration
def test_selected_documents_are_deleted_after_it_was_confirmed(hub, open_page):
    rows = reader().documents(COLLECTION, 0, 10)
    ids = [row["doc_id"] for row in rows]
    page = _change(open_page("documents"), "delete", *ids[:2])
    assert "2 documents" in page.button(key="delete them").label
    assert len(reader().documents(COLLECTION, 0, 10)) == len(rows)
    _go_on(page, "delete").button(key="delete them").click().run()
    assert {row["doc_id"] for row in reader().documents(COLLECTION, 0, 10)} == set(ids[2:])
    assert len(_listed(page)) == len(rows) - 2
    assert sorted(audited()) == sorted(("DELETE", f"/documents/{one}", 200) for one in ids[:2])


@pytest.mark.integration
def test_who_may_only_read_selects_nothing(hub, open_page, looking_as):
    looking_as(Access.READ)
    page = open_page("documents")
    assert _listed(page)
    assert not page.menu_button


@pytest.mark.integration
def test_a_right_that_is_taken_away_meanwhile_stops_a_deletion(hub, open_page, looking_as):
    row = _herons()
    page = _change(open_page("documents"), "delete", row["doc_id"])
    looking_as(Access.READ)
    _go_on(page, "delete").button(key="delete them").click().run()
    assert reader().document(row["doc_id"]) is not None


@pytest.mark.integration
def test_a_page_is_shown_with_its_passages(hub, open_page):
    row = _row("pdf")
    page = open_page("documents", doc=row["doc_id"])
    chunks = reader().chunks_of_pages(row["doc_id"], 1, 1)
    data, number = reading(page), chunks[1].meta["ordinal"] + 1
    assert [one["chunk_id"] for one in data["passages"]] == [one.id for one in chunks]
    assert number in {place["number"] for place in data["sheet"]["places"]}
    sheet = reading(use_reader(page, {"shown": {"number": number, "page": 1}}))["sheet"]
    assert number not in {place["number"] for place in sheet["places"]}  # it is the one that is marked
    assert page.query_params["passage"] == str(number)


@pytest.mark.integration
def test_the_address_names_page_and_passage(hub, open_page):
    row = _row("pdf")
    chunk = reader().chunks_of_pages(row["doc_id"], 2, 2)[-1]
    page = open_page("documents", doc=row["doc_id"], page="2", passage=str(chunk.meta["ordinal"] + 1))
    data = reading(page)
    assert (data["sheet"]["page"], data["shown"]) == (2, chunk.meta["ordinal"] + 1)


@pytest.mark.integration
@pytest.mark.parametrize("view", ["text", "passages", "outline", "details"])
def test_what_is_no_pdf_is_shown_by_its_text(hub, open_page, view):
    page = open_page("documents", doc=_row("markdown")["doc_id"], view=view)
    expected = {"text": "wade slowly", "passages": "wade slowly", "outline": "Herons", "details": ""}
    assert not page.image
    assert expected[view] in texts(page) + "".join(_labels(page))


@pytest.mark.integration
def test_the_details_name_the_run_and_what_was_left_out(hub, open_page, monkeypatch):
    class Over:
        def __init__(self, *_):
            pass

        def is_over(self):
            return True

        def answer(self):
            return {"header/footer lines": 3}

    monkeypatch.setattr(
        "khub.dashboard.parts.documents.left_on_purpose.Program", Over
    )  # a process takes seconds to start
    row = _row("pdf")
    page = open_page("documents", doc=row["doc_id"], view="details")
    assert "trace=" in page.page_link[-1].proto.query_string
    next(one for one in page.button if one.label.startswith("Read the file")).click().run()
    assert "3 header/footer" in texts(page)


@pytest.mark.integration
def test_a_refined_passage_is_shown_beside_what_it_was(hub, open_page):
    row = _row("markdown")
    chunk = reader().chunks_of_section(row["doc_id"], "")[0]
    with open_catalog().database.transaction() as connection:
        connection.execute(
            "UPDATE chunks SET meta = json_set(meta, '$.refined', json('true'), '$.original', ?) WHERE chunk_id = ?",
            ("Herons wade slowly in shal-\nlow water.", chunk.id),
        )
    page = open_page("documents", doc=row["doc_id"], view="passages")
    assert "shal-" in texts(page)
    assert any(code.value.count("shal-") for code in page.code)


@pytest.mark.integration
def test_text_of_a_document_loads_nothing(hub, open_page):
    row = _row("markdown")
    with open_catalog().database.transaction() as connection:
        connection.execute(
            "UPDATE chunks SET content = '![x](https://tracker.example/a.png)' WHERE doc_id = ?", (row["doc_id"],)
        )
        connection.execute(
            "UPDATE documents SET title = '![x](https://tracker.example/b.png)' WHERE doc_id = ?", (row["doc_id"],)
        )
    for view in ("text", "passages"):
        page = open_page("documents", doc=row["doc_id"], view=view)
        assert "tracker" in texts(page) + "".join(_labels(page))
        assert "![x](" not in texts(page) + "".join(_labels(page))


@pytest.mark.integration
def test_pages_that_wait_for_ocr_are_named(hub, open_page):
    row = _row("pdf")
    open_catalog().documents.change_meta(row["doc_id"], {"needs_ocr": [2, 3]})
    assert "2, 3" in texts(open_page("documents", doc=row["doc_id"])).replace("\\", "")
    assert _has(_listed(open_page("documents", status="ocr")), row["title"])


@pytest.mark.integration
def test_a_missing_original_is_told_and_the_text_is_there(hub, open_page, monkeypatch):
    row = _row("pdf")
    original_of(row).unlink()
    monkeypatch.setattr("khub.server.reads.original_file._is_same", lambda *_: False)
    page = open_page("documents", doc=row["doc_id"])
    assert "gone or has changed" in texts(page)
    assert not page.download_button
    data = reading(page)
    assert not data["sheet"]["image"]
    assert data["passages"]


def _edited(page, title, tags, meanwhile=lambda: None):
    page.button(key="edit").click().run()
    page.text_input[0].set_value(title)
    page.multiselect(key="tags").set_value(tags)
    meanwhile()
    page.button(key="edit").click()  # the window stays open by itself in a browser alone
    next(one for one in page.button if one.label == "Save").click().run()


@pytest.mark.integration
def test_an_edit_changes_what_an_answer_shows(hub, open_page):
    row = next(row for row in reader().documents(COLLECTION, 0, 10) if row["title"] == "Herons")
    page = open_page("documents", doc=row["doc_id"])
    _edited(page, "Wading birds", ["water"])
    assert not page.error
    assert page.success
    cited = ask("How do herons wade?", COLLECTION).citations[0]
    assert cited.title == "Wading birds"
    assert reader().document(row["doc_id"])["meta"]["tags"] == ["water"]
    assert audited() == [("PATCH", f"/documents/{row['doc_id']}", 200)]


@pytest.mark.integration
@pytest.mark.parametrize("question", ["What does error code E-4012 mean?", "How do herons wade?"])
def test_who_comes_from_an_answer_sees_what_of_the_passage_answers(hub, open_page, question):
    answer = ask(question, COLLECTION)
    cited = answer.citations[0]
    address = {"doc": cited.doc_id, "page": str(cited.page or 1), "chunk": cited.chunk_id}
    data = reading(open_page("documents", **address, trace=answer.trace_id))
    marked = next(one for one in data["passages"] if one["number"] == data["shown"])
    assert (marked["chunk_id"], marked["evidence"]) == (cited.chunk_id, cited.evidence)
    assert data["sheet"]["evidence"] or any(part["own"] for part in data["sheet"]["parts"])
    data = reading(open_page("documents", **address, trace="f" * 32))
    assert not any(one["evidence"] for one in data["passages"])


@pytest.mark.integration
def test_a_passage_in_the_address_that_is_gone_is_none(hub, open_page):
    row = next(row for row in reader().documents(COLLECTION, 0, 10) if row["title"] == "Herons")
    assert reading(open_page("documents", doc=row["doc_id"], chunk="f" * 32)) is None


@pytest.mark.integration
def test_a_document_is_deleted_after_it_was_confirmed(hub, open_page):
    row = next(row for row in reader().documents(COLLECTION, 0, 10) if row["title"] == "Herons")
    page = open_page("documents", doc=row["doc_id"])
    page.button(key="delete").click().run()
    assert reader().document(row["doc_id"]) is not None
    page.button(key="delete").click()  # the window stays open by itself in a browser alone
    page.button(key="delete them").click().run()
    assert reader().document(row["doc_id"]) is None
    assert "doc" not in page.query_params
    assert audited() == [("DELETE", f"/documents/{row['doc_id']}", 200)]


@pytest.mark.integration
def test_who_may_only_read_can_neither_edit_nor_delete(hub, open_page, looking_as):
    looking_as(Access.READ)
    page = open_page("documents", doc=_row("markdown")["doc_id"])
    assert not page.button
    assert not page.multiselect


@pytest.mark.integration
def test_a_right_that_is_taken_away_meanwhile_stops_an_edit(hub, open_page, looking_as):
    row = _row("markdown")
    page = open_page("documents", doc=row["doc_id"])
    _edited(page, "Another title", [], lambda: looking_as(Access.READ))
    assert reader().document(row["doc_id"])["title"] == row["title"]


@pytest.mark.integration
def test_closed_parts_are_not_shown_and_their_document_not_changed(closed, open_page, looking_as):
    row, first = closed
    looking_as(Access.WRITE, levels=("public",))
    page = open_page("documents")
    assert len(_listed(page)) == 1, "of the others no passage is opened"
    for view in ("pages", "text", "passages", "details"):
        page = open_page("documents", doc=row["doc_id"], view=view, page=str(first.meta["page"]))
        assert first.content[:60] not in texts(page)
        assert not page.image
        assert not page.download_button
        assert not page.multiselect
        assert not page.button


@pytest.mark.integration
def test_a_closed_collection_is_not_there(hub, open_page, looking_as):
    looking_as(Access.READ, collections=frozenset({"other"}))
    page = open_page("documents", collection=COLLECTION)
    assert "No documents yet" in texts(page)
    row = reader().documents(COLLECTION, 0, 1)[0]
    page = open_page("documents", doc=row["doc_id"])
    assert "no such document" in texts(page)


@pytest.mark.integration
def test_a_token_opens_the_pages_for_its_own_rights(hub, open_page, monkeypatch):
    token, _ = create_token("reader", collections=["other"])
    visitors = Visitors(Tokens.of(os.environ))
    monkeypatch.setattr("khub.dashboard.visitor.Admission.visitors", visitors)
    monkeypatch.setattr("khub.server.http.visitors.token_in", lambda _: token)
    assert "No documents yet" in texts(open_page("documents"))


@pytest.mark.integration
def test_a_mail_leads_to_its_files_and_back(hub, open_page, tmp_path, converted_here):
    file = tmp_path / "offer.eml"
    file.write_bytes(bytes(attach(mail("Offer"), "prices.txt", "Storks clatter.")))
    ingest([str(file)], COLLECTION)
    around, attached = (doc_id_of(COLLECTION, f"{file}{name}") for name in ("", "!/prices.txt"))
    for doc_id, other in ((around, attached), (attached, around)):
        page = open_page("documents", doc=doc_id, collection=COLLECTION, view="details")
        assert any(f"doc={other}" in link.proto.query_string for link in page.page_link)
