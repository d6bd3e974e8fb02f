"""The measured code: one room per stage, one file per implementation."""
