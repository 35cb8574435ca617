import pytest

from khub.eval.bench.corpus import Corpus
from khub.eval.lab.comparison.chunk import Chunk
from khub.eval.lab.comparison.known_items import Question, check_found, make_questions
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def chunks():
    english, chinese = Corpus("en", 1), Corpus("zh", 1)
    texts = [text for _ in range(20) for text in (english.document(500), chinese.document(300))]
    return [Chunk(str(number), text, text, {}) for number, text in enumerate(texts)]


def test_questions_are_made_of_words_of_their_chunk_and_all_differ(chunks):
    contents = {chunk.id: chunk.content for chunk in chunks}
    questions = make_questions(chunks, 100, seed=1)
    assert len(questions) == len({question.text.lower() for question in questions}) == 100
    chinese = [question for question in questions if not question.text.isascii()]
    assert 25 < len(chinese) < 75
    for text, chunk_id in questions:
        if text.isascii():
            assert 4 <= len(text.split()) <= 8
            assert set(text.split()) <= set(contents[chunk_id].replace(".", " ").split())
        else:
            assert 6 <= len(text) <= 12
            assert text in contents[chunk_id]


def test_the_seed_chooses_the_questions(chunks):
    assert make_questions(chunks, 20, seed=1) == make_questions(chunks, 20, seed=1)
    assert make_questions(chunks, 20, seed=1) != make_questions(chunks, 20, seed=2)


def test_frequent_words_are_passed_over():
    texts = [
        f"the heron{'x' * i} the wades{'y' * i} the slowly{'z' * i} the in the shallow{'w' * i}" for i in range(20)
    ]
    chunks = [Chunk(text, text, text, {}) for text in texts]
    questions = make_questions(chunks, 20, seed=1)
    assert questions
    assert not any("the" in question.text.split() for question in questions)


def test_few_chunks_give_few_questions():
    chunk = Chunk("a", "", "Herons wade slowly across shallow water.", {})
    assert 1 <= len(make_questions([chunk], 50, seed=1)) < 10
    assert make_questions([Chunk("a", "", "1 2 3", {})], 5, seed=1) == []
    assert make_questions([], 5, seed=1) == []


def test_a_search_that_finds_too_little_gets_no_figures():
    check_found("hub", 5, 10, 10)
    with raises_code("evaluation_failed", "4 of 10 chunks", "7 results"):
        check_found("hub", 4, 10, 7)


def test_a_question_is_its_text_and_its_chunk():
    assert Question("a", "b").chunk_id == "b"
