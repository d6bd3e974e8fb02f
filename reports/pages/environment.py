"""Jinja2 as all generated pages use it: values are escaped in HTML, and an unknown name is an error."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape


def environment(folder: Path) -> Environment:
    """The templates of a folder."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
