"""In which language a question is to be answered."""

from components.query.stopwords import ENGLISH
from components.text.language import HAN_RUNS, detect_language
from components.text.tokenizer import tokenize


def question_language(query: str) -> str:
    """Name the language of a question, also of a Chinese one that is made mostly of Latin names.

    Who writes English uses words like `what`, `the` or `of`: without any, a question with Chinese characters is
    Chinese, however many names it holds (`Ember 300 Operator Manual E-4012 处理`).

    :param query: the question.
    :returns: as `detect_language` does.
    """
    detected = detect_language(query)
    if detected == "en" and HAN_RUNS.search(query) and ENGLISH.isdisjoint(tokenize(query)):
        return "zh"
    return detected
