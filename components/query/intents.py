"""The file that says what small talk and comparisons look like."""

import functools
from importlib import resources
from typing import Any

import yaml


@functools.cache
def read_intents() -> dict[str, Any]:
    """Return what `intents.yaml` says."""
    text = resources.files("khub.components.query").joinpath("intents.yaml").read_text("utf-8")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # makes nothing but text: `yes` is a word
    said: dict[str, Any] = yaml.load(text, loader)  # noqa: S506 - see above
    return said
