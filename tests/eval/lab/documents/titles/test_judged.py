"""What counts as a usable title."""

import pytest

from khub.eval.lab.documents.titles.judged import FURTHER, is_usable, read_judged

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("title", "usable"),
    [
        ("COSTCO Wholesale · FORM 10-K", True),
        ("Costco annual report", True),
        ("Costco 10K", True),
        ("FORM 10-K", False),
        ("Costco", False),
        ("Costco 10-K " + "word " * FURTHER, True),
        ("Costco 10-K " + "word " * (FURTHER + 1), False),
    ],
)
def test_a_title_is_usable_with_all_parts_of_one_and_few_further_words(title, usable):
    assert is_usable(title, ["Costco + 10-K", "Costco + annual report"]) is usable


def test_every_document_was_judged_once_and_both_halves_hold_many():
    judged = read_judged()
    assert len({(one.file, one.sha256) for one in judged}) == len(judged)
    assert all(one.titles and all(map(str.strip, one.titles)) and len(one.sha256) == 64 for one in judged)
    halves = [one.half for one in judged]
    assert min(halves.count("choose"), halves.count("measure")) > 100
