"""Words in pictures are found, behind what is written."""

import pytest

from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask

pytestmark = pytest.mark.integration

PICTURES = [
    "Backup settings; backup runs at night; keep seven days; Cancel; OK; Apply; Kestrel Console",
    "Restore wizard; restore a backup; choose a night; Back; Next; Finish",
    "Members; add a member; remove a member; invite by mail; Cancel; OK",
]


@pytest.fixture(autouse=True)
def _filled(pipelines, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for number, words in enumerate(PICTURES):
        (folder / f"picture{number}.md").write_text(f"> Text in the image: {words}\n", encoding="utf-8")
    (folder / "prose.md").write_text("# Operation\n\nThe backup of all data runs at night.\n", encoding="utf-8")
    ingest([str(folder)])


def test_what_is_written_comes_first():
    assert ask("When does the backup run?").citations[0].source.endswith("prose.md")
    assert ask("backup runs at night").citations[0].source.endswith("prose.md")


@pytest.mark.parametrize(("query", "number"), [("Kestrel Console", 0), ("invite by mail", 2)])
def test_what_only_a_picture_says_is_found(query, number):
    assert ask(query).citations[0].source.endswith(f"picture{number}.md")
