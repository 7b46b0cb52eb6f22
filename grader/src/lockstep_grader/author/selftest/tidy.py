# SPDX-License-Identifier: MIT
"""clang-tidy on the cpu build, several files at once, and never twice on the same text."""

import contextlib
import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.author.selftest.runner import Context, Tally, report, tool
from lockstep_grader.machine.files import write_whole
from lockstep_grader.machine.process import captured
from lockstep_grader.machine.workspace import Workspace, cache_folder, forget_unused
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend
from lockstep_grader.toolchain.description import build_backend, digest

# compile_commands.json contains flags that only g++ knows; clang must ignore them.
_ARGUMENTS = (
    "--quiet",
    "--warnings-as-errors=*",
    "--extra-arg=-Wno-unknown-warning-option",
    "--extra-arg=-Wno-unknown-attributes",
    "--extra-arg=-Wno-ignored-optimization-argument",
    "--extra-arg=-Wno-unused-command-line-argument",
    "--extra-arg=-O0",  # or the C library inlines functions that the emulator replaces
)


def _analyzer(setting: str) -> tuple[str, ...]:
    words = ("-Xclang", "-analyzer-config", "-Xclang", setting)
    return tuple(f"--extra-arg={word}" for word in words)


# The analyzer follows the paths through a function until they have so many states; its own limit is
# 225000. Few functions reach this one, and those took three quarters of the time.
_FOR_OTHERS = _analyzer("max-nodes=10000")
# It spends most of its time on paths through GoogleTest's macros. A mistake in a unit test fails
# the test; of a lab's judge it follows fewer of those paths, in an eighth of the time.
_FOR_UNIT_TESTS = ("--checks=-clang-analyzer-*",)
_FOR_JUDGES = _analyzer("mode=shallow")
_EVERY = 3  # one unit of so many is read, unless the tests are thorough
# clang-tidy has not been tried on them yet.
_LATER = ("common/device", "common/runtime")
_MEMBER = re.compile(r'^#include "(/[^"]+)"$', re.MULTILINE)
_DEPENDENCY_HEADER = re.compile(r"^(\S.*): #deps ")


@dataclass(frozen=True, slots=True)
class _Unit:
    """Source files that one command compiles: one, or those of a CMake unity source."""

    members: tuple[Path, ...]
    command: tuple[str, ...]  # of the compiler, without the source file
    depends_on: tuple[Path, ...]  # our own headers among them
    is_judge: bool  # of a lab

    @property
    def arguments(self) -> tuple[str, ...]:
        if all(member.parent.name == "tests" for member in self.members):
            return _FOR_UNIT_TESTS
        return _FOR_JUDGES if self.is_judge else _FOR_OTHERS


def check_tidy(context: Context) -> Tally:
    """clang-tidy on each of our sources; a text that passed is not checked again."""
    workspace = context.workspace
    build = build_backend(
        workspace, Backend.CPU, ["lockstep", "lockstep_tests"], context.jobs
    ).parent
    gcc_headers = captured(["g++", "-print-file-name=include"], build).stdout.strip()  # backtrace.h
    arguments = [
        *_ARGUMENTS,
        f"--extra-arg=-idirafter{gcc_headers}",
        f"--config-file={workspace.root / '.clang-tidy'}",
    ]
    clang_tidy = tool("clang-tidy")
    version = captured([clang_tidy, "--version"], build).stdout
    settings = digest([workspace.root / ".clang-tidy"])

    def check(unit: _Unit) -> Tally:
        more = unit.arguments
        shown = ", ".join(workspace.shown(member) for member in unit.members)
        command_text = " ".join([*unit.command, *arguments, *more]).replace(str(workspace.root), "")
        texts = digest([*unit.members, *unit.depends_on])
        key = hashlib.sha256(
            f"{version} {settings} {command_text} {shown} {texts}".encode()
        ).hexdigest()
        stamp = cache_folder() / "tidy" / key
        if stamp.exists():
            stamp.touch()
        else:
            file = build / "tidy" / f"{key}.cpp"
            starts = _join(unit, file)
            done = captured([clang_tidy, *arguments, *more, str(file), "--", *unit.command], build)
            good = done.returncode == 0
            report(context, f"clang-tidy {shown}", good, _placed(done.stdout, file, starts))
            if not good:
                return Tally(failed=len(unit.members))
            with contextlib.suppress(FaultError):  # a home that cannot be written
                write_whole(stamp, b"")
        return Tally(passed=len(unit.members))

    forget_unused(cache_folder() / "tidy")
    units = list(_units(workspace, build))[:: 1 if context.thorough else _EVERY]
    # The largest first, or the other cores would wait for it at the end.
    units.sort(key=_size_bytes, reverse=True)
    with ThreadPoolExecutor(context.jobs) as pool:
        return sum(pool.map(check, units), Tally())


