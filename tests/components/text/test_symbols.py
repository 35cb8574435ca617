import pytest

from khub.components.text.symbols import index_terms, is_symbol, symbols_in
from khub.components.text.term_search import TermSearch
from khub.components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("🚀 means live", ["🚀"]),
        ("a → b → c ≥ 5 €", ["→", "≥", "€"]),
        ("© ★ ☎ §", ["©", "★", "☎", "§"]),
        ("40℃，高温", ["°"]),
        ("☎\ufe0f 👍🏽", ["☎", "👍"]),
        ("🇩🇪 and 🇪🇺", ["🇩🇪", "🇪🇺"]),
        ("👩\u200d💻", ["👩", "💻"]),
        ("plain text, 中文。“quoted” — a_b $5 + #1 \ufffd", []),
        ("", []),
    ],
)
def test_the_symbols_of_a_text_each_once(text: str, symbols: list[str]) -> None:
    assert symbols_in(text) == symbols
    assert all(map(is_symbol, symbols))
    assert index_terms(text) == [*tokenize(text), *symbols]


def test_no_word_is_one() -> None:
    assert not any(map(is_symbol, tokenize("C++ 2024年3月1日 naïve 東京タワー 서울 don't 1.5% v2.3 €5 🚀")))
    assert not is_symbol("")


def test_a_search_for_terms_finds_symbols_in_whatever_variant() -> None:
    assert TermSearch(["☎", "→", "call"]).held("Call us ☎\ufe0f today") == {"☎", "call"}
    assert TermSearch(["°"]).held("25℃") == {"°"}
