"""What a maintainer calls: generated parts of pages, and keys and files of records."""
