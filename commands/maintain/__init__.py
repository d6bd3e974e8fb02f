"""What a maintainer calls: generated parts of pages, and keys of records."""
