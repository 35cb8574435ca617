"""From a page's own coordinates to points from the top left of the page as it is shown."""

from dataclasses import dataclass

from khub.components.converters.blocks import Box


@dataclass(frozen=True, slots=True)
class PageSpace:
    """The visible part of a page and its rotation.

    :param visible: left, bottom, right, top in the page's own coordinates.
    :param rotation: clockwise, 0, 90, 180 or 270 degrees.
    """

    visible: tuple[float, float, float, float]
    rotation: int = 0

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as shown."""
        left, bottom, right, top = self.visible
        width, height = right - left, top - bottom
        return (width, height) if self.rotation % 180 == 0 else (height, width)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return a point as shown."""
        left, bottom, right, top = self.visible
        if self.rotation == 0:
            return x - left, top - y
        if self.rotation == 90:
            return y - bottom, x - left
        if self.rotation == 180:
            return right - x, y - bottom
        return top - y, right - x

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Return a box as shown."""
        if self.rotation == 0:
            return (left - self.visible[0], self.visible[3] - top, right - self.visible[0], self.visible[3] - bottom)
        x0, y0 = self.point(left, bottom)
        x1, y1 = self.point(right, top)
        return (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))

    def turned(self, angle: int) -> "PageSpace":
        """Return the space in which text that runs at `angle` (counter-clockwise degrees, as shown) is upright."""
        return PageSpace(self.visible, (self.rotation + angle) % 360)


def turned_back(box: Box, turn: int, size: tuple[float, float]) -> Box:
    """Return a box of a page that was turned as it lies on the page before.

    :param turn: clockwise degrees, 0, 90, 180 or 270.
    :param size: width and height of the turned page.
    """
    x0, top, x1, bottom = box
    width, height = size
    if turn == 90:
        return (top, width - x1, bottom, width - x0)
    if turn == 180:
        return (width - x1, height - bottom, width - x0, height - top)
    if turn == 270:
        return (height - bottom, x0, height - top, x1)
    return box
