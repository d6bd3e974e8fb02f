"""Libraries of other authors, each labelled with what it does."""
