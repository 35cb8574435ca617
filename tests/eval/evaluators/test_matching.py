"""Which citations show which places."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from khub.eval.evaluators.matching import found_places, matches, normalised, places_of
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("evidence", "text"),
    [
        ("E-4012 Laser scanner window blocked", "| **E-4012** | Laser scanner\nwindow blocked |"),
        ("上限为六百元", "酒店每晚 上限为\n六百元。"),
        ("ＡＢＣ１２", "abc12"),
        ("Straße 5", "STRASSE 5"),
        ("ﬁne print", "Fine Print"),
        ("naïve", unicodedata.normalize("NFD", "naïve")),
        ("19", "so there are 19 chunks"),
    ],
)
def test_the_same_words_in_another_form_match(cite, place, evidence, text):
    assert matches(cite(text), place(evidence))
    assert matches(cite(text, page=9), place(evidence))


@pytest.mark.parametrize(
    ("evidence", "text"),
    [
        ("so there are 19 chunks", "the handbook is about something else"),
        ("20", "so there are 19 chunks"),
        ("上限为六百元", "上限为五百元"),
        ("window blocked", ""),
    ],
)
def test_other_words_do_not(cite, place, evidence, text):
    assert not matches({**cite(), "text": text}, place(evidence))


@pytest.mark.parametrize(("text", "found"), [("abcdefghij", True), ("abcdefghi", False)])
def test_six_in_ten_of_the_ngrams_are_enough(cite, place, text, found):
    assert matches({**cite(), "text": text}, place("abcdefghijklmn")) is found


def test_a_repeated_ngram_counts_once(cite, place):
    """Of `aaaaaaaaaabcdef` there are six distinct ones, of which the text has one."""
    assert not matches({**cite(), "text": "aaaaaaaaaa"}, place("aaaaaaaaaabcdef"))


def test_another_file_with_the_same_words_does_not_match(cite, place):
    assert not matches(cite("heron", source="zoo/birds.pdf"), place("heron"))


def test_names_of_files_are_compared_composed(cite, place):
    decomposed = unicodedata.normalize("NFD", "Vögel.pdf")
    assert matches(cite("heron", source=decomposed), place("heron", source="Vögel.pdf"))


@pytest.mark.parametrize("evidence", ["", None, "→ %"])
def test_without_evidence_the_page_decides(cite, place, evidence):
    wanted = {**place(page=3), "evidence": evidence}
    assert matches(cite("anything", page=3), wanted)
    assert not matches(cite("anything", page=4), wanted)
    assert matches(cite("anything", page=None), {**wanted, "page": None})


def test_a_citation_without_relative_source_is_refused(cite, place):
    citation = cite("heron")
    del citation["relative_source"]
    with raises_code("evaluation_failed", "'/docs/birds.pdf'", "'relative_source'"):
        matches(citation, place())


def test_a_place_is_found_once(cite, place):
    places = [place("heron"), place("limit"), place("code")]
    citations = [cite("other"), cite("limit", "heron"), cite("heron"), cite("heron", "code")]
    assert found_places(citations, places) == [[], [0, 1], [], [2]]


def test_places_with_the_same_evidence_are_found_together(cite, place):
    assert found_places([cite("heron")], [place("heron", page=1), place("heron", page=7)]) == [[0, 1]]


def test_a_case_without_relevant_names_one_place_itself(place):
    own = {"source": "a.md", "page": None, "evidence": "x"}
    assert places_of({"id": "c", "answerable": True, **own}) == [{**own, "grade": 2}]
    assert places_of({"id": "c", **own, "relevant": [place()]}) == [place()]
    assert places_of({"id": "c", "answerable": False, "source": None}) == []


@settings(deadline=None)
@given(st.text())
def test_normalising_twice_changes_nothing(text):
    once = normalised(text)
    assert normalised(once) == once
    assert once == normalised(f" |{text}\n*")


@settings(deadline=None)
@given(st.text(min_size=1), st.text(), st.text())
def test_a_literal_quote_always_matches(quote, before, after):
    """Marks at the seams (combining accents, Hangul jamo) may change the letters beside them, so there are spaces."""
    place = {"source": "a", "page": 1, "evidence": quote, "grade": 2}
    assert matches({"relative_source": "a", "page": 1, "text": f"{before} {quote} {after}"}, place)
