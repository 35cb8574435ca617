"""Embed pictures, so that they are found by what they show: text and pictures in one space of vectors (CLIP)."""

import hashlib
import logging
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document, component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict
from PIL import Image

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collection_binding import EmbedderBinding
from khub.components.catalog.picture import DocumentPicture
from khub.components.embedders.embedder_identity import document_fingerprint, identity_of
from khub.components.errors import KhubError
from khub.components.raster.picture_pixels import rgb_picture

logger = logging.getLogger(__name__)

LONGEST_SIDE = 768
"""Pixels of a picture's longer side as an embedder gets it: models look at 224 to 448."""


@component
class PictureEmbedder:
    """Gives each picture a vector by any Haystack embedder of images, and keeps it as long as the picture.

    The key is the sha256 of the picture and the embedder's fingerprint: the same picture is never embedded twice.
    Pages that are pictures are left out. A picture that cannot be read has no vector.

    :param embedder: a component with `run(documents) -> {"documents": …}` that embeds the image file at
        `meta.file_path` of each.
    :param text_embedder: what embeds a question into the same space, where that is another model; None for the text
        embedder of the same family and model.
    :param batch_size: pictures given to the embedder at a time; after each the vectors are kept.
    """

    def __init__(self, embedder: Component, text_embedder: Component | None = None, batch_size: int = 32) -> None:
        self.embedder = embedder
        self.text_embedder = text_embedder
        self.batch_size = batch_size
        self._lock = threading.Lock()
        self._warm = False

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        text = None if self.text_embedder is None else component_to_dict(self.text_embedder, "text_embedder")
        embedder = component_to_dict(self.embedder, "embedder")
        return default_to_dict(self, embedder=embedder, text_embedder=text, batch_size=self.batch_size)

    def warm_up(self) -> None:
        """Load the embedder's model."""
        with self._lock:
            if not self._warm and hasattr(self.embedder, "warm_up"):
                self.embedder.warm_up()
            self._warm = True

    def binding(self) -> EmbedderBinding:
        """Return what a collection remembers of it: identity, fingerprint, and both components."""
        text = None if self.text_embedder is None else component_to_dict(self.text_embedder, "text_embedder")
        return {
            "identity": identity_of(self.embedder),
            "fingerprint": document_fingerprint(self.embedder),
            "component": component_to_dict(self.embedder, "embedder"),
            "text": text,
        }

    @component.output_types(pictures=list[DocumentPicture], picture_embedder=dict[str, Any])
    def run(self, pictures: list[DocumentPicture] | None = None) -> dict[str, Any]:
        """Embed the pictures of documents.

        :param pictures: of them.
        :returns: `pictures` as they came; `picture_embedder` for the writer (see `binding`).
        :raises KhubError: if the embedder gives vectors that cannot be used.
        """
        binding = self.binding()
        files = {hashlib.sha256(p.picture.data).hexdigest(): p.picture.data for p in _shown(pictures or [])}
        self.keep(files, binding["fingerprint"])
        return {"pictures": pictures or [], "picture_embedder": binding}

    def keep(self, files: Mapping[str, bytes], fingerprint: str) -> None:
        """Embed those of some picture files that have no vector yet, and keep it.

        :param files: by sha256.
        """
        store = open_catalog().picture_vectors
        known = store.known(list(files), fingerprint)
        missing = [digest for digest in files if digest not in known]
        for start in range(0, len(missing), self.batch_size):
            batch = {digest: files[digest] for digest in missing[start : start + self.batch_size]}
            store.put(self.embed(batch), fingerprint)

    def embed(self, files: Mapping[str, bytes]) -> dict[str, np.ndarray]:
        """Return the vectors of picture files, (dimension,) of unit length, but of those that cannot be read.

        :param files: by any name.
        :raises KhubError: if the embedder gives vectors that cannot be used.
        """
        self.warm_up()
        with tempfile.TemporaryDirectory(prefix="khub-pictures-") as folder:
            field = getattr(self.embedder, "file_path_meta_field", "file_path")
            documents = [
                Document(id=name, meta={field: str(path)})
                for number, (name, data) in enumerate(files.items())
                if (path := _written(data, Path(folder) / f"{number}.png", name)) is not None
            ]
            embedded = self.embedder.run(documents=documents)["documents"] if documents else []  # type: ignore[attr-defined]
        vectors = {one.id: np.asarray([] if one.embedding is None else one.embedding, "<f4") for one in embedded}
        usable = [vector.size and np.isfinite(vector).all() and vector.any() for vector in vectors.values()]
        if len(vectors) != len(documents) or not all(usable):
            name = type(self.embedder).__name__
            raise KhubError(
                f"{name} gave vectors of pictures that cannot be used",
                "see its own messages in the log",
                code="embedding_failed",
            )
        return {name: vector / np.linalg.norm(vector) for name, vector in vectors.items()}


def _shown(pictures: list[DocumentPicture]) -> list[DocumentPicture]:
    return [picture for picture in pictures if picture.picture.kind != "page"]


def _written(data: bytes, path: Path, name: str) -> Path | None:
    """Write a picture as any embedder reads it, bounded in pixels; None if it cannot be read."""
    try:
        picture = rgb_picture(data, LONGEST_SIDE)
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        logger.warning("picture %s has no vector: it cannot be read (%s)", name[:16], error)
        return None
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    picture.save(path, "PNG", compress_level=1)
    return path
