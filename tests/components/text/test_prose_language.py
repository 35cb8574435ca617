import pytest

from components.text.language import detect_language
from components.text.prose_language import prose_language

pytestmark = pytest.mark.unit

CODE = "```shell\ngcloud kms keys create key-name --location global --purpose encryption\n```"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (f"先创建密钥：\n\n{CODE}\n\n然后重启。", "zh"),
        (f"先创建密钥：\n\n{CODE[:-4]}", "zh"),
        ("把 [`tidb_runtime_filter_mode`](/system-variables.md#tidb-runtime-filter-mode) 设为 `LOCAL`", "zh"),
        ("说明见 https://example.com/docs/guide/how-to-set-up-the-server.html", "zh"),
        ("第一行<br/>二<br/><br/><br/>", "zh"),
        (f"Create the key:\n\n{CODE}\n\n重启", "en"),
        ("The word 密钥 means `key`.", "en"),
        (CODE, "en"),
        (f"{CODE[:-4]} # 密钥\n```", "en"),
        ("これは設定です。", "ja"),
        ("", "und"),
    ],
)
def test_code_and_addresses_say_nothing_of_the_language(text: str, language: str) -> None:
    assert prose_language(text) == language


def test_without_code_it_is_the_language_of_the_whole() -> None:
    for text in ("How deep do herons wade?", "差旅预算 budget", "123"):
        assert prose_language(text) == detect_language(text)
