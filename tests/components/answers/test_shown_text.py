import pytest
from haystack import Document

from khub.components.answers.shown_text import shown_text

pytestmark = pytest.mark.unit


def test_rows_that_continue_a_table_stand_under_its_heads() -> None:
    rows = Document(content="| north | 5 |\n| south | 4 |", meta={"table_header": "| region | sales |\n|  | 2021 |"})

    assert shown_text(rows) == "| region | sales |\n| --- | --- |\n|  | 2021 |\n| north | 5 |\n| south | 4 |"


def test_other_text_is_shown_as_it_stands() -> None:
    assert shown_text(Document(content="Total ..... 12")) == "Total ..... 12"
    assert shown_text(Document(content="The end.", meta={"table_header": "| a |"})) == "The end."
