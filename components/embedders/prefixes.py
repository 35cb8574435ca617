"""What a model wants to have before a text, so that it knows what the text is for."""

from pathlib import Path
from typing import Any, NamedTuple

from khub.components.embedders.model_files import damaged


class Prefixes(NamedTuple):
    """What is put before a question and before a passage; empty for a model that treats both alike."""

    query: str = ""
    passage: str = ""

    @classmethod
    def of(cls, settings: dict[str, Any], config: Path) -> "Prefixes":
        """Read `query_prefix` and `passage_prefix` of a model's settings.

        :param config: the file of the settings, for the error.
        :raises KhubError: when one of them is no text.
        """
        given = {key: settings.get(f"{key}_prefix", "") for key in cls._fields}
        for key, prefix in given.items():
            if not isinstance(prefix, str):
                raise damaged(config, f"'{key}_prefix' is {prefix!r}, it has to be a text")
        return cls(**given)
