import pytest

from khub.components.converters.docx.numbering import chinese_number

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("number", "written"),
    [(1, "一"), (10, "十"), (11, "十一"), (21, "二十一"), (105, "一百零五"), (2010, "二千零一十"), (0, "零")],
)
def test_chinese_numbers(number, written):
    assert chinese_number(number) == written
