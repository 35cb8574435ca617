"""What the conversion worker can be asked; runs inside it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from khub.components.converters.conversion import build_markitdown, convert_by_plugin, convert_bytes, finish_pdf
from khub.components.converters.file_types import PDF_ENGINES
from khub.components.converters.mail.attachment import Room
from khub.components.converters.markitdown_plugins import find_plugins, plugin_converters
from khub.components.converters.pdf import PdfShare, read_share
from khub.components.converters.source_reader import read_source

Request = dict[str, Any]


class Requests:
    """Answers requests, one after the other.

    The pages of a large PDF are shared by two workers, which are asked "read", "clean", "draft", and one of them
    "finish". Each keeps its share until one of these is asked of another file, or something else.
    """

    def __init__(self, plugins: Sequence[str] = ()) -> None:
        # Here, so that no conversion pays for what they load.
        self._plugins = plugin_converters(find_plugins(plugins))[0] if plugins else None
        self._engines = {engine: build_markitdown(engine) for engine in PDF_ENGINES}
        self._share: PdfShare | None = None
        self._answers: dict[str, Callable[[Request], dict[str, Any]]] = {
            "convert": self._convert,
            "plugin": self._convert_by_plugin,
            "read": self._read,
            "clean": self._clean,
            "draft": self._draft,
            "finish": self._finish,
            "speech": self._speak,
        }
        self._speech: Any = None

    @property
    def in_share(self) -> bool:
        """Whether pages of a PDF are kept."""
        return self._share is not None

    def answer(self, request: Request) -> dict[str, Any]:
        """Do what is asked.

        :param request: `kind` and `path`; see the `PdfShare` method of that name. "convert" converts the whole file,
            "plugin" one of a format that a plug-in reads; "read" reads every `step`-th page from `first` (an index) on;
            "draft" with `give` returns what it found; "finish" takes that as `others`; "speech"
            transcribes a part of a recording (see `SpeechRequests`).
        :returns: what the hub's side of the worker passes on.
        """
        return self._answers[request["kind"]](request)

    def _convert(self, request: Request) -> dict[str, Any]:
        self._share = None
        data, name = _data(request)
        markitdown = self._engines[request["pdf_engine"]]
        room = Room(**request["room"]) if request.get("room") else None
        return convert_bytes(markitdown, data, name, request["max_mb"], request["pictures"], room)

    def _convert_by_plugin(self, request: Request) -> dict[str, Any]:
        self._share = None
        if self._plugins is None:
            raise ValueError("there are no plug-ins here")
        return convert_by_plugin(self._plugins, *_data(request))

    def _read(self, request: Request) -> dict[str, Any]:
        self._share = None
        data, name = _data(request)
        self._share = read_share(data, name, request["first"], request["step"], request["pictures"])
        return self._share.find_repeated()

    def _clean(self, request: Request) -> dict[str, Any]:
        return self._kept.clean(request["found"])

    def _draft(self, request: Request) -> dict[str, Any]:
        share = self._kept
        share.draft(request["counted"])
        if not request["give"]:
            return {}
        self._share = None
        return share.to_dict()

    def _finish(self, request: Request) -> dict[str, Any]:
        share, self._share = self._kept, None
        name = Path(request["path"]).name
        return finish_pdf(share.finish(request["others"]), name, request["pictures"])

    def _speak(self, request: Request) -> dict[str, Any]:
        if self._speech is None:
            from khub.components.converters.speech.speech_request import SpeechRequests  # its libraries are an extra

            self._speech = SpeechRequests()
        found: dict[str, Any] = self._speech.answer(request)
        return found

    @property
    def _kept(self) -> PdfShare:
        if self._share is None:
            raise ValueError("no share of a PDF is kept here")
        return self._share


def _data(request: Request) -> tuple[bytes, str]:
    path = Path(request["path"])
    return read_source(path, request["sha256"]), path.name
