"""Charts of which little is drawn."""

import pytest

from khub.components.converters.pdf.charts import captioned, curve_plots, figure_captions, joined_by_arrows, with_labels
from khub.components.converters.pdf.drawing_reader import Drawings
from khub.components.converters.pdf.layout import Ruling, Segment, Word

pytestmark = pytest.mark.unit

LOW, SIDE = Ruling(100, 300, 300, 300), Ruling(100, 200, 100, 300)
CURVE = (110.0, 210.0, 290.0, 280.0)


def seg(text: str, x0: float, top: float, x1: float, angle: int = 0) -> Segment:
    words = [Word(word, x0, x1) for word in text.split()]
    return Segment(words, x0, top, x1, top + 10, top + 8, 10.0, angle=angle)


def plots(*rulings: Ruling, curve: tuple[float, float, float, float] = CURVE) -> list:
    return list(curve_plots(Drawings(rulings=list(rulings), pieces=[curve])))


def test_a_curve_between_two_axes_is_a_plot() -> None:
    assert plots(LOW, SIDE) == [(100, 200, 300, 300)]
    assert plots(LOW, SIDE, Ruling(100, 290, 200, 290), Ruling(100, 250, 100, 300)) == [(100, 200, 300, 300)]


@pytest.mark.parametrize(
    "rulings",
    [[], [LOW], [SIDE], [LOW, Ruling(150, 200, 150, 260)], [Ruling(100, 250, 300, 250), Ruling(100, 150, 100, 250)]],
)
def test_without_axes_that_meet_below_and_beside_it_a_curve_is_none(rulings: list[Ruling]) -> None:
    assert plots(*rulings) == []


@pytest.mark.parametrize("curve", [(110, 210, 160, 280), (110, 150, 290, 280), (110, 210, 390, 280)])
def test_a_short_curve_or_one_that_leaves_the_axes_makes_no_plot(curve: tuple[float, float, float, float]) -> None:
    assert plots(LOW, SIDE, curve=curve) == []


def test_several_curves_make_one_plot() -> None:
    drawings = Drawings(rulings=[LOW, SIDE], pieces=[CURVE, (120, 220, 302, 290)])

    assert list(curve_plots(drawings)) == [(100, 200, 302, 300)]


def test_a_chart_has_the_labels_of_its_axes() -> None:
    chart = (100.0, 200.0, 300.0, 300.0)
    ticks = [seg("0", 110, 303, 115), seg("50", 190, 303, 200), seg("title of the axis, rather long", 120, 315, 260)]
    names = [seg("dense", 70, 220, 95), seg("sparse", 68, 250, 95)]

    assert with_labels(chart, ticks) == (100, 200, 300, 313)
    assert with_labels(chart, names) == (68, 200, 300, 300)
    assert with_labels(chart, [seg("0 10 20 30 40 50 60 70 80 90", 100, 303, 300)])[3] == 313
    assert with_labels(chart, names[:1]) == chart
    assert with_labels(chart, [*names, seg("a line of the column beside the chart", 10, 270, 95)]) == chart
    assert with_labels(chart, [seg("far", 20, 220, 60), seg("away", 20, 250, 60)]) == chart
    assert with_labels(chart, [seg("turned", 80, 220, 95, angle=90), seg("text", 80, 250, 95, angle=90)]) == chart


def test_shapes_above_a_caption_are_a_figure() -> None:
    region, shapes = (100.0, 100.0, 300.0, 150.0), [(100.0, 100.0, 150.0, 150.0)] * 3
    figure = figure_captions([seg("Figure 1. Windows", 100, 160, 250), seg("Figured out", 100, 170, 250)])
    table = figure_captions([seg("Table 1. Windows", 100, 160, 250), seg("表 1 窗口", 100, 160, 250)])

    assert list(captioned([region], shapes, figure)) == [region]
    assert list(captioned([region], shapes[:2], figure)) == []
    assert list(captioned([region], shapes, table)) == []
    assert list(captioned([region], shapes, figure_captions([seg("图 1 窗口", 100, 160, 250)]))) == [region]
    assert list(captioned([region], shapes, figure_captions([seg("Figure 1. Far", 100, 260, 250)]))) == []
    assert list(captioned([region], shapes, figure_captions([seg("Figure 1. Beside", 310, 160, 450)]))) == []


def test_boxes_joined_by_an_arrow_are_one_drawing() -> None:
    one, other, third = (0.0, 0.0, 50.0, 50.0), (80.0, 0.0, 130.0, 50.0), (400.0, 0.0, 450.0, 50.0)
    arrow, long = Ruling(52, 25, 76, 25), Ruling(132, 25, 396, 25)

    assert joined_by_arrows([one, other, third], [arrow], (600, 800)) == [third, (0, 0, 130, 50)]
    assert joined_by_arrows([one, other, third], [long], (600, 800)) == [one, other, third]
    assert joined_by_arrows([one, other], [arrow], (150, 80)) == [one, other]
