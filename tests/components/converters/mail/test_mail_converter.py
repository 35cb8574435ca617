import sys

import pytest

from khub.components.converters.conversion import build_markitdown, convert_bytes
from khub.components.converters.mail.message import without_quote
from khub.components.errors import SourceError
from tests.components.converters.files import png
from tests.components.converters.mail.mails import mail

pytestmark = pytest.mark.unit


def read(message):
    return convert_bytes(build_markitdown(), bytes(message), "a.eml", 50)


def test_head_body_and_attachments():
    message = mail()
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="price list.pdf")
    message.add_attachment(b"PK", maintype="application", subtype="zip", filename="x.zip")
    converted = read(message)
    assert converted["text"] == (
        "# Offer 报价\n\nFrom: Ann <ann@a.org>\nTo: Bo <bo@b.org>\nDate: 2024-05-06 07:08:09+02:00"
        "\n\nHello,\n\nas agreed."
        "\n\nAttachments:\n\n* price list.pdf\n* x.zip"
    )
    assert converted["title"] == "Offer 报价"
    assert converted["metadata"]["from"] == "Ann <ann@a.org>"
    assert converted["metadata"]["created"] == "2024-05-06 07:08:09+02:00"
    assert converted["metadata"]["attachments"] == ["price list.pdf", "x.zip"]


def test_html_body_with_its_pictures():
    message = mail(body="Please view this message in a browser.")
    page = "<style>p {}</style><p>See <b>this</b> long and important text, written twice here:</p><img src='cid:one'>"
    message.add_alternative(page, subtype="html")
    message.get_payload()[1].add_related(png(), "image", "png", cid="<one>")
    converted = read(message)
    assert converted["text"].endswith("See **this** long and important text, written twice here:\n\n[IMAGE: 1@0]")
    assert len(converted["pictures"]) == 1
    assert "attachments" not in converted["metadata"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Yes.\n\nOn Monday Bo wrote:\n> Shall we?\n> Really?", "Yes."),
        ("好的。\n\n在 2024年5月6日，李雷 写道：\n> 行吗？", "好的。"),
        ("> Shall we?\nYes.", "> Shall we?\nYes."),
        ("> only a quote", "> only a quote"),
        ("No quote", "No quote"),
    ],
)
def test_quoted_message_goes(text, kept):
    assert without_quote(text)[0] == kept


def test_what_was_quoted_is_counted_and_a_forward_keeps_it():
    body = "Yes.\n\nOn Monday Bo wrote:\n> Shall we?"
    assert read(mail(body=body))["removed"] == {"quoted message": 7}
    assert "Shall we?" in read(mail("Fwd: Question", body))["text"]


def test_no_message():
    with pytest.raises(SourceError, match="no e-mail message"):
        convert_bytes(build_markitdown(), b"just text\nof lines", "a.eml", 50)


def test_outlook_message_without_the_package_that_reads_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "olefile", None)
    with pytest.raises(SourceError, match="olefile is not installed") as caught:
        convert_bytes(build_markitdown(), b"\xd0\xcf\x11\xe0", "a.msg", 50)
    assert "pip install olefile" in caught.value.remedy


def test_damaged_outlook_message():
    pytest.importorskip("olefile", reason="reads Outlook messages")
    with pytest.raises(SourceError, match=r"'a\.msg' is damaged"):
        convert_bytes(build_markitdown(), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.msg", 50)


def test_outlook_message(test_data):
    pytest.importorskip("olefile", reason="reads Outlook messages")
    file = test_data / "office" / "msg_simple.msg"
    converted = convert_bytes(build_markitdown(), file.read_bytes(), "a.msg", 50)
    assert converted["title"] == "Simple Email"
    assert "This is a simple email body." in converted["text"]
