# SPDX-License-Identifier: MIT
"""CUDA source as coloured HTML, one piece per line, and the colours for light and dark."""

from functools import lru_cache

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer

from lockstep_grader.model.text import visible

_LIGHT, _DARK = "default", "monokai"


def coloured_lines(text: str) -> list[Markup]:
    """One piece of HTML per line; Pygments closes its elements at each line's end."""
    return list(_coloured(text))


@lru_cache(maxsize=1024)  # a class holds many equal files, and a page of a pair shows two again
def _coloured(text: str) -> tuple[Markup, ...]:
    plain = visible(text).expandtabs(4).removesuffix("\n")
    lexer = CudaLexer(stripnl=False, ensurenl=False)
    html = highlight(plain, lexer, HtmlFormatter(nowrap=True))
    lines = html.split("\n")[: plain.count("\n") + 1]
    return tuple(Markup(line) for line in lines)  # noqa: S704 - Pygments escapes what it colours


def colours() -> dict[str, Markup]:
    """The rules for `code.css.j2`, by the names that it uses."""
    return {"light": _styles(_LIGHT), "dark": _styles(_DARK)}


def _styles(name: str) -> Markup:
    """Pygments' rules for tokens; the page has backgrounds of its own."""
    rules: str = HtmlFormatter(style=name).get_style_defs(".code")  # type: ignore[no-untyped-call]
    tokens = [rule for rule in rules.splitlines() if rule.startswith(".code .")]
    kept_rules = (rule for rule in tokens if not rule.startswith(".code .err"))
    return Markup("\n".join(kept_rules))  # noqa: S704 - nothing of a submission is in them
