# SPDX-License-Identifier: MIT
"""`grade`: for instructors, and for CI."""

from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.cli.options import (
    BackendChoice,
    BackendOption,
    ExecutorChoice,
    ExecutorOption,
    JobsOption,
    SandboxOption,
    SanitizerOption,
    SeedOption,
    SlurmOption,
)
from lockstep_grader.grading.grade_class import ClassRequest, grade_class
from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.intake.roster import Roster, read_roster
from lockstep_grader.judging.session import Wanted, is_own
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.results.regrade import Regrade


def lab_grade(
    path: Annotated[Path, typer.Argument(metavar="PATH")],
    backend: BackendOption = BackendChoice.AUTO,
    jobs: JobsOption = None,
    lab: Annotated[
        list[str] | None,
        typer.Option("--lab", metavar="LAB", help="Grade only this lab; repeatable."),
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(help="The class list, a CSV: who is who, and who is missing.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the results here as JSON, too.")] = None,
    results: Annotated[
        Path | None, typer.Option(help="Keep results in this folder; default: results.")
    ] = None,
    regrade: Annotated[
        list[str] | None,
        typer.Option(metavar="LAB[/RUNG]", help="Judge this again, or all; repeatable."),
    ] = None,
    regrade_student: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Judge this student's work again; repeatable."),
    ] = None,
    confirm: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Judge the N best again, by other means."),
    ] = 0,
    confirm_student: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Also this student, by any id; repeatable."),
    ] = None,
    seed: SeedOption = None,
    sanitizer: SanitizerOption = True,
    sandbox: SandboxOption = True,
    executor: ExecutorOption = ExecutorChoice.LOCAL,
    slurm: SlurmOption = None,
) -> int:
    """Grade a submission (a folder of lab folders, or an archive), or a class of them.

    What was judged before, with the same content, lab and tools, is not judged again.
    """
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    only = {find_lab(labs, name).id for name in lab or ()}
    request = ClassRequest(
        path=path,
        only=tuple(each for each in labs if each.id in only),
        roster=read_roster(roster) if roster else Roster(),
        regrade=Regrade(tuple(regrade or ()), tuple(regrade_student or ())),
        results=results or workspace.results,
        json=json,
        confirm=confirm,
        confirm_students=tuple(confirm_student or ()),
    )
    if executor is not ExecutorChoice.LOCAL and (confirm or confirm_student):
        raise InputError("--confirm judges on this machine: grade with --executor local")

    wanted = Wanted(
        backend.backend,
        jobs,
        seed,
        sanitizer=sanitizer,
        sandbox=sandbox,
        confined=sandbox and not is_own(path, workspace),
        await_nvcc=True,
    )
    if executor is ExecutorChoice.SLURM:
        from lockstep_grader.grading.slurm import cluster  # takes submitit

        nodes = cluster(slurm or (), workspace, wanted)
        return grade_class(request, workspace, labs, wanted, nodes)
    if slurm:
        raise InputError("--slurm goes with --executor slurm")
    return grade_class(request, workspace, labs, wanted)
