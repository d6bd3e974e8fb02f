"""Claims compared with the numbers of a figure's frame: verdicts and the way to them."""
