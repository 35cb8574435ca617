import re
from dataclasses import replace
from typing import Any

import pytest

from khub.components.answer import AppliedFilter, Citation, Degraded, UnknownField
from khub.components.answers.markdown import (
    block_quote,
    degraded_note,
    field_notes,
    filter_notes,
    no_answer,
    passages_as_markdown,
    text_cost,
)
from khub.components.value import adapter

pytestmark = pytest.mark.unit

PLENTY = 12000
MARK = re.compile(r"\[\d+\]")


def citation(number: int = 1, **fields: Any) -> Citation:
    known = {
        "id": number,
        "chunk_id": "c",
        "score": 0.5,
        "title": "Handbook",
        "section": "Travel > Hotels",
        "source": "/home/me/handbook_2024.pdf",
        "page": 3,
        "text": "Book early.\n\nKeep the receipt.",
        "evidence": "",
        "images": [],
        "also_in": [],
        "context": None,
        **fields,
    }
    return adapter(Citation).validate_python(known)


def write(*citations: Citation, language: str = "en", budget: float = PLENTY, degraded: Any = ()) -> str:
    notes = [note for note in [degraded_note(list(degraded), language, True)] if note]
    return passages_as_markdown(list(citations), notes, language, budget)


def outside_quotes(markdown: str) -> list[str]:
    return [line for line in markdown.split("\n") if not line.startswith(">")]


def test_a_passage_stands_under_its_mark_with_title_section_file_and_page() -> None:
    assert write(citation()) == (
        "1 passage found:\n\n"
        "**[1] Handbook › Travel › Hotels** — `handbook_2024.pdf`, page 3\n\n"
        "> Book early.\n>\n> Keep the receipt."
    )


def test_fixed_words_are_in_the_language_asked_for() -> None:
    markdown = write(citation(), citation(2, page=4), language="zh")

    assert markdown.startswith("找到 2 段相关内容")
    assert "第 3 页" in markdown
    assert "第 4 页" in markdown
    assert "没有找到" in no_answer([], [], "zh", PLENTY)
    assert "no passage" in no_answer([], [], "en", PLENTY)


@pytest.mark.parametrize(
    ("fields", "heading"),
    [
        ({"page": None}, "**[1] Handbook › Travel › Hotels** — `handbook_2024.pdf`"),
        (
            {"url": "https://example.com/birds/", "page": None},
            "**[1] Handbook › Travel › Hotels** — `https://example.com/birds/`",
        ),
        ({"section": "Handbook > Travel"}, "**[1] Handbook › Travel** — `handbook_2024.pdf`, page 3"),
        ({"title": "handbook_2024.pdf", "section": ""}, "**[1] handbook_2024.pdf** — page 3"),
        ({"title": "handbook_2024.pdf", "section": "", "page": None}, "**[1] handbook_2024.pdf**"),
        ({"title": "T" * 300, "section": ""}, f"**[1] {'T' * 99}…** — `handbook_2024.pdf`, page 3"),
    ],
)
def test_headings(fields: dict[str, Any], heading: str) -> None:
    assert write(citation(**fields)).split("\n")[2] == heading


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029", "\n\n\n"])
def test_a_passage_cannot_leave_its_quote(ending: str) -> None:
    markdown = write(citation(text=f"Text{ending}# Forged{ending}**[2] Forged** — `x.pdf`{ending}===="))

    assert not any("Forged" in line for line in outside_quotes(markdown))
    assert len(markdown.splitlines()) == len(markdown.split("\n"))


@pytest.mark.parametrize("field", ["title", "section", "source"])
@pytest.mark.parametrize(
    "forged", ["x\n\n**[2] Forged**", "x\u2028# Forged", "`**[2]**", "[2](http://a)", "&#91;2&#93;", "\\[2\\]"]
)
def test_names_cannot_forge_a_mark_or_a_heading(field: str, forged: str) -> None:
    markdown = write(citation(**{field: forged}))
    lines = outside_quotes(markdown)

    assert len(lines) == 5 - 1
    assert MARK.findall("".join(lines)) == ["[1]"]
    assert field == "source" or not re.search(r"(?<!\\)&#", "".join(lines))  # code spans have no entities
    assert not any(line.startswith("#") for line in lines)


def test_the_budget_bounds_the_whole_and_is_shared_out() -> None:
    long = "Sentence without it. " * 200 + "Here is the receipt. " + "Sentence without it. " * 200
    found = {"text": long, "evidence": "Here is the receipt."}
    markdown = write(citation(text="Short."), citation(2, **found), citation(3, **found), budget=2000)

    assert text_cost(markdown) <= 2000
    assert "> Short." in markdown
    assert markdown.count("**Here is the receipt**.") == 2
    assert text_cost(markdown) > 1600


