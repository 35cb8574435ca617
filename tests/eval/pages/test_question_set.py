import pytest

from khub.components.errors import KhubError
from khub.eval.pages.question_set import Question, read_page_set

pytestmark = pytest.mark.unit
GOOD = '{"question": "Who?", "evidence": [{"source": "birds.pdf", "page": 2}, {"source": "birds.pdf", "page": 2}]}'


def test_what_is_read(page_set):
    folder = page_set(questions=[GOOD, "", '{"id": 7, "question": "Why?", "evidence": []}'])
    read = read_page_set(folder)
    assert (read.name, read.documents) == ("small", folder / "documents")
    assert read.questions == (
        Question("1", "Who?", True, (("birds.pdf", 2),)),
        Question("7", "Why?", False, ()),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is not JSON"),
        ("[]", "line 2: 'question' is None"),
        ('{"question": " "}', "line 2: 'question' is ' '"),
        ('{"question": "x", "evidence": "birds.pdf"}', "line 2: 'evidence' is 'birds.pdf'"),
        ('{"question": "x", "evidence": [{"source": "birds.pdf", "page": 0}]}', "line 2: a page of 'evidence' is 0"),
        ('{"question": "x", "evidence": [{"source": "birds.pdf"}]}', "line 2: a page of 'evidence' is None"),
        (
            '{"question": "x", "evidence": [{"source": "bird.pdf", "page": 1}]}',
            "'bird.pdf', which is not in documents/",
        ),
        ('{"question": "x", "answerable": "no"}', "line 2: 'answerable' is 'no'"),
        ('{"id": "1", "question": "x"}', "line 2: id '1' is there twice"),
    ],
)
def test_mistakes_name_the_line(page_set, line, message):
    with pytest.raises(KhubError, match=r"questions\.jsonl") as caught:
        read_page_set(page_set(questions=[GOOD, line]))
    assert message in caught.value.message
    assert caught.value.remedy


def test_missing_parts(page_set, tmp_path):
    with pytest.raises(KhubError, match="no folder"):
        read_page_set(tmp_path / "gone")
    with pytest.raises(KhubError, match="holds no question"):
        read_page_set(page_set(questions=[]))
    folder = page_set("second")
    (folder / "questions.jsonl").unlink()
    with pytest.raises(KhubError, match="cannot be read"):
        read_page_set(folder)
