"""The pictures of a collection that lie nearest to a vector: each is compared, in memory."""

from collections.abc import Mapping, Sequence

import numpy as np

from khub.components.catalog.catalog import Catalog
from khub.components.errors import BindingError
from khub.components.pictures.found_picture import FoundPicture
from khub.components.pictures.held import LARGEST, Held

LOOKED_UP = 64


class PictureMatrix:
    """The vectors of a collection's pictures, one row of unit length each.

    :param vectors: by the sha256 of the picture's file.
    """

    def __init__(self, vectors: Mapping[str, np.ndarray]) -> None:
        self.digests = list(vectors)
        rows = [vector / max(float(np.linalg.norm(vector)), 1e-12) for vector in vectors.values()]
        self.rows = np.stack(rows) if rows else np.empty((0, 0), np.float32)

    def cosines(self, vector: np.ndarray) -> dict[str, float]:
        """Return the cosine of each picture with a vector, highest first.

        :param vector: (dimension,).
        :raises BindingError: if the pictures have another number of dimensions.
        """
        if not self.digests:
            return {}
        if self.rows.shape[1] != vector.shape[0]:
            raise BindingError(
                f"pictures have {self.rows.shape[1]} dimensions, what is compared with them has {vector.shape[0]}",
                "name a text_embedder of the same space in the PictureEmbedder, then khub reindex with that graph",
                code="binding_embedder",
            )
        found = self.rows @ (vector / max(float(np.linalg.norm(vector)), 1e-12))
        return {self.digests[place]: float(found[place]) for place in np.argsort(-found, kind="stable")}


_held: Held[PictureMatrix] = Held()


def picture_matrix(catalog: Catalog, collection: str, fingerprint: str) -> PictureMatrix:
    """Return the process's vectors of a collection's pictures, as of the last commit."""
    vectors = catalog.picture_vectors
    return _held.get(
        catalog, collection, fingerprint, lambda: PictureMatrix(vectors.of_collection(collection, fingerprint, LARGEST))
    )


def nearest_pictures(
    catalog: Catalog,
    collection: str,
    cosines: Mapping[str, float],
    limit: int,
) -> list[FoundPicture]:
    """Return pictures that the caller may see, in the order of their cosine, each with it as `score`.

    :param cosines: by digest, highest first.
    """
    digests: Sequence[str] = list(cosines)
    found: list[FoundPicture] = []
    start, size = 0, LOOKED_UP
    while start < len(digests) and len(found) < limit:
        part = digests[start : start + size]
        rows = catalog.images.of_files(part, collection)
        for digest in part:
            found += [{**row, "score": round(cosines[digest], 4)} for row in rows.get(digest, ())]
        start, size = start + size, 4 * size
    return found[:limit]
