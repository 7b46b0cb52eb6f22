# SPDX-License-Identifier: MIT
"""What `run` says of a program: on stderr, so that stdout is the program's alone; and as JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.console import place
from lockstep_grader.model.grades import Backend, Finding
from lockstep_grader.model.text import count_of, visible
from lockstep_grader.student.explain import excerpt
from lockstep_grader.student.profile.cost import PER_ITEM, kernel_columns
from lockstep_grader.student.profile.report import (
    print_elsewhere,
    print_kernels,
    print_source,
)
from lockstep_grader.student.profile.run import read_run
from lockstep_grader.student.program.build import BuildError
from lockstep_grader.student.program.run import Leak, Ran
from lockstep_grader.words.likely import with_names

JSON_VERSION = 1


def named(files: Sequence[Path], ran: Ran) -> Ran:
    """`ran`, whose findings call device memory by the variable that holds it."""
    texts = {file.name: file.read_text("utf-8", "replace").splitlines() for file in files}
    findings = tuple(
        replace(finding, message=with_names(finding.message, texts)) for finding in ran.findings
    )
    return replace(ran, findings=findings)


def print_run(console: Console, files: Sequence[Path], ran: Ran) -> None:
    for finding in ran.findings:
        _print_finding(console, finding, _source_called(files, finding.file))
    for note in ran.notes:
        at = f"{note.file}:{note.line}" if note.line else note.file
        console.print(Text(f"note  {at}\n  {visible(note.message)}", "dim"))
    if ran.leaks:
        console.print(Text(_leaks(ran.leaks), "dim"))
    if ran.findings:
        console.print(Text(f"lab: {count_of(len(ran.findings), 'finding')}", "bold red"))


def print_counts(console: Console, files: Sequence[Path], ran: Ran, line_limit: int) -> None:
    """What each kernel costs, and each line of `files`."""
    counted = read_run(ran.profile)
    rows = [
        [column for column in kernel_columns(kernel, 1) if column[0] != PER_ITEM]
        for kernel in counted.kernels
    ]
    print_kernels(console, list(rows))
    console.print()
    for name in sorted({line.file for line in counted.lines}):
        if source := _source_called(files, name):
            print_source(console, source, counted, line_limit)
    print_elsewhere(console, counted, {file.name for file in files})


def print_build_error(console: Console, files: Sequence[Path], error: BuildError) -> None:
    _print_finding(console, error.finding, _source_called(files, error.finding.file))


def run_json(files: Sequence[Path], backend: Backend, ran: Ran) -> dict[str, Any]:
    return {
        "version": JSON_VERSION,
        "backend": str(backend),
        "files": [str(file) for file in files],
        "exit_code": int(ran.exit_code),
        "program_status": ran.status,
        "seconds": round(ran.seconds, 3),
        "findings": [
            {
                "kind": str(finding.kind),
                "file": finding.file,
                "line": finding.line,
                "kernel": kernel,
                "message": finding.message,
            }
            for finding, kernel in zip(ran.findings, ran.kernels_of, strict=True)
        ],
        "notes": [
            {"file": note.file, "line": note.line, "message": note.message} for note in ran.notes
        ],
        "leaks": [
            {"file": leak.file, "line": leak.line, "size_bytes": leak.size_bytes}
            for leak in ran.leaks
        ],
        "kernels": list(ran.profile),
    }


def _leaks(leaks: Sequence[Leak]) -> str:
    total = sum(leak.size_bytes for leak in leaks)
    what = "1 allocation" if len(leaks) == 1 else f"{len(leaks)} allocations"
    lines = sorted({f"{leak.file}:{leak.line}" for leak in leaks if leak.line})
    where = f" ({', '.join(lines[:3])}{', ...' if len(lines) > 3 else ''})" if lines else ""
    return f"note: the program never freed {what} of device memory, {total} bytes{where}"


def _print_finding(console: Console, finding: Finding, source: Source | None) -> None:
    head = Text(str(finding.kind), "red")
    head.append(f"  {place(finding)}" if place(finding) else "", "bold")
    console.print(head)
    console.print(Padding(Text(visible(finding.message)), (0, 0, 0, 2), expand=False))
    if source and finding.line:
        shown = excerpt(source, finding.line, finding.column)
        console.print(Padding(shown, (0, 0, 0, 2), expand=False))


def _source_called(files: Iterable[Path], name: str) -> Source | None:
    for file in files:
        if file.name == name:
            data = file.read_bytes().decode("utf-8", "replace").encode()
            return Source(file.name, data)
    return None
