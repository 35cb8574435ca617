"""What the conversion worker answers when it is asked for a part of a recording."""

from pathlib import Path
from typing import Any

from khub.components.converters.speech.sound_windows import SoundWindows
from khub.components.converters.speech.transcriber import Transcriber


class SpeechRequests:
    """Keeps the model, and the recording at the place that it has come to."""

    def __init__(self) -> None:
        self._model: tuple[tuple[str, int], Transcriber] | None = None
        self._sound: SoundWindows | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Transcribe the next window.

        :param request: `path`; `start`, the second at which the window begins: 0, or `next` of the window before;
            `window_s`, its longest length; `model`, a folder; `threads`; `language`, of what came before, or None.
        :returns: `pieces`: `[start, end, text]` in seconds of the recording; `next`: the second at which the next
            window begins, None at the end; `language`, or None; `damaged`: how many pieces of sound could not be
            decoded, from the first window on; `about`: what the file says of itself.
        """
        sound = self._at(Path(request["path"]), request["start"])
        begin = sound.position
        samples = sound.next(request["window_s"])
        reply: dict[str, Any] = {"pieces": [], "next": None, "language": request["language"]}
        reply["about"] = sound.said_of_itself
        if samples is None:
            self._close()
            return reply
        pieces, reply["language"] = self._transcriber(request).transcribe(samples, request["language"])
        reply["damaged"] = sound.damaged
        reply["pieces"] = [[round(begin + start, 2), round(begin + end, 2), text] for start, end, text in pieces]
        reply["next"] = None if sound.is_over else sound.position
        return reply

    def _at(self, path: Path, start: float) -> SoundWindows:
        sound = self._sound
        if sound is None or sound.path != path or start < sound.position or start == 0:
            self._close()
            sound = self._sound = SoundWindows(path)
        sound.skip_to(start)
        return sound

    def _close(self) -> None:
        sound, self._sound = self._sound, None
        if sound is not None:
            sound.close()

    def _transcriber(self, request: dict[str, Any]) -> Transcriber:
        key = request["model"], request["threads"]
        if self._model is None or self._model[0] != key:
            self._model = None
            self._model = key, Transcriber(Path(request["model"]), request["threads"])
        return self._model[1]
