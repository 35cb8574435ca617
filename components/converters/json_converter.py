"""JSON as labelled text, one block a record, behind MarkItDown's front door."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from markitdown import DocumentConverter, StreamInfo

from khub.components.converters.notebook_converter import fenced
from khub.components.converters.structured_result import StructuredResult
from khub.components.errors import SourceDamagedError
from khub.components.text.terminal_codes import without_terminal_codes

_LINES = {".jsonl", ".ndjson"}
_NAMES = ("title", "name", "label", "标题", "名称")
_MAX_NAME = 120
_MAX_DEPTH = 50
_LONG = 200


class JsonConverter(DocumentConverter):
    """Reads JSON and JSON Lines; what a program calls JSON without being it (comments) stays as it is, as code."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension in {".json", *_LINES}

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Read the records.

        :param file_stream: the text, in UTF-8.
        :param stream_info: its `extension` tells lines of JSON from one value.
        :returns: the Markdown: `* key: value` lines; a record with a name under a heading.
        :raises SourceError: when a line of a JSON Lines file is no JSON.
        """
        text = file_stream.read().decode("utf-8")
        if stream_info.extension in _LINES:
            records = list(_lines(text, stream_info.filename or "the file"))
            return StructuredResult("\n\n".join(_record(one) for one in records), heading_is_title=False)
        try:
            value = _parsed(text)
        except (ValueError, RecursionError):
            return StructuredResult(fenced(text.strip("\n"), "json") if text.strip() else "", heading_is_title=False)
        title = _name(value) if isinstance(value, dict) else ""
        return StructuredResult("\n\n".join(_document(value)), title=title or None, heading_is_title=False)


def _parsed(text: str) -> Any:
    # Numbers stay as they are written.
    return json.loads(text, parse_float=str, parse_int=str)


def _lines(text: str, name: str) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield _parsed(line)
            except (ValueError, RecursionError) as error:
                raise SourceDamagedError(
                    f"line {number} of {name!r} is no JSON", "mend the line, or take it out"
                ) from error


def _document(value: Any) -> Iterator[str]:
    if isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        yield from map(_record, value)
    elif isinstance(value, dict):
        yield "\n".join(_labelled({key: one for key, one in value.items() if not _is_records(one)}))
        for key, one in value.items():
            if _is_records(one):
                yield f"## {key}"
                yield from (_record(record, "###") for record in one)
    else:
        yield _inline(value)


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(one, dict) and one for one in value)


def _record(record: Any, mark: str = "##") -> str:
    if not isinstance(record, dict | list):
        return _inline(record)
    name = _name(record) if isinstance(record, dict) else ""
    return "\n".join([*([f"{mark} {name}", ""] if name else []), *_labelled(record)])


def _name(record: dict[str, Any]) -> str:
    found = (record.get(key) for key in _NAMES)
    return next((" ".join(n.split()) for n in found if isinstance(n, str) and n.strip() and len(n) <= _MAX_NAME), "")


def _labelled(value: dict[str, Any] | list[Any], depth: int = 0) -> list[str]:
    if depth > _MAX_DEPTH:
        raise RecursionError
    lines = []
    for key, one in value.items() if isinstance(value, dict) else (("", one) for one in value):
        label = f"{'  ' * depth}* {key}:" if key else f"{'  ' * depth}*"
        nested = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        if any(isinstance(inner, dict | list) for inner in nested) or (key and nested and isinstance(one, dict)):
            lines += [label, *_labelled(one, depth + 1)]
        elif isinstance(one, str) and "\n" in one.strip() and len(one) > _LONG:
            lines += [label, "", without_terminal_codes(one).strip(), ""]
        else:
            lines.append(f"{label} {_inline(one)}".rstrip())
    return lines


def _inline(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_inline, value))
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_inline(one)}" for key, one in value.items())
    return " ".join(without_terminal_codes(str(value)).split())
