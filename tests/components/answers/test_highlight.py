import pytest

from khub.components.answer import Preference
from khub.components.answers.highlight import Highlighter
from khub.components.question import Expansion, Question

pytestmark = pytest.mark.unit

ENGLISH = (
    "# Travel budget\n\nTrips are planned early, e.g. in January. The budget is 3.5 million euros for all trips. "
    "Who travels asks first.\nHotels are booked\nby the office."
)
CHINESE = "差旅要提前计划。“每人每年的差旅预算为三百元。”超出部分自理！酒店由办公室预订；发票交财务。"


def key(text: str, question: str, **rarity: float) -> str:
    return Highlighter.of(Question(question), rarity).sentence(text)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What is the budget in euros?", "The budget is 3.5 million euros for all trips."),
        ("When are trips planned?", "Trips are planned early, e.g. in January."),
        ("Who books the hotels at the office?", "Hotels are booked\nby the office."),
    ],
)
def test_the_sentence_with_the_words_of_the_question(question: str, sentence: str) -> None:
    assert key(ENGLISH, question) == sentence


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("每年的差旅预算是多少？", "“每人每年的差旅预算为三百元。”"),
        ("谁预订酒店", "酒店由办公室预订；"),
        ("发票交给谁", "发票交财务。"),
    ],
)
def test_chinese_sentences_end_at_their_marks_and_keep_the_closing_quote(question: str, sentence: str) -> None:
    assert key(CHINESE, question) == sentence


def test_rare_words_weigh_more_and_unknown_ones_as_much_as_the_rarest() -> None:
    text = "All trips are planned. The budget counts. The zeppelin waits."

    assert key(text, "planned trips budget", plan=0.1, trip=0.1, budget=3.0) == "The budget counts."
    assert key(text, "planned trips budget", plan=2.0, trip=2.0, budget=3.0) == "All trips are planned."
    assert key(text, "budget zeppelin", budget=2.0) == "The budget counts."
    assert key(text, "planned zeppelin trips", plan=0.1, trip=0.1, budget=3.0) == "The zeppelin waits."


def test_a_heading_stands_in_only_where_no_sentence_has_a_word() -> None:
    assert key("## Travel budget\n\nThe budget is 300.", "travel budget") == "The budget is 300."
    assert key("## Travel budget\n\nIt is 300.", "travel budget") == "## Travel budget"


def test_without_a_common_word_there_is_none() -> None:
    assert key(ENGLISH, "差旅预算") == ""
    assert key("", "budget") == ""
    assert key("[IMAGE: budget_1_1]\nText.", "budget") == ""


def test_of_equal_sentences_the_first() -> None:
    assert key("The budget is 1. The budget is 2.", "budget") == "The budget is 1."


def test_rows_of_a_table_are_sentences() -> None:
    assert (
        key("| city | limit |\n| --- | --- |\n| Paris | 200 |\n| Rome | 150 |", "limit in Rome", rome=3.0, limit=1.0)
        == "| Rome | 150 |"
    )


CITIES = (
    "The limit is set each year.\n\n| city | limit per night of a hotel |\n| --- | ---: |\n"
    "| Paris | 200. Breakfast is in it. |\n| Rome | 150 |\n"
)


def test_the_row_that_matches_comes_before_the_header_of_its_table() -> None:
    assert key(CITIES, "What is the limit per night of a hotel in Rome?") == "| Rome | 150 |"


def test_a_row_is_one_sentence_whatever_stands_in_its_cells() -> None:
    assert key(CITIES, "limit per night in Paris") == "| Paris | 200. Breakfast is in it. |"


def test_the_header_helps_no_row_that_has_no_word_itself_and_stands_in_where_nothing_else_has_one() -> None:
    assert key(CITIES, "limit of a hotel") == "The limit is set each year."
    assert key(CITIES.partition("\n\n")[2], "limit of a hotel") == "| city | limit per night of a hotel |"


def test_bars_outside_of_a_table_make_no_header() -> None:
    assert (
        key("| a limit | of the hotel |\nRome has none.", "limit of the hotel in Rome") == "| a limit | of the hotel |"
    )


def expansion(of: str, *terms: str, weight: float = 0.6) -> Expansion:
    return Expansion(list(terms), False, weight, of)


def test_a_translation_stands_in_for_its_term_and_counts_less() -> None:
    def marked(text: str, **weights: float) -> str:
        ways = [expansion("budget", "预算"), expansion("hotel", "酒店")]
        return Highlighter.of(Question("budget hotel", expansions=ways), weights).sentence(text)

    assert marked(CHINESE) == "“每人每年的差旅预算为三百元。”"
    assert marked("预算由财务管理。The budget is 300.") == "The budget is 300."
    assert marked("酒店预算由财务管理。The budget is 300.") == "酒店预算由财务管理。"
    assert marked("预算预算。The hotel.", budget=2.0, hotel=1.0) == "预算预算。"


def test_of_several_other_words_the_surest_counts_and_none_more_than_the_term() -> None:
    ways = [expansion("budget", "预算", weight=0.3), expansion("budget", "经费", weight=2.5)]
    highlighter = Highlighter.of(Question("budget trip", expansions=ways), {"budget": 1.0, "trip": 1.2})

    assert highlighter.sentence("预算。经费。") == "经费。"
    assert highlighter.sentence("预算经费。Trips.") == "Trips."


