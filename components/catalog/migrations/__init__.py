"""Steps between versions of the tables.

On PostgreSQL one only adds: servers of the version before go on beside it.
"""
