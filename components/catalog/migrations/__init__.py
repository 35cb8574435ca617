"""Steps between versions of the tables; on PostgreSQL one only adds, for servers of the version before go on beside it."""
