"""Other people's libraries, each labelled with what it does."""
