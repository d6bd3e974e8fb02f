"""What a maintainer calls: generated parts of pages, and simulated nights."""
