import numpy as np
import pytest

from khub.components.ocr.text_line import TextLine
from khub.components.ocr.upright import read_upright
from tests.components.ocr.scans import line

pytestmark = pytest.mark.unit


class Compass:
    """An engine that sees which corner of the page is black, and reads well only when it is the top left one."""

    def __init__(self) -> None:
        self.calls = 0

    def read(self, pixels: np.ndarray) -> list[TextLine]:
        self.calls += 1
        height, width = pixels.shape[:2]
        corners = {(0, 0): 0, (0, width - 1): 90, (height - 1, width - 1): 180, (height - 1, 0): 270}
        turned = next(turn for (y, x), turn in corners.items() if not pixels[y, x].any())
        if turned % 180:
            return [TextLine("l1I|", 0.5, ((10, 10), (30, 10), (30, 200), (10, 200)))] * 3
        return [line("read as it should be" if turned == 0 else "pIno4s 7!", 10, 10, 200, score=1 - turned / 450)]


@pytest.mark.parametrize(("turned", "calls"), [(0, 1), (90, 3), (180, 2), (270, 2)])
def test_page_is_read_upright(turned: int, calls: int) -> None:
    page = np.full((300, 200, 3), 255, np.uint8)
    page[0, 0] = 0
    compass = Compass()

    read = read_upright(compass, np.rot90(page, -turned // 90))

    assert [each.text for each in read.lines] == ["read as it should be"]
    assert read.turn == -turned % 360
    assert (read.width, read.height) == (200, 300)
    assert compass.calls == calls


def test_nothing_to_read_is_read_once() -> None:
    class Blind:
        calls = 0

        def read(self, pixels: np.ndarray) -> list[TextLine]:
            self.calls += 1
            return []

    blind = Blind()
    assert read_upright(blind, np.zeros((10, 20, 3), np.uint8)).lines == []
    assert blind.calls == 1
