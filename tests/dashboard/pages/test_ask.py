"""The ask page answers, shows why, takes what people say of it, and shows nobody more than is opened."""

import io
import json

import pytest
from PIL import Image, ImageDraw
from pptx import Presentation

from khub.components.catalog.access import Caller
from khub.server.access_right import Access
from khub.server.library.edits import edit_document
from khub.server.library.ingest import ingest
from khub.server.reads.hub_reads import document_of
from khub.server.traces.feedback import feedback_path
from khub.server.traces.index import read_traces
from tests.dashboard.conftest import COLLECTION, read_texts, reading, tables, texts, use_reader

pytestmark = pytest.mark.integration
HERONS, HOTEL = "How do herons wade?", "酒店每晚的上限是多少？"


def ask(page, question, button="Ask"):
    page.text_input[0].set_value(question)
    press(page, button)
    return page


def press(page, label):
    next(one for one in page.button if one.label == label).click()
    page.run()
    assert not page.exception, page.exception


def pick(page, label, option):
    group = next(one for one in page.button_group if one.label == label)
    group.set_value(option).run()
    assert not page.exception, page.exception


def shown(page, number=1):
    """Return the page beside the answer as it is when the browser has asked for that of a passage."""
    page_number = next(one["page"] for one in reading(page)["passages"] if one["number"] == number)
    return reading(use_reader(page, {"shown": {"number": number, "page": page_number}}))["sheet"]


@pytest.fixture
def as_visitor(monkeypatch):
    """Return a function: whoever looks at pages from now on may read so much and no more."""

    def visiting(access=Access.READ, **opened):
        monkeypatch.setattr("khub.dashboard.page.visitor", lambda: (access, Caller("guest", **opened)))
        monkeypatch.setattr("khub.dashboard.visitor.visitor", lambda: (access, Caller("guest", **opened)))

    return visiting


@pytest.mark.parametrize(
    ("language", "question", "said", "button"),
    [("en", HERONS, "Herons wade slowly", "Ask"), ("zh", HOTEL, "酒店每晚上限为六百元", "提问")],
)
def test_a_question_is_answered_by_passages(hub, open_page, language, question, said, button):
    page = ask(open_page("ask", language), question, button)
    assert said in read_texts(page)
    assert page.query_params["q"] == question


def test_the_first_line_answers_or_says_what_no_passage_names(hub, open_page):
    lead = reading(ask(open_page("ask"), HERONS))["lead"]
    assert "Herons wade slowly" in lead
    assert "[1]" in lead
    doubt = reading(ask(open_page("ask"), "How did herons wade in 2019?"))["lead"]
    assert "2019" in doubt
    assert "None of these passages" in doubt


def test_a_question_may_stand_in_the_address(hub, open_page):
    assert "Herons wade slowly" in read_texts(open_page("ask", q=HERONS, collection=COLLECTION))


def test_another_question_in_the_address_is_asked_though_one_was_answered(hub, open_page):
    page = ask(open_page("ask"), HERONS)
    ask(page, "and where?")
    page.query_params["q"] = HOTEL  # as a link of another page does
    page.run()
    assert page.title[0].value.replace("\\", "") == HOTEL
    answered = len(read_traces(50))
    page.run()
    assert len(read_traces(50)) == answered


def test_who_comes_back_finds_the_question_with_its_answer(hub, open_page):
    page = ask(open_page("ask"), HERONS)
    answered = len(read_traces(50))
    del page.query_params["q"]
    page.run()
    assert (page.title[0].value.replace("\\", ""), page.query_params["q"]) == (HERONS, HERONS)
    assert len(read_traces(50)) == answered


def test_who_goes_back_sees_the_earlier_answer_and_another_collection_asks_anew(hub, open_page):
    page = ask(ask(open_page("ask"), HERONS), HOTEL)
    page.query_params["q"] = HERONS  # as the browser's own way back does
    page.run()
    assert page.title[0].value.replace("\\", "") == HERONS
    page.run()  # something else is touched
    assert page.query_params["q"] == HERONS
    page.query_params["q"], page.query_params["collection"] = HOTEL, COLLECTION
    page.run()
    assert page.title[0].value.replace("\\", "") == HOTEL
    assert page.query_params["collection"] == COLLECTION
    assert not page.exception


def test_the_next_question_goes_on_and_new_begins_anew(hub, open_page):
    page = ask(open_page("ask"), HERONS)
    ask(page, "and where?")
    assert f"searched for: {HERONS} and where?" in reading(page)["facts"]
    assert page.query_params["q"] == f"{HERONS} and where?"  # a link to it stands by itself
    pick(page, "Questions of this conversation", 0)
    assert page.title[0].value.replace("\\", "") == HERONS
    press(page, "New")
    assert reading(page) is None
    ask(page, "and where?")
    assert "searched for" not in reading(page)["facts"]


