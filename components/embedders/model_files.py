"""Reads the small files of a model folder; whatever is wrong with one becomes an error that names it."""

import json
import os
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from khub.components.errors import KhubError, ModelFileError

# One thread is as fast as the converters deliver; and a library that has started threads warns whenever a process
# forks afterwards. A user who sets the variable himself keeps his value.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

REMEDY = "copy the whole model folder again, or name another model"


def damaged(path: Path, reason: object) -> KhubError:
    """Return the error for a file that is there but cannot be what it should be."""
    return ModelFileError(f"model file {path} is damaged ({' '.join(str(reason).split())[:300]})", REMEDY)


def read_file(path: Path) -> bytes:
    """Return a file's bytes.

    :raises KhubError: when it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"model file {path} cannot be read ({error.strerror})", REMEDY) from error


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file.

    :raises KhubError: when the file cannot be read, or holds anything else.
    """
    try:
        value = json.loads(read_file(path))
    except ValueError as error:
        raise damaged(path, error) from error
    if not isinstance(value, dict):
        raise damaged(path, "it holds no JSON object")
    return value


def read_tokenizer(path: Path) -> Tokenizer:
    """Return a tokenizer as its file describes it.

    :raises KhubError: when the file cannot be read, or is damaged.
    """
    try:
        return Tokenizer.from_str(read_file(path).decode("utf-8"))
    except KhubError:
        raise
    except Exception as error:  # tokenizers raises Exception itself
        raise damaged(path, error) from error
