"""Find pictures by words, or by an example, and the passages around them."""

import re
from dataclasses import dataclass, field

import numpy as np

from khub.components.answer import Answer
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.collection_binding import EmbedderBinding
from khub.components.catalog.parts import shown_name
from khub.components.degraded_entry import DegradedEntry
from khub.components.errors import KhubError
from khub.components.pictures.found_picture import FoundPicture
from khub.components.pictures.lookalikes import lookalikes
from khub.components.pictures.picture_vectors import nearest_pictures, picture_matrix
from khub.components.retrievers.bound_pictures import bound_pictures
from khub.components.retrievers.image_retriever import question_cosines
from khub.server.questions.picture_hits import PictureHit, PictureHits
from khub.server.reads.hub_reads import collections, reader, title_of
from khub.server.reads.relevant_pictures import pictures_for, words_of

STAGE = "pictures"
SHOWS = 0.5
"""What it adds to a picture's score, at most, that it shows what the words say."""
SPAN = 3.0
"""Standard deviations behind the best cosine from which on a picture shows something else."""
COPY = 0.8
"""Match from which on an example counts as a copy or a part of the picture, which goes ahead of what is only alike."""
AROUND = 240
WORDS_ONLY = "pictures are compared by their words alone"
COPIES_ONLY = "pictures are compared by copies and parts alone"
BY_SHOWING = " (docs/graphs/images.md: by what they show)"
_MARK = re.compile(r"\[IMAGE: [^\[\]\n]*+\]\s*+")


@dataclass
class FoundPictures:
    """Pictures of a collection, best first.

    :param collection: its name.
    :param pictures: what the catalog says of each (`Images.get`), with `score`.
    :param degraded: `{"stage", "reason"}` of what stands in for something better that failed.
    :param hint: what would find more, where the collection's pictures have no vectors; else empty.
    """

    collection: str
    pictures: list[FoundPicture] = field(default_factory=list)
    degraded: list[DegradedEntry] = field(default_factory=list)
    hint: str = ""

    def as_data(self) -> PictureHits:
        """Return it as every door hands it out: each picture with its words and the passage around it."""
        catalog = open_catalog()
        around = catalog.images.passages_around([picture["image_id"] for picture in self.pictures])
        wanted = list(dict.fromkeys(chunk_id for chunk_ids in around.values() for chunk_id in chunk_ids))
        passages = catalog.chunks.fetch(self.collection, wanted)
        images: list[PictureHit] = []
        for picture in self.pictures:
            document = reader().document(picture["doc_id"])
            title = title_of(document) if document else shown_name(picture["source"])
            chunk_id = next((one for one in around.get(picture["image_id"], ()) if one in passages), None)
            text = passages[chunk_id][0].content or "" if chunk_id else ""
            images.append({
                "image_id": picture["image_id"],
                "doc_id": picture["doc_id"],
                "source": picture["source"],
                "page": picture["page"],
                "width": picture["width"],
                "height": picture["height"],
                "score": picture["score"],
                "title": title,
                "words": words_of(picture),
                "chunk_id": chunk_id,
                "around": _MARK.sub("", text).strip()[:AROUND],
            })  # fmt: skip
        return {"collection": self.collection, "images": images, "degraded": self.degraded, "hint": self.hint}


def pictures_by_words(query: str, answer: Answer, limit: int) -> FoundPictures:
    """Find pictures by their words, by the passages around them, and by what they show where that was embedded.

    :param answer: of a search for the same words, with many citations.
    """
    catalog, name = open_catalog(), answer.collection
    found = FoundPictures(name)
    bound = catalog.collections.binding(name).get("pictures")
    scored = {picture["image_id"]: picture for picture in pictures_for(query, answer, name, 4 * limit)}
    if bound is None:
        found.hint = WORDS_ONLY + BY_SHOWING
    else:
        try:
            cosines = question_cosines(catalog, name, bound, query)
        except KhubError as error:
            found.degraded.append({"stage": STAGE, "reason": f"{WORDS_ONLY}: {error}"})
        else:
            spread = float(np.std(list(cosines.values()))) if cosines else 0.0
            nearest = nearest_pictures(catalog, name, cosines, 4 * limit)
            for picture in nearest:
                known = scored.get(picture["image_id"], {"score": 0.0})
                share = _share(picture["score"], nearest[0]["score"], spread)
                scored[picture["image_id"]] = {**picture, "score": round(known["score"] + SHOWS * share, 3)}
    ordered = sorted(scored.values(), key=lambda picture: (-picture["score"], picture["image_id"]))
    best = [picture for picture in ordered if picture["score"] > 0][:limit]
    found.pictures = [{**picture, "score": min(picture["score"], 1.0)} for picture in best]
    return found


def pictures_like(example: bytes, collection: str | None, limit: int) -> FoundPictures:
    """Find pictures that an example is a copy or a part of, and those that look alike where pictures were embedded.

    :param example: a picture file.
    :param collection: None for the one of all that the caller may read which has the picture most like it.
    :raises CollectionError: if there is no such collection for the caller.
    :raises QueryError: if the example cannot be read.
    """
    names = collections().names() if collection is None else []
    found = [_like(example, name, limit) for name in names or [collections().resolve(collection)]]
    return max(found, key=lambda one: max((picture["score"] for picture in one.pictures), default=0.0))


def _like(example: bytes, name: str, limit: int) -> FoundPictures:
    catalog = open_catalog()
    found = FoundPictures(name)
    copies, waiting = lookalikes(catalog, name, example, limit)
    if waiting:
        found.degraded.append({"stage": STAGE, "reason": f"{waiting} pictures could not be compared yet: ask again"})
    bound = catalog.collections.binding(name).get("pictures")
    found.pictures = copies
    if bound is None:
        found.hint = COPIES_ONLY + BY_SHOWING
        return found
    try:
        alike = _alike(catalog, name, bound, example, limit)
    except KhubError as error:
        found.degraded.append({"stage": STAGE, "reason": f"{COPIES_ONLY}: {error}"})
        return found
    sure = [picture for picture in copies if picture["score"] >= COPY]
    known = {picture["image_id"] for picture in sure}
    found.pictures = [*sure, *(picture for picture in alike if picture["image_id"] not in known)][:limit]
    return found


def _alike(catalog: Catalog, name: str, bound: EmbedderBinding, example: bytes, limit: int) -> list[FoundPicture]:
    vectors = bound_pictures(bound).embed({"example": example})
    cosines = picture_matrix(catalog, name, bound["fingerprint"]).cosines(vectors["example"])
    return nearest_pictures(catalog, name, cosines, limit)


def _share(cosine: float, best: float, spread: float) -> float:
    """Return how near a picture comes to the best that the caller may see, from 1 to 0."""
    return max(1 - (best - cosine) / (SPAN * spread), 0.0) if spread else 1.0
