"""The text of a passage as it is shown: rows of a table never without the heads of its columns."""

from haystack import Document


def shown_text(passage: Document) -> str:
    """Return a passage's text, and above rows that continue a table the heads of its columns.

    :param passage: with `table_header` in its metadata where it begins in the middle of a table.
    """
    text, heads = passage.content or "", str(passage.meta.get("table_header") or "")
    if not heads or not text.lstrip().startswith("|"):
        return text
    first, *others = heads.split("\n")
    rule = "|" + " --- |" * (first.count("|") - 1)
    return "\n".join([first, rule, *others, text])
