"""The OpenAPI document as a page for people: without a script, and without anything from another host."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:.5rem 0}td,th{padding:.2rem .8rem .2rem 0;text-align:left;"
    "vertical-align:top}th{font-weight:600}summary{cursor:pointer;padding:.2rem 0}details{margin-left:1rem}"
    "code{font-size:.95em;overflow-wrap:anywhere}summary b{display:inline-block;width:4.5rem}"
)
POLICY = (
    f"default-src 'none'; style-src 'sha256-{base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'; "
    "frame-ancestors 'none'"
)
"""What the page may load: nothing but its own style."""
SCHEMAS = "#/components/schemas/"


def docs_page(document: Mapping[str, Any]) -> str:
    """Return the page.

    :param document: of OpenAPI; all text of it is escaped.
    """
    title = escape(document["info"]["title"])
    groups: dict[str, list[str]] = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            tag = (operation.get("tags") or ["service"])[0]
            groups.setdefault(tag, []).append(_operation(method, path, operation))
    sections = "".join(f"<h2>{escape(tag)}</h2>{''.join(ones)}" for tag, ones in groups.items())
    schemas = "".join(
        f'<details id="{escape(name)}"><summary>{escape(name)}</summary>{_text(schema)}{_fields(schema)}</details>'
        for name, schema in sorted(document.get("components", {}).get("schemas", {}).items())
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head>"
        f"<body><h1>{title} {escape(document['info']['version'])}</h1>{_text(document['info'])}"
        "<p>For programs: <a href='openapi.json'>openapi.json</a>. A token is sent as "
        f"<code>Authorization: Bearer …</code>.</p>{sections}<h2>Schemas</h2>{schemas}</body></html>"
    )


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> str:
    head = f"<b>{escape(method.upper())}</b><code>{escape(path)}</code> {escape(operation.get('summary', ''))}"
    parts = [_text(operation)]
    if parameters := operation.get("parameters"):
        rows = [(one["name"], one.get("schema", {}), one.get("required", False), one) for one in parameters]
        parts.append(f"<p>Parameters</p>{_table(rows)}")
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        schema = body.get("schema", {})
        parts.append(f"<p>Body, <code>{escape(kind)}</code>: {_type(schema)}</p>{_fields(schema)}")
    answers = [
        f"<tr><td>{escape(status)}</td><td>{escape(answer.get('description', ''))}</td><td>{_content(answer)}</td></tr>"
        for status, answer in operation.get("responses", {}).items()
    ]
    parts.append(f"<p>Answers</p><table>{''.join(answers)}</table>")
    return f"<details><summary>{head}</summary>{''.join(parts)}</details>"


def _content(answer: Mapping[str, Any]) -> str:
    found = answer.get("content", {}).items()
    return "<br>".join(f"<code>{escape(kind)}</code> {_type(body.get('schema', {}))}" for kind, body in found)


def _fields(schema: Mapping[str, Any]) -> str:
    required = schema.get("required", [])
    return _table((name, one, name in required, one) for name, one in schema.get("properties", {}).items())


def _table(rows: Iterable[tuple[str, Mapping[str, Any], bool, Mapping[str, Any]]]) -> str:
    lines = [
        f"<tr><td><code>{escape(name)}</code></td><td>{_type(schema)}{', required' if required else ''}</td>"
        f"<td>{escape(about.get('description', ''))}</td></tr>"
        for name, schema, required, about in rows
    ]
    return f"<table>{''.join(lines)}</table>" if lines else ""


def _type(schema: Mapping[str, Any]) -> str:
    """Return what a schema takes, in words, with links to the schemas that have a name."""
    if name := str(schema.get("$ref", "")).removeprefix(SCHEMAS):
        return f'<a href="#{escape(name)}">{escape(name)}</a>'
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(_type(one) for one in schema[key]))
    if "enum" in schema or "const" in schema:
        return ", ".join(f"<code>{escape(str(one))}</code>" for one in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return escape(str(schema.get("type", "anything")))


def _text(about: Mapping[str, Any]) -> str:
    return f"<p>{escape(about['description'])}</p>" if about.get("description") else ""
