"""What the records say: figures, claims, pages."""

import gc

# Imports and records make a million objects that live until the end. Going through them again and again for
# cycles takes a sixth of the time of a command.
gc.set_threshold(100_000, 50, 50)
