"""How a frame is drawn, knowing no record."""
