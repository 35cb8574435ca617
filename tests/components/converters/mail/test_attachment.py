"""Attached files are taken out of a mail under safe names, within limits; of the others it is said why not."""

import stat
import sys
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from pathlib import Path

import pytest

from khub.components.catalog.held_file import HeldFile, HeldFolder
from khub.components.converters.conversion import build_markitdown, convert_bytes
from khub.components.converters.mail.attachment import DEEPEST, MOST_FILES, Attachment, Room, unpack
from tests.components.converters.files import png
from tests.components.converters.mail.mails import attach, mail, nested

pytestmark = pytest.mark.unit


@pytest.fixture
def room(tmp_path):
    return Room(1_000_000, 1, folder=str(tmp_path))


def read(message, room, name="a.eml"):
    return convert_bytes(build_markitdown(), bytes(message), name, 50, room=room)


def taken(message, room):
    return read(message, room)["metadata"].get("parts", [])


def left(converted):
    return {name: one["reason"] for one in converted["metadata"]["attachments_left"] for name in one["names"]}


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("../../x.txt", "x.txt"),
        ("C:\\Windows\\system.ini", "system.ini"),
        ("con.txt", "_con.txt"),
        ("报告\u202efdp.txt", "报告fdp.txt"),
        ("a\u00adb\u2060.txt", "a\u00adb.txt"),
        ("长" * 300 + ".txt", "长" * 58 + ".txt"),
        ("..", "attachment.txt"),
        ("", "attachment.txt"),
        ("v1.2", "v1.2.txt"),
    ],
)
def test_names_are_safe(given, name, room, tmp_path):
    assert unpack([Attachment(given, "text/plain", lambda: b"x")], room).taken == [name]
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_the_same_name_again_gets_a_number_on_any_file_system(room, tmp_path):
    given = ("a.txt", "A.txt", "a (2).txt", "a.txt")
    unpacked = unpack([Attachment(name, "", name.encode) for name in given], room)
    assert len({name.casefold() for name in unpacked.taken}) == 4
    assert [(tmp_path / name).read_text() for name in unpacked.taken] == list(given)


@pytest.mark.skipif(sys.platform == "win32", reason="has no such rights")
def test_files_are_for_their_owner_alone_and_go_with_the_last_who_holds_one():
    folder = HeldFolder()
    place = folder.path
    unpack([Attachment("a.txt", "", lambda: b"x")], Room(9, 1, folder=str(place)))
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert stat.S_IMODE((place / "a.txt").stat().st_mode) == 0o600
    held = HeldFile.of(folder, "a.txt")
    del folder
    assert Path(held).read_text() == "x"
    del held
    assert not place.exists()


def test_file_names_in_all_their_encodings(room):
    outer = MIMEMultipart()
    outer["Subject"] = "x"
    for name in (("utf-8", "", "报告.txt"), "=?utf-8?B?6aKE566XLnR4dA==?="):
        part = MIMEBase("text", "plain")
        part.set_payload("text")
        part.add_header("Content-Disposition", "attachment", filename=name)
        outer.attach(part)
    assert taken(outer, room) == ["报告.txt", "预算.txt"]


def test_what_is_not_read_is_named_with_the_reason(room):
    message = mail()
    for name in ("a.txt", "b.7z", "c.mid", "empty.txt"):
        attach(message, name, b"" if name == "empty.txt" else b"x")
    converted = read(message, room)
    assert converted["metadata"]["parts"] == ["a.txt"]
    assert set(left(converted)) == {"b.7z", "c.mid", "empty.txt"}
    assert "archive" in left(converted)["b.7z"]
    assert "* a.txt\n* b.7z (not read: an archive" in converted["text"]
    assert "attachments_left" not in read(message, None)["metadata"]


def test_a_thousand_attachments(room, tmp_path):
    message = mail()
    for number in range(1000):
        attach(message, f"{number}.txt", b"x")
    converted = read(message, room)
    assert len(converted["metadata"]["parts"]) == len(list(tmp_path.iterdir())) == MOST_FILES
    (told,) = converted["metadata"]["attachments_left"]
    assert told["count"] == 1000 - MOST_FILES
    assert len(told["names"]) < 20
    assert converted["text"].endswith("* and 900 more")


