"""What the records say: figures, claims, pages."""
