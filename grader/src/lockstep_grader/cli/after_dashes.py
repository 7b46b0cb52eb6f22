# SPDX-License-Identifier: MIT
"""Verbs that start a program: what follows `--` is the program's own."""

from typing import Any

from typer.core import TyperCommand


class AfterDashes(TyperCommand):
    """Puts those words into the context's meta, as program_arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own, found, of_program = args, False, list[str]()
        if "--" in args:
            at = args.index("--")
            own, found, of_program = args[:at], True, args[at + 1 :]
        ctx.meta["program_arguments"] = of_program if found else []
        return super().parse_args(ctx, list(own))