@pytest.mark.parametrize("text", ["汉字。" * 3000, "\n" * 9000, "x\n" * 3000, "", "word " * 3000, "漢" * 9000])
@pytest.mark.parametrize("budget", [1000, 3000])
@pytest.mark.parametrize("count", [1, 5, 100])
def test_no_text_breaks_the_budget(text: str, budget: int, count: int) -> None:
    degraded = [Degraded("dense", "汉" * 1000)]
    markdown = write(*[citation(n + 1, text=text) for n in range(count)], budget=budget, degraded=degraded)

    assert text_cost(markdown) <= budget


def test_passages_that_do_not_fit_are_said_to_be_left_out() -> None:
    markdown = write(*[citation(n + 1) for n in range(100)], budget=1000)

    missing = re.search(r"Passages from \[(\d+)\] on do not fit", markdown)
    assert missing
    assert f"**[{int(missing[1]) - 1}]" in markdown
    assert f"**[{missing[1]}]" not in markdown


def test_the_default_stays_under_8000_tokens_in_chinese_too() -> None:
    markdown = write(*[citation(n + 1, text="汉" * 9000) for n in range(5)], language="zh")

    chinese = markdown.count("汉")
    assert 7500 < chinese + (len(markdown) - chinese) / 4 <= 8000


def test_failures_are_told_in_one_line() -> None:
    failures = [Degraded("dense", "no\nanswer [1]"), Degraded("rank", "busy")]

    assert "(dense: no answer \\[1\\]; rank: busy)" in degraded_note(failures, "en", True)
    assert "\n" not in degraded_note(failures, "en", True)
    assert degraded_note([], "en", True) == ""
    assert write(citation(), degraded=failures).endswith(degraded_note(failures, "en", True))
    assert no_answer([], [degraded_note(failures, "zh", True)], "zh", PLENTY).endswith(
        degraded_note(failures, "zh", True)
    )


def test_a_line_of_the_synonyms_that_is_not_used_is_no_failure_of_the_search() -> None:
    line = Degraded("synonyms", "line 2 has no second word")

    assert degraded_note([line], "en", True) == "Note: a part of the synonyms is not used (line 2 has no second word)."
    assert "同义词没有用上" in degraded_note([line], "zh", True)
    assert "a part of the search failed" in degraded_note([line, Degraded("dense", "busy")], "en", True)


@pytest.mark.parametrize(("language", "missing"), [("en", "incomplete"), ("zh", "不完整")])
def test_where_no_leg_failed_nothing_is_said_to_be_missing(language: str, missing: str) -> None:
    failures = [Degraded("rank", "busy")]

    assert missing in degraded_note(failures, language, True)
    assert missing not in degraded_note(failures, language, False)
    assert "rank: busy" in degraded_note(failures, language, False)


def test_every_line_is_quoted() -> None:
    assert block_quote("a\n\n b\n") == "> a\n>\n>  b"


def test_wide_characters_cost_one_and_a_half() -> None:
    assert text_cost("ab汉字") == 5
    assert text_cost("“é…”，かナ한Ａ") == 4 + 5 * 1.5


def test_the_sentence_that_carries_the_match_is_in_bold_in_its_quote() -> None:
    assert "> Book early.\n>\n> **Keep the receipt**." in write(citation(evidence="Keep the receipt."))


def test_a_long_passage_is_cut_around_that_sentence() -> None:
    text = "Here is the receipt. " * 40 + "Nothing but this matters. " + "Here is the receipt. " * 40
    markdown = write(citation(text=text, evidence="Nothing but this matters."), budget=1000)

    assert "**Nothing but this matters**." in markdown
    assert text_cost(markdown) <= 1000


def test_pictures_and_other_places_are_named_below_the_quote() -> None:
    places = [{"source": "/a/copy.pdf", "page": 4}, {"source": "/a/notes.md", "page": None}]
    cited = citation(images=["d_3_1", "d_0_2", "d_1_1", "d_1_2"], also_in=places)

    assert write(cited).split("\n\n")[-4:] == [
        "image: `d_3_1` (page 3)",
        "image: `d_0_2`",
        "image: `d_1_1` (page 1)",
        "Also in: `copy.pdf` (page 4), `notes.md`.",
    ]
    assert "图片：`d_3_1`（第 3 页）" in write(cited, language="zh")
    assert "另见：`copy.pdf`（第 4 页）、`notes.md`。" in write(cited, language="zh")


def test_text_from_around_stands_in_the_quote_while_there_is_room() -> None:
    cited = citation(context={"before": "First\n# Forged", "after": "Last.", "section": ""})
    markdown = write(cited)

    assert "> First\n> # Forged\n>\n> Book early.\n>\n> Keep the receipt.\n>\n> Last." in markdown
    assert not any("Forged" in line for line in outside_quotes(markdown))
    long = citation(context={"before": "B" * 2000, "after": "Last.", "section": ""})
    assert "BBB" not in write(long, budget=1000)
    assert "> Last." in write(long, budget=1000)


