"""Linear systems through all stages, from the prepared matrix to the solution."""
