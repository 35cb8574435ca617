"""What lies in archives and mailboxes is taken out under its own name, within limits, as what is attached to a mail."""

import io
import zipfile

import pytest

from khub.components.converters.conversion import build_markitdown, convert_bytes
from khub.components.converters.mail.attachment import DEEPEST, MOST_IN_ARCHIVE, Room, room_for
from khub.components.errors import SourceError
from tests.components.converters.mail.mails import attach, mail

pytestmark = pytest.mark.unit


@pytest.fixture
def room(tmp_path):
    return Room(10_000_000, 10, MOST_IN_ARCHIVE, MOST_IN_ARCHIVE, folder=str(tmp_path))


def packed(files, kind=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def read(data, name, room=None):
    return convert_bytes(build_markitdown(), data, name, 50, room=room)


def mailbox(*messages):
    return b"".join(b"From ann@a.org Mon May 06 07:08:09 2024\n" + bytes(one).rstrip() + b"\n\n" for one in messages)


def test_files_of_an_archive_keep_their_folders(room, tmp_path):
    files = {"read.md": "# One", "docs/a.txt": "two", "docs/deep/a.txt": "three", "docs/": "", "tool.exe": "MZ"}
    converted = read(packed(files), "all.zip", room)
    assert converted["metadata"]["parts"] == ["read.md", "docs/a.txt", "docs/deep/a.txt"]
    assert (tmp_path / "docs" / "deep" / "a.txt").read_text() == "three"
    assert "* docs/a.txt\n" in converted["text"]
    assert "* tool.exe (not read" in converted["text"]


def test_hidden_files_of_an_archive_are_passed_over(room):
    files = {"__MACOSX/._a.txt": "x", ".git/config.txt": "x", "~$a.docx": "x", "b/.hidden.txt": "x", "a.txt": "x"}
    assert read(packed(files), "all.zip", room)["metadata"]["attachments"] == ["a.txt"]


def test_no_name_leads_out_of_the_folder(room, tmp_path):
    files = {"../../up.txt": "a", "/root.txt": "b", "x\\..\\back.txt": "c", "con/nul.txt": "d", "a!/b.txt": "e"}
    converted = read(packed(files), "all.zip", room)
    inside = tmp_path.resolve()
    assert len(converted["metadata"]["parts"]) == len(files)
    assert all((tmp_path / name).resolve().is_relative_to(inside) for name in converted["metadata"]["parts"])
    assert not any("!/" in name for name in converted["metadata"]["parts"])


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("报价单.txt", "gbk"), ("报价单.txt", "utf-8"), ("見積書のリスト.txt", "cp932"), ("报价/清单.txt", "gbk")],
)
def test_names_in_the_code_page_of_who_packed_them(room, name, encoding):
    raw = name.encode(encoding)
    plain = "x" * (len(raw) - 4) + ".txt"
    data = packed({plain: "pump"}).replace(plain.encode(), raw)
    assert read(data, "a.zip", room)["metadata"]["parts"] == [name]


def test_same_names_stay_apart(room):
    converted = read(packed({"a/x.tar.txt": "1", "A/X.TAR.TXT": "2"}), "a.zip", room)
    assert converted["metadata"]["parts"] == ["a/x.tar.txt", "A/X.TAR (2).TXT"]


def test_limits_of_archives(room):
    many = read(packed({f"{n}.txt": "x" for n in range(MOST_IN_ARCHIVE + 5)}), "a.zip", room)
    assert len(many["metadata"]["parts"]) == MOST_IN_ARCHIVE
    assert many["metadata"]["attachments_left"][0]["count"] == 5
    room.size = 10
    some = read(packed({"large.txt": "x" * 11, "small.txt": "x"}), "a.zip", room)
    assert some["metadata"]["parts"] == ["small.txt"]
    room.depth = DEEPEST + 1
    assert "parts" not in read(packed({"a.txt": "x"}), "a.zip", room)["metadata"]
    with pytest.raises(SourceError, match="would unpack to"):
        read(packed({"a.txt": "0" * 20_000_000}), "a.zip", room)
    assert room_for("email", 5).files < room_for("archive", 5).files == MOST_IN_ARCHIVE


def test_a_damaged_member_is_left_out(room):
    data = packed({"a.txt": "pump" * 9, "b.txt": "valve"}, zipfile.ZIP_STORED).replace(b"pumppump", b"pimppump", 1)
    converted = read(data, "a.zip", room)
    assert converted["metadata"]["parts"] == ["b.txt"]
    assert converted["metadata"]["attachments_left"][0]["names"] == ["a.txt"]


@pytest.mark.parametrize("data", [b"PK\x03\x04 no archive", packed({})])
def test_what_is_no_archive_or_empty(data, room):
    with pytest.raises(SourceError):
        read(data, "a.zip", room)


def test_messages_of_a_mailbox(room, tmp_path):
    second = attach(mail("Second", "Hello\n\n>From here on\nFrom me"), "list.txt")
    converted = read(mailbox(mail("报价 1/2"), second, mail("Second")), "in.mbox", room)
    assert converted["metadata"]["parts"] == ["报价 1 2.eml", "Second.eml", "Second (2).eml"]
    assert "* Second.eml" in converted["text"]
    inner = read((tmp_path / "Second.eml").read_bytes(), "Second.eml")
    assert "\nFrom here on\nFrom me" in inner["text"]
    assert inner["metadata"]["attachments"] == ["list.txt"]


def test_a_line_that_begins_with_from_begins_no_message():
    body = "Hello\n\nFrom now on we meet at nine.\n\nFrom the desk of Ann"
    one = mailbox(mail("One", body))
    assert read(one, "in.mbox")["metadata"]["attachments"] == ["One.eml"]
    assert read(one.replace(b"\n", b"\r\n") * 2, "in.mbox")["metadata"]["attachments"] == ["One.eml", "One (2).eml"]


def test_no_mailbox(room):
    with pytest.raises(SourceError, match="no mailbox"):
        read(b"From the desk of Ann\n\nHello", "in.mbox", room)
