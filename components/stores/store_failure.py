"""A document store that fails, as one error that names it."""

import contextlib
from collections.abc import Iterator

from khub.components.errors import KhubError, StoreError
from khub.components.failure_reason import failure_reason
from khub.components.stores.store_template import StoreTemplate

REASON_CHARACTERS = 300


@contextlib.contextmanager
def told_by_store(template: StoreTemplate) -> Iterator[None]:
    """Turn what a store's library raises in the block into the error that users see.

    Documents have nothing to do with it: a store is given ids and vectors alone.

    :raises StoreError: naming the store's class and the reason.
    """
    try:
        yield
    except KhubError:
        raise
    except Exception as error:  # each library raises its own
        raise StoreError(
            f"document store {template.class_name} fails ({failure_reason(error)[:REASON_CHARACTERS]})",
            "see that it runs and that the graph has its parameters right, then run the command again",
            code="store_unreachable",
        ) from error
