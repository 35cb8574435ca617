"""What a table is given, and what comes of what a visitor does with it."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import RUN_S, tables, use_table

pytestmark = pytest.mark.integration


def _page():
    import streamlit as st

    from khub.dashboard.parts.table import Badge, Cell, Column, Link, Row, show_table, sort_asked

    order = sort_asked("numbers") or "name"
    names = sorted(("one", "<b>two</b>", "three\u202e"), reverse=order.startswith("-"))
    rows = [Row(name, [Cell(name, link=Link("x", {"of": name})), Cell(badges=[Badge("new")])]) for name in names]
    picked = show_table("Numbers", [Column("Name", "name"), Column("State")], rows, "numbers", order, select=True)
    st.text(f"picked: {picked}")


@pytest.fixture
def page():
    return AppTest.from_function(_page, default_timeout=RUN_S).run()


def test_rows_are_data_and_hide_nothing(page):
    assert not page.exception
    assert tables(page) == [[["<b>two</b>", "new"], ["one", "new"], ["three\ufffd", "new"]]]


def test_a_head_is_heeded_before_the_rows_are_read(page):
    assert [row[0] for row in tables(use_table(page, "numbers", sort="-name"))[0]] == [
        "three\ufffd",
        "one",
        "<b>two</b>",
    ]


def test_of_the_selected_those_count_that_are_shown(page):
    use_table(page, "numbers", selected=["one", "of another page"])
    assert page.text[0].value == "picked: ['one']"


def test_an_address_that_is_none_of_its_links_is_not_followed(page):
    use_table(page, "numbers", open="https://elsewhere.example")
    assert len(tables(page)) == 1