def test_a_synonym_is_of_a_word_as_it_was_typed_and_may_be_of_several_tokens() -> None:
    ways = [expansion("Holidays", "annual", "leav", weight=0.5), expansion("", "report"), expansion("trip", "report")]
    text = "Annual reports are due. Annual leave is 25 days."

    assert Highlighter.of(Question("holidays", expansions=ways), {}).sentence(text) == "Annual leave is 25 days."
    assert key(text, "holidays") == ""


def test_the_sentence_with_a_number_is_marked_where_one_is_asked_for() -> None:
    text = "Hotels are booked by the office. A night costs 150 euros."
    weights = {"hotel": 1.0, "offic": 0.5, "night": 1.0}

    assert key(text, "How much is a hotel night of the office?", **weights) == "A night costs 150 euros."
    assert key(text, "Which hotel, for a night of the office?", **weights).startswith("Hotels")
    assert key(text, "How much is a hotel?", **weights).startswith("Hotels")


RELEASES = (
    "# Release notes\n\nAll that changed.\n\n## 2.3.1\n\nFixes the login loop.\n\n## 2.3.10\n\nAdds dark mode.\n\n"
    "## 3.2.1\n\nChanges the default port to 8443, as in 2.3.10.\n"
)
CHANGELOG = (
    "## [1.2.0] - 2024-05-01\n\n### Added\n\n- Export to CSV.\n\n### Fixed\n\n- A crash of empty lists.\n\n"
    "## [1.20.0] - 2024-05-11\n\n### Fixed\n\n- What changed most is the theme.\n"
)
PARTS = "## AB-120\n\nFits the small pump.\n\n## AB-1200\n\nThe weight of it is 30 kg.\n"
RULES = (
    "## 4.1 总则\n\n审批由部门负责。\n\n## 4.10 加班\n\n需提前一天申请。\n\n"
    "## 4.11 调休\n\n4.10 规定以外的按本条规定办理。\n"
)
PLAIN = "2.3.1\nFixes the login loop.\n\n2.3.10 (2024-03-10)\nAdds dark mode.\n\n3.2.1\nChanges the default port.\n"


@pytest.mark.parametrize(
    ("text", "question", "sentence"),
    [
        (RELEASES, "what changed in 2.3.10", "Adds dark mode."),
        (RELEASES, "what changed in 2.3.1?", "Fixes the login loop."),
        (RELEASES, "what changed in v3.2.1", "Changes the default port to 8443, as in 2.3.10."),
        (RELEASES, "2.3.10版本有什么变化", "Adds dark mode."),
        (CHANGELOG, "what changed in 1.2.0", "- Export to CSV."),
        (CHANGELOG, "what was fixed in 1.2.0", "- A crash of empty lists."),
        (CHANGELOG, "what changed on 11 May 2024", "- What changed most is the theme."),
        (PARTS, "weight of AB-120", "Fits the small pump."),
        (RULES, "4.10 的规定是什么", "需提前一天申请。"),
        (PLAIN, "what changed in 2.3.10", "Adds dark mode."),
    ],
)
def test_what_stands_under_the_heading_with_the_very_code_is_marked(text: str, question: str, sentence: str) -> None:
    assert key(text, question) == sentence


def test_the_section_in_which_a_passage_begins_is_its_first_heading() -> None:
    text = "Adds dark mode.\n\n## 3.2.1\n\nChanges the default port."
    marks = Highlighter.of(Question("what changed in 2.3.10"), {})

    assert marks.sentence(text, "Release notes > 2.3.10") == "Adds dark mode."
    assert marks.sentence(text, "Release notes > 2.3.1") == "Changes the default port."


def test_without_such_a_heading_a_sentence_that_holds_the_code_is_marked() -> None:
    text = "Changes the default port, a change for all. Version 2.3.10 adds dark mode. Version 2.3.1 changes nothing."

    assert key(text, "what changed in 2.3.10", change=3.0) == "Version 2.3.10 adds dark mode."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("## 2025\n\nThe fee is 80 euro.\n\n## 2023\n\nThe fee is 30 euro.\n", "The fee is 80 euro."),
        ("## 2023\n\nThe fee is 30 euro.\n\n## 2025\n\nThe fee is 80 euro.\n", "The fee is 80 euro."),
        ("| fee | euro |\n|---|---|\n| fee 2023 | 30 |\n| fee 2025 | 80 |\n", "| fee 2025 | 80 |"),
    ],
)
def test_of_equally_good_sentences_the_newest_is_marked_where_that_is_asked_for(text: str, sentence: str) -> None:
    newest = [Preference("newest", None, "latest")]

    assert Highlighter.of(Question("latest fee", preferences=newest), {}).sentence(text) == sentence


def test_a_year_is_no_code() -> None:
    passing = "The margin fell to 11 percent. In 2021 a store was opened."
    assert key(passing, "margin in percent 2021") == "The margin fell to 11 percent."


def test_the_rule_of_a_table_is_never_marked() -> None:
    assert (
        key("## 2.3.10\n\n| a | b |\n| --- | --- |\n| dark | mode |\n", "what changed in 2.3.10") == "| dark | mode |"
    )


def test_the_row_of_the_very_version_is_marked() -> None:
    rows = ["| 4.0 | 11 March 2025 | 30 June 2026 |", "| 4.1 | 30 May 2025 | 31 March 2027 |"]
    table = "\n".join(
        ["| Version | Released | Fixes until |", "| --- | --- | --- |", *rows, "| 4.2 | 1 May 2026 | 2029 |"]
    )

    assert key(f"## Support\n\n{table}", "Until when does version 4.1 get fixes?") == rows[1]
    assert key(f"## Support\n\n{table}", "Until when does version 4.0 get fixes?") == rows[0]
