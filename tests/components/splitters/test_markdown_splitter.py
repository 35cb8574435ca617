import hashlib
import time
from itertools import pairwise

import pytest
from haystack import Document

from khub.components.errors import KhubError
from khub.components.splitters.markdown_splitter import MarkdownSplitter

pytestmark = pytest.mark.unit

SENTENCE = "This is one sentence of the text. "


def split(text, chunk_size=800, overlap=150, wide_character=1.0, pack=0.25, code="definitions", table_size=450, **meta):
    document = Document(content=text, meta={"doc_id": "d1", **meta})
    return MarkdownSplitter(chunk_size, overlap, wide_character, pack, code, table_size).run([document])["documents"]


def contents(text, chunk_size=800, overlap=0, **more):
    return [chunk.content for chunk in split(text, chunk_size, overlap, **more)]


def sections(text, chunk_size=800):
    return [chunk.meta["section"] for chunk in split(text, chunk_size)]


def test_chunk_meta():
    chunk = split(
        "# Guide\n\n你好，世界", source="/a.md", title="T", sha256="s", size=9, page_count=1, page_starts=[0], team="x"
    )[0]
    assert chunk.meta.pop("content_hash") == chunk_hash(chunk.content)
    assert chunk.id == chunk_hash("\0".join(["d1", "Guide", chunk_hash(chunk.content)]))
    of_the_document = {
        "doc_id": "d1",
        "source": "/a.md",
        "title": "T",
        "sha256": "s",
        "team": "x",
        "page_count": 1,
        "size": 9,
    }
    place = {"section": "Guide", "page": 1, "pages": [1, 1], "start": 0, "end": 14, "ordinal": 0}
    family = {"parent": chunk_hash("\0".join(["d1", "Guide", "0"])), "parent_start": 0, "parent_end": 14}
    assert chunk.meta == of_the_document | place | family | {"language": "zh", "image_refs": [], "boxes": []}


def chunk_hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def test_ids_do_not_move_when_an_earlier_section_changes():
    tail = "# Tail\n\n" + SENTENCE * 10
    before, after = split(f"# Head\n\n{SENTENCE * 10}\n\n{tail}"), split(f"# Head\n\nNew. {SENTENCE * 10}\n\n{tail}")
    assert before[0].id != after[0].id
    assert before[1].id == after[1].id


def test_heading_paths():
    body = SENTENCE * 8
    text = f"{body}\n\n# A\n{body}\n## B ##\n{body}\n### **C** `c` [d](u)\n{body}\n\nD\n---\n{body}\n\nE\n===\n{body}"
    assert sections(text) == ["", "A", "A > B", "A > B > C c d", "A > D", "E"]


@pytest.mark.parametrize(
    "text",
    ["```\n# no\n```\nx", "~~~~ md\n# no\n~~~\n# no\n~~~~\nx", "#no", "    # no", "- a\n---", "---\ntitle: a\n---\nx"],
)
def test_what_is_no_heading(text):
    assert sections(text) == [""]


def test_tiny_siblings_share_a_chunk_under_their_common_path():
    text = "# A\n\n## B\n\nbb\n\n## C\n\ncc\n\n# D\n\ndd"
    assert [(c.meta["section"], c.content) for c in split(text)] == [
        ("", text),
    ]
    long = SENTENCE * 8
    assert sections(f"# A\n\n## B\n\n{long}\n\n## C\n\n{long}") == ["A > B", "A > C"]
    assert sections(f"# A\n\n## B\n\nbb\n\n### C\n\n{long}\n\n## D\n\n{long}") == ["A > B", "A > D"]


def test_a_heading_stays_with_the_text_that_follows():
    long = SENTENCE * 60
    for text in (f"# A\n\n## B\n\n{long}", f"{long}\n\n# A\n\n{long}", f"# A\n\n{long.replace('. ', ', ')}"):
        for chunk in split(text):
            assert not chunk.content.splitlines()[-1].startswith("#")
    assert contents(f"# A\n\n{long}")[0].startswith("# A\n\nThis is")


def test_running_text_is_cut_at_paragraphs_then_sentences_then_words():
    paragraph = (SENTENCE * 10).strip()
    assert contents(f"{paragraph}\n\n{paragraph}\n\n{paragraph}", 700) == [f"{paragraph}\n\n{paragraph}", paragraph]
    assert all(c.endswith(".") for c in contents(SENTENCE * 60))
    assert all(c.endswith(("。", "！")) for c in contents("这是一句中文。那是另一句！" * 100))
    assert all(c.endswith("word") for c in contents("word " * 400))
    assert all(c.startswith("- item") for c in contents("- item without a stop\n" * 100))


