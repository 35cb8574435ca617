"""How much memory a service takes while something is done to it."""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import psutil

from tests.soak.service import Service


@dataclass
class Peak:
    """The most memory in MB that was seen."""

    own: float = 0
    children: float = 0
    idle: float = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    @property
    def grown(self) -> float:
        return self.own - self.idle


@contextlib.contextmanager
def watched(service: Service) -> Iterator[Peak]:
    """Watch the memory of the service, and of each of the processes that it starts, while the block runs."""
    process, peak = psutil.Process(service.process.pid), Peak()
    peak.idle = peak.own = _rss(process)

    def watch() -> None:
        while not peak._stop.wait(0.05):
            peak.own = max(peak.own, _rss(process))
            with contextlib.suppress(psutil.Error):
                peak.children = max([peak.children, *map(_rss, service.children())])

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        peak._stop.set()
        thread.join()


def _rss(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.Error):
        return process.memory_info().rss / 1e6
    return 0
