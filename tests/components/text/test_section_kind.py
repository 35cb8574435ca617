import pytest

from khub.components.text.section_kind import section_kind

pytestmark = pytest.mark.unit

CITED = """\
[1] Adam Amber and Bea Birch. On herons. Journal of Birds, 12(3): 4-19, 2011.

[2] Carl Cedar et al. Storks by night. arXiv:1203.0001, 2012.

[3] Dora Dogwood. Cranes. Meadow Press, 2013.
"""
CONTENTS = "1 Herons . . . . . . . . 3\n1.1 Nests ........ 4\n2 Storks ............. 17\n"
COSTS = "Herons ........ 30\nStorks ............ 4\nCranes ............ 17\n"


@pytest.mark.parametrize(
    ("section", "kind"),
    [
        ("Birds > References", "references"),
        ("7. BIBLIOGRAPHY", "references"),
        ("论文 > 参 考 文 献", "references"),
        ("主要参考资料：", "references"),
        ("ITEM 15. EXHIBITS, FINANCIAL STATEMENT SCHEDULES", "exhibits"),
        ("Index to Exhibits", "exhibits"),
        ("Subject Index", "index"),
        ("目录", "contents"),
        ("Table of Contents", "contents"),
        ("References > Herons", None),
        ("Reference values", None),
        ("Consumer price index", None),
        ("The exhibits of the museum", None),
        ("价格指数", None),
        ("", None),
    ],
)
def test_the_last_heading_names_the_kind(section: str, kind: str | None) -> None:
    assert section_kind(section, "Herons nest in trees.") == kind


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (CITED, "references"),
        (CONTENTS, "contents"),
        (COSTS, None),
        ("In 2011 a heron came, as the Journal tells.\n\nIt stayed.\n\nIt left in 2012.", None),
        ("| Journal of Birds | 2011 |\n| --- | --- |\n| Meadow Press | 2012 |\n| A Journal | 2013 |", None),
    ],
)
def test_most_lines_show_the_kind_where_the_heading_was_lost(content: str, kind: str | None) -> None:
    assert section_kind("7 Conclusions", content) == kind
