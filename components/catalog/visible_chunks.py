"""The chunks that may be seen, as statements name them."""

VISIBLE = "chunks c JOIN documents d ON d.doc_id = c.doc_id AND d.version = c.version"
BY_DOCUMENT = "documents d CROSS JOIN chunks c WHERE c.doc_id = d.doc_id AND c.version = d.version"
"""The same, with a WHERE that goes on: what is asked of a document is asked once and not of each chunk."""
