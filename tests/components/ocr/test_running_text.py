import pytest

from khub.components.ocr.running_text import is_running_text
from khub.components.ocr.text_line import ReadPicture
from tests.components.ocr.scans import line

pytestmark = pytest.mark.unit

LONG = "The delivery is due on the ninth of May"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], False),
        ([LONG, "and not before."], True),
        ([LONG, *["CPU usage"] * 9], False),
        (["货物应于五月九日之前送达仓库，不得延误。", "第一页"], True),
        (["用户名", "密码", "登录", "忘记密码？"], False),
    ],
)
def test_running_text_stands_in_long_lines(texts, expected):
    lines = [line(text, 0, 30 * row, 400) for row, text in enumerate(texts)]
    assert is_running_text(ReadPicture(400, 800, 0, lines), 0.6) == expected


def test_lines_read_badly_do_not_count():
    lines = [line(LONG, 0, 0, 400, score=0.3), line("Pump", 0, 40, 100)]
    assert not is_running_text(ReadPicture(400, 800, 0, lines), 0.6)
