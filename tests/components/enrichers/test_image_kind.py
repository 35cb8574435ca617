import pytest

from khub.components.catalog.picture import DocumentPicture, Picture
from khub.components.enrichers.image_kind import image_kind

pytestmark = pytest.mark.unit


def picture(mime: str, caption: str = "", alt: str = "", text: str = "") -> DocumentPicture:
    return DocumentPicture("m_1_1", "m", "/m.pdf", Picture(1, 1, None, 9, 9, mime, b"", "raster", caption, alt), text)


@pytest.mark.parametrize(
    ("caption", "around", "kind"),
    [
        ("Figure 1: workflow of an order", "", "flow chart"),
        ("图 2 报销审批流程", "", "flow chart"),
        ("Load over time (histogram)", "", "data chart"),
        ("图 3 月度趋势", "", "data chart"),
        ("", "Open the settings dialog.", "screenshot"),
        ("", "登录界面如下：", "screenshot"),
        ("实物外观", "", "photo"),
        ("Photo of the deck", "The chart shows it", "photo"),
        ("", "This paragraph says nothing.", "figure"),
    ],
)
def test_the_words_around_a_picture_tell_its_kind(caption: str, around: str, kind: str) -> None:
    assert image_kind(picture("image/png", caption), around) == kind


def test_a_jpeg_without_text_is_a_photo() -> None:
    assert image_kind(picture("image/jpeg"), "") == "photo"
    assert image_kind(picture("image/jpeg", text="Total 12"), "") == "figure"
    assert image_kind(picture("image/png", alt="A pie chart"), "") == "data chart"
