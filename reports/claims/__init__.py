"""Claims held against the numbers of a figure's frame: verdicts, and how they are reached."""
