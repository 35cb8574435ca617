"""What goes from stage to stage: values that nobody changes, and their JSON."""

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


def _key(name: str) -> str:
    return name.rstrip("_")  # `from_`: words of Python's own


class Value:
    """Base of the frozen dataclasses that stages hand on.

    A field with a plain default is left out of JSON while it has that default; all others are always there, and may be
    missing in JSON that is read where they have a `default_factory`. The text below a field describes it in schemas.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = {"use_attribute_docstrings": True, "alias_generator": _key}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return itself: nobody changes it, and Haystack copies what several stages read."""
        return self


def as_json(value: Any) -> Any:
    """Return a value as JSON can hold it; lists and mappings of values, too."""
    if isinstance(value, Value):
        kind: Any = type(value)
        found = ((key, getattr(value, name), default) for name, key, default in _fields(kind))
        return {key: as_json(one) for key, one, default in found if not _is_default(one, default)}
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    if isinstance(value, dict):
        return {key: as_json(one) for key, one in value.items()}
    return value


def adapter(kind: type[T]) -> "TypeAdapter[T]":
    """Return what reads JSON into a value and knows its schema; made when it is first asked for, which takes time."""
    asked: Any = kind
    made: TypeAdapter[T] = _adapter(asked)
    return made


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


@cache
def _fields(kind: Any) -> list[tuple[str, str, Any]]:
    return [(one.name, _key(one.name), one.default) for one in fields(kind)]


def _is_default(value: Any, default: Any) -> bool:
    return bool(value == default) or (default == () and value == [])
