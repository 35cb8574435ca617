"""What a charset label means: not the standard of that name, but what programs write under it (WHATWG's table)."""

import codecs

_LABELS = {
    "gb18030": "csgb2312 gb-2312 gb-2312-80 x-gbk gb2312-80 chinesesimplified ansi-936",
    "big5hkscs": "cn-big5 x-x-big5",
    "cp949": "cseuckr csksc56011987 iso-ir-149 ks-c-5601-1989 ksc-5601 windows-949",
    "cp932": "windows-31j x-sjis",
    "euc_jp": "cseucpkdfmtjapanese x-euc-jp",
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 utf-8mb4 utf8mb4",
    "utf-16-le": "unicode ucs-2 csunicode iso-10646-ucs-2 unicodefeff",
    "utf-16-be": "unicodefffe",
    "cp874": "dos-874 windows-874",
    "koi8-r": "koi koi8",
    "koi8-u": "koi8-ru",
    "mac-roman": "mac csmacintosh x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "iso8859-6": "csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i",
    "iso8859-7": "sun-eu-greek",
    "iso8859-8": "csiso88598e csiso88598i iso-8859-8-e iso-8859-8-i logical visual",
    "iso8859-15": "csisolatin9",
}
_CODECS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "iso2022_jp": "iso2022_jp_ext",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
}
"""Codec of Python -> the one that its texts are really in: it has all of the other's characters, and more."""


def codec_of(label: str) -> str | None:
    """Name Python's codec for a label; None for one that names no encoding, such as `x-unknown`, or says nothing.

    `us-ascii` says nothing of bytes beyond ASCII, which is all that is asked for.
    """
    name = label.strip(" \t\r\n\"'").lower().replace("_", "-")
    name = name.replace("iso8859", "iso8859-") if name.startswith("iso8859") and name[7:].isdigit() else name
    name = name.replace("x-cp", "cp", 1) if name.startswith("x-cp") else name
    try:
        codec = _CODECS.get(name) or codecs.lookup(name).name
        "a".encode(codec)  # an error for those that make no bytes of text, such as base64
    except (LookupError, ValueError):
        return None
    return None if codec == "ascii" else _WIDER.get(codec, codec)
