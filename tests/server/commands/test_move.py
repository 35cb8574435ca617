"""`khub move`, as far as it needs no other database; tests/backends/catalog/test_move.py moves hubs."""

import pytest

from khub.components.home import hub_home
from khub.server.commands.move import _without_password

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("place", ["mysql://db/khub", "s3://hub/files", "", "folder"])
def test_what_is_no_place_for_a_catalog_is_mistyped(khub, place):
    result = khub("move", "--to", place)
    assert result.exit_code == 2
    assert "--to" in result.stderr


def test_a_hub_that_lies_there_already_stays(filled, khub, khub_json, monkeypatch):
    monkeypatch.delenv("KHUB_DATABASE_URL", raising=False)
    before = khub_json("stats")
    error = khub_json("move", "--to", "file", code=1)["error"]
    assert error["code"] == "option_invalid"
    assert str(hub_home()) in error["message"]
    assert khub_json("stats") == before


def test_where_there_is_no_hub_there_is_nothing_to_move(khub, monkeypatch):
    monkeypatch.delenv("KHUB_DATABASE_URL", raising=False)
    pytest.importorskip("psycopg_pool", reason="pip install psycopg")
    result = khub("move", "--to", "postgresql://khub@127.0.0.1:9/khub")
    assert result.exit_code == 1
    assert str(hub_home()) in result.stderr
    assert not hub_home().exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("postgresql://khub:se%cret@db/khub", "postgresql://khub@db/khub"),
        ("postgresql://khub:p@ss@db/khub?sslmode=require", "postgresql://khub@db/khub?sslmode=require"),
        ("postgresql://khub:a?b/c@db/khub", "postgresql://khub@db/khub"),
        ("postgresql://db/khub?user=khub&PASSWORD=secret&sslpassword=other", "postgresql://db/khub?user=khub"),
        ("postgresql://db/khub", "postgresql://db/khub"),
        ("", ""),
        ("s3://hub/files", "s3://hub/files"),
    ],
)
def test_addresses_are_told_without_their_passwords(given, told):
    assert _without_password(given) == told
