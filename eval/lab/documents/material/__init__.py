"""Sentences, headings and table columns that generated documents are made of, one subject and language a file."""

from pathlib import Path
from typing import Any

import yaml

from khub.eval.lab.documents.material.topic import Columns, Topic

SUBJECTS = ("operations", "finance", "manual", "research")


def _read(file: Path) -> Topic:
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    return Topic(**_frozen({**data, "tables": [Columns(**_frozen(table)) for table in data["tables"]]}))


def _frozen(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: _tuple(value) for name, value in fields.items()}


def _tuple(value: Any) -> Any:
    return tuple(_tuple(part) for part in value) if isinstance(value, list) else value


TOPICS: tuple[Topic, ...] = tuple(
    _read(Path(__file__).with_name(f"{subject}_{language}.yaml")) for subject in SUBJECTS for language in ("en", "zh")
)
