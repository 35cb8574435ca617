"""Who may read what the hub writes: nobody but its user, whatever the umask is and however old the hub."""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from khub.components.home import hub_home
from khub.components.private_files import make_private
from khub.server.library.ingest import ingest
from khub.server.traces.app_log import configure_logging
from tests.server.hub_files import PIPELINES

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform == "win32", reason="a folder has the rights of the one around it there"),
]
OF_LIBRARIES = {"dense", "sparse"}


@pytest.fixture(autouse=True)
def _all_may_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))
    before = os.umask(0)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> set[str]:
    paths = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder)) for path in paths if stat.S_IMODE(path.stat().st_mode) & 0o077}


def old_hub(home: Path, modes: tuple[int, int] = (0o755, 0o644)) -> Path:
    for name in ("catalog.sqlite3", "originals/ab/abcd.md", "logs/app.jsonl", "qdrant/default_g1/meta.json"):
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    for path in (home, *home.rglob("*")):
        path.chmod(modes[0] if path.is_dir() else modes[1])
    return home


def test_all_that_an_ingest_writes_is_for_its_user_alone(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("# Wages\n\nThe wages of all of us.\n", encoding="utf-8")
    configure_logging()
    assert ingest([str(tmp_path / "p.md")], graph_name="ingest_fast").written
    home = hub_home()
    assert list((home / "originals").rglob("*.md"))
    # what Chroma and tantivy write lies behind folders that nobody else can enter
    assert {Path(name).parts[0] for name in open_to_others(home)} <= OF_LIBRARIES
    assert not {".", *OF_LIBRARIES, "sparse/default_g1"} & open_to_others(home)


def test_a_hub_that_was_open_is_closed_once(tmp_path: Path) -> None:
    home = old_hub(tmp_path / "home")
    assert make_private(home)
    assert not open_to_others(home)
    assert not make_private(home)


def test_what_is_not_the_hubs_stays_as_it_is(tmp_path: Path) -> None:
    home = old_hub(tmp_path / "data")
    (home / "sales.csv").touch(0o644)
    (home / "raw").mkdir(0o755)
    (home / "raw" / "more.csv").touch(0o644)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch(0o644)
    (home / "originals" / "link").symlink_to(elsewhere)
    assert make_private(home)
    assert open_to_others(home) == {".", "sales.csv", "raw", "raw/more.csv", "originals/link"}
    assert not make_private(home)


def test_a_folder_without_a_catalog_is_no_hub(tmp_path: Path) -> None:
    home = old_hub(tmp_path / "data")
    (home / "catalog.sqlite3").unlink()
    before = open_to_others(home)
    assert not make_private(home)
    assert open_to_others(home) == before


def test_a_users_own_folder_and_one_for_all_stay_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(old_hub(tmp_path / "me")))
    old_hub(tmp_path / "tmp").chmod(0o1777)
    for home in (tmp_path / "me", tmp_path / "tmp"):
        assert make_private(home)
        assert open_to_others(home) == {"."}
