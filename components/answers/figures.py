"""The pictures of a cited passage."""

import re
from collections.abc import Mapping

from khub.components.answers.highlight import IMAGE
from khub.components.text.tokenizer import tokenize

AROUND = 600
"""In characters, after a picture's mark: its caption and the words read in it stand there."""
BEFORE = 200
OF_IMAGE = re.compile(r"_(\d+)_\d+$")


def best_first(text: str, image_ids: list[str], weights: Mapping[str, float]) -> list[str]:
    """Order the pictures of a passage by how much of the question is said next to them.

    :param text: the passage, with `[IMAGE: id]` where its pictures are.
    :param image_ids: its pictures, in reading order.
    :param weights: term of the question -> weight.
    :returns: the same ids; equally good ones, and those whose mark is not in the text, in their order.
    """
    if len(image_ids) <= 1:
        return list(image_ids)
    marks = {match[0]: match.span() for match in IMAGE.finditer(text)}

    def worth(image_id: str) -> float:
        start, end = marks.get(f"[IMAGE: {image_id}]", (0, 0))
        before = IMAGE.split(text[max(0, start - BEFORE) : start])[-1]
        after = IMAGE.split(text[end : end + AROUND])[0]
        held = weights.keys() & set(tokenize(f"{before}\n{after}")) if end else set()
        return sum(weights[term] for term in held)

    return sorted(image_ids, key=worth, reverse=True)


def page_of(image_id: str) -> int | None:
    """Return the page on which a picture stands, from its id; None where its document has no pages."""
    match = OF_IMAGE.search(image_id)
    return int(match[1]) or None if match else None
