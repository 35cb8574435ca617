"""Judged files are read, and their titles counted."""

from hashlib import sha256

import pytest

from khub.eval.lab.documents.titles.judged import Judged
from khub.eval.lab.documents.titles.measure import measure, shares
from tests.components.converters.files import write_pages


@pytest.mark.integration
def test_titles_of_a_folder(tmp_path):
    def judged(name, content, *titles):
        path = tmp_path / "deeper" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return Judged(name, sha256(content).hexdigest(), "here", titles)

    rows = measure(
        [tmp_path],
        [
            judged("a.pdf", write_pages(["Herons wade"], title="Herons wade"), "Egrets"),
            judged("herons_2020.pdf", write_pages(["One line that ends as a sentence does."]), "Herons 2020"),
            judged("broken.pdf", b"%PDF-1.4 nothing", "Nothing"),
            Judged("absent.pdf", "0" * 64, "there", ("Absent",)),
            Judged("a.pdf", "0" * 64, "there", ("Another file of that name",)),
        ],
    )
    assert [(row["file"], row["title"], row["usable"]) for row in rows] == [
        ("a.pdf", "Herons wade", False),
        ("herons_2020.pdf", "herons_2020", True),
    ]
    assert {row["part"]: (row["files"], row["usable"]) for row in shares(rows)}["all"] == (2, 1)
