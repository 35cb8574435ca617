"""Cut a long passage down to the part that answers."""

from khub.components.text.sentence_ends import sentence_spans

ELLIPSIS = "…"


def excerpt(text: str, limit: int, keep: str = "") -> str:
    """Return the text whole where it is short enough, or else the sentences around a part of it.

    :param text: a passage.
    :param limit: length of the result in characters, marks of omission included.
    :param keep: a part of the text; its beginning where it is none.
    :returns: the text, or a part of it with `…` where something was left out: what follows `keep` as far as there is
        room, then what comes before it.
    """
    if len(text) <= limit:
        return text
    room = limit - 2 * len(ELLIPSIS)
    if room <= 0:
        return ELLIPSIS[:limit]
    start = max(text.find(keep), 0)
    bounds = [0, *(bound for _, bound in sentence_spans(text))]
    fitting = (bound for bound in bounds if start + max(len(keep), 1) <= bound <= start + room)
    last = max(fitting, default=min(start + room, len(text)))
    first = min(bound for bound in (*bounds, start) if last - room <= bound <= start)
    return (ELLIPSIS if first > 0 else "") + text[first:last].strip() + (ELLIPSIS if last < len(text) else "")
