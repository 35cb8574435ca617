"""Formulas in MathML become LaTeX in which nothing is flat."""

import pytest

from khub.components.converters.html.page_markdown import page_markdown
from khub.components.converters.html.parse import parse_html

pytestmark = pytest.mark.unit

FRACTION = "<mfrac><mi>P</mi><mrow><mn>2</mn><mi>Q</mi></mrow></mfrac>"
SUM = "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
MATRIX = "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd>"


@pytest.mark.parametrize(
    ("formula", "latex"),
    [
        (f"<mi>η</mi><mo>=</mo>{FRACTION}", r"η = \frac{P}{2Q}"),
        ("<msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msup><mn>10</mn><mn>12</mn></msup>", "x^2 + 10^{12}"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        (f"{SUM}<msub><mi>x</mi><mi>i</mi></msub>", "∑_{i = 1}^n x_i"),
        (
            "<mroot><mi>x</mi><mn>3</mn></mroot><mo>≤</mo><msqrt><mi>a</mi><mi>b</mi></msqrt>",
            r"\sqrt[3]{x} ≤ \sqrt{ab}",
        ),
        ("<mo>−</mo><mn>1</mn><mo>&#x2062;</mo><mi>sin</mi><mi>θ</mi>", "−1 sin θ"),
        ("<mfenced open='{' close='}'><mi>a</mi><mi>b</mi></mfenced>", r"\{a, b\}"),
        ("<mover><mi>v</mi><mo>→</mo></mover>", r"\vec{v}"),
        ("<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>", r"\binom{n}{k}"),
        (f"<mo>(</mo>{MATRIX}</mtr></mtable><mo>)</mo>", r"(\begin{matrix}1 & 0 \\ 0 & 1\end{matrix})"),
        ("<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>", "{}_6^{14}C"),
        ("<mi>a</mi><mtext> if </mtext><mi>b</mi><mo>></mo><mo>-</mo><mn>3</mn>", r"a\text{ if }b > -3"),
        ("<mn>5</mn><mo>%</mo>", r"5\%"),
    ],
)
def test_parts_of_a_formula(formula, latex):
    assert page_markdown(parse_html(f"<p>x <math>{formula}</math></p>")) == f"x ${latex}$"
    prefixed = formula.replace("<m", "<m:m").replace("</m", "</m:m")
    book = f'<html xmlns="http://www.w3.org/1999/xhtml"><body><m:math>{prefixed}</m:math></body></html>'
    assert page_markdown(parse_html(book)) == f"${latex}$"


def test_the_source_of_a_formula_is_taken_where_it_is_given():
    annotation = '<semantics><mi>a</mi><annotation encoding="application/x-tex">a_1</annotation></semantics>'
    assert page_markdown(parse_html(f"<math>{annotation}</math>")) == "$a_1$"
    assert page_markdown(parse_html(f'<math alttext="\\frac12">{FRACTION}</math>')) == r"$\frac12$"


def test_an_alternative_text_in_words_gives_way_to_the_formula():
    said = '<math alttext="Alternative text not available">'
    assert page_markdown(parse_html(f"{said}{FRACTION}</math>")) == r"$\frac{P}{2Q}$"
    assert page_markdown(parse_html(f"{said}</math>")) == "Alternative text not available"
