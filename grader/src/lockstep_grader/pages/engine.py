# SPDX-License-Identifier: MIT
"""What all pages share: the template engine, the content policy, and CUDA source in colours.

Everything is escaped, nothing is invisible, nothing is loaded. A page is one file. Its
Content-Security-Policy allows only its own style and script, by their hashes, so text from a
submission can neither run nor load anything.
"""

import base64
import hashlib
import re
from functools import lru_cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer

from lockstep_grader.model.text import visible


def make_environment(package: str) -> Environment:
    """Templates of `package`, and those that all pages share."""
    loaders = [PackageLoader(package), PackageLoader("lockstep_grader.pages")]
    return Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_plain,
    )


def content_policy(style: str, script: str = "", *, forms: bool = False) -> str:
    """A policy that allows this very style and script, pictures in the page, and nothing else.

    `forms` allows forms that send to the page's own server.
    """
    sources = ["default-src 'none'", f"style-src '{_digest(style)}'", "img-src data:"]
    if script:
        sources.append(f"script-src '{_digest(script)}'")
    to = "'self'" if forms else "'none'"
    return "; ".join([*sources, "base-uri 'none'", f"form-action {to}"])


def trusted(text: str) -> Markup:
    """Text of our own: a style sheet or a script, never anything of a submission."""
    return Markup(text)  # noqa: S704 - that is what this function is for


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _plain(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_LIGHT, _DARK = "default", "monokai"
# Pygments takes time for the square of a run of blanks, of a long line, and of the whole: 10 s for
# 16 Ki empty lines. Our longest solution has 22 KB.
_MOST_CHARS, _MOST_IN_LINE, _MOST_BLANKS = 32 << 10, 500, 100
_LONG_LINE = re.compile(rf"[^\n]{{{_MOST_IN_LINE + 1}}}")
_BLANKS = re.compile(rf"(\s{{{_MOST_BLANKS}}})\s+")


def coloured_lines(text: str) -> list[Markup]:
    """One piece of HTML per line; Pygments closes its elements at each line's end."""
    return list(_coloured(text))


@lru_cache(maxsize=1024)  # a class holds many equal files, and a page of a pair shows two again
def _coloured(text: str) -> tuple[Markup, ...]:
    plain = visible(text).expandtabs(4).removesuffix("\n")
    if quick_to_lex(plain) != plain:
        return tuple(map(escape, plain.split("\n")))
    lexer = CudaLexer(stripnl=False, ensurenl=False)
    html = highlight(plain, lexer, HtmlFormatter(nowrap=True))
    lines = html.split("\n")[: plain.count("\n") + 1]
    return tuple(Markup(line) for line in lines)  # noqa: S704 - Pygments escapes what it colours


def quick_to_lex(text: str) -> str:
    """`text`, or what is left of one that would keep a lexer busy."""
    fewer_blanks = _BLANKS.sub(r"\1", text)
    shorter_lines = _LONG_LINE.sub(lambda line: f"{line[0]}\n", fewer_blanks)
    return shorter_lines[:_MOST_CHARS]


def colours() -> dict[str, Markup]:
    """The rules for `code.css.j2`, by the names that it uses."""
    return {"light": _styles(_LIGHT), "dark": _styles(_DARK)}


def _styles(name: str) -> Markup:
    """Pygments' rules for tokens; the page has backgrounds of its own."""
    rules: str = HtmlFormatter(style=name).get_style_defs(".code")  # type: ignore[no-untyped-call]
    tokens = [rule for rule in rules.splitlines() if rule.startswith(".code .")]
    kept_rules = (rule for rule in tokens if not rule.startswith(".code .err"))
    return Markup("\n".join(kept_rules))  # noqa: S704 - nothing of a submission is in them