def test_questions_to_begin_with_can_be_asked(hub, open_page):
    page = open_page("ask")
    sample = next(one for one in page.button if (one.key or "").startswith("search"))
    sample.click().run()
    assert page.title[0].value == sample.label
    assert reading(page)["lead"]
    press(page, "New")
    assert [one for one in page.button if one.label == sample.label and one.key.startswith("history")]


def test_it_says_why_a_passage_was_chosen_and_compares_it_with_the_one_above(hub, open_page):
    page = use_reader(ask(open_page("ask"), "herons"), {"unfolded": [1, 2]})
    first, second = (one["why"] for one in reading(page)["passages"][:2])
    assert {"dense", "sparse"} <= {row[0] for row in first["rows"]}
    assert len(second["head"]) == len(first["head"]) + 1
    assert second["rows"][-1][-1] == " · ".join(first["rows"][-1][1:])


def test_of_a_document_without_pages_the_text_around_the_passage_is_shown(hub, open_page):
    page = ask(open_page("ask"), HERONS)
    assert reading(page)["sheet"] is None  # the answer does not wait for it
    sheet = shown(page)
    assert [part["own"] for part in sheet["parts"]].count(True) == 1
    assert "Herons wade slowly" in next(part["html"] for part in sheet["parts"] if part["own"])


def test_the_page_is_shown_with_the_line_that_answers(hub, open_page):
    page = ask(open_page("ask"), "type:pdf E-4012")
    sheet = shown(page)
    assert sheet["image"].startswith("data:image/")
    boxes = sheet["evidence"]
    assert boxes
    left, _, width, height = sheet["passage"][0]
    assert all(left - 0.01 <= box[0] and box[0] + box[2] <= left + width + 0.01 for box in boxes)
    assert max(box[1] + box[3] for box in boxes) - min(box[1] for box in boxes) < height / 2  # a row, not the table
    number, pages = sheet["page"], sheet["pages"]
    other = number + 1 if number < pages else number - 1
    sheet = reading(use_reader(page, {"shown": {"number": 1, "page": other}}))["sheet"]
    assert sheet["page"] == other
    assert sheet["image"].startswith("data:image/")


def test_feedback_is_written_once(hub, open_page):
    page = ask(open_page("ask"), HERONS)
    [passage, *_] = reading(page)["passages"]
    use_reader(page, judged={"chunk_id": passage["chunk_id"], "right": True})
    assert reading(page)["passages"][0]["right"] is True
    page.run()
    (said,) = [json.loads(line) for line in feedback_path().read_text(encoding="utf-8").splitlines()]
    assert (said["right"], said["trace_id"]) == (True, read_traces(1)[0]["trace_id"])


def test_what_is_chosen_stays_when_another_page_was_looked_at(hub, open_page):
    page = open_page("ask")
    page.multiselect[0].set_value(["type:pdf"]).run()
    page.switch_page("pages/overview.py").run()
    page.switch_page("pages/ask.py").run()
    assert page.multiselect[0].value == ["type:pdf"]


def test_filters_keep_only_what_fits(hub, open_page):
    page = open_page("ask")
    assert "type:pdf" in page.multiselect[0].options
    page.multiselect[0].set_value(["type:pdf"])
    ask(page, HERONS)
    assert "Herons wade slowly" not in read_texts(page)


def test_an_empty_question_is_told(hub, open_page):
    page = ask(open_page("ask"), " ")
    assert page.warning[0].value == "Type a question first."


def test_where_there_are_several_collections_all_of_them_are_asked(hub, open_page, tmp_path):
    (tmp_path / "badgers.md").write_text("# Badgers\n\nBadgers dig setts in the forest.\n", encoding="utf-8")
    assert not ingest([str(tmp_path / "badgers.md")], collection="forest").failed
    for question, said in ((HERONS, "Herons wade slowly"), ("Where do badgers dig setts?", "Badgers dig setts")):
        page = ask(open_page("ask"), question)
        assert said in read_texts(page)
    collection = next(one for one in page.selectbox if one.label == "Collection")
    assert collection.options[0] == "All documents"
    collection.set_value(COLLECTION).run()
    assert "Badgers dig setts" not in read_texts(ask(page, HERONS))


def test_the_browser_remembers_the_collection_and_forgets_what_is_not_there(hub, open_page, tmp_path, monkeypatch):
    (tmp_path / "预算.md").write_text("# 预算\n\n酒店。\n", encoding="utf-8")
    assert not ingest([str(tmp_path / "预算.md")], collection="预算").failed
    for kept, chosen in (("%E9%A2%84%E7%AE%97", "预算"), ("gone", ""), ("", "")):
        monkeypatch.setattr("streamlit.runtime.context.ContextProxy.cookies", {"khub_scope": kept})
        page = open_page("ask")
        assert page.selectbox(key="ask collection").value == chosen
        told = [json.loads(one.proto.json) for one in page.get("bidi_component") if one.key == "scope"]
        assert told == [{"cookie": "khub_scope", "collection": chosen}]