def test_bytes_are_bounded_for_all_together(room):
    room.size = 10
    message = attach(attach(attach(mail(), "a.txt", b"x" * 6), "b.txt", b"x" * 6), "c.txt", b"x" * 4)
    converted = read(message, room)
    assert (converted["metadata"]["parts"], set(left(converted))) == (["a.txt", "c.txt"], {"b.txt"})


def test_mails_in_mails_are_opened_so_deep(room, tmp_path):
    message = nested(DEEPEST + 1)
    for depth in range(1, DEEPEST + 2):
        room.depth = depth
        converted = convert_bytes(build_markitdown(), bytes(message), "a.eml", 50, room=room)
        if depth <= DEEPEST:
            (name,) = converted["metadata"]["parts"]
            assert name == f"Mail {depth}.eml"
            message = (tmp_path / name).read_bytes()
    assert (left(converted).keys(), converted["title"]) == ({"Mail 4.eml"}, "Mail 3")


def test_a_very_deep_mail_is_read_all_the_same(room):
    assert read(nested(60), room)["title"] == "Mail 0"


def test_pictures_of_the_body_are_no_documents_and_those_attached_are_named(room):
    message = mail(body="")
    message.add_alternative("<p>A long text that is worth to be read here</p><img src='cid:one'>", subtype="html")
    related = message.get_payload()[1]
    related.add_related(png(), "image", "png", cid="<one>", filename="logo.png")
    related.add_related(png(), "image", "png", cid="<signature>", disposition="inline", filename="sign.png")
    message.make_mixed()
    message.add_attachment(png(), "image", "png", cid="<three>", filename="plan.png")
    converted = read(message, room)
    assert converted["metadata"]["attachments"] == ["plan.png"]
    assert len(converted["pictures"]) == 1


class FakeOle:
    """Streams of an Outlook file, without the file."""

    def __init__(self, streams):
        self.streams = {tuple(path.split("/")): data for path, data in streams.items()}

    def exists(self, path):
        place = tuple(path.rstrip("/").split("/"))
        return any(one[: len(place)] == place for one in self.streams)

    def listdir(self):
        return [list(path) for path in self.streams]

    def openstream(self, path):
        data = self.streams[tuple(path.split("/"))]

        class Stream:
            def read(self):
                return data

        return Stream()


def text(value):
    return value.encode("utf-16-le")


def test_outlook_message_with_a_file_and_a_message_attached(room, tmp_path):
    from khub.components.converters.mail.message import message_result
    from khub.components.converters.mail.msg import _read

    first, second = "__attach_version1.0_#00000000/", "__attach_version1.0_#00000001/"
    inner = f"{second}__substg1.0_3701000D/"
    ole = FakeOle(
        {
            "__substg1.0_0037001F": text("Outer"),
            "__substg1.0_1000001F": text("Body"),
            f"{first}__substg1.0_3707001F": text("报告.txt"),
            f"{first}__substg1.0_37010102": b"Herons wade.",
            f"{second}__substg1.0_3001001F": text("Fwd: 1/2"),
            f"{inner}__substg1.0_0037001F": text("Inner"),
            f"{inner}__substg1.0_0C1A001F": text("Ann"),
            f"{inner}__substg1.0_1000001F": text("Inner body"),
            f"{inner}{first}__substg1.0_3707001F": text("deep.txt"),
            f"{inner}{first}__substg1.0_37010102": b"Trout.",
        }
    )
    assert message_result(_read(ole), room).metadata["parts"] == ["报告.txt", "Fwd 1 2.eml"]
    assert (tmp_path / "报告.txt").read_bytes() == b"Herons wade."
    written = (tmp_path / "Fwd 1 2.eml").read_bytes()
    (tmp_path / "Fwd 1 2.eml").unlink()
    converted = convert_bytes(build_markitdown(), written, "b.eml", 50, room=room)
    assert (converted["title"], converted["metadata"]["from"]) == ("Inner", "Ann")
    assert converted["metadata"]["parts"] == ["deep.txt"]
    again = [one.read() for one in _read(ole).attachments]
    assert again == [one.read() for one in _read(ole).attachments]  # the same file each time


def test_real_mail_with_an_attachment(room, test_data):
    data = (test_data / "office" / "eml_with_attachment.eml").read_bytes()
    converted = convert_bytes(build_markitdown(), data, "a.eml", 50, room=room)
    assert converted["metadata"]["attachments"]
