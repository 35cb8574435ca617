"""What a question that leans on the one before it takes along."""

import pytest

from khub.server.library.ingest import ingest
from khub.server.questions.follow_up import self_contained

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def hub(fixed_graphs, notes, fill_once, converted_here):
    for number in range(5):
        (notes / f"{number}.md").write_text(
            f"# Ships {number}\n\nShips sail in the harbour.\n\n船在港口。\n", encoding="utf-8"
        )

    def filled():
        assert not ingest([str(notes)]).failed

    fill_once("notes and ships", filled)


@pytest.mark.parametrize(
    ("before", "asked", "leans"),
    [
        ("Where do trout swim upstream?", "And where?", True),
        ("Where do trout swim upstream?", "And ships?", True),
        ("Where do ships sail?", "Where do trout swim upstream?", False),
        ("酒店每晚上限是多少？", "那船呢？", True),
        ("船在哪个港口？", "酒店每晚上限是多少？", False),
    ],
)
def test_it_takes_the_question_before_where_its_own_words_say_too_little(before, asked, leans):
    assert (before in self_contained([before, asked])) is leans
    assert self_contained([before, asked]).endswith(asked)
    assert self_contained([asked]) == asked


def test_of_all_collections_the_words_of_each_count(notes):
    assert not ingest([str(notes)], collection="second").failed
    ships, trout = "Where do ships sail?", "Where do trout swim upstream?"
    assert self_contained([ships, trout]) == trout
    assert self_contained([trout, "And ships?"]) == f"{trout} And ships?"


@pytest.mark.parametrize(
    ("questions", "held", "gone"),
    [
        (["婚假要提前多久申请？", "那丧假呢？"], "丧假要提前多久申请", "婚假"),
        (["婚假要提前多久申请？", "那丧假呢？", "谁来批准？"], "丧假", "婚假"),
        (["婚假要提前多久申请？", "那丧假呢？", "谁来批准？", "要多久？"], "丧假", "婚假"),
        (["How many trout swam in 2018?", "And in 2019?"], "trout swam in 2019", "2018"),
        (["Where do trout swim upstream?", "And ships?"], "trout", "ships swim"),
        (["Where do the reports of trout go?", "And resorts?"], "reports of trout", "resorts of"),
    ],
)
def test_what_is_asked_for_now_takes_the_place_of_its_kind_and_is_kept(questions, held, gone):
    asked = self_contained(questions)
    assert held in asked
    assert gone not in asked
