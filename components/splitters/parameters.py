"""Which parameters a splitter takes, and the name that it gets by them."""

from typing import Any

from haystack.core.serialization import component_to_dict

from khub.components.errors import ParameterError

VERSION = "5"
"""Of all splitters; changes whenever the same document would give other chunks, or a chunk would be embedded or indexed
with something else over it (`khub.components.text.chunk_text`): files that came in before are then read again."""


def check_sizes(chunk_size: int, overlap: int = 0, wide_character: float = 1.0) -> None:
    """Refuse sizes with which no chunk can be made.

    :param chunk_size: greatest length of a chunk.
    :param overlap: what it may repeat of the one before.
    :param wide_character: what a wide character counts.
    :raises KhubError: when one of them is out of range, or a chunk would have no room for one new character.
    """
    if chunk_size < 1:
        raise ParameterError(f"chunk_size is {chunk_size}", "set it to 1 or more characters (800 is the default).")
    if not 0 <= overlap <= chunk_size // 2:
        raise ParameterError(
            f"overlap is {overlap} with chunk_size {chunk_size}", "set overlap between 0 and half of chunk_size."
        )
    if not 1 <= wide_character <= chunk_size - overlap:
        raise ParameterError(
            f"wide_character is {wide_character} with chunk_size {chunk_size}",
            "set it to 1 (a Han character counts as any other) or a little more (2: chunks of half as many).",
        )


def check_table_size(table_size: int) -> None:
    """Refuse a size that no row has.

    :param table_size: the parameter's value.
    :raises KhubError: when it is less than 1.
    """
    if table_size < 1:
        raise ParameterError(f"table_size is {table_size}", "set it to 1 or more characters (700 is the default).")


def check_share(name: str, share: float) -> None:
    """Refuse a share that is not between 0 and 1.

    :param name: of the parameter.
    :param share: its value.
    :raises KhubError: when it is out of range.
    """
    if not 0 <= share <= 1:
        raise ParameterError(f"{name} is {share}", f"set {name} between 0 and 1.")


def check_code(code: str) -> None:
    """Refuse a way to split source code that does not exist.

    :param code: the parameter's value.
    :raises KhubError: when it is neither "definitions" nor "text".
    """
    if code not in {"definitions", "text"}:
        raise ParameterError(f"code is {code!r}", "set it to definitions or to text.")


def fingerprint_of(splitter: Any, **parts: str) -> str:
    """Name everything that decides what chunks a document gives.

    :param splitter: the component.
    :param parts: what else decides it, beside the parameters and this code.
    :returns: class, parameters, parts and version.
    """
    parameters = component_to_dict(splitter, "splitter")["init_parameters"] | parts | {"version": VERSION}
    return f"{type(splitter).__name__}({', '.join(f'{name}={value}' for name, value in parameters.items())})"
