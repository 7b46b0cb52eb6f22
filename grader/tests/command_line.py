# SPDX-License-Identifier: MIT
"""What the command line says to words that a page or a job holds, without running them."""

import re
from functools import cache
from itertools import takewhile
from typing import Any

import typer

from lockstep_grader.cli.main import ArgumentError, app

_BEFORE_VERB = ("--nvcc", "--no-nvcc")
_FORM = re.compile(r"[A-Z]+|\[.*|.*\|.*|\.\.\.")


def complaint(words: list[str]) -> str:
    """Why `./lab WORDS` would be refused; empty when it is understood."""
    verb, *arguments = words[1:] if words[0] in _BEFORE_VERB else words
    if verb in ("--help", "--version", "VERB"):
        return ""
    command = _verbs().get(verb)
    if command is None:
        return f"no verb {verb}"
    if arguments in ([], ["--help"]):  # a verb that is only named
        return ""
    known = {
        "--help",
        *(name for each in command.params for name in each.opts + each.secondary_opts),
    }
    for word in takewhile(lambda word: word != "--", arguments):
        name = word.strip("[].").partition("=")[0]
        if name.startswith("--") and name not in known:
            return f"no option {name}"
    try:
        command.make_context(verb, list(arguments))
    except ArgumentError as error:
        # In a form, such as `export RESULTS --format F [--lab LAB]`, words stand for values.
        return "" if any(_FORM.fullmatch(word) for word in arguments) else str(error)
    return ""


@cache
def _verbs() -> dict[str, Any]:
    """The verbs as the command line knows them; their types differ between typer's versions."""
    group: Any = typer.main.get_command(app)
    return dict(group.commands)
