"""Charts and diagrams of office documents as text: the numbers behind them, not their looks."""

from typing import Any

from khub.components.converters.markdown_table import one_line, write_table
from khub.components.converters.office.package import NAMES, Package, q

_MAX_POINTS = 2000


def chart_table(package: Package, part: str) -> str:
    """Read a chart's series.

    :param package: the file.
    :param part: path of the chart part.
    :returns: its title in bold and a table with one column a series; "" when it has neither.
    """
    root = package.xml(part)
    if root is None:
        return ""
    title = _text(root.find("c:chart/c:title", NAMES))
    series = root.findall(".//c:ser", NAMES)
    rows: dict[str, dict[int, str]] = {}
    names = []
    for number, one in enumerate(series):
        names.append(_series_name(one, number))
        labels = _points(one, ("c:cat", "c:xVal"))
        for index, value in _points(one, ("c:val", "c:yVal")).items():
            rows.setdefault(labels.get(index, str(index + 1)), {})[number] = value
    axes = [name for axis in root.findall(".//c:plotArea/*/c:title", NAMES) if (name := _text(axis))]
    lines = [[label, *(row.get(n, "") for n in range(len(names)))] for label, row in rows.items()]
    head = " – ".join(part for part in (title, " / ".join(axes)) if part)
    table = write_table([[" ", *names], *lines]) if lines else ""
    return "\n\n".join(part for part in (f"**{head}**" if head else "", table) if part)


def diagram_text(package: Package, part: str) -> str:
    """Read the words of a SmartArt diagram.

    :param package: the file.
    :param part: path of the diagram's data part.
    :returns: a list, one item a node.
    """
    root = package.xml(part)
    if root is None:
        return ""
    found = (_text(node) for node in root.iter(q("dgm:t")))
    return "\n".join(f"* {text}" for text in found if text)


def _series_name(series: Any, number: int) -> str:
    name = series.find("c:tx", NAMES)
    text = "" if name is None else " ".join(v.text or "" for v in name.iter(q("c:v")))
    return one_line(text) or f"Series {number + 1}"


def _points(series: Any, holders: tuple[str, ...]) -> dict[int, str]:
    for holder in holders:
        element = series.find(holder, NAMES)
        if element is None:
            continue
        levels = [_values(level) for level in element.iter(q("c:lvl"))]
        if not levels:
            return _values(element)
        inner, *outer = levels
        # A name of an outer level stands at the first of its points only.
        above = [{i: name for first, name in sorted(level.items()) for i in inner if i >= first} for level in outer]
        return {i: " ".join([*(names.get(i, "") for names in reversed(above)), name]) for i, name in inner.items()}
    return {}


def _values(element: Any) -> dict[int, str]:
    points = list(element.iter(q("c:pt")))[:_MAX_POINTS]
    return {int(point.get("idx") or 0): _number(one_line(point.findtext("c:v", "", NAMES))) for point in points}


def _number(value: str) -> str:
    try:
        return f"{float(value):.10g}" if "." in value or "e" in value.lower() else value
    except ValueError:
        return value


def _text(element: Any | None) -> str:
    if element is None:
        return ""
    paragraphs = ("".join(t.text or "" for t in p.iter(q("a:t"))) for p in element.iter(q("a:p")))
    text = " ".join(" ".join(paragraphs).split())
    return text or " ".join(v.text or "" for v in element.iter(q("c:v")))
