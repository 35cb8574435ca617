"""The collection that a path or a query names."""

from khub.components.catalog.access import caller
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import CollectionError
from khub.server.reads.hub_reads import NotThereError, collections


def there(name: str) -> str:
    """Return the name of a collection that there is for the caller.

    :raises NotThereError: if there is none.
    """
    try:
        return collections().resolve(name)
    except CollectionError as error:
        raise NotThereError(error.message.partition(" in ")[0], "see GET /collections", code=error.code) from error


def is_being_made(name: str) -> bool:
    """Say whether a job that the caller may know is about to make a collection."""
    waiting = open_catalog().jobs.listed(("queued", "running"))
    return any(job["collection"] == name and caller().may_know(job.get("caller")) for job in waiting)
