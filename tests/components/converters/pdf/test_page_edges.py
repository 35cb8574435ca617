"""Which lines that recur near the edges of pages are furniture, and which are what the pages say."""

import pytest

pytestmark = pytest.mark.unit

MONTHS = ["January", "February", "March", "April", "May"]


def test_a_line_that_goes_on_as_the_text_does_stays_on_every_page(lay_out, seg):
    sheets = [
        [
            seg(72, 55, name, 14),
            seg(72, 87, "Wear nitrile gloves and goggles"),
            seg(72, 104, f"Store {name} at {degrees} degrees"),
            *[seg(72, 121 + 17 * row, f"Rule {row} about {name} is this") for row in range(4)],
        ]
        for name, degrees in (("Acetone", 8), ("Ethanol", 12), ("Toluene", 20), ("Xylene", 15))
    ]
    text = lay_out(*sheets)
    assert all("Wear nitrile gloves" in page for page in text.pages)
    assert not text.removed


@pytest.mark.parametrize("gap", [20, 60])
@pytest.mark.parametrize(
    "lines",
    [
        [(("Employee:", 72), ("Jo Moss", 200)), (("Account:", 72), ("DE00 1234", 200))],
        [(("Employee: Jo Moss", 72),), (("Account: DE00 1234", 72),)],
        [(("Employee", 72), ("Jo Moss", 200)), (("Account", 72), ("DE00 1234", 200))],
    ],
    ids=["labels and values", "labels with values", "without colons"],
)
def test_label_and_value_stay_on_every_page(lay_out, seg, lines, gap):
    def slip(month):
        head = [seg(x, 60 + 20 * row, text) for row, parts in enumerate(lines) for text, x in parts]
        rows = [("Month", month), ("Gross", f"{len(month)}000.00"), ("Net", f"{len(month)}00.50"), ("Class", "one")]
        body = [
            seg(x, 80 + gap + 20 * row, text)
            for row, pair in enumerate(rows)
            for x, text in zip((72, 200), pair, strict=True)
        ]
        return [*head, *body]

    text = lay_out(*map(slip, MONTHS))
    assert all("Jo Moss" in page and "DE00 1234" in page for page in text.pages)
    assert not text.removed


def test_the_head_of_a_table_that_goes_on_stays(lay_out, seg):
    def page(number):
        columns = (72, 200, 330)
        head = [seg(x, 70, text) for x, text in zip(columns, ("Day", "Booked as", "Amount"), strict=True)]
        rows = [
            seg(x, 90 + 20 * row, text)
            for row in range(8)
            for x, text in zip(
                columns, (f"{row}.{number}.", "Rent" if row % 2 else "Fee", f"{row}{number}.50"), strict=True
            )
        ]
        return [seg(72, 40, "Savings bank of the valley"), *head, *rows]

    text = lay_out(*[page(number) for number in range(1, 6)])
    assert all("Booked as" in page for page in text.pages)
    assert ["Savings bank" in page for page in text.pages] == [True, False, False, False, False]


def test_a_number_in_a_table_is_no_page_number(lay_out, seg):
    def page(number):
        return [
            seg(x, 60 + 20 * row, text)
            for row in range(12)
            for x, text in ((72, f"Meeting {row} of {MONTHS[number]}"), (300, str(number + row)), (360, str(40 - row)))
        ]

    pages = lay_out(*[page(number) for number in range(5)]).pages
    assert all(f"{40 - row}" in text for text in pages for row in range(12))


def test_each_of_several_running_heads_stays_where_it_stands_first(lay_out, prose, seg):
    heads = ["Safety", "Safety", "Safety", "Care", "Care", "Care"]
    text = lay_out(*[[seg(72, 40, head), *prose()] for head in heads])
    assert [head in page for head, page in zip(heads, text.pages, strict=True)] == [
        True,
        False,
        False,
        True,
        False,
        False,
    ]


def test_a_head_that_recurs_larger_than_the_text_is_a_heading_once(lay_out, prose, seg):
    text = lay_out(*[[seg(72, 60, "Pump Co payslip", 16), *prose()] for _ in MONTHS])
    assert [(block.page, block.text.lstrip("# ")) for block in text.blocks if block.kind == "heading"] == [
        (1, "Pump Co payslip")
    ]
