"""Which pictures belong to a question: those whose own words it uses."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from khub.components.catalog.picture_row import PictureRow
from khub.components.pictures.found_picture import FoundPicture

if TYPE_CHECKING:
    from khub.components.answer import Answer

MOST_SHOWN = 3
LEAST_SHARE = 0.5
"""Share of a question's words that a picture's words must have, to be shown unasked."""
ICON = 48
"""Pixels of a side up to which a picture is an icon."""
NEAR_THE_BEST = 0.5
"""Share of the best picture's score that another must have, to be shown where pictures were asked for."""
WORDS_OF: Final = ("caption", "alt", "text", "description")
CANDIDATES = 400
OF_PASSAGE = 0.3
"""What it adds to a picture's share that the passage around it was found."""


def shown_with(query: str, answer: "Answer") -> list[PictureRow]:
    """Return the pictures, three at most, of an answer's passages that are to be shown with it.

    Where the question asks for one, those of the first passages will do, if they are no icons; the ones whose words it
    uses go ahead.
    """
    from khub.components.query.picture_words import asks_for_picture

    ids = list(dict.fromkeys(image for citation in answer.citations for image in citation.images))
    if not ids:
        return []
    from khub.server.reads.hub_reads import catalog_of_hub

    found = catalog_of_hub().images.get(ids, answer.collection or None)
    scored = [(_share(query, found[i]), -number, found[i]) for number, i in enumerate(ids) if i in found]
    asked = asks_for_picture(query)
    wanted = [
        one for one in scored if one[0] >= LEAST_SHARE or (asked and min(one[2]["width"], one[2]["height"]) > ICON)
    ]
    wanted.sort(key=lambda entry: entry[:2], reverse=True)
    return [picture for _, _, picture in wanted[:MOST_SHOWN]]


def pictures_for(query: str, answer: "Answer", collection: str, limit: int) -> list[FoundPicture]:
    """Return pictures of a collection by their words, and by the passages around them, best first, each with `score`.

    :param answer: of a search for the same words.
    """
    from khub.server.reads.hub_reads import catalog_of_hub

    near = {i: n for n, citation in enumerate(answer.citations) for i in citation.images}
    images = catalog_of_hub().images
    candidates = {**images.get(list(near), collection), **_with_words(query, collection)}
    scored: list[FoundPicture] = []
    for image_id, picture in candidates.items():
        score = _share(query, picture) + (OF_PASSAGE / (1 + near[image_id]) if image_id in near else 0.0)
        if score > 0:
            scored.append({**picture, "score": round(score, 3)})
    return sorted(scored, key=lambda picture: (-picture["score"], picture["image_id"]))[:limit]


def worth_showing(found: Sequence[FoundPicture]) -> list[FoundPicture]:
    """Return those of the pictures, three at most, that come near the best: an image takes as much room as a page.

    :param found: from `pictures_for`.
    """
    return [picture for picture in found[:MOST_SHOWN] if picture["score"] >= NEAR_THE_BEST * found[0]["score"]]


def words_of(picture: PictureRow) -> str:
    """Return what is known of a picture in words."""
    return "\n".join(str(picture[key]) for key in WORDS_OF if picture[key])


def _with_words(query: str, collection: str) -> dict[str, PictureRow]:
    from khub.server.reads.hub_reads import catalog_of_hub, reader

    ids = reader().pictures_with_words(collection, _terms(query), CANDIDATES)
    return catalog_of_hub().images.get(ids, collection)


def _share(query: str, picture: PictureRow) -> float:
    from khub.components.text.tokenizer import tokenize

    terms = _terms(query)
    held = set(tokenize(words_of(picture)))
    return sum(term in held for term in terms) / len(terms) if terms else 0.0


def _terms(query: str) -> Sequence[str]:
    from khub.components.text.stopwords import without_stopwords

    return list(dict.fromkeys(without_stopwords(query)))
