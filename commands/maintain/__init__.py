"""Commands of maintainers: generated parts of pages, and files of records."""
