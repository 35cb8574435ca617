from typing import Any

import pytest
from haystack import Document

from components.enrichers.text_cleaner import TextCleaner
from components.errors import GraphError

pytestmark = pytest.mark.unit


def clean(text: str, *rules: str, **meta: Any) -> Document:
    cleaner = TextCleaner(rules) if rules else TextCleaner()
    return cleaner.run([Document(content=text, meta=meta)])["documents"][0]


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("garbled", "A caf\u00c3\u00a9 in Paris.", "A café in Paris."),
        ("garbled", "Price (cid:12)(cid:13) 12 euro", "Price 12 euro"),
        ("garbled", "Read this.\n\ufffd\ufffd\ufffdx\ufffd\n\nAnd this.", "Read this.\n\nAnd this."),
        ("garbled", "正文在此。\n\n锟斤拷锟斤拷锟斤拷\n\n另一段。", "正文在此。\n\n另一段。"),
        ("page_numbers", "第一段。\n\n第 3 页 共 10 页\n\n第二段。", "第一段。\n\n第二段。"),
        ("page_numbers", "Text.\n\nPage 3 of 10\n\nMore.", "Text.\n\nMore."),
        ("page_numbers", "Text.\n\n- 3 -\n\nMore.", "Text.\n\nMore."),
        ("broken_lines", "The robot stops as soon as the laser\nscanner sees a person in its way.",
         "The robot stops as soon as the laser scanner sees a person in its way."),
        ("broken_lines", "机器人在激光扫描仪发现前方有人时会立即停\n止运行，并发出提示音。",
         "机器人在激光扫描仪发现前方有人时会立即停止运行，并发出提示音。"),
        ("broken_lines", "It is checked whenever somebody has main-\ntained the machine.",
         "It is checked whenever somebody has maintained the machine."),
        ("broken_lines", "The well-known rule. It is so well and long and well-\nknown to all.",
         "The well-known rule. It is so well and long and well-known to all."),
        ("dots", "1 Safety ........................ 12", "1 Safety … 12"),
        ("dots", "第一章 总则 ………………… 3", "第一章 总则 … 3"),
    ],
)  # fmt: skip
def test_a_rule_mends_what_it_is_for_and_only_when_it_is_named(rule: str, text: str, expected: str) -> None:
    assert clean(text, rule).content == expected
    assert clean(text).content == expected
    others = [name for name in ("garbled", "page_numbers", "broken_lines", "dots") if name != rule]
    assert clean(text, *others).content == text


@pytest.mark.parametrize(
    "text",
    [
        "Lantern Robotics\nHarbour Street 12\nRotterdam",
        "- first point of the list goes here\n- second point of the list",
        "| a | b |\n| --- | --- |\n| Page 3 | ..... |",
        "```\nfor line in lines of this program\n    print ......\n```",
        "---\ntitle: x ..........\n---\n\nText.",
        "# A heading that is long enough to be a line\nand text under it.",
        "It ends here.\nThe next line is a sentence of its own.",
        "In 2024 there were 17 of them.\n\n17\n\nSo it was.",
        "版本 1.2.3.4.5 已发布。",
        "[IMAGE: manual_3_1]\nand what stands behind the picture here",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    document = Document(content=text)
    assert TextCleaner().run([document])["documents"][0] is document


def test_bare_numbers_go_where_they_count_up_with_the_pages() -> None:
    pages = [f"Line of page {name}.\n\n{number}" for name, number in zip("abcd", range(7, 11), strict=True)]
    starts = [0]
    for page in pages[:-1]:
        starts.append(starts[-1] + len(page) + 2)
    cleaned = clean("\n\n".join(pages), page_starts=starts)
    assert not any(str(number) in (cleaned.content or "") for number in range(7, 11))
    assert [(cleaned.content or "")[start:][:14] for start in cleaned.meta["page_starts"]] == [
        f"Line of page {name}" for name in "abcd"
    ]


def test_a_sentence_is_joined_over_the_end_of_a_page_and_pages_and_blocks_stay_in_step() -> None:
    first, second, third = "Everything that the first page says goes on", "on the second one.", "The third."
    text = f"{first}\n\n{second}\n\n{third}"
    blocks = [
        {
            "kind": "paragraph",
            "page": page,
            "start": text.index(part),
            "end": text.index(part) + len(part),
            "text": part,
        }
        for page, part in ((1, first), (2, second), (2, third))
    ]
    cleaned = clean(text, page_starts=[0, text.index(second)], blocks=blocks)
    new = cleaned.content or ""
    assert new == f"{first} {second}\n\n{third}"
    assert new[cleaned.meta["page_starts"][1] :].startswith(second)
    assert [new[block["start"] : block["end"]] for block in cleaned.meta["blocks"]] == [first, second, third]
    assert [block["text"] for block in cleaned.meta["blocks"]] == [first, second, third]
    assert clean(text).content == text, "two paragraphs of one page"


def test_a_block_of_which_nothing_is_left_goes() -> None:
    text = "Text of the page.\n\nPage 3\n\nMore of it."
    blocks = [{"start": text.index("Page"), "end": text.index("Page") + 6, "text": "Page 3"}]
    assert clean(text, blocks=blocks).meta["blocks"] == []


def test_a_chunk_keeps_its_offsets_and_its_first_text() -> None:
    text = "Contents ............. 3"
    chunk = clean(text, start=100, end=100 + len(text), page_starts=[0])
    assert chunk.content == "Contents … 3"
    assert chunk.meta == {"start": 100, "end": 124, "page_starts": [0], "original": text}
    again = TextCleaner().run([chunk])["documents"][0]
    assert again.meta["original"] == text


def test_source_code_stays_as_it_is() -> None:
    text = "from one import two\nfrom three import four\nPage 3\n"
    assert clean(text, doc_type="code").content == text
    assert clean(text, doc_type="markdown").content != text


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(GraphError, match=r"no rule 'magic'.*page_numbers"):
        TextCleaner(["magic"])
