# SPDX-License-Identifier: MIT
"""The options of `run`, `debug` and `trace` for the compiler of a program."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
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


class AfterDashes(TyperCommand):
    """Puts those words into the context's meta, as program_arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own, found, of_program = args, False, list[str]()
        if "--" in args:
            at = args.index("--")
            own, found, of_program = args[:at], True, args[at + 1 :]
        ctx.meta["program_arguments"] = of_program if found else []
        return super().parse_args(ctx, list(own))


def rung_of_file(workspace: Workspace, file: Path) -> tuple[str, Path] | None:
    """LAB/RUNG and the folder of lab folders, if `file` is a lab's rung: labs/LAB/RUNG.cu."""
    path = file.absolute()
    for lab in read_labs(workspace):
        if lab.id == path.parent.name and path.is_file():
            for rung in lab.rungs:
                if rung.file_name == path.name:
                    return f"{lab.id}/{rung.id}", path.parent.parent
    return None
