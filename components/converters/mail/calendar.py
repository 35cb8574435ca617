"""An invitation in a mail (iCalendar, RFC 5545) as lines that people can read."""

import re
from collections.abc import Iterator

_FOLD = re.compile(r"\r?\n[ \t]")
_LINE = re.compile(r"(?P<name>[A-Za-z-]++)(?P<parameters>(?:;[^:;\"]*+(?:\"[^\"]*+\"[^:;\"]*+)?)*+):(?P<value>.*)")
_PARAMETER = re.compile(r";(TZID|CN)=\"?([^;:\"]*)\"?", re.IGNORECASE)
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_ESCAPED = re.compile(r"\\([\\;,nN])")
_LABELS = {
    "SUMMARY": "Event", "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "DURATION": "Duration", "RRULE": "Repeats",
    "LOCATION": "Place", "STATUS": "Status", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee", "URL": "Link",
    "DESCRIPTION": "Description",
}  # fmt: skip
_SHOWN_IN = ("VEVENT", "VTODO")


def calendar_text(text: str) -> str:
    """Return the events of a calendar, each as lines of label and value, in an order that does not depend on it."""
    events: list[list[tuple[str, str]]] = []
    inside: list[str] = []
    for name, parameters, value in _lines(text):
        if name == "BEGIN":
            inside.append(value.strip().upper())
            if inside[-1] in _SHOWN_IN:
                events.append([])
        elif name == "END" and inside:
            inside.pop()
        elif inside and inside[-1] in _SHOWN_IN and name in _LABELS:  # a reminder in an event is none of it
            events[-1].append((name, _shown(name, parameters, value)))
    return "\n\n".join(filter(None, map(_event, events)))


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    for line in _FOLD.sub("", text).splitlines():
        if found := _LINE.fullmatch(line):
            yield found["name"].upper(), found["parameters"], found["value"]


def _event(fields: list[tuple[str, str]]) -> str:
    return "\n".join(
        f"{_LABELS[name]}: {value}" for name in _LABELS for given, value in fields if given == name and value
    )


def _shown(name: str, parameters: str, value: str) -> str:
    said = {key.upper(): text for key, text in _PARAMETER.findall(parameters)}
    if name in ("DTSTART", "DTEND", "DUE"):
        return _time(value.strip(), said.get("TZID", ""))
    if name in ("ORGANIZER", "ATTENDEE"):
        address = re.sub(r"(?i)^mailto:", "", value.strip())
        return f"{said['CN']} <{address}>" if said.get("CN") else address
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value).strip()


def _time(value: str, zone: str) -> str:
    stamp = _STAMP.fullmatch(value)
    if not stamp:
        return value
    year, month, day, hour, minute, utc = stamp.groups()
    if hour is None:
        return f"{year}-{month}-{day}"
    return f"{year}-{month}-{day} {hour}:{minute}{' UTC' if utc else f' ({zone})' if zone else ''}"
