from email.message import EmailMessage

import pytest

from khub.components.converters.conversion import build_markitdown, convert_bytes
from khub.components.converters.mail.calendar import calendar_text
from khub.components.converters.mail.flowed import unflowed
from tests.components.converters.mail.mails import attach, mail

pytestmark = pytest.mark.unit

CALENDAR = """BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:19701025T030000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:1@a.org
SUMMARY:Pump audit\\, hall 3
DTSTART;TZID=Europe/Berlin:20260304T090000
DTEND:20260304T093000Z
ORGANIZER;CN="Li, Ann":mailto:ann@a.org
DESCRIPTION:Bring the
  report.
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
"""


def read(message):
    return convert_bytes(build_markitdown(), bytes(message), "a.eml", 50)


def test_an_invitation_is_lines_of_its_own():
    message = mail(body="Please come.")
    message.add_attachment(CALENDAR.encode(), "text", "calendar", disposition="inline")
    text = read(message)["text"]
    assert "BEGIN:" not in text
    lines = text.split("\n")
    assert lines[lines.index("Please come.") + 1] == ""
    assert "Event: Pump audit, hall 3" in lines
    assert "Start: 2026-03-04 09:00 (Europe/Berlin)" in lines
    assert "End: 2026-03-04 09:30 UTC" in lines
    assert "Organizer: Li, Ann <ann@a.org>" in lines
    assert "Description: Bring the report." in lines
    assert "Reminder" not in text


def test_a_calendar_without_events_is_nothing():
    assert calendar_text("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n") == ""
    assert calendar_text("no calendar") == ""


def test_an_attached_calendar_is_an_attachment():
    assert read(attach(mail(), "all.ics", CALENDAR, "text/calendar"))["metadata"]["attachments"] == ["all.ics"]


def test_two_parts_of_text_are_two_paragraphs():
    message = EmailMessage()
    message["From"] = "a@b.org"
    message.set_content("First.")
    message.add_attachment("Second.", disposition="inline")
    assert read(message)["text"].endswith("First.\n\nSecond.")


@pytest.mark.parametrize(
    ("flowed", "delete_space", "text"),
    [
        ("A long line \nthat goes on.\nAnother.", False, "A long line that goes on.\nAnother."),
        ("很长的一 \n行。", True, "很长的一行。"),
        ("A long line  \nthat goes on in the mid \ndle.", True, "A long line that goes on in the middle."),
        ("> quoted \n> on\n>> deeper \n> back", False, "> quoted on\n>> deeper \n> back"),
        ("The end. \n-- \nAnn", False, "The end. \n-- \nAnn"),
        (" > no quote", False, "> no quote"),
    ],
)
def test_flowed_lines_are_joined(flowed, delete_space, text):
    assert unflowed(flowed, delete_space) == text


def test_a_mail_says_that_its_lines_flow():
    head = "From: a@b.org\nContent-Type: text/plain; format=flowed; delsp=yes\n\n"
    converted = convert_bytes(build_markitdown(), f"{head}很长的一 \n行。\n".encode(), "a.eml", 50)
    assert "很长的一行。" in converted["text"]
