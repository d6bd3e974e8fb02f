"""What it says: one module a paper, the claims, the page."""