def test_a_passage_opens_its_document_with_the_run_that_cites_it(hub, open_page):
    page = ask(open_page("ask"), HERONS)
    address = reading(page)["passages"][0]["address"]
    assert address["chunk"] == reading(page)["passages"][0]["chunk_id"]
    assert address["trace"] == read_traces(1, "query")[0]["trace_id"]


def test_two_graphs_are_shown_side_by_side(hub, open_page):
    page = open_page("ask", q=HERONS)
    pick(page, "Show", "compare")
    answers, passages = tables(page)
    assert answers[0][0].startswith("query")
    assert any("Herons wade slowly" in row[-1] for row in passages)
    before = len(read_traces(50))
    page.run()
    assert len(read_traces(50)) == before  # drawn again, and not asked again


def test_a_way_of_asking_shows_what_it_heeds_and_the_rest_stays_chosen(hub, open_page):
    def offered():
        return {"filters": len(page.multiselect), "legs": sum(one.label == "Search" for one in page.button_group)}

    page = open_page("ask")
    pick(page, "Search", "sparse")
    page.multiselect[0].set_value(["type:md"]).run()
    page.slider[0].set_value(2).run()
    pick(page, "Show", "pictures")
    assert (offered(), len(page.slider)) == ({"filters": 0, "legs": 0}, 0)
    pick(page, "Show", "compare")
    assert (offered(), len(page.slider)) == ({"filters": 1, "legs": 0}, 0)
    pick(page, "Show", "answer")
    chosen = next(one for one in page.button_group if one.label == "Search").value
    assert (chosen, page.multiselect[0].value, page.slider[0].value) == ("sparse", ["type:md"], 2)


def test_pictures_that_there_are_not_are_told(hub, open_page):
    page = open_page("ask", q="zebra crossing photograph")
    pick(page, "Show", "pictures")
    assert page.info


def test_what_is_closed_to_a_visitor_is_not_found(hub, open_page, as_visitor):
    for question, level in ((HERONS, "secret"), (HOTEL, "public")):
        edit_document(document_of(_citations(question)[0].doc_id), None, {"access_level": level})
    as_visitor(levels=("public",))
    page = ask(open_page("ask"), HERONS)
    assert "Herons wade" not in read_texts(page)
    as_visitor(levels=("secret",))
    assert "Herons wade" in read_texts(ask(open_page("ask"), HERONS))


def test_a_visitor_asks_only_its_own_collections(hub, open_page, as_visitor):
    as_visitor(collections=frozenset({"other"}))
    page = open_page("ask")
    assert "no documents" in texts(page)
    assert not page.text_input


def test_only_who_sits_here_is_shown_how_the_hub_is_started(hub, open_page, as_visitor):
    assert "khub mcp install" in texts(open_page("ask"))
    as_visitor()
    said = texts(open_page("ask"))
    assert "khub mcp install" not in said
    assert str(hub) not in said
    assert "/mcp" in said


def test_a_graph_that_is_broken_is_told_with_what_is_wrong(hub, open_page, as_visitor, tmp_path, monkeypatch):
    folder = tmp_path / "graphs"
    folder.mkdir()
    (folder / "query.yaml").write_text("metadata: {kind: query}\ncomponents: {a: {type: no.such.Class}}\n")
    monkeypatch.setenv("KHUB_PIPELINES", str(folder))
    page = ask(open_page("ask"), HERONS)
    assert "query.yaml" in page.error[0].value.replace("\\", "")
    as_visitor(collections=frozenset({COLLECTION}))
    page = ask(open_page("ask"), HERONS)
    assert len(page.error) == 1
    assert folder.name not in page.error[0].value  # where the hub lies is nothing to who does not see all of it


def _citations(question):
    from khub.server.questions.ask import ask as put

    return put(question, COLLECTION).citations


def test_a_picture_like_an_example_is_shown(hub, open_page, tmp_path):
    image = Image.new("RGB", (300, 200), "white")
    ImageDraw.Draw(image).polygon([(40, 180), (40, 90), (150, 30), (260, 90), (260, 180)], fill="darkred")
    image.save(tmp_path / "barn.png")
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.title.text = "The red barn"
    slide.shapes.add_picture(str(tmp_path / "barn.png"), 0, 0)
    slides.save(str(tmp_path / "barn.pptx"))
    assert not ingest([str(tmp_path / "barn.pptx")], COLLECTION).failed
    page = open_page("ask")
    pick(page, "Show", "pictures")
    part = io.BytesIO()
    image.crop((30, 20, 290, 190)).save(part, "PNG")
    page.file_uploader[0].set_value(("part.png", part.getvalue(), "image/png")).run()
    assert not page.exception, page.exception
    assert "Picture without a caption" in texts(page)
    page.file_uploader[0].set_value(("part.png", b"no picture", "image/png")).run()
    assert "no picture that can be read" in texts(page)


def test_who_may_only_read_is_told_why_there_is_no_search_by_picture(hub, open_page, as_visitor):
    as_visitor()
    page = open_page("ask")
    pick(page, "Show", "pictures")
    assert not page.get("file_uploader")
    assert "right to write" in texts(page)
