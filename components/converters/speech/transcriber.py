"""Whisper: samples in, what is said out, with its times. Runs inside the conversion worker."""

from pathlib import Path
from typing import Any

import numpy as np
from faster_whisper import WhisperModel
from faster_whisper.vad import collect_chunks, get_speech_timestamps

from khub.components.converters.speech.sound_windows import RATE
from khub.components.converters.spoken_text import WITHOUT_BLANKS

Piece = list[Any]
"""`[start, end, text]`: seconds in the window, and the words between them."""
_SURE = 0.5
_SAMPLE_S = 120
"""Seconds of speech that may be listened to for the language."""
_STYLE = {"zh": "以下是普通话的句子。"}
"""What makes the model write as people there do: simplified characters, with punctuation."""
_ENDS = ".!?…。！？"
_MAY_END = ",;:，；：、"
_LONG, _DENSE = 60, 20
"""Characters of a long piece: of a script that has an alphabet, and of one that writes a word in one or two."""
_PAUSE_S = 0.4


class Transcriber:
    """Loads a model, on the processor alone.

    :param folder: of a model in CTranslate2's form.
    :param threads: processor threads.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        self._model = WhisperModel(
            str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )

    def transcribe(self, samples: np.ndarray, known: str | None) -> tuple[list[Piece], str | None]:
        """Return what is said, in pieces of a sentence or less, and the language.

        :param samples: 16,000 a second.
        :param known: language of what came before; it holds where this part alone does not tell.
        """
        speech = get_speech_timestamps(samples)
        if not speech:
            return [], known
        language = self._language(np.concatenate(collect_chunks(samples, speech)[0]), known)
        style = _STYLE.get(language)
        # each half minute by itself: what is misheard once is not repeated, and the style is said before each
        segments, _ = self._model.transcribe(
            samples,
            language=language,
            vad_filter=True,
            word_timestamps=True,
            condition_on_previous_text=False,
            hotwords=style,
        )
        pieces = [piece for segment in segments for piece in _pieces(segment) if piece[2] != style]
        return pieces, language

    def _language(self, speech: np.ndarray, known: str | None) -> str:
        segments = max(_SAMPLE_S // 30, 1)
        found, sure, _ = self._model.detect_language(
            speech[: _SAMPLE_S * RATE], language_detection_segments=segments, language_detection_threshold=_SURE
        )
        return known if known and sure < _SURE else str(found)


def _pieces(segment: Any) -> list[Piece]:
    words = segment.words or []
    if not words:
        return [_piece(segment.start, segment.end, segment.text)] if segment.text.strip() else []
    pieces: list[Piece] = []
    begun: list[Any] = []
    for word, following in zip(words, [*words[1:], None], strict=True):
        begun.append(word)
        if following is None or _ends("".join(one.word for one in begun), word.end, following):
            pieces.append(_piece(begun[0].start, word.end, "".join(one.word for one in begun)))
            begun = []
    return [piece for piece in pieces if piece[2]]


def _ends(text: str, end: float, following: Any) -> bool:
    """Say whether a piece ends here: at the end of a sentence or in a pause, at that of a clause where it is long."""
    said = text.strip()
    dense = any(character >= WITHOUT_BLANKS for character in said)
    if not dense and not following.word.startswith(" "):  # no sentence ends within 3.5
        return False
    if said.endswith(tuple(_ENDS)) or following.start - end >= _PAUSE_S:
        return True
    return said.endswith(tuple(_MAY_END)) and len(said) > (_DENSE if dense else _LONG)


def _piece(start: float, end: float, text: str) -> Piece:
    return [round(float(start), 2), round(float(end), 2), " ".join(text.split())]
