import pytest

from khub.components.text.nearest_name import nearest

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("defualt", ["notes", "default"], "did you mean 'default'?"),
        ("TOPK", ["top_k", "Top_P"], "did you mean 'top_k'?"),
        ("产品手测", ["产品手册", "人事"], "did you mean '产品手册'?"),
        ("colour", ["top_k"], "other"),
        ("x", [], "other"),
    ],
)
def test_nearest(name, known, said):
    assert nearest(name, known, "other") == said
