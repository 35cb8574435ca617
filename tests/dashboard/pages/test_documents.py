"""The pages about documents: what is listed, what is shown of one, who may change it."""

import os

import pytest

from khub.components.catalog.access import Caller
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.documents import doc_id_of
from khub.server.http.tokens import Access, Tokens
from khub.server.http.visitors import Visitors
from khub.server.library.ingest import ingest
from khub.server.named_tokens import create_token
from khub.server.questions.ask import ask
from khub.server.reads.hub_reads import reader
from khub.server.reads.original_file import original_of
from tests.components.converters.mail.mails import attach, mail
from tests.dashboard.conftest import COLLECTION, audited, texts


def _row(doc_type):
    return next(row for row in reader().documents(COLLECTION, 0, 10) if row["doc_type"] == doc_type)


def _titles(page):
    return [link.label for link in page.page_link]


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
def test_documents_are_listed_with_a_link_each(hub, open_page):
    page = open_page("documents")
    links = {link.proto.query_string for link in page.page_link}
    assert links >= {f"doc={row['doc_id']}" for row in reader().documents(COLLECTION, 0, 10)}


@pytest.mark.integration
@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ({"q": "heron"}, {"Herons"}),
        ({"type": "markdown", "written": "en"}, {"Herons"}),
        ({"type": "markdown", "sort": "title"}, {"Herons", "差旅预算"}),
        ({"status": "again"}, set()),
    ],
)
def test_a_list_is_narrowed_by_its_address(hub, open_page, address, expected):
    assert set(_titles(open_page("documents", **address))) == expected


@pytest.mark.integration
def test_a_list_is_narrowed_by_a_tag_and_says_so_in_the_address(hub, open_page):
    row = _row("markdown")
    open_catalog().documents.change_meta(row["doc_id"], {"tags": ["birds of *water*"]})
    page = open_page("documents")
    page.selectbox(key="tag").select("birds of *water*").run()
    assert len(page.page_link) == 1
    assert page.query_params["tag"] == "birds of *water*"


@pytest.mark.integration
def test_fifty_are_shown_and_the_others_on_further_pages(hub, open_page):
    for number in range(120):
        open_catalog().documents.record_failure(COLLECTION, f"/files/{number:03}.pdf", "no text", "leave it out")
    page = open_page("documents", status="again", sort="source")
    assert _titles(page)[0].startswith("000")
    assert len(page.page_link) == 50
    page.pagination(key="at").set_value(3).run()
    assert len(page.page_link) == 20
    page.text_input(key="q").set_value("files").run()
    assert _titles(page)[0].startswith("000"), "the first page of what is searched for now"


@pytest.mark.integration
def test_a_failed_file_is_shown_with_its_remedy(hub, open_page):
    open_catalog().documents.record_failure(COLLECTION, "/files/locked.pdf", "it is locked", "open it without password")
    page = open_page("documents", q="locked")
    assert "open it without password" in texts(page)
    doc_id = page.page_link[0].proto.query_string.removeprefix("doc=")
    assert "open it without password" in "".join(error.value for error in open_page("documents", doc=doc_id).error)


@pytest.mark.integration
def test_a_page_is_shown_with_its_passages(hub, open_page):
    row = _row("pdf")
    page = open_page("documents", doc=row["doc_id"])
    chunks = reader().chunks_of_pages(row["doc_id"], 1, 1)
    assert "numbered" in page.image[0].proto.imgs[0].alt
    assert sum("Passage " in element.value for element in page.markdown) == len(chunks)
    page.button_group(key="passage").set_value(str(chunks[1].meta["ordinal"] + 1)).run()
    assert sum("Passage " in element.value for element in page.markdown) == 1
    assert page.query_params["passage"] == str(chunks[1].meta["ordinal"] + 1)


@pytest.mark.integration
def test_the_address_names_page_and_passage(hub, open_page):
    row = _row("pdf")
    chunk = reader().chunks_of_pages(row["doc_id"], 2, 2)[-1]
    page = open_page("documents", doc=row["doc_id"], page="2", passage=str(chunk.meta["ordinal"] + 1))
    alt = page.image[0].proto.imgs[0].alt
    assert "page 2" in alt
    assert f"passage {chunk.meta['ordinal'] + 1}" in alt


@pytest.mark.integration
@pytest.mark.parametrize("view", ["text", "passages", "outline", "details"])
def test_what_is_no_pdf_is_shown_by_its_text(hub, open_page, view):
    page = open_page("documents", doc=_row("markdown")["doc_id"], view=view)
    expected = {"text": "wade slowly", "passages": "wade slowly", "outline": "Herons", "details": ""}
    assert not page.image
    assert expected[view] in texts(page) + "".join(_titles(page))


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
    page.button[0].click().run()
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
    for address in ({"doc": row["doc_id"], "view": "text"}, {"doc": row["doc_id"], "view": "passages"}, {}):
        page = open_page("documents", **address)
        assert "tracker" in texts(page) + "".join(_titles(page))
        assert "![x](" not in texts(page) + "".join(_titles(page))


