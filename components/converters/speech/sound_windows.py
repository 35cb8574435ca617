"""The sound of a file, piece by piece: windows that end where it is quiet. Runs inside the conversion worker."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np

from khub.components.errors import SourceDamagedError, SourceEmptyError

RATE = 16_000
"""Samples in a second, as Whisper wants them."""
_FORMATS = "mp3,wav,mov,mp4,m4a,ogg,flac,matroska,webm,aac"
"""What a file may be, whatever its name says: no list of other files, which would be opened as well."""
_QUIET_S = 15.0
"""A window ends in the quietest moment of so many seconds at its end, so that no word is cut."""
_FRAME = RATE // 50
_SMOOTH = 15
_GAP_S = 0.5
_REPLACE = "check that it plays, save it anew with a program for sound, or replace it"


class SoundWindows:
    """Decodes a file from its beginning on, and holds one window of it at most.

    :param path: the file.
    :raises SourceError: when there is no sound in it, or it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        options = {"format_whitelist": _FORMATS, "protocol_whitelist": "file"}
        try:
            self._container = av.open(str(path), mode="r", metadata_errors="ignore", options=options)
        except (av.error.FFmpegError, ValueError) as error:
            raise SourceDamagedError(f"{path.name!r} is damaged or no recording ({error})", _REPLACE) from error
        if not self._container.streams.audio:
            self._container.close()
            raise SourceEmptyError(f"{path.name!r} has no sound", "leave it out")
        self._samples = self._decoded()
        self._held = np.zeros(0, np.int16)
        self._position = 0
        self.damaged = 0
        """How many pieces could not be decoded, up to now."""
        self._is_read = False

    @property
    def is_over(self) -> bool:
        """Whether no window is left."""
        return self._is_read and not len(self._held)

    @property
    def position(self) -> float:
        """Second at which the next window begins."""
        return self._position / RATE

    @property
    def said_of_itself(self) -> dict[str, Any]:
        """Return what the file says of itself: title, author, and its length in seconds as `duration`."""
        tags = {key.lower(): value.strip() for key, value in self._container.metadata.items()}
        seconds = self._container.duration
        found = {"title": tags.get("title"), "author": tags.get("artist"), "created": tags.get("date")}
        return found | {"duration": round(seconds / 1_000_000, 1) if seconds else None}

    def skip_to(self, second: float) -> None:
        """Leave out what comes before a second, which is not before `position`."""
        wanted = round(second * RATE)
        while self._position + len(self._held) < wanted and self._more():
            if self._position + len(self._held) <= wanted:
                self._drop(len(self._held))
        self._drop(min(wanted - self._position, len(self._held)))

    def next(self, seconds: float) -> np.ndarray | None:
        """Return the samples of the next window, as float32; None at the end.

        :param seconds: its length, at most.
        """
        wanted = int(seconds * RATE)
        pieces, length = [self._held], len(self._held)
        while length < wanted and (piece := self._piece()) is not None:
            pieces.append(piece)
            length += len(piece)
        self._held = np.concatenate(pieces)
        if length == 0:
            return None
        window = self._held[: wanted if length < wanted else _quietest(self._held[:wanted])]
        self._drop(len(window))
        return window.astype(np.float32) / 32768.0

    def close(self) -> None:
        """Let the file go."""
        self._container.close()

    def _more(self) -> bool:
        piece = self._piece()
        if piece is None:
            return False
        self._held = np.concatenate([self._held, piece])
        return True

    def _piece(self) -> np.ndarray | None:
        piece = next(self._samples, None)
        self._is_read = piece is None
        return piece

    def _drop(self, samples: int) -> None:
        self._held = self._held[samples:].copy()
        self._position += samples

    def _decoded(self) -> Iterator[np.ndarray]:
        """Yield samples; where the file has a gap in time they are silent, so that places stay right."""
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        begin = (self._container.start_time or 0) / 1_000_000
        whole = (self._container.duration or 0) / 1_000_000
        count = 0
        for frame in self._frames():
            gap = frame.time - begin - count / RATE if frame is not None and frame.time is not None else 0.0
            if _GAP_S < gap <= whole:
                for silent in _silence(int(gap * RATE)):
                    count += len(silent)
                    yield silent
            for resampled in resampler.resample(frame):
                samples = resampled.to_ndarray().reshape(-1)
                count += len(samples)
                yield samples

    def _frames(self) -> Iterator[Any]:
        """Yield the frames that can be decoded, and None at the end; what is damaged between them is counted."""
        sound = False
        for packet in self._packets():
            try:
                frames = packet.decode()
            except av.error.FFmpegError:  # a player leaves it out, too
                self.damaged += 1
                continue
            sound = sound or bool(frames)
            yield from frames
        if self.damaged and not sound:
            raise SourceDamagedError(f"{self.path.name!r} is damaged: its sound cannot be decoded", _REPLACE)
        yield None

    def _packets(self) -> Iterator[Any]:
        packets = self._container.demux(self._container.streams.audio[0])
        try:
            yield from packets
        except av.error.FFmpegError:  # the file ends in the middle
            self.damaged += 1


def _silence(samples: int) -> Iterator[np.ndarray]:
    while samples > 0:
        yield np.zeros(min(samples, 60 * RATE), np.int16)
        samples -= 60 * RATE


def _quietest(samples: np.ndarray) -> int:
    """Return where to cut: the middle of the quietest third of a second near the end."""
    tail = samples[-int(_QUIET_S * RATE) :]
    frames = tail[: len(tail) // _FRAME * _FRAME].astype(np.float32).reshape(-1, _FRAME)
    if len(frames) <= _SMOOTH:
        return len(samples)
    loudness = np.convolve((frames**2).mean(axis=1), np.ones(_SMOOTH), "valid")
    return len(samples) - len(tail) + (int(loudness.argmin()) + _SMOOTH // 2) * _FRAME
