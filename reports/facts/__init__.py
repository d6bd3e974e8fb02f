"""What was measured, what is printed, and how one is held against the other."""
