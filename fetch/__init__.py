"""Where a matrix comes from, and how it is prepared."""
