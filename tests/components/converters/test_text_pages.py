import pytest

from khub.components.converters.text_pages import with_pages

pytestmark = pytest.mark.unit


def test_a_form_feed_begins_a_page():
    paged = with_pages("one\n\ftwo\n\f\fthree\n\f")
    text, starts = paged["text"], paged["page_starts"]
    assert [text[start:].split()[0] for start in starts] == ["one", "two", "three"]
    assert paged["page_count"] == 3
    assert "\f" not in text


@pytest.mark.parametrize("text", ["no page\n", "\fone\n", "one\n\f", ""])
def test_a_text_of_one_page_has_none(text):
    assert with_pages(text) == {"text": text.replace("\f", "\n")}
