"""Questions that begin with the name of an organisation, or have 中 in them, are narrowed by no rule."""

import pytest
from haystack import Pipeline

from khub.components.query.intent_router import IntentRouter
from khub.components.query.query_analyzer import QueryAnalyzer
from khub.components.query.query_filters import QueryFilters

pytestmark = pytest.mark.unit

TITLES = [
    "中国人民大学", "中国人民大学2023年报", "北京大学", "中国科学院", "中国银行", "中国银行理财产品说明书",
    "华为技术有限公司", "中信证券研究报告", "上海中心大厦", "中华人民共和国劳动合同法", "腾讯控股2022年度报告",
    "员工手册", "采购合同", "中学",
]  # fmt: skip
QUESTIONS = """
中国人民大学中法学院的院长是谁？
中国人民大学苏州校区在哪里
中国人民大学2023年招收了多少本科生？
中国人民大学附属中学什么时候建校
中国人民大学的校训怎么翻译
中国人民大学出版社出过哪些统计学教材？
北京大学第三医院的挂号流程是怎样的
北京大学光华管理学院中有几个系
北京大学图书馆里可以借相机吗
北京大学2024年研究生复试分数线是多少？
中国科学院大学的前身是什么
中国科学院自动化所在中关村吗？
中国科学院院士中女性占多少
中国科学院上海分院有哪些研究所
中国银行业协会的会长是谁
中国银行保险监督管理委员会在哪一年成立？
中国银行股份有限公司2022年在香港的净利润
中国银行的信用卡年费怎么减免
华为技术有限公司在欧洲的研发中心有几个？
华为和中兴在专利上谁更多
华为云中如何重置密码？
中信证券的首席经济学家是谁
中信银行与中信证券是什么关系？
中信建投证券在2021年的承销额是多少
上海中心大厦的阻尼器有多重？
上海中医药大学在哪个区
中华人民共和国劳动合同法中试用期最长多久？
中华人民共和国民法典里对租赁期限怎么规定
腾讯控股2022年度报告里提到的云业务收入是多少
腾讯会议中怎么共享屏幕？
腾讯音乐在美国上市是哪一年
员工手册中年假有几天？
在员工手册里加班怎么算
采购合同中的违约金比例是多少？
服务器采购合同的验收标准在哪一条
中学教师资格考试科目有哪些
集中供暖从几月开始？
心中有数是什么意思
中间件中的超时在哪里设置？
这份报告中最新的毛利率是多少
""".strip().splitlines()
STAGES = {"route": IntentRouter, "filter": QueryFilters, "analyze": QueryAnalyzer}


@pytest.fixture
def shelf(library):
    for title in TITLES:
        library.add(f"/files/{title}.pdf", [f"{title}的正文"], title=title, doc_type="pdf", template=library.memory)
    library.add("/files/笔记.md", ["笔记"], template=library.memory)


def test_no_filter_comes_of_a_name(shelf):
    pipeline = Pipeline()
    for name, stage in STAGES.items():
        pipeline.add_component(name, stage())
    pipeline.connect("route.question", "filter.question")
    pipeline.connect("filter.question", "analyze.question")
    assert len(QUESTIONS) == 40
    preferred = 0
    for asked in QUESTIONS:
        question = pipeline.run({"route": {"query": asked, "collection": "books"}})["analyze"]["question"]
        assert (question.filters, question.applied_filters, question.text) == (None, [], asked)
        preferred += bool(question.preferences)
    assert preferred > 10  # the names are known, and only weigh
