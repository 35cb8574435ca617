import json

import pytest

from khub.components.text.masked_secrets import may_hold_secrets, record_without_secrets, without_secrets

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("name", ["MY_API_KEY", "MY_TOKEN", "MY_SECRET", "MY_PASSWORD", "PG_CONN_STR", "my_api_key"])
def test_values_of_variables_that_hold_secrets(monkeypatch, name):
    monkeypatch.setenv(name, "open sesame")
    assert without_secrets("say open sesame!") == "say ***!"
    assert may_hold_secrets('{"query":"say open sesame!"}')


@pytest.mark.parametrize(("name", "value"), [("MY_API_KEY", "open"), ("MY_KEYS", "open sesame")])
def test_short_values_and_other_variables_are_none(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert without_secrets("say open sesame!") == "say open sesame!"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abcDEF123456.x-y_z=", "Authorization: Bearer ***"),
        ("authorization: basic dXNlcjpwYXNzd29yZDE=", "authorization: basic ***"),
        ("with sk-proj-abcdefghij0123456789 and hf_abcdefghij01234567", "with *** and ***"),
        ("the token khub_abcdefghij0123456789_-", "the token ***"),
        ("postgresql://me:pw@host/db?sslmode=on", "postgresql://host/db?sslmode=on"),
        ("https://me:pw@host/x?api_key=1&b=2", "https://host/x?b=2"),
        ("the bearer of certificates, a task-based approach, hf_transformers_are_nice", None),
        ("Basic understanding 2024", None),
        ("khub://document/4f1c", None),
    ],
)
def test_known_forms(text, shown):
    assert without_secrets(text) == (shown or text)
    if shown:
        assert may_hold_secrets(json.dumps({"query": text}))


def test_records_are_looked_through(monkeypatch):
    monkeypatch.setenv("MY_PASSWORD", "12345678")
    record = {"12345678": ["x 12345678", 0.12345678, {"a": None}], "n": 12345678}
    assert record_without_secrets(record) == {"***": ["x ***", 0.12345678, {"a": None}], "n": 12345678}


def test_a_secret_with_quotes_is_found_in_json(monkeypatch):
    monkeypatch.setenv("MY_PASSWORD", 'a"b\\c\nd密码')
    assert may_hold_secrets(json.dumps(['a"b\\c\nd密码'], ensure_ascii=False))
    assert not may_hold_secrets(json.dumps(["other"]))
