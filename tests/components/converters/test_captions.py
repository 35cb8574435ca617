import pytest

from khub.components.converters.captions import captions
from khub.components.converters.spoken_text import Chapter

pytestmark = pytest.mark.unit

ROLLING = """WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.310 align:start position:0%
·
hello everyone<00:00:00.480><c> welcome</c>

00:00:02.310 --> 00:00:02.320 align:start position:0%
hello everyone welcome
·

00:00:02.320 --> 00:00:05.000 align:start position:0%
hello everyone welcome
to<00:00:03.480><c> the</c> show

00:00:05.000 --> 00:00:05.010 align:start position:0%
to the show
·

00:01:05.010 --> 00:01:07.010 align:start position:0%
again
""".replace("·", " ")


def subrip(*cues):
    blocks = (
        f"{n}\n00:00:{start:02},000 --> 00:00:{start + 2:02},000\n{said}\n" for n, (start, said) in enumerate(cues, 1)
    )
    return "\n".join(blocks)


def text_of(captioned, *chapters):
    return captions(captioned, chapters)["text"]


def said_at(captioned, *chapters):
    found = captions(captioned, chapters)
    ends = [*(start for start, _ in found["time_marks"][1:]), len(found["text"])]
    pairs = zip(found["time_marks"], ends, strict=True)
    return {seconds: found["text"][start:end].strip() for (start, seconds), end in pairs}


def test_a_sentence_over_two_captions_is_one():
    text = text_of(subrip((1, "We are at the hotel"), (3, "just down\nthe street."), (5, "<i>Good</i> day.")))
    assert text == "[0:01] We are at the hotel just down the street. Good day.\n"
    assert text_of(subrip((1, "水泵"), (3, "检查"))) == "[0:01] 水泵检查\n"


def test_a_pause_or_a_long_paragraph_begins_another():
    text = text_of(subrip((1, "One."), (20, "Two.")))
    assert [line for line in text.split("\n") if line] == ["[0:01] One.", "[0:20] Two."]
    long = text_of(subrip(*((n, f"This is sentence number {n}.") for n in range(1, 40))))
    assert len(long.split("\n\n")) > 2


def test_speakers_remarks_and_tags_of_webvtt():
    text = text_of(
        "WEBVTT - talk\n\nNOTE made by hand\n\nSTYLE\n::cue { color: red }\n\n"
        "intro\n00:11.000 --> 00:13.000 align:right\n<v.loud Ann Li>Tom &amp; I <b>start</b>\n\n"
        "00:13.000 --> 00:14.000\n<v Ann Li>now.\n\n00:14.000 --> 00:15.000\n<v Bo>1 < 2\n"
    )
    assert text.split("\n\n") == ["NOTE made by hand", "[0:11] Ann Li: Tom & I start now.", "[0:14] Bo: 1 < 2\n"]


def test_a_line_that_rolls_up_is_there_once():
    assert text_of(subrip((1, "Hello"), (3, "Hello\nthere"), (5, "there"), (7, "there\nagain"))) == (
        "[0:01] Hello there again\n"
    )
    assert text_of(subrip((1, "No."), (4, "No."))) == "[0:01] No. No.\n"


def test_two_lines_that_roll_up_and_a_line_that_grows_are_there_once():
    assert text_of(subrip((1, "One\ntwo"), (3, "One\ntwo\nthree"), (5, "two\nthree\nfour"))) == (
        "[0:01] One two three four\n"
    )
    assert text_of(subrip((1, "We"), (3, "We are"), (5, "We are here"))) == "[0:01] We are here\n"


def test_rolling_captions_with_lines_of_blanks():
    assert text_of(ROLLING) == "[0:00] hello everyone welcome to the show\n\n[1:05] again\n"
    assert said_at(ROLLING)[2] == "to the show"


def test_captions_between_lines_of_blanks():
    blank = "1\n00:00:01,000 --> 00:00:02,000\nOne\n \n2\n00:00:02,000 --> 00:00:03,000\ntwo\n"
    assert text_of(blank) == "[0:01] One two\n"


def test_each_caption_has_its_time():
    assert said_at(subrip((1, "One."), (3, "Two."), (20, "Three."))) == {
        1: "[0:01] One.", 3: "Two.", 20: "[0:20] Three."
    }  # fmt: skip
    late = "1\n01:02:40,000 --> 01:02:42,000\nLate.\n"
    assert said_at(late) == {3760: "[1:02:40] Late."}


def test_chapters_are_headings():
    text = text_of(subrip((1, "One."), (20, "Two.")), Chapter(0, "First"), Chapter(20.4, "Second"), Chapter(99, "None"))
    assert text == "## First\n\n[0:01] One.\n\n## Second\n\n[0:20] Two.\n"


def test_a_chapter_begins_a_paragraph():
    text = text_of(subrip((1, "One."), (3, "Two.")), Chapter(3, "Second"))
    assert text == "[0:01] One.\n\n## Second\n\n[0:03] Two.\n"


def test_a_file_without_captions_stays():
    assert captions("1\n\njust text\n") == {"text": "1\n\njust text\n"}
