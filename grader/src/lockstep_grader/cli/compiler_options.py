# SPDX-License-Identifier: MIT
"""The options of `run`, `debug` and `trace` for the compiler of a program."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.model.errors import InputError
from lockstep_grader.student.program.build import STANDARDS, Options

IncludeOption = Annotated[
    list[Path] | None, typer.Option("-I", metavar="DIR", help="Look for headers here, too.")
]
DefineOption = Annotated[
    list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro.")
]
StandardOption = Annotated[int, typer.Option(help="The C++ standard: 17, as nvcc, or 20.")]


def compiler_options(
    include: Sequence[Path] | None, define: Sequence[str] | None, std: int
) -> Options:
    """Raises InputError for a standard or a folder that there is not."""
    if std not in STANDARDS:
        raise InputError(f"--std {std}: choose 17 or 20")
    for searched in include or ():
        if not searched.is_dir():
            raise InputError(f"-I {searched}: no such folder")
    return Options(tuple(include or ()), tuple(define or ()), std)
