# SPDX-License-Identifier: MIT
"""A profile on a terminal: the kernels, what holds each back, the source with its hot lines; and as
JSON."""

from collections.abc import Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Outcome, Resources
from lockstep_grader.model.measures import figure
from lockstep_grader.model.text import visible
from lockstep_grader.model.timing import Device
from lockstep_grader.results.serial import resources_json, toolchain_json
from lockstep_grader.student.profile.cost import (
    MULTIPROCESSORS,
    LineNote,
    diagnose,
    kernel_columns,
    line_notes,
)
from lockstep_grader.student.profile.run import SIZE_PROFILE, Profile, SizeProfile
from lockstep_grader.student.profile.timing import (
    Place,
    predicted,
    registers_of,
    sentence,
    shares_of_time,
    timing_json,
)
from lockstep_grader.toolchain.description import Toolchain

_JSON_VERSION = 1
_NEIGHBOURS = 1  # source lines shown above and below one with counters
_WHOLE_FILE = 40  # a file of so many lines is shown whole
_TIMELINE = "timeline: a letter per stream, in capitals on the critical path"
_NOTABLE_TIME = 0.005  # a smaller share of the time is not shown
_HEAT = ((0.25, "bold red"), (0.05, "yellow"))  # by a line's share of the passes


def print_profile(console: Console, profile: Profile, line_limit: int, device: Device) -> None:
    """Everything that the profile holds; of the source, `line_limit` lines at most (0: all)."""
    name = f"{profile.lab.id}/{profile.rung.id}"
    for size in profile.sizes:
        head = Text.assemble((f"{name}  {profile.rung.title}", "bold"))
        items = "item" if size.num_items == 1 else "items"
        console.print(head.append(f", {size.num_items} {items}", "bold"))
        if size.outcome is not Outcome.PASSED:
            _warn(console, size)
        if size.timeline:
            console.print(Text(f"{_TIMELINE}\n{size.timeline}"), soft_wrap=True)
        rows = [kernel_columns(kernel, size.items) for kernel in size.on_device]
        print_kernels(console, rows)
        for kernel in size.on_device:
            told = diagnose(kernel, size.items, MULTIPROCESSORS)
            style = "green" if told.is_good else "yellow"
            console.print(Text.assemble((f"{kernel.name}: ", "bold"), (told.sentence, style)))
        timed = predicted(size, profile.resources, device)
        if timed:
            console.print(Text(sentence(size, timed)), soft_wrap=True)
        console.print()
        times = shares_of_time(size, timed) if timed else {}
        print_source(console, profile.source, size, line_limit, times)
        print_elsewhere(console, size, {profile.source.file_name})
    _print_resources(console, profile.resources, profile.rung.architectures[-1])


def _warn(console: Console, size: SizeProfile) -> None:
    text = f"the result is wrong, so these counts may mean little: {size.message}"
    console.print(Text(text, "red"))
    for finding in size.findings:
        where = f"  {finding.file}:{finding.line}" if finding.line else ""
        console.print(Text(f"  {finding.kind}{where}  {finding.message}", "red"))


def print_kernels(console: Console, rows: list[Sequence[tuple[str, str]]]) -> None:
    """A row for each kernel, as `kernel_columns` makes it."""
    if not rows:
        console.print(Text("no kernel was launched", "yellow"))
        return
    if console.width < 120:  # a column per kernel reads better than a table that is cut
        _print_upright(console, rows)
    else:
        table = Table(box=None, pad_edge=False)
        for index, (heading, _) in enumerate(rows[0]):
            table.add_column(heading, justify="left" if index == 0 else "right")
        for row in rows:
            table.add_row(*(Text(value) for _, value in row))
        console.print(table)


