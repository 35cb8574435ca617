"""The doctor in a process of its own: it compares whole indexes, and native code opens what may be damaged."""

from khub.server.library.collection_health import CollectionHealth
from khub.server.library.examination_process import REPAIR
from khub.server.library.program import Program


class Examination(Program):
    """The doctor over all collections, beside whoever has asked for it.

    :param repair: whether what is wrong is rebuilt.
    """

    def __init__(self, repair: bool = False) -> None:
        self.repair = repair
        super().__init__("examination", "khub.server.library.examination_process", *([REPAIR] if repair else []))

    def findings(self) -> list[CollectionHealth]:
        """Return what was found in each collection: `collection`, `healthy`, `problems`, `notes`, `repaired`.

        :raises KhubError: if it has not ended, or ended without an answer.
        """
        found: list[CollectionHealth] = self.answer()
        return found
