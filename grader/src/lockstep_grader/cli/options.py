# SPDX-License-Identifier: MIT
"""Command-line options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Backend


class BackendChoice(StrEnum):
    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"

    @property
    def backend(self) -> Backend | None:
        """None: whichever works here."""
        return None if self is BackendChoice.AUTO else Backend(self.value)


class ExecutorChoice(StrEnum):
    LOCAL = "local"
    SLURM = "slurm"


def named(target: str | None) -> str | None:
    """LAB[/RUNG], also of a path to a folder or file in labs/."""
    if target is None:
        return None
    labs, path = Workspace.from_environment().labs, Path(target).resolve()
    if path.exists() and path != labs and path.is_relative_to(labs):
        return path.relative_to(labs).as_posix()
    return target.removeprefix("labs/").strip("/")


def folder_given(workspace: Workspace, given: Path | None) -> Path:
    """The folder that --from names, or labs. Raises InputError where there is none."""
    folder = given or workspace.labs
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    return folder


def _lab_named(target: str) -> str:
    return (named(target) or "").partition("/")[0]


TargetArgument = Annotated[str, typer.Argument(metavar="LAB[/RUNG]", callback=named)]
RungArgument = Annotated[str, typer.Argument(metavar="LAB/RUNG", callback=named)]
LabArgument = Annotated[str, typer.Argument(metavar="LAB", callback=_lab_named)]
BackendOption = Annotated[
    BackendChoice, typer.Option(help="auto is cuda if there are nvcc and a GPU, else cpu.")
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=1024,
        help="How many rungs to work on at once; default: the cores, twice as many on GPUs.",
    ),
]
ExecutorOption = Annotated[
    ExecutorChoice, typer.Option(help="Where rungs are judged: this machine, or a Slurm cluster.")
]
SlurmOption = Annotated[
    list[str] | None,
    typer.Option(
        "--slurm",
        metavar="KEY=VALUE",
        help="limit, batch, tries, time, or any sbatch option; repeatable (docs/instructors.md).",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        min=0, max=2**64 - 1, help="Makes inputs and verdicts repeatable; default: secret."
    ),
]
OrderOption = Annotated[
    int,
    typer.Option("--seed", min=0, max=2**64 - 1, help="Another order of threads; 0: the natural."),
]
SanitizerOption = Annotated[
    bool,
    typer.Option(
        "--sanitizer/--no-sanitizer",
        help="On cuda: judge cleanliness (compute-sanitizer, the emulator), or finish sooner.",
    ),
]
SandboxOption = Annotated[
    bool,
    typer.Option(
        "--sandbox/--no-sandbox",
        help="Run other people's code only in a sandbox, or also without one.",
    ),
]
CourseOption = Annotated[
    Path | None,
    typer.Option(help="course.toml: deadlines, extensions, overrides, weights (docs/course.md)."),
]
MAX_COUNTED_ITEMS = 1 << 24  # by the emulator; beyond it a call takes minutes
DeviceOption = Annotated[
    str | None,
    typer.Option(help="The GPU of predicted times, or a file that describes it (docs/time.md)."),
]
OpenOption = Annotated[bool, typer.Option("--open", help="Also open the page in the browser.")]
FolderOption = Annotated[
    Path | None, typer.Option("--from", help="The folder of lab folders to take; default: labs.")
]
FromOption = Annotated[
    Path | None,
    typer.Option(
        "--from",
        "--submission",
        metavar="PATH",
        help="Other lab folders: a folder, an archive, or EXPORT/STUDENT of a class.",
    ),
]
