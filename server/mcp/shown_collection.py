"""A collection as the tools list it."""

from khub.server.reads.collection_entry import CollectionEntry


class ShownCollection(CollectionEntry):
    """A collection with the address of its documents."""

    uri: str
