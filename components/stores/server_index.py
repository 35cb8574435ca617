"""Physical indexes on a server, where no folder can be deleted."""

from pathlib import Path
from typing import Any

from components.stores.store_template import StoreTemplate


def drop_index(template: StoreTemplate, physical: str, home: Path) -> None:
    """Drop a physical index with all that it holds, whether it is there or not.

    A store that knows neither `drop` nor `delete_table` keeps it as it is, without a document in it.

    :param template: of a store that has no local folder.
    :param physical: name of the index.
    """
    store: Any = template.build(physical, home)[0]
    drop = getattr(store, "drop", None) or getattr(store, "delete_table", None)
    try:
        if drop is not None:
            drop()
        else:
            store.delete_documents([document.id for document in store.filter_documents()])
    finally:
        if hasattr(store, "close"):
            store.close()