def _print_upright(console: Console, rows: list[Sequence[tuple[str, str]]]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for index, (heading, _) in enumerate(rows[0]):
        table.add_row(Text(heading, "dim"), *(Text(row[index][1]) for row in rows))
    console.print(table)


def print_source(
    console: Console,
    source: Source,
    size: SizeProfile,
    line_limit: int,
    times: Mapping[Place, float] = MappingProxyType({}),
) -> None:
    """A file with the counts of its lines, `line_limit` lines at most (0: all).

    `times`: a line's share of the predicted time; a column, if there are any.
    """
    notes = line_notes(size)
    own = {note.line.line: note for note in notes if note.line.file == source.file_name}
    lines = visible(source.data.decode("utf-8")).split("\n")
    own = {number: note for number, note in own.items() if number <= len(lines)}
    shown = _shown_lines(len(lines), own, line_limit)
    table = Table(box=None, pad_edge=False)
    table.add_column("line", justify="right", no_wrap=True, min_width=4)
    table.add_column("cost", justify="right", no_wrap=True, min_width=4)
    if times:
        table.add_column("time", justify="right", no_wrap=True, min_width=4)
    table.add_column(source.file_name, no_wrap=True, overflow="ellipsis")
    last = 0
    for number in shown:
        if number > last + 1:
            table.add_row("", "", *[""] * bool(times), Text("...", "dim"))
        share = times.get((source.file_name, number), 0.0)
        time = [f"{share:.0%}" if share >= _NOTABLE_TIME else ""] if times else []
        _add_line(table, number, lines[number - 1].expandtabs(4), own.get(number), time)
        last = number
    console.print(table)
    hidden = len(own) - sum(number in own for number in shown)
    if hidden:
        console.print(Text(f"{hidden} more lines with counters: --line-limit 0 shows all", "dim"))


def print_elsewhere(console: Console, size: SizeProfile, names: Set[str]) -> None:
    """The lines with counters of all files but those called `names`."""
    for note in line_notes(size):
        if note.line.file not in names:
            where = f"{note.line.file}:{note.line.line}"
            console.print(Text(f"{where}  {note.percent}  {', '.join(note.texts)}", "dim"))
    console.print()


def _shown_lines(count: int, notes: dict[int, LineNote], limit: int) -> list[int]:
    """Line numbers: all of a short file; else those with counters, the costliest, and context."""
    if count <= _WHOLE_FILE and (limit == 0 or count <= limit):
        return list(range(1, count + 1))
    shown: set[int] = set()
    for number in sorted(notes, key=lambda number: (-notes[number].share, number)):
        around = range(max(1, number - _NEIGHBOURS), min(count, number + _NEIGHBOURS) + 1)
        if limit and len(shown.union(around)) > limit:
            break
        shown.update(around)
    return sorted(shown)


def _add_line(
    table: Table, number: int, text: str, note: LineNote | None, time: Sequence[str]
) -> None:
    if note is None:
        table.add_row(Text(str(number), "dim"), "", *time, Text(text, "dim"))
        return
    style = next((style for least, style in _HEAT if note.share >= least), "")
    table.add_row(Text(str(number)), Text(note.percent, style), *time, Text(text, style))
    indent = " " * (len(text) - len(text.lstrip()))
    table.add_row("", "", *[""] * len(time), Text(f"{indent}^ {', '.join(note.texts)}", "cyan"))


def _print_resources(
    console: Console, resources: tuple[Resources, ...] | str, architecture: str
) -> None:
    if isinstance(resources, str):
        console.print(Text(resources, "dim"))
        return
    table = Table(box=None, pad_edge=False)
    head = f"compiled by nvcc for {architecture}"
    columns = (head, "registers", "static shared", "local", "spilled", "constant")
    for name in (*columns, "largest block"):
        table.add_column(name, justify="left" if name == columns[0] else "right")
    for item in resources:
        constant = "-" if item.constant_bytes is None else f"{item.constant_bytes} B"
        table.add_row(
            Text(visible(item.kernel)),
            figure(item.registers),
            f"{item.static_shared_bytes} B",
            f"{item.local_bytes} B",
            f"{item.spilled_bytes} B",
            constant,
            f"{item.largest_block} threads",
        )
    console.print(Padding(table, 0))


def profile_json(profile: Profile, toolchain: Toolchain, device: Device) -> dict[str, Any]:
    """What `profile --json` writes; schemas/profile.schema.json describes it."""
    known = profile.resources
    sizes = []
    for size in profile.sizes:
        sizes.append(_size_json(size))
        for kernel, made in zip(size.kernels, sizes[-1]["kernels"], strict=True):
            told = diagnose(kernel, size.items, MULTIPROCESSORS)
            made["diagnosis"] = {"rule": told.rule, "sentence": told.sentence}
        for shape, made in zip(size.shapes, sizes[-1]["shapes"], strict=True):
            made["registers"] = registers_of(known, shape)
        timed = predicted(size, known, device)
        sizes[-1]["timing"] = timing_json(size, timed) if timed else None
    return {
        "version": _JSON_VERSION,
        "backend": toolchain.backend.value,
        "toolchain": toolchain_json(toolchain),
        "lab": profile.lab.id,
        "rung": profile.rung.id,
        "sizes": sizes,
        "resources": None if isinstance(known, str) else [resources_json(item) for item in known],
    }


def _size_json(size: SizeProfile) -> dict[str, Any]:
    """As schemas/profile.schema.json has it, without the diagnoses of the kernels."""
    made: dict[str, Any] = SIZE_PROFILE.dump_python(size, mode="json")
    del made["places"]
    made["findings"] = [
        {
            "kind": finding.kind.value,
            "file": finding.file,
            "line": finding.line or None,
            "message": finding.message,
        }
        for finding in size.findings
    ]
    for line in (line for kernel in made["kernels"] for line in kernel["lines"]):
        line["line"] = line["line"] or None
        for pattern in line["patterns"]:
            unit = "sectors" if pattern["space"] == "global" else "wavefronts"
            pattern[unit] = pattern.pop("passes")
    return made
