import pytest
from haystack import Document

from components.enrichers.code_normalizer import CodeNormalizer
from components.errors import GraphError

pytestmark = pytest.mark.unit


def normal(text: str, **parameters: int) -> str:
    return CodeNormalizer(**parameters).run([Document(content=text)])["documents"][0].content or ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Before.\n\n~~~ Py\n\ndef f():\n\treturn 1   \n\n~~~\n\nAfter.",
         "Before.\n\n```python\ndef f():\n    return 1\n```\n\nAfter."),
        ("````\n```\ninner\n```\n````", "````\n```\ninner\n```\n````"),
        ("```sh title=\"x\"\nls\n```", "```bash title=\"x\"\nls\n```"),
        ("Tabs\toutside stay.  \n", "Tabs\toutside stay.  \n"),
        ("```python\nnever closed\t\n\n# what follows", "```python\nnever closed\n\n# what follows"),
    ],
)  # fmt: skip
def test_code_gets_one_form(text: str, expected: str) -> None:
    assert normal(text) == expected
    assert normal(expected) == expected


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("import os\nprint(os.name)", "python"),
        ("$ pip install x", "bash"),
        ('{"a": [1, 2]}', "json"),
        ("SELECT name\nFROM robots", "sql"),
        ("#include <stdio.h>", "cpp"),
        ("<html><body></body></html>", "html"),
        ("just words", ""),
    ],
)
def test_a_language_that_shows_is_named_unless_that_is_switched_off(code: str, language: str) -> None:
    assert normal(f"```\n{code}\n```") == f"```{language}\n{code}\n```"
    assert normal(f"```\n{code}\n```", guess_language=False) == f"```\n{code}\n```"


def test_tab_stops() -> None:
    assert normal("```c\n\tx\n```", tab_width=2) == "```c\n  x\n```"
    with pytest.raises(GraphError, match="tab_width=0"):
        CodeNormalizer(tab_width=0)