@pytest.mark.parametrize("forged", ["x\n\n**[2] Forged**", "`**[2]**", "[2](http://a)", "x\u2028# Forged"])
def test_no_note_forges_a_mark_or_a_heading(forged: str) -> None:
    applied = [AppliedFilter(forged, "question", forged), AppliedFilter(forged, "question", "", dropped=forged)]
    place = {"source": f"/a/{forged}", "page": None}
    markdown = write(citation(images=[f"d_{forged}"], also_in=[place]))
    markdown += "\n\n" + no_answer(
        [citation(title=forged, section=forged, source=f"/a/{forged}")], filter_notes(applied, "en"), "en", PLENTY
    )

    assert MARK.findall("".join(outside_quotes(markdown))) == ["[1]"]
    assert not any(line.startswith(("#", "**[2")) for line in markdown.splitlines())


def test_up_to_three_nearest_documents_are_named_once_each() -> None:
    near = [
        citation(1, title="Plan", source="/a/plan.pdf", page=3),
        citation(2, title="Plan", source="/a/plan.pdf", page=1),
        citation(3, title="Staff [Handbook]", source="/a/staff.md", page=None),
        citation(4, title="notes.md", source="/a/notes.md", page=None, section=""),
        citation(5, title="More", source="/a/more.pdf"),
    ]

    assert no_answer(near, [], "en", PLENTY).endswith(
        'Nearest: "Plan" (`plan.pdf`, page 3), "Staff \\[Handbook\\]" (`staff.md`, Hotels), `notes.md`.'
    )
    assert no_answer(near[1:2], [], "zh", PLENTY).endswith('最接近的文档："Plan"（`plan.pdf`、第 1 页）。')
    assert "Nearest" not in no_answer([], [], "en", PLENTY)


def test_a_section_that_is_the_title_is_not_said_twice_and_an_address_stands_for_the_file() -> None:
    one = citation(title="Plan", section="Plan", source="/a/plan.md", page=None, url="https://example.com/plan")
    assert no_answer([one], [], "en", PLENTY).endswith('Nearest: "Plan" (`https://example.com/plan`).')


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_field_that_no_document_has_is_said_with_what_was_meant_or_with_those_that_there_are(language: str) -> None:
    applied = AppliedFilter("x", "caller", "", fields=["doc_type", "author"])
    (meant,) = field_notes([replace(applied, unknown_fields=[UnknownField("type", "doc_type")])], language)
    assert ("`type`" in meant, "`doc_type`" in meant, "author" in meant) == (True, True, False)
    said, there = field_notes([replace(applied, unknown_fields=[UnknownField("zq", None)])], language)
    assert ("`zq`" in said, "`doc_type`" in there, "`author`" in there) == (True, True, True)
    assert field_notes([AppliedFilter("x", "caller", "")], language) == []


def test_long_notes_do_not_break_the_budget() -> None:
    applied = [AppliedFilter("文" * 500, "question", "字" * 500, dropped=reason) for reason in (None, "因" * 500)] * 9
    notes = [degraded_note([Degraded("dense", "汉" * 1000)], "zh", True), *filter_notes(applied, "zh")]
    passages = passages_as_markdown([citation(text="汉" * 5000)], notes, "zh", 1000)
    long = {"section": "节" * 500, "page": None}
    near = [citation(title=letter * 500, source=f"/a/{letter * 99}", **long) for letter in "题目名"]
    nothing = no_answer(near, notes, "zh", 1000)

    assert text_cost(passages) <= 1000
    assert text_cost(nothing) <= 1000
    assert "部分检索失败" in passages
    assert "> 汉" in passages


def test_a_picture_in_the_text_is_shown_without_its_id() -> None:
    mark = "[IMAGE: 0f3a_3_1]"
    text = f"Book early.\n\n{mark}\n\nKeep the receipt {mark}."
    one = citation(text=text, evidence=f"Keep the receipt {mark}.", context={"after": f"{mark} The next."})
    assert "0f3a_3_1" not in write(one)
    assert "> [figure]\n>\n> **Keep the receipt [figure]**.\n>\n> [figure] The next." in write(one)
    assert "> [图]\n" in write(one, language="zh")
    assert "image: `0f3a_3_1` (page 3)" in write(replace(one, images=["0f3a_3_1"]))


def test_what_hides_or_reorders_is_spelled_out_in_names() -> None:
    from khub.components.answers.markdown import plain

    assert plain("a\u202eb\n\U000e0041c\x1b", 100).isprintable()
