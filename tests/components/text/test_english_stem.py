import threading

import pytest

from khub.components.text.english_stem import stem

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("word", ["charge", "charged", "charges", "charging"])
def test_the_forms_of_a_word_have_one_stem(word: str) -> None:
    assert stem(word) == "charg"


@pytest.mark.parametrize("word", ["is", "us", "i5", "os.path", "naïves", "配置", ""])
def test_what_is_no_longer_english_word_stays(word: str) -> None:
    assert stem(word) == word


def test_threads_may_stem_at_the_same_time() -> None:
    words = [f"{'abcdefghij'[n % 10] * (n // 10 % 9 + 2)}ings" for n in range(2000)]
    expected = [stem.__wrapped__(word) for word in words]
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append([stem.__wrapped__(word) for word in words])) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [expected] * 4
