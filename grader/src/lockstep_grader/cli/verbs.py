# SPDX-License-Identifier: MIT
"""All verbs by name. A verb's module is imported when the verb is called: `list` starts fast."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import signature
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from lockstep_grader.machine.workspace import Workspace


class Verb(NamedTuple):
    module: str  # which defines it as lab_NAME
    help: str  # the first line of its function's docstring; empty: not listed


_FOR_STUDENTS = {
    "list": Verb("verbs_list", "List the labs, their rungs and points, and your last checks."),
    "check": Verb("verbs_student", "Build and judge your rungs; say why and where when one fails."),
    "watch": Verb("verbs_student", "Check again on every save; Ctrl-C ends."),
    "hint": Verb("verbs_student", "Show the next hint of a rung; later hints say more."),
    "quiz": Verb("verbs_quiz", "Ask a lab's questions, and say why an answer is right or wrong."),
    "predict": Verb(
        "verbs_quiz",
        "Ask what your rung will cost, then show the counts next to your predictions.",
    ),
    "submit": Verb("verbs_student", "Pack a lab's rung files into the zip to hand in."),
    "bench": Verb("verbs_student", "Time a lab's ladder on a GPU, compared with the library."),
    "profile": Verb("verbs_trace", "Show what a rung costs, kernel by kernel and line by line."),
    "trace": Verb(
        "verbs_trace",
        "Replay one launch step by step: a page with source, warps, memory and barriers.",
    ),
    "run": Verb(
        "verbs_run", "Run any CUDA program on the emulator, without a GPU, with every check."
    ),
    "debug": Verb(
        "verbs_run",
        "Step through a rung or a CUDA program, thread by thread, without a GPU.",
    ),
    "doctor": Verb("verbs_list", "Say what this machine has, what is missing and how to get it."),
}
_FOR_INSTRUCTORS = {
    "class": Verb(
        "verbs_class",
        "Grade a class, from the platform's download to its gradebook, by COURSE/course.toml.",
    ),
    "grade": Verb(
        "verbs_grade",
        "Grade a submission (a folder of lab folders, or an archive), or a class of them.",
    ),
    "explain": Verb(
        "verbs_explain",
        "Say why each point of a student's rung was lost, and what repeats the judgement.",
    ),
    "review": Verb(
        "verbs_report", "Read submissions in the browser and comment on them; Ctrl-C ends."
    ),
    "export": Verb(
        "verbs_export",
        "Write grades for an LMS, CI or gradebook. RESULTS: a results folder or grade JSON.",
    ),
    "release": Verb(
        "verbs_author", "Make the students' copy: no solutions, no mutants, no instructors' pages."
    ),
    "package": Verb(
        "verbs_export",
        "Make the autograder of a lab: gradescope, github (also GitLab), autolab, prairielearn.",
    ),
    "autograde": Verb("verbs_export", ""),
    "report": Verb(
        "verbs_report", "Make pages from results: one per student, one of the class, a leaderboard."
    ),
    "site": Verb(
        "verbs_report",
        "Make a web site of the handouts and the manual; it also works without a network.",
    ),
}
_FOR_AUTHORS = {
    "lint": Verb(
        "verbs_author", "Prove that starters fail, solutions get full marks and mutants are caught."
    ),
    "test": Verb("verbs_author", "Run the project's own tests."),
    "new": Verb("verbs_author", "Scaffold a lab; `lint` then names what is left to write."),
    "mutant": Verb("verbs_author", "Show, compare or edit a wrong submission that lint catches."),
}
_SECTIONS = {
    "For students": _FOR_STUDENTS,
    "For instructors": _FOR_INSTRUCTORS,
    "For authors": _FOR_AUTHORS,
}
VERBS = {name: verb for section in _SECTIONS.values() for name, verb in section.items()}


class VerbGroup(TyperGroup):
    """The commands of VERBS, listed by who needs them."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        commands: Any = _Commands()  # the type of a command differs between typer's versions
        self.commands = commands

    def list_commands(self, ctx: object) -> list[str]:
        return list(VERBS)

    def format_commands(self, ctx: object, formatter: Any) -> None:
        only_students = Workspace.from_environment().is_students_copy
        for title, verbs in _SECTIONS.items():
            if only_students and verbs is not _FOR_STUDENTS:
                continue
            with formatter.section(title):
                formatter.write_dl([(name, verb.help) for name, verb in verbs.items() if verb.help])


class _WithProgram(TyperCommand):
    """Keeps what follows `--` for the verb's program: program_arguments in the context's meta."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        ctx.meta["program_arguments"] = args[at + 1 :]
        return super().parse_args(ctx, args[:at])


class _Commands(Mapping[str, Any]):
    """The command of each verb, made from its module on demand."""

    def __getitem__(self, name: str) -> Any:
        module = import_module(f"lockstep_grader.cli.{VERBS[name].module}")
        function = getattr(module, f"lab_{name}")
        runs_program = "ctx" in signature(function).parameters
        app = typer.Typer(rich_markup_mode=None, add_completion=False)
        kind = _WithProgram if runs_program else None
        app.command(name, cls=kind, hidden=not VERBS[name].help)(function)
        return typer.main.get_command(app)

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)
