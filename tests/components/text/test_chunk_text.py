import pytest
from haystack import Document

from khub.components.text.chunk_text import embedded_parts, embedded_text, indexed_text

pytestmark = pytest.mark.unit


def chunk(content: str = "Body.", **meta: object) -> Document:
    return Document(content=content, meta={"source": "/docs/annual-report_2024.pdf", **meta})


def test_title_section_and_table_header_stand_before_the_content() -> None:
    text = embedded_text(chunk(title="Plan", section="A > B", table_header="| x | y |"))

    assert text == "Plan\nA > B\nx y\nBody."


def test_words_of_the_file_name_stand_in_for_a_title() -> None:
    assert embedded_text(chunk()) == "annual report 2024\nBody."
    assert indexed_text(chunk(title="Plan")) == "annual report 2024\nPlan\nBody."


def test_words_of_a_figure_are_embedded_only_where_there_are_no_others() -> None:
    quoted = "> Text in the image: Cancel; OK"
    beside = chunk(f"Press the button.\n\n[IMAGE: a_0_1]\n\n{quoted}", title="T")
    alone = chunk(f"[IMAGE: a_0_1]\n\n{quoted}", title="T")
    assert embedded_text(beside) == "T\nPress the button."
    assert "Cancel" not in "".join(embedded_parts(beside))
    assert embedded_text(alone) == f"T\n{quoted}"
    assert "Cancel" in indexed_text(beside)


def test_marks_of_pictures_say_nothing() -> None:
    document = chunk("Before.\n\n[IMAGE: 0a1b_2_1]\n\nAfter [IMAGE: kept in a line].", title="T")

    assert embedded_text(document) == "T\nBefore.\n\nAfter [IMAGE: kept in a line]."
    assert "0a1b" not in indexed_text(document)


def test_names_that_code_defines_are_indexed() -> None:
    assert "Ranker.run" in indexed_text(chunk(symbols=["Ranker", "Ranker.run"]))
    assert "Ranker" not in embedded_text(chunk(symbols=["Ranker"]))


def test_parts_are_what_stands_above_and_each_sentence() -> None:
    document = chunk("One. Two!\n\n[IMAGE: 0a1b_2_1]\n\n| a | 1 |\n| b | 2 |\n", title="T", section="A > B")

    head, *sentences = embedded_parts(document)

    assert head == "T\nA > B"
    assert [sentence.strip() for sentence in sentences] == ["One.", "Two!", "a 1", "b 2"]
    assert "\n".join([head, "".join(sentences)]).split() == embedded_text(document).split()


def test_parts_of_a_chunk_without_words() -> None:
    assert embedded_parts(chunk("", title="T")) == ["T"]
    assert embedded_parts(Document(content="One.", meta={})) == ["", "One."]


def test_of_a_table_the_cells_are_embedded() -> None:
    table = "|  | 2021 | 2020 |\n| --- | ---: | --- |\n| Cash \\| bank |  | 2 |\n\na | b\n"

    assert embedded_text(chunk(table, title="T")) == "T\n2021 2020\nCash \\| bank 2\n\na | b\n"


def test_what_leads_to_a_table_stands_over_its_further_rows() -> None:
    rows = chunk("| north | 5 |", title="Plan", table_caption="By region:", table_header="| region | sales |")

    assert indexed_text(rows).endswith("Plan\nBy region:\n| region | sales |\n| north | 5 |")
    assert embedded_text(rows).endswith("Plan\nBy region:\nregion sales\nnorth 5")


def test_leaders_are_left_out() -> None:
    document = chunk("| c..... | 1 |\n\nTotal . . . . . . 12\n---\n", title="T")

    assert embedded_text(document) == "T\nc: 1\n\nTotal: 12\n---\n"


def test_a_heading_that_says_nothing_is_left_out() -> None:
    section = f"Plan > 12.3 > Costs > {'running text ' * 20}> [IMAGE: a_1_1] > 差旅"

    assert embedded_text(chunk(title="Plan", section=section)) == "Plan\nPlan > Costs > 差旅\nBody."
