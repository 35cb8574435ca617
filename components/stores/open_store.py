"""A document store that is open under a path that nobody else in this process has it open by."""

from pathlib import Path

from khub.components.stores.spellings import give_back_spelling, take_spelling
from khub.components.stores.store_protocol import close_store
from khub.components.stores.store_template import StoreTemplate


class OpenStore:
    """A store for one physical index, and its retriever.

    :ivar store: nothing is opened yet if it is lazy.
    """

    def __init__(self, template: StoreTemplate, physical: str, home: Path) -> None:
        self._taken = physical, take_spelling(physical)
        try:
            self.store, self.retriever = template.build(physical, home, self._taken[1])
        except BaseException:
            self.abandon()
            raise

    def close(self) -> None:
        """Close the store once nobody uses it any more."""
        close_store(self.store)
        self.abandon()

    def abandon(self) -> None:
        """Let others take the path of a store that could not be opened."""
        give_back_spelling(*self._taken)
