"""JSON as labelled text, one block a record, behind MarkItDown's front door."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from markitdown import DocumentConverter, StreamInfo

from components.converters.notebook_converter import fenced
from components.converters.structured_result import StructuredResult
from components.errors import SourceError

_LINES = {".jsonl", ".ndjson"}
_NAMES = ("title", "name", "label", "标题", "名称")
_MAX_NAME = 120
_MAX_VALUES = 200
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
                raise SourceError(f"line {number} of {name!r} is no JSON", "mend the line, or take it out") from error


def _document(value: Any) -> Iterator[str]:
    if isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        yield from map(_record, value)
        return
    if not isinstance(value, dict):
        yield _inline(value)
        return
    plain = {key: one for key, one in value.items() if not _is_records(one)}
    yield "\n".join(_labelled(plain, 0))
    for key, one in value.items():
        if _is_records(one):
            yield f"## {key}"
            if isinstance(one, dict):
                for inner, record in one.items():
                    yield "\n".join([f"### {inner}", "", *_labelled(record, 0)])
            else:
                yield from (_record(record, "###") for record in one)


def _is_records(value: Any) -> bool:
    inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return len(inside) > 1 and all(isinstance(one, dict) and one for one in inside)


def _record(record: Any, mark: str = "##") -> str:
    if not isinstance(record, dict):
        return "\n".join(_labelled({"": record}, 0)) if isinstance(record, list) else _inline(record)
    name = _name(record)
    return "\n".join([*([f"{mark} {name}", ""] if name else []), *_labelled(record, 0)])


def _name(record: dict[str, Any]) -> str:
    found = (record.get(key) for key in _NAMES)
    return next((" ".join(n.split()) for n in found if isinstance(n, str) and n.strip() and len(n) <= _MAX_NAME), "")


def _labelled(value: dict[str, Any], depth: int) -> list[str]:
    if depth > _MAX_DEPTH:
        raise RecursionError
    lines = []
    indent = "  " * depth
    for key, one in value.items():
        label = f"{indent}* {key}:" if key else f"{indent}*"
        if isinstance(one, dict) and one:
            lines += [label, *_labelled(one, depth + 1)]
        elif isinstance(one, list) and any(isinstance(inner, dict | list) for inner in one):
            lines.append(label)
            for inner in one:
                flat = isinstance(inner, dict) and not any(isinstance(v, dict | list) for v in inner.values())
                if flat:
                    lines.append(f"{indent}  * " + "; ".join(f"{k}: {_inline(v)}" for k, v in inner.items()))
                elif isinstance(inner, dict | list):
                    lines += _labelled(inner if isinstance(inner, dict) else {"": inner}, depth + 1)
                else:
                    lines.append(f"{indent}  * {_inline(inner)}")
        elif isinstance(one, str) and "\n" in one.strip() and len(one) > _LONG:
            lines += [label, "", one.strip(), ""]
        else:
            lines.append(f"{label} {_inline(one)}".rstrip())
    return lines


def _inline(value: Any) -> str:
    if isinstance(value, list):
        more = ", …" if len(value) > _MAX_VALUES else ""
        return ", ".join(map(_inline, value[:_MAX_VALUES])) + more
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return "" if isinstance(value, dict) else " ".join(str(value).split())
