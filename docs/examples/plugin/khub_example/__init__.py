"""A ranker, a format and a store for graphs of the Knowledge Hub."""
