import pytest

from khub.components.text.raised_text import write_raised
from khub.components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("before", "raised", "written"),
    [
        ("10", "6", "^6"),
        ("5×10", "-3", "^-3"),
        ("m", "2", "²"),
        ("units", "1", "¹"),
        ("中国", "12", "¹²"),
        ("Ca", "2+", "²⁺"),
        ("Name", "1,2*", "¹,²*"),
        ("x", "n+1", "^(n+1)"),
        ("Total", "a", "^a"),
        ("", "1", "¹"),
        ("1", "st", "st"),
        ("Brand", "TM", "TM"),
        ("Brand", "®", "®"),
        ("Offers", "(1)", "(1)"),
        ("text", "[3]", "[3]"),
        ("10", " ", " "),
    ],
)
def test_raised_characters(before, raised, written):
    assert write_raised(raised, before) == written


def test_a_search_tells_powers_from_numbers():
    assert "106" not in tokenize("10" + write_raised("6", "10"))
    assert "unit" in tokenize("units" + write_raised("1", "units"))
