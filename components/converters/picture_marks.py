"""Pictures get their names: from a place in one file to an id in the hub."""

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from khub.components.catalog.picture import DocumentPicture, Picture
from khub.components.text.hidden_characters import without_hidden

_MARK = re.compile(r"\[IMAGE: (\d+)@(\d+)\]")


def name_pictures(converted: dict[str, Any], doc_id: str, source: str) -> tuple[dict[str, Any], list[DocumentPicture]]:
    """Give the pictures of a converted document their ids, and write these into its text.

    :param converted: what `conversion.convert_bytes` returns; it is left as it is.
    :param doc_id: the document.
    :param source: its path.
    :returns: the document without `pictures`, with `[IMAGE: {image_id}]` for each mark and with `page_starts` and
        `blocks` that fit the new text; and the pictures. A mark without a picture is taken out.
    """
    named = [_named(Picture.from_dict(_visible(fields)), doc_id, source) for fields in converted.get("pictures", [])]
    ids = {(one.picture.page or 0, one.picture.seq): one.image_id for one in named}
    rest = {key: value for key, value in converted.items() if key != "pictures"}
    text: str = converted["text"]
    edits: list[tuple[int, int]] = []  # where a mark ends in the old text, and by how much the text grows there

    def name(mark: re.Match[str]) -> str:
        image_id = ids.get((int(mark[2]), int(mark[1])))
        new = f"[IMAGE: {image_id}]" if image_id else ""
        edits.append((mark.end(), len(new) - len(mark[0])))
        return new

    rest["text"] = _MARK.sub(name, text)
    ends, shifts = [end for end, _ in edits], [0, *accumulate(growth for _, growth in edits)]

    def moved(offset: int) -> int:
        return offset + shifts[bisect_right(ends, offset)]

    if "page_starts" in rest:
        rest["page_starts"] = [moved(start) for start in rest["page_starts"]]
    if "blocks" in rest:
        rest["blocks"] = [
            {**block, "start": moved(block["start"]), "end": moved(block["end"])} for block in rest["blocks"]
        ]
    return rest, named


def _visible(fields: dict[str, Any]) -> dict[str, Any]:
    words = ("caption", "alt")
    return {**fields, **{name: without_hidden(fields[name]) for name in words if fields.get(name)}}


def _named(picture: Picture, doc_id: str, source: str) -> DocumentPicture:
    return DocumentPicture(f"{doc_id}_{picture.page or 0}_{picture.seq}", doc_id, source, picture)
