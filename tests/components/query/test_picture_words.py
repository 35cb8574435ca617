import pytest

from khub.components.query.picture_words import asks_for_picture

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text",
    [
        "Show me the chart of sales by quarter",
        "Which figure shows the pipeline?",
        "Is there a screenshot of the login page?",
        "The flow chart of the approval, please",
        "各季度销售额的图表在哪里？",
        "给我看审批流程图",
        "有没有登录页面的截图？",
        "哪张图画了两阶段检索？",
    ],
)
def test_a_picture_is_asked_for(text):
    assert asks_for_picture(text)


@pytest.mark.parametrize(
    "text",
    [
        "What does error code E-4012 mean?",
        "How do I figure out the cause?",
        "差旅住宿标准是多少？",
        "图书馆几点开门？",
        "他的企图是什么？",
        "Who sketched out the plan?",
    ],
)
def test_no_picture_is_asked_for(text):
    assert not asks_for_picture(text)
