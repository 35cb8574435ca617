"""One picture after another: from the cache, else by the engine within a document's time."""

import hashlib
import threading
import time

from khub.components.errors import KhubError
from khub.components.ocr.ocr_cache import OcrCache
from khub.components.ocr.text_engine import TextEngine, engine_fingerprint
from khub.components.ocr.text_line import ReadPicture
from khub.components.ocr.upright import Engine, read_upright
from khub.components.raster.picture_pixels import pixels_of

_VERSION = 1


class UnreadPictureError(KhubError):
    """A picture that could not be read, or not in time."""

    code = "picture_unreadable"


class PictureReader:
    """Reads pictures; the engine is loaded when the first one is not in the cache.

    :param max_side: see `TextEngine`.
    :param threads: see `TextEngine`.
    :param engine: what reads, in place of RapidOCR.
    """

    def __init__(self, max_side: int, threads: int, engine: Engine | None = None) -> None:
        self._max_side = max_side
        self._threads = threads
        self._engine = engine
        self._cache = OcrCache(f"{engine_fingerprint()} {max_side} {_VERSION}")
        self._lock = threading.Lock()

    def read(self, data: bytes, deadline: float) -> ReadPicture:
        """Read one picture.

        :param data: a PNG or JPEG file.
        :param deadline: on the monotonic clock; past it only what is in the cache is returned.
        :raises UnreadPictureError: when it is damaged or too large, the engine fails, or there is no time.
        :raises MissingLibraryError: when RapidOCR cannot be loaded.
        """
        sha256 = hashlib.sha256(data).hexdigest()
        known = self._cache.get(sha256)
        if known is not None:
            return known
        if time.monotonic() >= deadline:
            raise UnreadPictureError("there was no time left", "ingest it again: what was read is remembered")
        engine = self._loaded()
        try:
            read = read_upright(engine, pixels_of(data, self._max_side))
        except MemoryError as error:
            raise UnreadPictureError("there is not enough memory for it", "lower max_side") from error
        except (
            Exception
        ) as error:  # the engine's libraries raise errors of many kinds, and one page is not the document
            reason = next(iter(str(error).strip().splitlines()), "no details")[:200]
            raise UnreadPictureError(f"{type(error).__name__}: {reason}", "check the picture") from error
        self._cache.put(sha256, read)
        return read

    def _loaded(self) -> Engine:
        with self._lock:
            if self._engine is None:
                self._engine = TextEngine(self._max_side, self._threads)
            return self._engine