def test_a_wrapped_line_is_cut_after_its_sentence():
    wrapped = "one two three four five.\nSix seven eight nine\nten eleven twelve thirteen "
    assert all(c.endswith("five.") for c in contents(wrapped * 20, 400)[:-1])


def test_overlap_repeats_whole_sentences():
    for overlap in (0, 150, 300):
        chunks = split(SENTENCE * 60, overlap=overlap)
        for before, after in pairwise(chunks):
            assert after.content.startswith("This is")
            repeated = before.meta["end"] + 1 - after.meta["start"]
            assert max(overlap - len(SENTENCE), 0) <= repeated <= overlap


def test_no_overlap_across_sections_tables_or_code():
    rows, code = "| cell | cell |\n" * 100, "```\n" + "x = 1\n" * 300 + "```\n"
    text = f"# A\n\n{SENTENCE * 30}\n\n# B\n\n| h | i |\n|---|---|\n{rows}\n{code}"
    chunks = split(text)
    for before, after in pairwise(chunks):
        if before.meta["section"] == after.meta["section"] == "A":
            assert after.meta["start"] < before.meta["end"]
        else:
            assert after.meta["start"] >= before.meta["end"]


def test_tables_and_code_stay_whole_while_they_fit():
    table = "| h | i |\n|---|---|\n" + "| cell | cell |\n" * 40
    code = "```python\n" + "value = call()\n\n" * 40 + "```"
    chunks = contents(f"{SENTENCE * 15}\n\n{table}\n{SENTENCE * 15}\n\n{code}\n", table_size=800)
    assert sum(table.strip() in chunk for chunk in chunks) == 1
    assert sum(code in chunk for chunk in chunks) == 1


def test_an_oversized_table_is_cut_between_rows_and_keeps_its_header_in_meta():
    table = "| h | i |\n|---|---|\n" + "| cell | cell |\n" * 200
    chunks = split(table)
    assert len(chunks) > 3
    assert all(line.startswith("|") and line.endswith("|") for c in chunks for line in c.content.splitlines())
    assert [c.meta.get("table_header") for c in chunks] == [None] + ["| h | i |"] * (len(chunks) - 1)


LEAD = "Sales by region were as follows:\n\n"


def test_a_table_is_cut_smaller_than_text_and_what_leads_to_it_stays_with_it():
    rows = [f"| item {number} | {number}00 |" for number in range(60)]
    table = "\n".join(["| item | sum |", "| --- | --- |", *rows])
    chunks = split(f"# Costs\n\nAll sums in euro:\n\n{table}\n\n{SENTENCE * 5}", chunk_size=2000, table_size=300)

    of_table = [chunk for chunk in chunks if "| item" in chunk.content]
    assert len(of_table) > 2
    assert of_table[0].content.startswith("# Costs")
    assert all(len(chunk.content) <= 300 + len("# Costs\n\nAll sums in euro:\n\n") for chunk in of_table[:-1])
    assert [row for chunk in of_table for row in chunk.content.split("\n") if row in rows] == rows
    assert all(chunk.meta["table_caption"].endswith("All sums in euro:") for chunk in of_table[1:])
    assert len(split(f"# Costs\n\n{table}", chunk_size=5000, table_size=5000)) == 1


def test_rows_of_a_group_know_what_heads_it():
    rows = [f"| item {number} | {number}00 | 1 |" for number in range(20)]
    table = "\n".join(
        ["| item | sum | share |", "| --- | --- | --- |", "| 2021 |  |  |", *rows, "| 2020 |  |  |", *rows]
    )
    heads = [chunk.meta.get("table_header", "") for chunk in split(table, table_size=200)]
    contents = [chunk.content for chunk in split(table, table_size=200)]

    for content, head in zip(contents[1:], heads[1:], strict=True):
        first = content.split("\n")[0]
        year = (
            "2021" if contents.index(content) < next(i for i, c in enumerate(contents) if "2020" in c) + 1 else "2020"
        )
        assert head.startswith("| item | sum | share |")
        assert ("2020" in first) or head.endswith(f"| {year} |  |  |")


def test_the_line_that_leads_to_a_table_goes_with_it():
    table = "| region | sales |\n|---|---|\n" + "| north | 5 |\n" * 30
    chunks = contents(f"{SENTENCE * 20}\n\n{LEAD}{table}", overlap=150)
    assert sum(f"{LEAD}{table}".strip() in chunk for chunk in chunks) == 1


