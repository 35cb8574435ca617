"""A word torn by a lost ligature is mended where the document has the whole word, and only there."""

import pytest

pytestmark = pytest.mark.unit

WHOLE = ["Effective rules affect differentiated goods,", "efficient traffic and affluent officers of the office."]


@pytest.mark.parametrize(
    ("torn", "said"),
    [
        ("An ef ective rule", "An effective rule"),
        ("Dif erentiated (goods)", "Differentiated (goods)"),
        ("They af ect, and", "They affect, and"),
        ("ef cient traf c", "efficient traffic"),
        ("The af uent ones", "The affluent ones"),
        ("for of icers only", "for officers only"),
        ("a block of ice melts", "a block of ice melts"),
        ("if in doubt", "if in doubt"),
        ("a chef acts", "a chef acts"),
        ("a gif mage here", "a gif mage here"),
    ],
)
def test_torn_words(lay_out, seg, torn, said):
    page = [seg(72, 100, WHOLE[0]), seg(72, 112, WHOLE[1]), seg(72, 200, torn)]
    assert lay_out(page).pages[0].endswith(said)


def test_a_torn_word_in_a_cell_on_another_page(lay_out, seg, prose):
    rows = [
        seg(x, 200 + 20 * row, text)
        for row in range(4)
        for x, text in ((72, f"Ef ective rate {row}"), (300, f"{row}.5"))
    ]
    pages = lay_out([seg(72, 100, "The effective rate")], [*prose(72, 100, 3), *rows]).pages
    assert pages[1].count("Effective rate") == 4
