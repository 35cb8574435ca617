import logging
from pathlib import Path

import pytest

from khub.components.enrichers.cache import EnrichmentCache, cache_key, open_cache
from khub.components.home import hub_home

pytestmark = pytest.mark.unit


def test_replies_are_kept_in_the_hubs_folder() -> None:
    open_cache().put("k", "refine", {"text": "é 中"})
    assert open_cache().get(["k", "other"]) == {"k": {"text": "é 中"}}
    assert (hub_home() / "cache" / "enrichment.sqlite3").is_file()


def test_the_key_changes_with_every_part() -> None:
    keys = {cache_key("refine", "1", ["model"], "text"), cache_key("refine", "2", ["model"], "text")}
    keys |= {cache_key("refine", "1", ["other"], "text"), cache_key("refine", "1", ["model"], "tex", "t")}
    assert len(keys) == 4
    assert cache_key({"a": 1, "b": 2}) == cache_key({"b": 2, "a": 1})


def test_many_keys_are_looked_up(tmp_path: Path) -> None:
    cache = EnrichmentCache(tmp_path / "c.sqlite3")
    cache.put("k700", "refine", 1)
    assert cache.get([f"k{n}" for n in range(1200)]) == {"k700": 1}


def test_deleted_documents_leave_no_reply_behind(tmp_path: Path) -> None:
    cache = EnrichmentCache(tmp_path / "c.sqlite3")
    assert cache.forget(["one"]) == 0
    for key in ("own", "shared"):
        cache.put(key, "refine", f"secret of {key}")
    cache.note_uses([("own", "one"), ("shared", "one"), ("shared", "two")])
    assert cache.forget(["one"]) == 1
    assert cache.get(["own", "shared"]) == {"shared": "secret of shared"}
    assert b"secret of own" not in (tmp_path / "c.sqlite3").read_bytes()
    assert cache.forget(["two"]) == 1


@pytest.mark.parametrize("damage", ["file", "folder"])
def test_a_cache_that_cannot_be_used_is_said_and_does_no_harm(
    damage: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "c" / "c.sqlite3"
    if damage == "file":
        path.parent.mkdir()
        path.write_bytes(b"this is no database" * 100)
    else:
        path.parent.write_text("a file", encoding="utf-8")
    cache = EnrichmentCache(path)
    with caplog.at_level(logging.WARNING):
        cache.put("k", "refine", 1)
        assert cache.get(["k"]) == {}
    assert str(path) in caplog.text