def test_each_part_of_a_table_knows_what_leads_to_it_and_the_heads_of_its_columns():
    head = "|  | Fiscal year | Fiscal year |\n|---|---|---|\n|  | 2021 | 2020 |\n"
    rows, small = "| north | 5 | 4 |\n" * 160, "\nBy year:\n\n| year |\n|---|\n| 2021 |\n"
    first, *others = split(f"# Sales\n\n{LEAD}{head}{rows}{small}")
    assert first.content.startswith(f"# Sales\n\n{LEAD}|  | Fiscal")
    assert len(others) > 2
    for chunk in others:
        assert chunk.meta["table_caption"] == LEAD.strip()
        assert chunk.meta["table_header"] == "|  | Fiscal year | Fiscal year |\n|  | 2021 | 2020 |"


def test_a_row_of_amounts_is_no_head():
    chunks = split("| Cash | $11,258 | (12.5) |\n|---|---|---|\n" + "| Debt | 917 | 1,028 |\n" * 120)
    assert len(chunks) > 3
    assert not any(chunk.meta.get("table_header") for chunk in chunks)


def test_leaders_fill_no_chunk_and_end_no_sentence():
    lines = "".join(f"Item {n} of the balance sheet{'.' * 90} $ {n},000\n\n" for n in range(40))
    chunks = contents(lines)
    assert len(chunks) <= 3
    assert all(chunk.startswith("Item") and chunk.endswith(",000") for chunk in chunks)


def test_oversized_code_is_cut_between_lines():
    lines = [line for c in contents("```\n" + "value = call(1)\n" * 200 + "```") for line in c.splitlines()]
    assert set(lines) == {"```", "value = call(1)"}


def test_pages():
    text = f"{SENTENCE * 10}\n\n{SENTENCE * 10}\n\n{SENTENCE * 30}"
    second, third = 342, 684
    chunks = split(text, page_starts=[0, second, third])
    assert [c.meta["page"] for c in chunks] == sorted(c.meta["page"] for c in chunks)
    assert chunks[0].meta["pages"] == [1, 2]
    begins = chunks[0].meta["start"] + chunks[0].meta["page_breaks"][0]
    assert (begins, "page_breaks" in chunks[-1].meta) == (second, False)
    assert chunks[-1].meta["pages"] == [3, 3]
    assert split(text, page_starts=[0, 0, 0])[0].meta["page"] == 3
    assert split(text)[0].meta["page"] is None


def test_the_document_id_stands_in_for_a_missing_doc_id():
    document = Document(content="text")
    assert MarkdownSplitter().run([document])["documents"][0].meta["doc_id"] == document.id


@pytest.mark.parametrize(
    "parameters",
    [
        {"chunk_size": 0},
        {"overlap": -1},
        {"chunk_size": 100, "overlap": 51},
        {"wide_character": 0.5},
        {"wide_character": 2, "chunk_size": 1, "overlap": 0},
        {"pack": 1.1},
        {"code": "lines"},
        {"table_size": 0},
    ],
)
def test_parameters_out_of_range(parameters):
    with pytest.raises(KhubError, match=str(next(iter(parameters.values())))):
        MarkdownSplitter(**parameters)


