import base64
import json

import pytest

from khub.components.converters.conversion import build_markitdown, convert_bytes
from khub.components.errors import SourceError
from tests.components.converters.files import png

pytestmark = pytest.mark.unit


def read(cells, **metadata):
    book = json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}).encode()
    return convert_bytes(build_markitdown(), book, "a.ipynb", 50)


def code(source, *outputs):
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


PICTURE = base64.b64encode(png()).decode()


def test_language_outputs_and_metadata():
    stream = {"output_type": "stream", "text": [f"line {n}\n" for n in range(50)]}
    error = {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["long"]}
    converted = read([code("f(1)", stream), code("g", error)], language_info={"name": "R"}, authors=[{"name": "Ann"}])
    text = converted["text"]
    assert text.startswith("```r\nf(1)\n```\n\nOutput:\n\n```\nline 0\n")
    assert "line 19\n…\n```" in text
    assert "line 20" not in text
    assert text.endswith("```\nKeyError: 'x'\n```")
    assert converted["metadata"] == {"author": "Ann", "programming_language": "r"}


def test_figures_become_pictures():
    shown = {"output_type": "display_data", "data": {"image/png": PICTURE, "text/plain": "<Figure>"}}
    text_cell = {
        "cell_type": "markdown",
        "source": "See ![plan](attachment:p.png)",
        "attachments": {"p.png": {"image/png": PICTURE}},
    }
    converted = read([text_cell, code("plot()", shown)])
    assert converted["text"] == "See plan\n\n[IMAGE: 1@0]\n\n```python\nplot()\n```\n\n[IMAGE: 2@0]"
    assert len(converted["pictures"]) == 2


def test_first_heading_is_the_title():
    assert read([{"cell_type": "markdown", "source": ["# Study\n", "text"]}])["title"] == "Study"


def test_fence_longer_than_those_inside():
    assert read([code("```\nx\n```")])["text"] == "````python\n```\nx\n```\n````"


def test_format_3():
    cells = [
        {"cell_type": "heading", "level": 1, "source": ["Study of\n", "pumps"]},
        {"cell_type": "markdown", "source": ["Text ", "as it is"]},
        {
            "cell_type": "code",
            "language": "python",
            "input": ["print(1)\n", "plot()"],
            "outputs": [
                {"output_type": "stream", "stream": "stdout", "text": ["\x1b[31m1\x1b[0m\n"]},
                {"output_type": "pyout", "prompt_number": 1, "text": ["<Figure>"], "png": PICTURE},
                {"output_type": "pyerr", "ename": "KeyError", "evalue": "'x'", "traceback": []},
            ],
        },
    ]
    book = {"metadata": {"name": "Untitled0"}, "nbformat": 3, "worksheets": [{"cells": cells}]}
    converted = convert_bytes(build_markitdown(), json.dumps(book).encode(), "a.ipynb", 50)
    assert converted["title"] == "Study of pumps"
    assert converted["text"] == (
        "# Study of pumps\n\nText as it is\n\n```python\nprint(1)\nplot()\n```"
        "\n\nOutput:\n\n```\n1\n```\n\n[IMAGE: 1@0]\n\n```\nKeyError: 'x'\n```"
    )
    assert len(converted["pictures"]) == 1


@pytest.mark.parametrize("data", [b'{"worksheets": 3}', b"[]", b"{", b'{"cells": 3}'])
def test_no_notebook(data):
    with pytest.raises(SourceError, match="is no notebook"):
        convert_bytes(build_markitdown(), data, "a.ipynb", 50)
