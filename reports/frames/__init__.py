"""Records as the rows that figures need."""
