import pytest

from components.verify.exceptions import contradicting_exception

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("claim", "statement", "phrase"),
    [
        ("The Ember 300 needs training.", "All robots need training, except the Ember 300.", "except the Ember 300"),
        ("The Ember 300 needs training.", "All robots except the Ember 300 need training.", "except the Ember 300 n"),
        ("The desk answers on weekends.", "It answers daily except on holidays and weekends.", "except on holidays"),
        ("All staff except interns get a bonus", "Interns get a bonus", "except interns"),
        ("Visitors park here.", "Everybody parks here, with the exception of visitors.", "with the exception of"),
        ("周末有人值班", "除周末外，每天都有人值班", "除周末外"),
        ("图书馆除周一之外每天开放", "图书馆周一开放", "除周一之外"),
        ("上海办公室需要门禁卡", "除了上海、北京以外，各办公室都需要门禁卡", "除了上海、北京以外"),
    ],
)
def test_what_one_side_leaves_out_and_the_other_speaks_of(claim: str, statement: str, phrase: str) -> None:
    assert contradicting_exception(claim, statement).startswith(phrase)


@pytest.mark.parametrize(
    ("claim", "statement"),
    [
        ("Trips to Lyon need approval.", "All trips need approval, except trips to Paris."),
        ("All robots but one need training.", "All robots need training."),
        ("Robots other than the Ember 300 need training.", "All robots except the Ember 300 need training."),
        ("周末有人值班", "除了周末以外，节假日也有人值班"),
        ("上海办公室需要门禁卡", "除北京外，各办公室都需要门禁卡"),
        ("The price before VAT is 40 euros.", "The price is 40 euros excluding VAT."),
        ("All employees but interns get leave.", "All employees except interns get leave."),
        ("实习生以外的员工都有年假", "除实习生外，员工都有年假"),
        ("图书馆周末关闭", "图书馆除周末外每天开放"),
        ("The owner may delete it.", "Nobody except the owner may delete it."),
        ("Lyon is closed", "Other than Lyon, all sites are open"),
    ],
)
def test_what_both_say_or_what_comes_in_addition(claim: str, statement: str) -> None:
    assert contradicting_exception(claim, statement) == ""
