"""Text for a log without secrets: values of this process's own, known forms of keys, what web addresses hold."""

import json
import os
import re
from typing import Any

from khub.components.text.shown_address import without_credentials

MASK = "***"
NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CONN_STR")
"""Ends of the names of variables that hold a secret."""
SHORTEST = 8
"""A shorter value stands in too many words to be taken out of them."""
_STARTS = ("sk-", "hf_", "ghp_", "github_pat_", "AKIA", "khub_")
_KEY = re.compile(rf"\b(?:{'|'.join(map(re.escape, _STARTS))})(?=[\w-]{{0,255}}\d)[\w-]{{16,}}")
_BEARER = re.compile(r"\b(Bearer|Basic)(\s+)(?=\S*\d)[\w.~+/=-]{12,}", re.IGNORECASE)
_SIGNS = ("://", "earer ", "asic ", *_STARTS)
"""One of them stands in each text that has such a thing, as it is nearly always written."""


def without_secrets(text: str) -> str:
    """Return a text with `***` in the place of secrets."""
    return _without(text, _own())


def record_without_secrets(record: Any) -> Any:
    """Return what JSON can hold with `***` in the place of secrets, in keys as well."""
    return _through(record, _own())


def may_hold_secrets(json_text: str) -> bool:
    """Say fast whether a record, written as JSON, has to be looked through; nearly none has."""
    in_json = (json.dumps(secret, ensure_ascii=False)[1:-1] for secret in _own())
    return any(sign in json_text for sign in (*_SIGNS, *in_json))


def _own() -> list[str]:
    """Return the secrets of this process."""
    values = [os.environ.get(name, "") for name in os.environ if name.upper().endswith(NAMES)]
    return [value for value in values if len(value) >= SHORTEST]


def _through(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        return _without(value, secrets)
    if isinstance(value, dict):
        return {_without(key, secrets): _through(inner, secrets) for key, inner in value.items()}
    return [_through(inner, secrets) for inner in value] if isinstance(value, list) else value


def _without(text: str, secrets: list[str]) -> str:
    if len(text) < SHORTEST:
        return text
    for secret in secrets:
        text = text.replace(secret, MASK)
    return _BEARER.sub(rf"\1\2{MASK}", _KEY.sub(MASK, without_credentials(text)))
