"""The reading of a word stands behind it, whether the page has brackets for it or not."""

import pytest

from khub.components.converters.html.page_markdown import page_markdown
from khub.components.converters.html.parse import parse_html

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<ruby>漢<rt>かん</rt></ruby>字", "漢(かん)字"),
        ("<ruby>漢<rp>（</rp><rt>かん</rt><rp>）</rp></ruby>字", "漢（かん）字"),
        ("<ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby>都", "東京(とうきょう)都"),
        ("<ruby>東<rt>とう京<rt>きょう</ruby>", "東(とう京きょう)"),
        ("<ruby><rb>明<rb>日<rt>あ<rt>した</ruby>", "明日(あした)"),
        ("<ruby> 北 <rt>běi</rt> 京 <rt>jīng</rt> </ruby>", "北京(běi jīng)"),
        ("<ruby>強<rt>﹅</rt>調<rt>﹅</rt></ruby>する", "強調する"),
        ("<ruby>HTML<rt>HyperText Markup Language</rt></ruby>", "HTML(HyperText Markup Language)"),
    ],
)
def test_readings(page, text):
    assert page_markdown(parse_html(f"<p>{page}</p>")) == text
