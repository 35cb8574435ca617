from collections.abc import Callable

import pytest
from haystack import Document

from khub.components.enrichers.metadata_enricher import MetadataEnricher
from khub.components.errors import GraphError

pytestmark = pytest.mark.unit

Make = Callable[..., list[Document]]

ENGLISH = (
    """The laser scanner stops the robot when a person comes near. The laser scanner has two fields, and the outer field
only makes the robot slow.

Clean the laser scanner every week with a soft dry cloth. A dirty laser scanner makes the robot stop for no reason that
a person can see.""",
    """The charging station takes four robots. Do not cover the charging station, because the robot must see it. The
charging station was installed on 5 March 2026 and is checked on 2026-09-01.

| a | b |
| - | - |
| 1 | 2 |""",
)
CHINESE = (
    "员工出差前须提交差旅申请单，由部门经理审批。差旅申请单写明事由、地点和预算。没有差旅申请单的费用不予报销。",
    "报销须在出差结束后三十天内提交，住宿费凭发票报销。交通费凭车票报销，补贴按天计算。本制度自 2026年1月1日 起施行。",
)


def test_english(make_chunks: Make) -> None:
    chunks = make_chunks(*ENGLISH, section="Operating the robot > Safety")
    first, second = MetadataEnricher().run(chunks)["documents"]
    assert first.meta["title"] == "Operating the robot"
    assert {"laser scanner", "charging station"} <= set(first.meta["tags"])
    assert first.meta["dates"] == ["2026-03-05", "2026-09-01"]
    assert first.meta["document_language"] == "en"
    assert "laser scanner" in first.meta["summary"]
    found = ("title", "summary", "tags", "dates", "document_language", "found_metadata")
    assert [second.meta[key] for key in found] == [first.meta[key] for key in found]
    assert [(c.id, c.content) for c in (first, second)] == [(c.id, c.content) for c in chunks]


def test_source_code_gets_no_title(make_chunks: Make) -> None:
    chunks = make_chunks(*ENGLISH, section="Operating the robot > Safety", doc_type="code")
    assert MetadataEnricher().run(chunks)["documents"][0].meta["title"] is None


def test_numbered_headings_and_those_of_parts_are_no_title(make_chunks: Make) -> None:
    for section in ("1. Buying a robot > Price", "第四章 工作职责", "Introduction"):
        meta = MetadataEnricher().run(make_chunks("Robots and people", section=section))["documents"][0].meta
        assert meta["title"] == "Robots and people"


def test_a_short_guess_gives_way_to_a_name_of_the_file_that_says_more(make_chunks: Make) -> None:
    def title(section: str, source: str) -> str | None:
        chunks = make_chunks(*ENGLISH, section=section, source=source)
        return MetadataEnricher().run(chunks)["documents"][0].meta["title"]

    assert title("ISEP", "/files/ISEP_student_handbook.pdf") is None
    assert title("ISEP", "/files/0e94b4197b10096b1f4c699701570fbf.pdf") == "ISEP"
    assert title("Operating the robot", "/files/the big robot book of 2020.pdf") == "Operating the robot"


def test_the_first_line_names_a_document_whose_file_name_says_little(make_chunks: Make) -> None:
    def title(line: str, source: str, kind: str = "pdf") -> str | None:
        chunks = make_chunks(f"{line}\n\n{ENGLISH[0]}", source=source, doc_type=kind)
        return MetadataEnricher().run(chunks)["documents"][0].meta["title"]

    assert title("ANNUAL FINANCIAL REPORT 2024", "/files/7af21502f74b.pdf") == "ANNUAL FINANCIAL REPORT 2024"
    assert title("ANNUAL FINANCIAL REPORT 2024", "/files/Heron report of the whole year.pdf") is None
    assert title("Robots", "/files/7af21502f74b.pdf") is None
    assert title("Printed on Day 189: Page 1 of 7", "/files/7af21502f74b.pdf") is None
    assert title("Table 1 Robots and where they are", "/files/7af21502f74b.pdf") is None
    assert title("ANNUAL FINANCIAL REPORT 2024", "/files/a.pptx", "pptx") is None


def test_the_name_that_a_program_gave_to_a_sheet_is_no_title(make_chunks: Make) -> None:
    for section, expected in (("Sheet1", None), ("工作表 2", None), ("Robots of 2024", "Robots of 2024")):
        chunks = make_chunks(*ENGLISH, section=section, source="/files/Dataset.xlsx", doc_type="xlsx")
        assert MetadataEnricher().run(chunks)["documents"][0].meta["title"] == expected


def test_chinese(make_chunks: Make) -> None:
    meta = MetadataEnricher().run(make_chunks(*CHINESE))["documents"][0].meta
    assert {"报销", "申请单"} <= {tag[-3:] for tag in meta["tags"]} | set(meta["tags"])
    assert meta["dates"] == ["2026-01-01"]
    assert meta["document_language"] == "zh"
    assert meta["summary"].endswith("。")
    assert all(sentence in "".join(CHINESE) for sentence in meta["summary"].split("。"))
    assert meta["title"] is None, "a first line that is a sentence is no title"


def test_what_the_file_or_its_user_says_is_kept(make_chunks: Make) -> None:
    chunks = make_chunks(*ENGLISH, title="Manual", tags=["mine"])
    meta = MetadataEnricher().run(chunks)["documents"][0].meta
    assert (meta["title"], meta["tags"]) == ("Manual", ["mine"])
    assert meta["found_metadata"] == ["summary", "dates", "document_language"]


def test_a_second_run_replaces_what_the_first_found_and_nothing_else(make_chunks: Make) -> None:
    once = MetadataEnricher(tags=3).run(make_chunks(*ENGLISH, dates=["2020-01-01"]))["documents"]
    twice = MetadataEnricher(tags=1, summary_sentences=0).run(once)["documents"]
    assert len(once[0].meta["tags"]) == 3
    assert twice[0].meta["tags"] == once[0].meta["tags"][:1]
    assert "summary" not in twice[0].meta
    assert twice[0].meta["dates"] == ["2020-01-01"]


def test_documents_do_not_mix_and_the_order_stays(make_chunks: Make) -> None:
    one, other = make_chunks(*ENGLISH, doc_id="one"), make_chunks(*CHINESE, doc_id="other")
    mixed = [one[0], other[0], one[1], other[1]]
    enriched = MetadataEnricher().run(mixed)["documents"]
    assert [chunk.id for chunk in enriched] == [chunk.id for chunk in mixed]
    assert [chunk.meta["document_language"] for chunk in enriched] == ["en", "zh", "en", "zh"]


def test_the_number_of_sentences_and_of_tags(make_chunks: Make) -> None:
    def meta(sentences: int, tags: int) -> dict:
        return MetadataEnricher(sentences, tags).run(make_chunks(*ENGLISH))["documents"][0].meta

    assert meta(1, 2)["summary"].count(".") == 1
    assert meta(2, 2)["summary"].count(".") == 2
    assert [len(meta(1, count)["tags"]) for count in (1, 4)] == [1, 4]
    assert not {"summary", "tags"} & set(meta(0, 0))
    with pytest.raises(GraphError, match="tags=-1"):
        MetadataEnricher(tags=-1)


@pytest.mark.parametrize("text", ["", "   ", "| a | b |\n| - | - |", "```\ncode\n```", "[IMAGE: x_1_1]", "12345"])
def test_texts_with_nothing_to_say(text: str, make_chunks: Make) -> None:
    assert "summary" not in MetadataEnricher().run(make_chunks(text))["documents"][0].meta
