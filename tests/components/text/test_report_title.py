"""What the cover of a company's report says of it."""

import pytest

from khub.components.text.report_title import report_title

pytestmark = pytest.mark.unit

COVER = [
    "UNITED STATES",
    "SECURITIES AND EXCHANGE COMMISSION",
    "FORM 10-K",
    "For the fiscal year ended November 27, 2015",
    "HERON SYSTEMS INCORPORATED",
    "______________",
    "(Exact name of registrant as specified in its charter)",
]


def test_a_filing_is_named_by_company_kind_and_period():
    title = report_title(COVER)
    assert title is not None
    assert title.startswith("HERON SYSTEMS INCORPORATED")
    assert all(part in title for part in ("annual report", "Form 10-K", "fiscal year ended November 27, 2015"))


def test_a_name_and_its_remark_may_stand_on_one_line():
    cover = ["FORM 10-Q", "Heron Foods, Inc. (Exact name of small business issuer as specified in its charter)"]
    title = report_title(cover)
    assert title is not None
    assert title.startswith("Heron Foods, Inc.: quarterly report")


@pytest.mark.parametrize(
    "cover",
    [
        ["公司代码：600000 公司简称：苍鹭股份", "苍鹭科技股份有限公司", "2023 年年度报告"],
        ["苍鹭科技股份有限公司2023年年度报告", "重要提示"],
    ],
)
def test_a_chinese_report_is_named_by_company_and_year(cover):
    title = report_title(cover)
    assert title is not None
    assert title.replace(" ", "").endswith("2023年年度报告")
    assert title.startswith("苍鹭科技股份有限公司")


def test_the_short_name_stands_in_where_the_cover_is_a_picture():
    assert report_title(["公司代码：600000", "公司简称：苍鹭股份", "2023 年半年度报告"]) == "苍鹭股份 2023 年半年度报告"


def test_what_only_speaks_of_a_report_is_none():
    assert report_title(["How to read a Form 10-K", "Companies file it each year."]) is None
    assert report_title(["苍鹭科技股份有限公司", "关于披露2023年年度报告的公告"]) is None
    assert report_title(["2024 年政府信息公开工作年度报告"]) is None
    assert report_title([]) is None
