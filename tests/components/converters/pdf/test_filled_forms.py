"""What was filled in on a form is read: values beside their labels, ticks before what they say, typed notes."""

import pytest

pytestmark = pytest.mark.unit


def value(page, box, text, more=""):
    return page.annotate(box, "Widget", f"/FT /Tx /T (f{len(page.annotations)}) /V ({text}) {more}")


def tick(page, box, on, name="c", more=""):
    state = "/Yes" if on else "/Off"
    look = "/AP << /N << /Yes null /Off null >> >>"
    return page.annotate(
        box, "Widget", f"/FT /Btn /T ({name}{len(page.annotations)}) /V {state} /AS {state} {look} {more}"
    )


@pytest.fixture
def form(new_page):
    return new_page().text(72, 740, "Employee form", 16)


@pytest.mark.parametrize(
    ("label", "box"),
    [((72, 700, "Full name"), (160, 696, 360, 714)), ((72, 700, "Full name:"), (72, 676, 300, 694))],
    ids=["beside it", "below it"],
)
def test_a_value_stands_behind_its_label(form, read, label, box):
    text = read([value(form.text(*label), box, "Jo Moss")]).pages[0]
    assert "Full name: Jo Moss" in text
    assert text.count("Jo Moss") == 1


def test_several_fields_in_a_row(form, read):
    form.text(72, 700, "First").text(260, 700, "Last").text(72, 670, "Born")
    value(value(value(form, (110, 696, 240, 714), "Jo"), (300, 696, 400, 714), "Moss"), (110, 666, 240, 684), "1990")
    text = read([form]).pages[0]
    assert "First: Jo" in text
    assert "Last: Moss" in text
    assert "Born: 1990" in text


def test_lines_of_a_value_and_choices(form, read):
    form.text(72, 700, "Remarks").text(72, 620, "Site").text(72, 590, "Days")
    value(form, (160, 650, 360, 714), "Needs a badge\\rfor hall 3", "/Ff 4096")
    form.annotate((160, 616, 300, 634), "Widget", "/FT /Ch /Ff 131072 /T (s) /Opt [[(l) (Leeds)] [(o) (Oslo)]] /V (o)")
    form.annotate(
        (160, 586, 300, 604), "Widget", "/FT /Ch /Ff 2097152 /T (d) /Opt [(Mon) (Tue) (Wed)] /V [(Mon) (Wed)] /I [0 2]"
    )
    text = read([form]).pages[0]
    assert "Remarks: Needs a badge for hall 3" in text
    assert "Site: Oslo" in text
    assert "Days: Mon, Wed" in text


def test_ticks_stand_before_what_they_say(form, read):
    form.text(92, 700, "Parking").text(92, 680, "Canteen").text(72, 640, "Locker")
    tick(tick(tick(form, (72, 698, 84, 710), True), (72, 678, 84, 690), False), (160, 638, 172, 650), True)
    text = read([form]).pages[0]
    assert "[x] Parking" in text
    assert "[ ] Canteen" in text
    assert "[x] Locker" in text


def radio(page, boxes, chosen, meanings):
    kids = [
        f"<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 49152 /T (r) /Rect [{' '.join(map(str, box))}] /F 4 "
        f"/V /{meanings[chosen]} /AS /{meaning if index == chosen else 'Off'} "
        f"/AP << /N << /{meaning} null /Off null >> >> >>"
        for index, (box, meaning) in enumerate(zip(boxes, meanings, strict=True))
    ]
    page.annotations += kids
    return page


def test_radio_buttons_with_words_beside_them(form, read):
    form.text(72, 700, "Full time").text(192, 700, "yes").text(262, 700, "no")
    radio(form, [(172, 698, 184, 710), (242, 698, 254, 710)], 1, ["a", "b"])
    text = read([form]).pages[0]
    assert "[ ] yes" in text
    assert "[x] no" in text


def test_radio_buttons_without_words_say_what_they_stand_for(form, read):
    form.text(72, 700, "Full time")
    radio(form, [(172, 698, 184, 710), (242, 698, 254, 710)], 0, ["yes", "no"])
    assert "Full time: yes" in read([form]).pages[0]


def test_a_field_without_a_label_is_named_by_its_hint(form, read):
    text = read([value(form, (160, 400, 360, 414), "4417", "/TU (Cost centre)")]).pages[0]
    assert "Cost centre: 4417" in text


def test_typed_notes_are_read_and_hidden_ones_are_not(form, read):
    form.text(72, 700, "Approved by the board.").annotate((300, 500, 500, 530), "FreeText", "/Contents (Paid on 4 May)")
    form.annotate((520, 700, 540, 720), "Text", "/Contents (Ask Jo about this)")
    form.annotations.append("<< /Type /Annot /Subtype /FreeText /Rect [72 400 200 420] /F 2 /Contents (not shown) >>")
    text = read([form]).pages[0]
    assert "Paid on 4 May" in text
    assert "Ask Jo about this" in text
    assert "not shown" not in text


def test_a_password_and_an_empty_field_say_nothing(form, read):
    form.text(72, 700, "Password").text(72, 670, "Name")
    value(value(form, (160, 696, 360, 714), "hunter2", "/Ff 8192"), (160, 666, 360, 684), "")
    text = read([form]).pages[0]
    assert "hunter2" not in text
    assert "Name:" not in text


def test_a_value_and_a_tick_in_cells_of_their_own_are_not_put_with_the_label(new_page, read):
    form = new_page().text(72, 740, "Statement of activities", 16)
    for y in (620, 645, 670, 695):
        form.line(70, y, 500, y)
    for x in (70, 300, 400, 500):
        form.line(x, 620, x, 695)
    form.text(310, 678, "Yes").text(410, 678, "No").text(75, 678, "Question")
    form.text(75, 653, "Has it any debts").text(75, 628, "Does it lend money")
    tick(tick(form, (340, 650, 350, 660), False), (440, 650, 450, 660), True)
    value(tick(form, (340, 625, 350, 635), True), (410, 625, 490, 640), "since May")
    text = read([form]).pages[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    assert ["Has it any debts", "", "[x]"] in rows
    assert ["Does it lend money", "[x]", "since May"] in rows
