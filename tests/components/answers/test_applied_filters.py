from dataclasses import replace

import pytest

from khub.components.answer import AppliedFilter
from khub.components.answers.applied_filters import by_page, only_filters

pytestmark = pytest.mark.unit

TYPED = [AppliedFilter("", "question", "type:html")]


@pytest.mark.parametrize(
    ("text", "found"), [("page:3", True), ("type:pdf page:3", True), ("-page:3", False), ("title:homepage:3", False)]
)
def test_a_filter_by_pages(text: str, found: bool) -> None:
    assert by_page([AppliedFilter(text, "caller", "")]) == found
    assert not by_page([AppliedFilter(text, "caller", "", dropped="nothing matches")])


@pytest.mark.parametrize(
    ("searched", "applied", "only"),
    [
        ("type:html", TYPED, True),
        ("beacon", TYPED, False),
        ("type:html", [replace(TYPED[0], dropped="nothing matches")], False),
        ("beacon", [AppliedFilter("", "caller", "")], False),
        ("?!", [], False),
    ],
)
def test_a_question_that_names_only_where_to_look(searched: str, applied: list[AppliedFilter], only: bool) -> None:
    assert only_filters(searched, applied) == only
