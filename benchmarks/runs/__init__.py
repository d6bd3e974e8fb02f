"""The cases of a run, and when and where they are measured."""
