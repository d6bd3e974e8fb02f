"""A case becomes a record: the supervisor, its worker, and what both need."""
