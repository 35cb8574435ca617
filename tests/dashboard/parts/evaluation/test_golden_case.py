"""From a question that was asked to a case of the hub's own golden set."""

import pytest
from streamlit.testing.v1 import AppTest

from khub.components.catalog.access import Caller
from khub.eval.cases import read_cases
from khub.eval.synth.growing_set import set_file
from khub.server.access_right import Access
from khub.server.questions.ask import ask
from khub.server.traces.feedback import give_feedback
from tests.dashboard.conftest import COLLECTION, tables, texts, use_table

pytestmark = pytest.mark.integration
QUESTION = "Where do herons wade?"


@pytest.fixture
def asked(hub, monkeypatch):
    monkeypatch.delenv("KHUB_TRACE", raising=False)
    return ask(QUESTION, COLLECTION)


def heron_passage(asked):
    return next(one for one in asked.citations if "Herons wade" in one.text)


def the_case():
    [case] = read_cases(set_file(None))
    return case


def send(page, **radios):
    for key, grade in radios.items():
        page.radio(key=key).set_value(grade)
    page.button[0].click().run()
    assert not page.exception
    return page


def test_a_ticked_passage_becomes_the_place(asked, open_page):
    passage = heron_passage(asked)
    page = open_page("evaluation", trace=asked.trace_id)
    page.text_input(key=f"quote-{passage.chunk_id}").set_value("shallow water")
    answer = next(box for box in page.text_input if box.label.startswith("Expected"))
    answer.set_value("in shallow water")
    send(page, **{f"grade-{passage.chunk_id}": 2})
    assert str(set_file(None)) in texts(page)
    case = the_case()
    assert (case.question, case.answer, case.language, case.answerable) == (QUESTION, "in shallow water", "en", True)
    [place] = case.relevant
    assert (place.source.rpartition("/")[2], place.evidence, place.grade) == ("herons.md", "shallow water", 2)


def test_a_passage_is_shown_as_its_reader_sees_it(hub, open_page):
    asked = ask("What does error code E-4012 mean?", COLLECTION)
    page = open_page("evaluation", trace=asked.trace_id)
    (table,) = [element.value for element in page.markdown if "| E-4012 |" in element.value]
    assert table.startswith("| Code | Meaning |")  # the heads stand in another passage
    assert not any("E-4012 |" in element.value for element in page.text)


def test_what_was_called_right_is_ticked_already(asked, open_page):
    passage = heron_passage(asked)
    give_feedback(asked.trace_id, passage.chunk_id, True)
    page = open_page("evaluation", "zh", trace=asked.trace_id)
    assert page.radio(key=f"grade-{passage.chunk_id}").value == 2
    send(page)
    assert the_case().relevant[0].evidence in passage.text


def test_nothing_answers_it(asked, open_page):
    page = open_page("evaluation", trace=asked.trace_id)
    page.checkbox[0].check()
    send(page)
    assert the_case().kind == "unanswerable"


def test_nothing_is_added_without_a_decision_or_twice(asked, open_page):
    page = open_page("evaluation", trace=asked.trace_id)
    send(page)
    assert page.error
    assert not set_file(None).exists()
    page.checkbox[0].check()
    send(page)
    send(page)
    assert page.error
    assert len(read_cases(set_file(None))) == 1


def test_an_unknown_trace_is_said(hub, open_page):
    page = open_page("evaluation", trace="0" * 32)
    assert page.error


@pytest.mark.parametrize(
    "who",
    [
        (Access.READ, Caller()),
        (Access.WRITE, Caller("ann", ("public",), None)),
        (Access.WRITE, Caller("ann", None, frozenset({COLLECTION}))),
    ],
)
def test_only_who_may_write_and_sees_all_adds(asked, monkeypatch, who):
    monkeypatch.setattr("khub.dashboard.page.visitor", lambda: who)
    monkeypatch.setattr("khub.dashboard.visitor.visitor", lambda: who)
    part = "from khub.dashboard.parts.evaluation.golden_case import golden_case_form\n"
    part += f"golden_case_form({asked.trace_id!r})"
    page = AppTest.from_string(part, default_timeout=60).run()
    assert not page.exception
    assert not page.radio
    assert not page.button
    assert page.info


def test_feedback_leads_to_a_case(asked, open_page):
    right, *others = asked.citations
    give_feedback(asked.trace_id, right.chunk_id, False, "no")
    give_feedback(asked.trace_id, right.chunk_id, True, "yes")
    if others:
        give_feedback(asked.trace_id, others[0].chunk_id, False)
    page = open_page("evaluation", view="cases")
    [[question, ok, wrong, *_]] = tables(page)[0]
    assert (question, ok, wrong) == (QUESTION, "1", str(len(others[:1])))
    use_table(page, "feedback", open=f"evaluation?view=cases&trace={asked.trace_id}")
    assert page.radio(key=f"grade-{right.chunk_id}").value == 2
