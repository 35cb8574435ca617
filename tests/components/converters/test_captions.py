import pytest

from khub.components.converters.captions import caption_text

pytestmark = pytest.mark.unit


def subrip(*cues):
    blocks = (
        f"{n}\n00:00:{start:02},000 --> 00:00:{start + 2:02},000\n{said}\n" for n, (start, said) in enumerate(cues, 1)
    )
    return "\n".join(blocks)


def test_a_sentence_over_two_captions_is_one():
    text = caption_text(subrip((1, "We are at the hotel"), (3, "just down\nthe street."), (5, "<i>Good</i> day.")))
    assert text == "[00:00:01] We are at the hotel just down the street. Good day.\n"
    assert caption_text(subrip((1, "水泵"), (3, "检查"))) == "[00:00:01] 水泵检查\n"


def test_a_pause_or_a_long_paragraph_begins_another():
    text = caption_text(subrip((1, "One."), (20, "Two.")))
    assert [line for line in text.split("\n") if line] == ["[00:00:01] One.", "[00:00:20] Two."]
    long = caption_text(subrip(*((n, f"This is sentence number {n}.") for n in range(1, 40))))
    assert len(long.split("\n\n")) > 2


def test_speakers_remarks_and_tags_of_webvtt():
    text = caption_text(
        "WEBVTT - talk\n\nNOTE made by hand\n\nSTYLE\n::cue { color: red }\n\n"
        "intro\n00:11.000 --> 00:13.000 align:right\n<v.loud Ann Li>Tom &amp; I <b>start</b>\n\n"
        "00:13.000 --> 00:14.000\n<v Ann Li>now.\n\n00:14.000 --> 00:15.000\n<v Bo>1 < 2\n"
    )
    assert text.split("\n\n") == ["NOTE made by hand", "[00:11] Ann Li: Tom & I start now.", "[00:14] Bo: 1 < 2\n"]


def test_a_line_that_rolls_up_is_there_once():
    assert caption_text(subrip((1, "Hello"), (3, "Hello\nthere"), (5, "there"), (7, "there\nagain"))) == (
        "[00:00:01] Hello there again\n"
    )
    assert caption_text(subrip((1, "No."), (4, "No."))) == "[00:00:01] No. No.\n"


def test_a_file_without_captions_stays():
    assert caption_text("1\n\njust text\n") == "1\n\njust text\n"
