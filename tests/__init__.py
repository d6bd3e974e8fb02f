"""Tests of fillpath. A process reads its settings once, but a test changes the environment."""

import fillpath.settings

# Before any module takes the function.
fillpath.settings.settings = fillpath.settings.settings.__wrapped__
