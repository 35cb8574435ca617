"""A folder that a service keeps a collection like: a job for each change of it."""

import logging
import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from khub.components.catalog.jobs import ENDED
from khub.components.errors import KhubError
from khub.server.graphs.extensions import extensions_read_by
from khub.server.jobs.service_jobs import ask_for_sync, job_of
from khub.server.library.known_files import KnownFiles
from khub.server.library.watch import watch_folder

LOOK_S = 0.3
GRAPH = "ingest"
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WatchedFolder:
    """A folder, and the collection that holds what lies in it.

    :param path: absolute.
    """

    path: Path
    collection: str

    def watch(self, stop: threading.Event) -> None:
        """Ask for a job at once and after each change, until somebody says stop."""

        def act(changed: set[str] | None) -> bool:
            try:
                return done(changed)
            except KhubError as error:  # such as a full disk: it is looked at again
                logger.error("%s is not watched at the moment: %s", self.path, error)
                return False

        def done(changed: set[str] | None) -> bool:
            job_id = ask_for_sync(str(self.path), self.collection, changed, GRAPH)["job_id"]
            while (state := job_of(job_id)["state"]) not in ENDED:
                if stop.wait(LOOK_S):
                    return False
            finished: bool = state == "finished"
            return finished

        known = KnownFiles(str(self.path), self.collection)
        watch_folder(str(self.path), act, stop, known=known, extensions=partial(extensions_read_by, GRAPH))
