import pytest

from khub.components.text.language import detect_language

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "und"),
        ("123 -- ！？", "und"),
        ("привет мир", "und"),
        ("What is reciprocal rank fusion?", "en"),
        ("Größe über alles, ça va", "en"),
        ("ＲＲＦ", "en"),
        ("RRF 是什么", "zh"),
        ("Kubernetes Pod 是什么", "zh"),
        ("战国无双3是由哪两个公司合作开发的？", "zh"),
        ("The Chinese word 你好 means hello in everyday English conversation", "en"),
        ("商品の「の」字随处可见，中国商家也常常使用这个假名来装饰招牌", "zh"),
        ("東京都の経済について教えてください", "ja"),
        ("カタカナ", "ja"),
        ("대한민국의 수도는 서울입니다", "ko"),
        ("𠀀𠀁", "zh"),
    ],
)
def test_language(text, language):
    assert detect_language(text) == language