def _size_bytes(unit: _Unit) -> int:
    return sum(member.stat().st_size for member in unit.members)


def _join(unit: _Unit, file: Path) -> Sequence[tuple[int, Path]]:
    """Writes the unit as one file, and returns before which of its lines each member begins.

    The analyzer looks at the main file alone, not at what it includes.
    """
    text, starts = "", []
    for member in unit.members:
        starts.append((text.count("\n"), member))
        text += member.read_text("utf-8").rstrip("\n") + "\n"
    write_whole(file, text.encode())
    return starts


def _placed(output: str, file: Path, starts: Sequence[tuple[int, Path]]) -> str:
    """`output` with places in the members instead of places in the file made of them."""

    def place(match: re.Match[str]) -> str:
        line = int(match[1])
        start, member = max(entry for entry in starts if entry[0] < line)
        return f"{member}:{line - start}:"

    return re.sub(rf"{re.escape(str(file))}:(\d+):", place, output)


def _units(workspace: Workspace, build: Path) -> Iterator[_Unit]:
    dependencies = _dependencies(build)
    for entry in json.loads((build / "compile_commands.json").read_bytes()):
        argv = shlex.split(entry["command"])
        source, target = Path(entry["file"]), argv[argv.index("-o") + 1]
        members = [source]
        if not source.is_relative_to(workspace.root) or source.is_relative_to(build):
            members = [Path(name) for name in _MEMBER.findall(source.read_text("utf-8"))]
        ours = [member for member in members if _is_ours(member, workspace)]
        if not ours:
            continue
        folders = sorted({f"-I{member.parent}" for member in ours})
        yield _Unit(
            tuple(ours),
            (*_flags(argv), *folders),
            tuple(file for file in dependencies.get(target, ()) if _is_ours(file, workspace)),
            is_judge=ours[0].is_relative_to(workspace.labs),
        )


def _is_ours(file: Path, workspace: Workspace) -> bool:
    if any(file.is_relative_to(workspace.root / folder) for folder in _LATER):
        return False
    return file.is_relative_to(workspace.root) and not file.is_relative_to(workspace.build_root)


def _flags(argv: Sequence[str]) -> Iterator[str]:
    """The flags of a compiler's command: neither the programs before it nor the files."""
    start = next(i for i, word in enumerate(argv) if word.startswith("-") and word != "-E")
    words = iter(argv[start:])
    for word in words:
        if word in ("-o", "-c", "-MT", "-MF"):
            next(words)
        elif word != "-MD":
            yield word


def _dependencies(build: Path) -> Mapping[str, Sequence[Path]]:
    """What each object was made from, as the compiler told Ninja."""
    found: dict[str, list[Path]] = {}
    current: list[Path] = []
    for line in captured(["ninja", "-t", "deps"], build).stdout.splitlines():
        if match := _DEPENDENCY_HEADER.match(line):
            current = found.setdefault(match[1], [])
        elif line.startswith("    "):
            current.append(Path(os.path.normpath(build / line.strip())))
    return found
