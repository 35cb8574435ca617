"""The text of a passage as it is shown: rows of a table with the heads of its columns, links without long targets."""

from haystack import Document

from khub.components.text.link_targets import LONGEST_SHOWN, without_targets


def shown_text(passage: Document) -> str:
    """Return a passage's text, links to long addresses as their words, and rows that continue a table under its heads.

    :param passage: with `table_header` in its metadata where it begins in the middle of a table.
    """
    text, heads = without_targets(passage.content or "", LONGEST_SHOWN), str(passage.meta.get("table_header") or "")
    if not heads or not text.lstrip().startswith("|"):
        return text
    first, *others = heads.split("\n")
    rule = "|" + " --- |" * (first.count("|") - 1)
    return "\n".join([first, rule, *others, text])
