"""Metadata that enrichment has found out, not a person has given."""

FOUND = "found_metadata"
"""The key that lists which keys were found out, and so may be replaced when a document is enriched again."""
