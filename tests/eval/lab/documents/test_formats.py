"""What becomes of each file of a folder is counted by its kind."""

import pytest

from khub.eval.lab.documents.formats import measure

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]


def test_each_file_is_read_or_told(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("# Birds\n\nHerons wade.\n", encoding="utf-8")
    (tmp_path / "b.md").touch()
    (tmp_path / "c.mid").touch()
    (tmp_path / "old.doc").write_bytes(b"words")
    (tmp_path / ".hidden.md").touch()
    rows = {row.pop("kind"): row for row in measure([tmp_path], bare=True)}
    nothing = {"read": 0, "told": 0, "neither": 0, "no words": 0}
    assert rows == {
        ".doc": {**nothing, "told": 1},
        ".md": {**nothing, "read": 1, "told": 1},
        ".mid": {**nothing, "told": 1},
        "all": {**nothing, "read": 1, "told": 3},
    }
    monkeypatch.setattr("khub.server.library.source_walk.Sources.pass_over", lambda *_: None)
    assert measure([tmp_path], bare=True)[-1]["neither"] == 1
