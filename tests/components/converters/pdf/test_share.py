"""Pages read by several processes become the text that one makes of all of them."""

import itertools
import json

import pytest

from khub.components.converters.pdf.layout import Figure, PageLayout, Ruling, Word
from khub.components.converters.pdf.share import PdfShare

pytestmark = pytest.mark.unit


@pytest.fixture
def page(seg, prose):
    """A function: one page with header, text with a cut word, a link, a raised mark, code, a table and a picture."""

    def run(index: int) -> PageLayout:
        linked = seg(72, 260, f"See our site {index} now")
        linked.words[2] = linked.words[2]._replace(uri="https://example.org/a")
        linked.words[-1:] = [linked.words[-1], Word("1", linked.x1, linked.x1 + 4, False, "", True)]
        cut = seg(72, 200, "Plain words fill this line of text until it ends here and then come more, all in a semi-")
        table = [seg(75, 314, "Name"), seg(205, 314, "Use"), seg(75, 334, "pump"), seg(205, 334, "moves wa-")]
        code = [seg(72, 500, "def f():", mono=True), seg(84, 512, "return  1", mono=True)]
        known = [seg(72, 440, "A semi-weekly letter.")] if index == 1 else []
        head = seg(72, 40, "Annual report" if index in (0, 1, 3) else f"Part {'abcde'[index]}")
        return PageLayout(
            index,
            612.0,
            792.0,
            [head, cut, seg(72, 212, "weekly goes on."), linked, *table, seg(205, 346, "ter"), *known, *code],
            [
                *(Ruling(a, y, b, y) for y in (300, 320, 352) for a, b in itertools.pairwise((70, 200, 400))),
                *(Ruling(x, a, x, b) for x in (70, 200, 400) for a, b in itertools.pairwise((300, 320, 352))),
            ],
            figures=[
                Figure((72.0, 560.0, 300.0, 700.0), "raster", 9, 9, "image/png", "YWJj", f"own {index}"),
                Figure((400.0, 560.0, 500.0, 700.0), "raster", 9, 9, "image/png", "YWJj", "logo"),
            ],
            words=40,
        )

    return run


def through_json(value):
    return json.loads(json.dumps(value))


def assemble(*shares):
    found = through_json([share.find_repeated() for share in shares])
    counted = through_json([share.clean(found) for share in shares])
    for share in shares:
        share.draft(counted)
    first, *others = shares
    return first.finish(through_json([share.to_dict() for share in others]))


@pytest.mark.parametrize("count", [2, 3, 5])
def test_shares_give_the_text_of_the_whole(page, count):
    whole = assemble(PdfShare([page(index) for index in range(5)], title="Report"))
    shares = [PdfShare([page(index) for index in range(first, 5, count)], title="Report") for first in range(count)]
    shared = assemble(*shares)

    assert shared == whole
    assert whole.removed["header/footer lines"] == 4  # it stays on the first page
    assert whole.removed["joined hyphens"] == 10  # five in cells, five in running text
    assert "semi-weekly goes on" in whole.pages[0]  # the second page has the word
    assert "moves water" in whole.pages[1]
    assert "[site](https://example.org/a)" in whole.pages[1]
    assert "```\ndef f():\n" in whole.pages[1]
    assert [picture.page for picture in whole.pictures] == [1, 2, 3, 4, 5]  # the logo is decoration


def test_a_share_without_pages(page):
    shared = assemble(PdfShare([page(0)]), PdfShare([]))
    assert shared == assemble(PdfShare([page(0)]))
    assert len(shared.pages) == 1
