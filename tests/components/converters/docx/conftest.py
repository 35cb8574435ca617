import pytest

from khub.components.converters.conversion import build_markitdown, convert_bytes
from tests.components.converters.files import word_file


@pytest.fixture(scope="session")
def read_word():
    markitdown = build_markitdown()

    def read(body: str, name: str = "a.docx", **parts):
        return convert_bytes(markitdown, word_file(body, **parts), name, 50)

    return read
