"""Find passages by the pictures that stand in them."""

from typing import Any

import numpy as np
from haystack import Document, component, tracing

from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.collection_binding import EmbedderBinding
from khub.components.catalog.passage import changed
from khub.components.errors import ParameterError
from khub.components.extras import install_extra
from khub.components.pictures.picture_vectors import nearest_pictures, picture_matrix
from khub.components.query.picture_words import asks_for_picture
from khub.components.question import Leg, Question
from khub.components.retrievers.bound_pictures import bound_pictures
from khub.components.retrievers.passages import Passages

NAME = "pictures"
NO_VECTORS = (
    f"the pictures have no vectors ({install_extra('local-models')}, "
    "then khub reindex --collection {name} --graph G, with a PictureEmbedder in G)"
)
NOT_ASKED = "the question asks for no picture"


@component
class ImageRetriever:
    """Compares the question with the collection's pictures, and finds the passages around the nearest ones.

    The embedders are those that the collection's pictures were embedded by (`PictureEmbedder`): text and pictures lie
    in one space. Each picture is compared, with no index.

    :param top_k: number of pictures, 1 or more.
    :param weight: what the leg counts beside the scores of words and meaning (each up to 1), where the ranker weighs.
    :param always: search for every question; otherwise for one that asks for a picture (chart, diagram, photo …).
    :raises GraphError: when a parameter is out of bounds.
    """

    def __init__(self, top_k: int = 10, weight: float = 0.5, always: bool = False) -> None:
        if top_k < 1:
            raise ParameterError(f"ImageRetriever has top_k={top_k}", "give 1 or more")
        if weight < 0:
            raise ParameterError(f"ImageRetriever has weight={weight}", "give 0 or more")
        self.top_k = top_k
        self.weight = weight
        self.always = always

    @component.output_types(documents=list[Document], leg=Leg)
    def run(self, question: Question) -> dict[str, Any]:
        """Embed the question and search.

        :param question: its `text` and `filters`.
        :returns: `documents` with `score` = cosine of the question and the best picture of the passage, best first;
            `leg`, which tells `weight`, and `spread`, the standard deviation of the cosines of all pictures.
        :raises BindingError: as `question_cosines`.
        """
        if question.legs is not None and NAME not in question.legs:
            return _left_out("left out by the caller")
        if not self.always and not asks_for_picture(f"{question.asked} {question.text}"):
            return _left_out(NOT_ASKED)
        catalog = open_catalog()
        name = question.collection_name
        bound = catalog.collections.binding(name).get("pictures")
        if not bound:
            return _left_out(NO_VECTORS.format(name=name))
        cosines = question_cosines(catalog, name, bound, question.text)
        documents = self._passages(catalog, name, question, cosines)
        spread = float(np.std(list(cosines.values()))) if cosines else 0.0
        return {"documents": documents, "leg": Leg(NAME, documents, spread=spread, weight=self.weight)}

    def _passages(self, catalog: Catalog, name: str, question: Question, cosines: dict[str, float]) -> list[Document]:
        matching = catalog.chunks.matching(name, question.filters or None)
        allowed = None if matching is None else set(matching)
        # the nearest ones may all stand in what a filter leaves out
        pictures = nearest_pictures(catalog, name, cosines, self.top_k if allowed is None else len(cosines))
        around = catalog.images.passages_around([picture["image_id"] for picture in pictures])
        scores: dict[str, float] = {}
        taken = 0
        for picture in pictures:
            inside = [one for one in around.get(picture["image_id"], ()) if allowed is None or one in allowed]
            for chunk_id in inside:
                scores.setdefault(chunk_id, picture["score"])
            taken += bool(inside)
            if taken == self.top_k:
                break
        found = Passages(catalog, name, matching).fetch(list(scores))
        return [changed(found[chunk_id][0], score=score) for chunk_id, score in scores.items() if chunk_id in found]


def question_cosines(catalog: Catalog, collection: str, bound: EmbedderBinding, text: str) -> dict[str, float]:
    """Return the cosine of each picture of a collection with a text, highest first, by the sha256 of its file.

    :param bound: what the collection's binding says of its pictures.
    :raises BindingError: if the embedders cannot be built, or text and pictures lie in different spaces.
    """
    with tracing.tracer.trace("embed"):
        embedder: Any = bound_pictures(bound).text_embedder
        vector = np.asarray(embedder.run(text=text)["embedding"], "<f4")
    return picture_matrix(catalog, collection, bound["fingerprint"]).cosines(vector)


def _left_out(reason: str) -> dict[str, Any]:
    return {"documents": [], "leg": Leg.left_out(NAME, reason)}
