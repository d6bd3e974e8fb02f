"""What a maintainer calls: generated parts of pages, simulated nights, and files of records."""
