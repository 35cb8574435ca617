"""The ask page answers, shows why, takes what people say of it, and shows nobody more than is opened."""

import io
import json

import pytest
from PIL import Image, ImageDraw
from pptx import Presentation

from khub.components.catalog.access import Caller
from khub.server.http.tokens import Access
from khub.server.library.edits import edit_document
from khub.server.library.ingest import ingest
from khub.server.reads.hub_reads import document_of
from khub.server.traces.feedback import feedback_path
from khub.server.traces.index import read_traces
from tests.dashboard.conftest import COLLECTION, texts

pytestmark = pytest.mark.integration
HERONS, HOTEL = "How do herons wade?", "酒店每晚的上限是多少？"


def ask(page, question, button="Ask"):
    page.text_input[0].set_value(question)
    next(one for one in page.button if one.label == button).click()
    page.run()
    assert not page.exception, page.exception
    return page


def pick(page, label, option):
    group = next(one for one in page.button_group if one.label == label)
    group.set_value(option).run()
    assert not page.exception, page.exception


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
    assert said in texts(page).replace("**", "")
    assert page.query_params["q"] == question


def test_the_first_line_answers_or_says_what_no_passage_names(hub, open_page):
    lines = [one.value.replace("\\", "") for one in ask(open_page("ask"), HERONS).markdown]
    assert any(line.startswith("“") and "Herons wade slowly" in line and line.endswith("[1]") for line in lines)
    doubt = [one.value.replace("\\", "") for one in ask(open_page("ask"), "How did herons wade in 2019?").markdown]
    assert any("2019" in line and "None of these passages" in line for line in doubt)


def test_a_question_may_stand_in_the_address(hub, open_page):
    assert "Herons wade slowly" in texts(open_page("ask", q=HERONS, collection=COLLECTION)).replace("**", "")


def test_another_question_in_the_address_is_asked_though_one_was_answered(hub, open_page):
    page = ask(open_page("ask"), HERONS)
    ask(page, "and where?", "Ask a follow-up")
    page.query_params["q"] = HOTEL  # as a link of another page does
    page.run()
    assert page.subheader[0].value.replace("\\", "") == HOTEL
    answered = len(read_traces(50))
    page.run()
    assert len(read_traces(50)) == answered


def test_who_comes_back_finds_the_question_with_its_answer(hub, open_page):
    page = ask(open_page("ask"), HERONS)
    answered = len(read_traces(50))
    del page.query_params["q"]
    page.run()
    assert (page.text_input[0].value, page.query_params["q"]) == (HERONS, HERONS)
    assert len(read_traces(50)) == answered


def test_a_follow_up_builds_on_what_was_asked(hub, open_page):
    page = ask(open_page("ask"), HERONS)
    ask(page, "and where?", "Ask a follow-up")
    assert f"Searched for: {HERONS} and where?" in texts(page).replace("\\", "")
    assert [one.label for one in page.expander if HERONS[:10] in one.label]
    ask(page, "herons")
    assert not [one.label for one in page.expander if HERONS[:10] in one.label]  # a new question begins anew


def test_it_says_why_a_passage_was_chosen_and_what_stands_around_it(hub, open_page):
    page = ask(open_page("ask"), HERONS)
    pick(page, "Show of passage 1", ["Why this one", "Around it"])
    stages = list(page.table[0].value["Stage"])
    assert {"dense", "sparse"} <= set(stages)
    assert "before and after" in texts(page)


def test_a_passage_is_compared_with_the_one_above_it(hub, open_page):
    page = ask(open_page("ask"), "herons")
    pick(page, "Show of passage 1", ["Why this one"])
    pick(page, "Show of passage 2", ["Why this one"])
    first, second = (table.value for table in page.table)
    assert "The passage above it" not in first.columns
    last = second.iloc[-1]
    assert last["The passage above it"] == f"{first.iloc[-1]['Rank']} · {first.iloc[-1]['Score']}"


def test_the_caption_of_a_page_is_escaped_once(hub, open_page):
    page = ask(open_page("ask"), "type:pdf the robot")
    [image] = page.get("image")
    assert ".pdf" in image.captions[0].replace("\\.", ".")
    assert "\\\\" not in image.captions[0]


def test_feedback_is_written_once(hub, open_page):
    page = ask(open_page("ask"), HERONS)
    pick(page, "Was passage 1 right?", "Right")
    page.run()
    (said,) = [json.loads(line) for line in feedback_path().read_text(encoding="utf-8").splitlines()]
    assert (said["right"], said["trace_id"]) == (True, read_traces(1)[0]["trace_id"])


def test_filters_keep_only_what_fits(hub, open_page):
    page = open_page("ask")
    assert "type:pdf" in page.multiselect[0].options
    page.multiselect[0].set_value(["type:pdf"])
    ask(page, HERONS)
    assert "Herons wade slowly" not in texts(page)


def test_an_empty_question_is_told(hub, open_page):
    page = ask(open_page("ask"), " ")
    assert page.warning[0].value == "Type a question first."


def test_where_there_are_several_collections_all_of_them_are_asked(hub, open_page, tmp_path):
    (tmp_path / "badgers.md").write_text("# Badgers\n\nBadgers dig setts in the forest.\n", encoding="utf-8")
    assert not ingest([str(tmp_path / "badgers.md")], collection="forest").failed
    for question, said in ((HERONS, "Herons wade slowly"), ("Where do badgers dig setts?", "Badgers dig setts")):
        page = ask(open_page("ask"), question)
        assert said in texts(page).replace("**", "")
    collection = next(one for one in page.selectbox if one.label == "Collection")
    assert collection.options[0] == "All"
    collection.set_value(COLLECTION).run()
    assert "Badgers dig setts" not in texts(ask(page, HERONS)).replace("**", "")


def test_two_graphs_are_shown_side_by_side(hub, open_page):
    page = open_page("ask", q=HERONS)
    pick(page, "Show", "compare")
    assert {"query"} <= set(page.dataframe[0].value.columns)
    before = len(read_traces(50))
    page.run()
    assert len(read_traces(50)) == before  # drawn again, and not asked again


def test_pictures_that_there_are_not_are_told(hub, open_page):
    page = open_page("ask", q="zebra crossing photograph")
    pick(page, "Show", "pictures")
    assert page.info


def test_what_is_closed_to_a_visitor_is_not_found(hub, open_page, as_visitor):
    for question, level in ((HERONS, "secret"), (HOTEL, "public")):
        edit_document(document_of(_citations(question)[0].doc_id), None, {"access_level": level})
    as_visitor(levels=("public",))
    page = ask(open_page("ask"), HERONS)
    assert "Herons wade" not in texts(page)
    as_visitor(levels=("secret",))
    assert "Herons wade" in texts(ask(open_page("ask"), HERONS))


def test_a_visitor_asks_only_its_own_collections(hub, open_page, as_visitor):
    as_visitor(collections=frozenset({"other"}))
    page = open_page("ask")
    assert "no documents" in page.info[0].value
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
