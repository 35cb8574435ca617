import pytest

from khub.components.enrichers.sentences import running_text, sentences
from khub.components.enrichers.tags import tags

pytestmark = pytest.mark.unit


def test_a_chinese_word_that_no_dictionary_has_is_put_together() -> None:
    text = "复盘要及时。每次复盘都写结论。没有复盘就没有改进，事故复盘对事不对人，上次复盘很好。"
    assert tags([text], [], 3)[0] == "复盘"


def test_code_links_and_file_names_are_no_tags() -> None:
    text = (
        "See `frobnicate()` and https://example.org/frobnicate and frobnicate.pdf. " * 5 + "The valve leaks. The valve."
    )
    assert tags([text], [], 2)[0] == "valve"


def test_headings_count_more() -> None:
    text = "The gearbox turns. The coupling turns. The gearbox is here. The coupling is here."
    assert tags([text], ["Coupling"], 1) == ["coupling"]
    assert tags([text], ["Gearbox"], 1) == ["gearbox"]


def test_a_long_text_is_read_in_part() -> None:
    pieces = [f"The gearbox of number {n} turns slowly in its housing. " * 4 for n in range(700)]
    assert "gearbox" in tags(pieces, [], 2)


def test_sentences_are_whole_and_without_marks() -> None:
    text = (
        "# Heading.\n\n**Bold** words stand in a [link](http://x) here.\n- A point of a list, ended.\n- no end\n\n"
        "A line that is broken in the\nmiddle is one sentence. 第一句。第二句！\n\n```\ncode.\n```"
    )
    assert sentences(text) == [
        "Bold words stand in a link here.",
        "A point of a list, ended.",
        "A line that is broken in the middle is one sentence.",
        "第一句。",
        "第二句！",
    ]


def test_text_that_two_chunks_share_is_read_once(make_chunks) -> None:
    one, two = make_chunks("First part. Shared.", "Shared. Second part.")
    two.meta.update(start=one.meta["end"] - 7, end=one.meta["end"] + 13)
    assert running_text([one, two]) == "First part. Shared.\n\n Second part."


def test_signs_written_as_entities_are_no_tags_and_letters_of_any_script_are_whole():
    text = "Überschriften &lt;kurz&gt; &quot;Überschriften&quot; &amp; &lt; &gt; &quot;. Überschriften."
    assert tags([text], [], 3)[0] == "Überschriften"
    assert not {"lt", "gt", "quot", "amp", "berschriften"} & {tag.casefold() for tag in tags([text], [], 20)}
