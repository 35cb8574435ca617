"""Books that tests build."""

import io
import zipfile


def book(*chapters, items="", **files):
    """An EPUB of so many chapters.

    :param chapters: their HTML.
    :param items: more items of the manifest, as XML.
    :param files: more files of the archive, and others in place of its own.
    """
    names = [f"c{number}.xhtml" for number in range(1, len(chapters) + 1)]
    manifest = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>The Pump</dc:title></metadata><manifest>{manifest}{items}</manifest><spine>{spine}</spine>"
        "</package>"
    )
    content = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
        "book.opf": package,
        **dict(zip(names, chapters, strict=True)),
        **files,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return out.getvalue()
