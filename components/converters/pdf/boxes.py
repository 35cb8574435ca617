"""Boxes: how large they are, whether they touch, overlap or hold each other."""

from khub.components.converters.blocks import Box

_TOUCH = 2.0


def merged_boxes(boxes: list[Box]) -> list[Box]:
    """Join images that touch: one picture is often stored in strips."""
    merged: list[Box] = []
    for box in sorted(set(boxes), key=lambda b: (b[1], b[0]))[:2000]:
        joined = box
        rest = []
        for other in merged:
            if touch(joined, other):
                joined = union(joined, other)
            else:
                rest.append(other)
        merged = [*rest, joined]
    return merged


def touch(one: Box, other: Box) -> bool:
    """Whether two boxes are parts of one: they overlap, or one goes on where the other ends."""
    if one[0] > other[2] + _TOUCH or other[0] > one[2] + _TOUCH:
        return False
    if one[1] > other[3] + _TOUCH or other[1] > one[3] + _TOUCH:
        return False
    if overlap(one, other) > 0.3 or overlap(other, one) > 0.3:
        return True
    same_columns = abs(one[0] - other[0]) < _TOUCH and abs(one[2] - other[2]) < _TOUCH
    same_rows = abs(one[1] - other[1]) < _TOUCH and abs(one[3] - other[3]) < _TOUCH
    return same_columns or same_rows


def union(one: Box, other: Box) -> Box:
    """Return the box around two boxes."""
    return (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))


def area_of(box: Box) -> float:
    """Return the area of a box."""
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def overlap(one: Box, other: Box) -> float:
    """Share of `one` that lies in `other`."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width * height / max(area_of(one), 1e-6) if width > 0 and height > 0 else 0.0


def inside(box: Box, region: Box) -> bool:
    """Whether the middle of a box lies in a region."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return region[0] <= x <= region[2] and region[1] <= y <= region[3]
