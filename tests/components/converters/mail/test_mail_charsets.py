import base64

import pytest

from khub.components.converters.conversion import build_markitdown, convert_bytes

pytestmark = pytest.mark.unit

CUT = "水泵检查".encode()


def read(head, body, label="", kind="text/plain"):
    """Read a mail with this head, in bytes, and a body in base64 under a charset label."""
    charset = f"; charset={label}" if label else ""
    data = head + f"\nMIME-Version: 1.0\nContent-Type: {kind}{charset}\nContent-Transfer-Encoding: base64\n\n".encode()
    return convert_bytes(build_markitdown(), data + base64.b64encode(body), "a.eml", 50)


@pytest.mark.parametrize(
    ("text", "encoding", "label"),
    [
        ("张喆、朱镕基和陶堃参加会议。", "gb18030", "gb2312"),
        ("张喆、朱镕基和陶堃参加会议。", "gb18030", "GBK"),
        ("张喆、朱镕基和陶堃参加会议。", "gb18030", "x-gbk"),
        ("It’s “20 €” — café", "cp1252", "iso-8859-1"),
        ("펌프 점검 뷁", "cp949", "ks_c_5601-1987"),
        ("水泵檢查恒裏", "big5hkscs", "big5"),
        ("髙橋の検査①", "cp932", "shift_jis"),
        ("ปั๊มน้ำ “ดี”", "cp874", "tis-620"),
        ("El niño pagó 5 €, ¿verdad?", "utf-8", "iso-8859-1"),
        ("水泵检查完毕，明天开会。", "gb18030", "utf-8"),
        ("水泵检查完毕，明天开会。", "gb18030", "x-unknown"),
        ("水泵检查完毕，明天开会。", "gb18030", "us-ascii"),
        ("水泵检查完毕，明天开会。", "utf-8", "us-ascii"),
        ("水泵检查完毕，明天开会。", "gb18030", ""),
        ("Gr\u00fc\u00dfe aus K\u00f6ln", "cp1252", "us-ascii"),
    ],
)
def test_a_label_means_what_is_written_under_it(text, encoding, label):
    assert read(b"From: a@b.org", text.encode(encoding), label)["text"].endswith(f"\n\n{text}")
    page = f"<html><body><p>{text}</p></body></html>"
    assert read(b"From: a@b.org", page.encode(encoding), label, "text/html")["text"].endswith(f"\n\n{text}")


def test_one_broken_character_leaves_the_rest():
    body = "水泵检查完毕，明天开会，请大家准时参加。".encode("gbk")
    text = read(b"From: a@b.org", body[:8] + b"\xff" + body[8:], "gb2312")["text"]
    assert "水泵检查\ufffd完毕" in text
    assert "请大家准时参加" in text


def word(data, label, coding="B"):
    coded = base64.b64encode(data) if coding == "B" else "".join(f"={byte:02X}" for byte in data).encode()
    return b"=?%s?%s?%s?=" % (label, coding.encode(), coded)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (word("朱镕基讲话".encode("gbk"), b"gb2312"), "朱镕基讲话"),
        (word("朱镕基讲话".encode("gbk"), b"gb2312", "Q"), "朱镕基讲话"),
        (word(CUT[:4], b"utf-8") + b"\n " + word(CUT[4:], b"utf-8"), "水泵检查"),
        (word("“5 €” paid".encode("cp1252"), b"iso-8859-1", "Q"), "“5 €” paid"),
        (b'"' + word("报价".encode(), b"utf-8") + b'" 2026', '"报价" 2026'),
        (b"Offer: " + "水泵报价单".encode("gbk"), "Offer: 水泵报价单"),
        (b"Offer: " + "水泵报价单".encode(), "Offer: 水泵报价单"),
        (b"Re: " + word(b"Caf\xe9", b"us-ascii", "Q") + b" and more", "Re: Café and more"),
        (b"=?utf-8?B?!?= stays", "=?utf-8?B?!?= stays"),
    ],
)
def test_subjects(raw, shown):
    assert read(b"From: a@b.org\nSubject: " + raw, b"Hello")["title"] == shown


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        (b"filename*=utf-8''%E4%BB%B7%E6%A0%BC.txt", "价格.txt"),
        (b"filename*0*=utf-8''%E4%BB%B7%E6;\n filename*1*=%A0%BC.txt", "价格.txt"),
        (b"filename*0*=gb2312''%BC%DB;\n filename*1=\"2026.txt\"", "价2026.txt"),
        (b"filename*=gb2312''%E9F.txt", "镕.txt"),
        (b'filename="' + word("合同喆.txt".encode("gbk"), b"gb2312") + b'"', "合同喆.txt"),
        (b'filename="' + word("合同".encode(), b"utf-8") + b"\n " + word(b".txt", b"utf-8") + b'"', "合同.txt"),
        (b'filename="' + "合同.txt".encode("gbk") + b'"', "合同.txt"),
        (b'filename="' + "合同.txt".encode() + b'"', "合同.txt"),
        (b"filename=\"price.txt\"; filename*=utf-8''%E4%BB%B7.txt", "价.txt"),
        (b"filename=my price list.txt", "my price list.txt"),
    ],
)
def test_names_of_attached_files(parameters, name):
    mail = (
        b"From: a@b.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\nHello\n"
        b"--B\nContent-Type: text/plain\nContent-Disposition: attachment; " + parameters + b"\n\n1200\n--B--\n"
    )
    assert convert_bytes(build_markitdown(), mail, "a.eml", 50)["metadata"]["attachments"] == [name]
