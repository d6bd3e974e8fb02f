"""Shapes of figures, which draw a frame and read no record."""
