# SPDX-License-Identifier: MIT
"""Fills in the templates of the platforms' own files."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from lockstep_grader.results.export.words import number


def render(template: str, /, **values: object) -> str:
    return _templates().get_template(f"{template}.j2").render(number=number, **values)


@cache
def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(("html.j2",), default=False),
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
