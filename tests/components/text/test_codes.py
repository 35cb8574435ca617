import pytest

from khub.components.text.codes import codes_in, codes_of_heading, is_label

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2.3.1", "2.3.10"),
        ("2.3.1", "12.3.1"),
        ("2.3", "2.3.0"),
        ("2.3.10", "2.3.10-beta.1"),
        ("AB-120", "AB-1200"),
        ("AB-120", "CAB-120"),
        ("E-4012", "E-4012A"),
        ("2024-03-01", "2024-03-10"),
        ("section 4", "section 14"),
        ("第四条", "第十四条"),
        ("GB/T 7714-2015", "GB/T 7714-2005"),
    ],
)
def test_a_code_is_no_part_of_another(one: str, other: str) -> None:
    assert codes_in(one)
    assert codes_in(one).isdisjoint(codes_in(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What changed in v2.3.10?", "2.3.10"),
        ("2.3.10版本有什么变化", "Version 2.3.10"),
        ("weight of ab120", "AB-120"),
        ("2024年3月1日发生了什么", "2024-03-01"),
        ("on 10 March 2024", "2024/3/10"),
        ("第4条", "第四条"),
        ("section 4", "第四章"),
    ],
)
def test_a_code_is_known_in_other_spellings(one: str, other: str) -> None:
    assert codes_in(one) & codes_in(other)


@pytest.mark.parametrize(
    "text", ["is 2.5 kg allowed", "3.5% of it", "In 30 days", "no number at all", "他有多少", "第一款产品", "UTF8"]
)
def test_an_amount_is_none(text: str) -> None:
    assert not codes_in(text)


def test_a_heading_begins_with_its_number() -> None:
    assert codes_of_heading("4. Accounts") & codes_in("What does section 4 say?")
    assert codes_of_heading("40 Accounts").isdisjoint(codes_in("What does section 4 say?"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2.3.10 (2024-03-01)", True),
        ("**v2.3.10**", True),
        ("Version 2.3.10:", True),
        ("AB-120 weighs 3 kg", False),
        ("", False),
    ],
)
def test_a_line_that_holds_nothing_else_is_a_label(line: str, expected: bool) -> None:
    assert is_label(line) is expected
