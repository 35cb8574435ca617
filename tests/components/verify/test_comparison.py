import pytest

from khub.components.verify.comparison import compare
from khub.components.verify.statements import Statement

pytestmark = pytest.mark.unit


def said(claim, text, about="", same_language=True, words=None):
    found = compare(claim, Statement(text, words or text, about, "", None), same_language)
    if found.agrees:
        return "agrees"
    if found.opposes:
        return found.denied or [(fact.text, other) for fact, other in found.differs]
    return found.unsure or [fact.text for fact in found.missing] or "other"


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("valid for two years", "valid for 24 months"),
        ("奖励八十万元", "奖励 800,000 元"),
        ("It stops in June 2025", "It stops on 15 June 2025"),
        ("The window opens at 22:00", "The window opens at 10:00 pm"),
        ("It is never stored", "It is never stored there"),
        ("本身不支持插图", "它本身不支持插图功能"),
        ("A PowerPoint file opens", "any PowerPoint file opens"),
        ("At most three floats on a page", "No more than 3 floats on a page"),
        (
            "Opened 22 new shops, with two relocations, in 2021",
            "Opened 22 new shops, with two relocations, in 2021, and plans five relocations",
        ),
    ],
)
def test_the_same(claim, text):
    assert said(claim, text) == "agrees"


@pytest.mark.parametrize(
    ("claim", "text", "difference"),
    [
        ("lifts up to 500 kg", "lifts up to 300 kg", [("500 kg", "300 kg")]),
        ("reserve 100 GB for users", "reserve 100 MB for users", [("100 GB", "100 MB")]),
        ("released on 15 June 2025", "released on 30 September 2025", [("15 June 2025", "30 September 2025")]),
        ("runs every Friday at 22:00", "runs every Wednesday at 22:00", [("Friday", "Wednesday")]),
        ("描述不应超过七十二个字符", "描述不应超过 60 个字符", [("七十二", "60")]),
        ("rows are kept by TiKV", "rows are kept by TiFlash", [("TiKV", "TiFlash")]),
        ("It is possible to create one", "It is not possible to create one", "not"),
        ("The video is never stored", "The video is stored", "never"),
        ("It no longer supports it", "It supports it", "no longer"),
        ("文件名区分大小写", "文件名不区分大小写", "不"),
    ],
)
def test_differences(claim, text, difference):
    assert said(claim, text) == difference
    assert said(text, claim) != "agrees"


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        # the other unit, the other name, or nothing of it
        ("lifts up to 500 kg", "lifts up to 300 metres"),
        ("Ruth keeps the keys", "the guard keeps the keys"),
        ("It came in 2009", "It came on 1 January 2026"),
        # the number stands in another clause, or beside another word
        ("color defines 19 names", "color defines 8 names, and with xcolor there are 19"),
        ("两个在底部", "其中顶部不超过两个，底部不超过一个"),
        ("article uses twoside", "article uses oneside, book uses twoside"),
        ("李四负责复核", "由张三负责，李四参加复核"),
        # something else is denied
        ("It supports pictures and needs no package", "It supports no pictures and needs a package"),
        ("All sites open on Monday", "All sites except Lyon open on Monday"),
    ],
)
def test_doubt(claim, text):
    found = compare(claim, Statement(text, text, "", "", None), True)
    assert not found.agrees
    assert not found.opposes


def test_rows_are_compared_cell_by_cell():
    row = "Item: Robot; Price: 28400 EUR; Warranty: 24 months"
    assert said("The robot has a warranty of 24 months", row, words="Robot; 28400; 24") == "agrees"
    assert said("The robot has a warranty of 12 months", row, words="Robot; 28400; 24") == [("12 months", "24 months")]


def test_names_may_stand_above():
    assert said("The Ember 300 lifts 300 kg", "It lifts 300 kg", "Ember 300 manual") == "agrees"
    assert said("The Ember 400 lifts 300 kg", "It lifts 300 kg", "Ember 300 manual") == ["400"]


def test_between_languages_a_number_among_others_is_in_doubt():
    text = "单个文件限时 60 秒，内存 1,500 MB"
    assert said("A file may take 60 seconds", text, same_language=False) == "agrees"
    assert said("A file may take 90 seconds", text, same_language=False) == [("90 seconds", "60 秒")]
    assert said("It may take 60 seconds", "限时 60 秒，重试 90 秒", same_language=False) == "values"
    assert said("It may not take 60 seconds", "限时 60 秒", same_language=False) == "negation"


def test_what_is_said_word_for_word_within_a_denial_is_not_confirmed():
    claim = "it opened 22 shops in 2021"
    assert said(claim, f"Nobody says that {claim}") != "agrees"
    assert said(claim, f"The board did not confirm that {claim}") != "agrees"
