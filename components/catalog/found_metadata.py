"""Whence a document has its metadata: from enrichment, which has found it out, or from a person."""

FOUND = "found_metadata"
"""The key that lists which keys were found out, and so may be replaced when a document is enriched again."""
GIVEN = "given_metadata"
"""The key that says which keys a person has given, and what the file says of each: these hold when it changes."""
SYNCED_HASH = "synced_hash"
"""The key with what a program that keeps a collection like its files calls the state of a file."""