@pytest.mark.integration
def test_pages_that_wait_for_ocr_are_named(hub, open_page):
    row = _row("pdf")
    open_catalog().documents.change_meta(row["doc_id"], {"needs_ocr": [2, 3]})
    assert "2, 3" in texts(open_page("documents", doc=row["doc_id"])).replace("\\", "")
    assert _titles(open_page("documents", status="ocr")) == [row["title"]]


@pytest.mark.integration
def test_a_missing_original_is_told_and_the_text_is_there(hub, open_page, monkeypatch):
    row = _row("pdf")
    original_of(row).unlink()
    monkeypatch.setattr("khub.server.reads.original_file._is_same", lambda *_: False)
    page = open_page("documents", doc=row["doc_id"])
    assert "gone or has changed" in texts(page)
    assert not page.image
    assert not page.download_button
    assert any("Passage " in element.value for element in page.markdown)


@pytest.mark.integration
def test_an_edit_changes_what_an_answer_shows(hub, open_page):
    row = next(row for row in reader().documents(COLLECTION, 0, 10) if row["title"] == "Herons")
    page = open_page("documents", doc=row["doc_id"], view="edit")
    page.text_input[0].set_value("Wading birds")
    page.multiselect(key="tags").set_value(["water"])
    page.button[0].click().run()
    assert not page.error
    assert page.success
    cited = ask("How do herons wade?", COLLECTION).citations[0]
    assert cited.title == "Wading birds"
    assert reader().document(row["doc_id"])["meta"]["tags"] == ["water"]
    assert audited() == [("PATCH", f"/documents/{row['doc_id']}", 200)]


@pytest.mark.integration
def test_a_document_is_deleted_after_it_was_confirmed(hub, open_page):
    row = next(row for row in reader().documents(COLLECTION, 0, 10) if row["title"] == "Herons")
    page = open_page("documents", doc=row["doc_id"], view="edit")
    page.button(key="delete").click().run()
    assert reader().document(row["doc_id"]) is not None
    page.button(key="delete").click()  # the window stays open by itself in a browser alone
    page.button(key="delete it").click().run()
    assert reader().document(row["doc_id"]) is None
    assert "doc" not in page.query_params
    assert audited() == [("DELETE", f"/documents/{row['doc_id']}", 200)]


@pytest.mark.integration
def test_who_may_only_read_can_neither_edit_nor_delete(hub, open_page, looking_as):
    looking_as(Access.READ)
    page = open_page("documents", doc=_row("markdown")["doc_id"], view="edit")
    assert not page.button
    assert not page.multiselect


@pytest.mark.integration
def test_a_right_that_is_taken_away_meanwhile_stops_an_edit(hub, open_page, looking_as):
    row = _row("markdown")
    page = open_page("documents", doc=row["doc_id"], view="edit")
    page.text_input[0].set_value("Another title")
    looking_as(Access.READ)
    page.button[0].click().run()
    assert reader().document(row["doc_id"])["title"] == row["title"]


@pytest.mark.integration
def test_closed_parts_are_not_shown_and_their_document_not_changed(closed, open_page, looking_as):
    row, first = closed
    looking_as(Access.WRITE, levels=("public",))
    page = open_page("documents")
    assert len(page.page_link) == 1, "of the others no passage is opened"
    for view in ("pages", "text", "passages", "details", "edit"):
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
    assert "no documents yet" in texts(page)
    row = reader().documents(COLLECTION, 0, 1)[0]
    page = open_page("documents", doc=row["doc_id"])
    assert "no such document" in texts(page)


@pytest.mark.integration
def test_a_token_opens_the_pages_for_its_own_rights(hub, open_page, monkeypatch):
    token, _ = create_token("reader", collections=["other"])
    visitors = Visitors(Tokens.of(os.environ))
    monkeypatch.setattr("khub.dashboard.visitor.Admission.visitors", visitors)
    monkeypatch.setattr("khub.server.http.visitors.token_in", lambda _: token)
    assert "no documents yet" in texts(open_page("documents"))


@pytest.mark.integration
def test_a_mail_leads_to_its_files_and_back(hub, open_page, tmp_path, converted_here):
    file = tmp_path / "offer.eml"
    file.write_bytes(bytes(attach(mail("Offer"), "prices.txt", "Storks clatter.")))
    ingest([str(file)], COLLECTION)
    around, attached = (doc_id_of(COLLECTION, f"{file}{name}") for name in ("", "!/prices.txt"))
    for doc_id, other in ((around, attached), (attached, around)):
        page = open_page("documents", doc=doc_id, collection=COLLECTION, view="details")
        assert any(f"doc={other}" in link.proto.query_string for link in page.page_link)