@pytest.mark.parametrize("unit", ["a", "字", " ", "|", "`", "#", "# a\n", "a\n", "|a|\n|-|\n", "- "])
def test_time_is_linear(unit):
    def seconds(length):
        text = unit * (length // len(unit))
        start = time.process_time()
        split(text)
        return time.process_time() - start

    assert seconds(200_000) < 400 * max(seconds(5_000), 0.001)


def test_a_paragraph_that_fits_stays_whole_at_the_price_of_its_overlap():
    paragraph = (SENTENCE * 22).strip()
    chunks = contents(f"{paragraph}\n\n{paragraph}\n\n{paragraph}", overlap=150)
    assert len(chunks) == 3
    assert all(chunk.endswith(paragraph) for chunk in chunks)


def test_code_prefers_blank_lines_to_sentences():
    function = 'def call():\n    print("One. Two")\n    return 1\n\n'
    pieces = contents("```\n" + function * 40 + "```")
    assert len(pieces) > 2
    assert all(piece.startswith("def call") for piece in pieces[1:])


@pytest.mark.parametrize(
    "block", ["| h | i |\n|---|---|\n" + "| cell | cell |\n" * 200, "```\n" + "call()\n" * 300 + "```", SENTENCE * 23]
)
def test_a_heading_stays_with_the_block_that_it_leaves_no_room_for(block):
    first = contents(f"# A heading of some length\n\n{block}")[0]
    assert block[:100] in first


def test_page_is_the_one_with_most_of_the_text():
    text = "end of one\n\n" + "the second page says more. " * 5
    document = Document(content=text.strip(), meta={"doc_id": "d", "page_starts": [0, 12]})
    (chunk,) = MarkdownSplitter().run([document])["documents"]
    assert (chunk.meta["page"], chunk.meta["pages"]) == (2, [1, 2])


CHINESE = "鹭在浅水里站着等鱼。" * 100


@pytest.mark.parametrize(("wide_character", "length"), [(1.0, 800), (1.6, 500), (2.0, 400)])
def test_wide_characters_take_more_of_a_chunk(wide_character, length):
    chunks = split(CHINESE, overlap=0, wide_character=wide_character)
    assert length - 110 < len(chunks[0].content) <= length + 90
    assert max(wide_character * 9 + 1, 1) * len(chunks[0].content) / 10 <= 800
    assert all(chunk.content.endswith("。") for chunk in chunks)


def test_wide_characters_leave_english_alone():
    text = SENTENCE * 60
    assert split(text, wide_character=2.0)[0].content == split(text)[0].content


def test_overlap_is_measured_like_the_chunk():
    overlaps = []
    for wide_character in (1.0, 2.0):
        one, two = split(CHINESE, wide_character=wide_character)[:2]
        overlaps.append(one.meta["end"] - two.meta["start"])
    assert 130 <= overlaps[0] <= 150
    assert 60 <= overlaps[1] <= 79


def test_small_sections_are_measured_in_the_same_way():
    text = f"# 一\n\n{'鹭鸟' * 70}\n\n## 二\n\n{'鹭鸟' * 70}"
    assert len(split(text)) == 1
    assert len(split(text, wide_character=2.0)) == 2


def test_pack_says_how_full_a_chunk_is_before_it_takes_in_no_more():
    text = "# Top\n\n" + "\n\n".join(f"## S{n}\n\n{SENTENCE * 3}" for n in range(12))
    counts = [len(split(text, pack=pack)) for pack in (0, 0.25, 0.5, 1)]
    assert counts == [12, 6, 3, 2]
    assert split(text, pack=0)[0].content.startswith("# Top\n\n## S0")
    assert all(len(chunk.content) <= 800 for chunk in split(text, pack=1))


def test_a_section_is_the_parent_of_its_chunks():
    text = f"# A\n\n{SENTENCE * 60}\n\n# B\n\n{SENTENCE * 10}"
    *of_a, of_b = split(text)
    assert len(of_a) > 2
    assert len({chunk.meta["parent"] for chunk in of_a}) == 1
    assert of_b.meta["parent"] != of_a[0].meta["parent"]
    family = of_a[1].meta
    assert text[family["parent_start"] : family["parent_end"]] == f"# A\n\n{SENTENCE * 60}".strip()
    assert text[of_b.meta["parent_start"] : of_b.meta["parent_end"]] == of_b.content


def test_equal_sections_are_two_families():
    body = "same words " * 30
    one, two = split(f"# A\n\n{body}\n\n# A\n\n{body}\n")
    assert one.content == two.content
    assert one.meta["parent"] != two.meta["parent"]
    assert two.id == chunk_hash("\0".join(["d1", "A", one.meta["content_hash"], "1"]))


def test_the_mark_of_a_picture_is_never_cut():
    text = "words without an end " * 30 + "[IMAGE: 3fa9_2_1]" + " and more words" * 30
    for chunk_size in range(600, 700, 3):
        for overlap in (0, chunk_size // 2):
            chunks = split(text, chunk_size, overlap)
            assert all(chunk.content.count("[IMAGE: ") == chunk.content.count("_2_1]") for chunk in chunks)
            assert any(chunk.meta["image_refs"] == ["3fa9_2_1"] for chunk in chunks)


def test_source_code_is_split_at_its_definitions_or_as_text():
    code = "".join(f"def call_{n}():\n    # note\n    return {'value + ' * 25}{n}\n\n\n" for n in range(4))
    by_definition = split(code, doc_type="code", source="a.py")
    assert [chunk.meta["section"] for chunk in by_definition] == [f"call_{n}" for n in range(4)]
    as_text = split(code, code="text", doc_type="code", source="a.py")
    assert "symbols" not in as_text[0].meta
    assert len(as_text) != len(by_definition)
    assert "symbols" not in split(code, doc_type="text", source="a.py")[0].meta
