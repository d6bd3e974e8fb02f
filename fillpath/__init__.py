"""The core of fillpath: the nouns, names and rules that every room stands on."""

__version__ = "0.1.0"
