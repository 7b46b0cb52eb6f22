# SPDX-License-Identifier: MIT
"""Mutants: wrong submissions, each declaring in its header how it must be caught.

NAME.edit is a header and the blocks that change today's solution of its rung (edits.py). NAME.cu is
another design: a whole rung file with the same header in its first comment.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lockstep_grader.author.edits import (
    EditError,
    MovedError,
    apply_edits,
    lines_of,
    read_blocks,
    text_of,
)
from lockstep_grader.intake.catalog import find_rung
from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, LockstepError, system_error_line
from lockstep_grader.model.grades import (
    Backend,
    Finding,
    FindingKind,
    Lab,
    Outcome,
    Part,
    Rung,
    RungResult,
)
from lockstep_grader.request.job import EVERY_TEST, Awaited
from lockstep_grader.toolchain.description import Toolchain

EDIT, WHOLE = ".edit", ".cu"
FIELDS = ("mutant of", "mistake", "expect", "also", "message", "line", "needs")
_FIELD = re.compile(rf"//\s*({'|'.join(FIELDS)}):\s*(.*?)\s*$")
_REQUIRED = ("mutant of", "mistake", "expect")
# Kinds of mistakes that may give the right result on a GPU.
_CHECKED_KINDS = frozenset(
    {
        FindingKind.RACE,
        FindingKind.BARRIER_DIVERGENCE,
        FindingKind.UNINITIALIZED_READ,
        FindingKind.OUT_OF_BOUNDS,
        FindingKind.LEAK,
    }
)


@dataclass(frozen=True, slots=True)
class Mutant:
    file: Path
    rung: Rung
    mistake: str
    outcome: Outcome
    expected: tuple[FindingKind, ...]  # the header's 'expect:'
    also: frozenset[FindingKind] = frozenset()  # other kinds that are accepted
    message: str = ""  # what a finding's message must contain
    line: int = 0  # the line that a finding must name; 0: any
    needs: str = ""  # a backend, or a feature of its toolchain, without which it is not caught
    text: str = ""  # the whole wrong submission
    problem: str = ""  # why there is no `text` today

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def kinds(self) -> frozenset[FindingKind]:
        """The kinds that are accepted."""
        return self.also | frozenset(self.expected)

    @property
    def source(self) -> Source:
        """The wrong submission, under the name of its rung. Raises FaultError with `problem`."""
        if self.problem:
            raise FaultError(self.problem)
        return Source(self.rung.file_name, self.text.encode())

    def obstacle(self, toolchain: Toolchain) -> str:
        """Why this toolchain cannot catch the mutant; empty when it can."""
        if self.needs and self.needs not in (toolchain.backend, *toolchain.features):
            return f"needs {self.needs}"
        on_gpu = toolchain.backend is Backend.CUDA and "checkers" not in toolchain.features
        if on_gpu and self.kinds and self.kinds <= _CHECKED_KINDS:
            return "a GPU alone does not see it"
        return ""

    @property
    def awaited(self) -> Awaited:
        """The finding after which judging may stop; for a trivial mutant, every test must run."""
        return EVERY_TEST if self.is_trivial else Awaited(self.kinds, self.line, self.message)

    @property
    def is_of_the_language(self) -> bool:
        """Whether a compiler must refuse it: then nvcc compiles it, too."""
        return FindingKind.COMPILE_ERROR in self.kinds

    @property
    def is_trivial(self) -> bool:
        """A submission that does no work: it must not pass a single test."""
        return self.mistake.startswith("trivial")


def mutant_files(workspace: Workspace, lab_id: str) -> list[Path]:
    folder = workspace.solutions / lab_id / "mutants"
    return sorted([*folder.glob(f"*{EDIT}"), *folder.glob(f"*{WHOLE}")])


def read_mutants(workspace: Workspace, lab: Lab) -> tuple[Mutant, ...]:
    """The mutants of `lab`. Raises FaultError for a malformed one, or two of one name."""
    mutants = [read_mutant(workspace, lab, file) for file in mutant_files(workspace, lab.id)]
    seen: dict[str, Path] = {}
    for mutant in mutants:
        other = seen.setdefault(mutant.name, mutant.file)
        if other != mutant.file:
            raise FaultError(f"{workspace.shown(other)}: {mutant.file.name} has the same name")
    return tuple(mutants)


def read_mutant(workspace: Workspace, lab: Lab, file: Path) -> Mutant:
    """One mutant, with `problem` when it does not fit today's solution. Raises FaultError."""
    return parse_mutant(workspace, lab, file, read_text(workspace, file))


def parse_mutant(workspace: Workspace, lab: Lab, file: Path, text: str) -> Mutant:
    """The mutant that `text` makes `file`. Raises FaultError."""
    mutant = _declared(workspace, lab, file, text)
    name = f"{lab.id}/{mutant.name}"
    try:
        whole = whole_text(workspace, lab, mutant.rung, file, text)
    except MovedError as error:
        moved = solution_of(workspace, lab, mutant.rung)
        problem = f"{error} {workspace.shown(moved)}: the solution moved"
    except EditError as error:
        raise FaultError(f"{workspace.shown(file)}: {error}") from error
    else:
        wanted = read_fields(text).get("line", "")
        found = _lines_with(whole, wanted) if wanted else [0]
        if len(found) == 1:
            return replace(mutant, text=whole, line=found[0])
        times = f"{len(found)} lines are" if found else "no line is"
        problem = f"{times} {wanted!r}, which its header declares under 'line:'"
    advice = f"run ./lab mutant edit {name}"
    return replace(mutant, problem=f"{workspace.shown(file)}: {problem}; {advice}")


def whole_text(workspace: Workspace, lab: Lab, rung: Rung, file: Path, text: str) -> str:
    """The wrong submission that `text`, the content of `file`, stands for. Raises EditError."""
    if file.suffix == WHOLE:
        return text
    header, blocks = split_edit(text)
    for number, line in enumerate(lines_of(header), 1):
        if line.strip() and not line.startswith("//"):
            raise EditError(f"line {number}: the header has only lines that begin with //")
    solution = read_text(workspace, solution_of(workspace, lab, rung))
    parsed = read_blocks(blocks, header.count("\n") + 1)
    if not parsed:
        raise EditError("there is no block, so nothing differs from the solution")
    return apply_edits(solution, parsed)


def split_edit(text: str) -> tuple[str, str]:
    """The header of an .edit file, and its blocks."""
    lines = lines_of(text)
    at = next((index for index, line in enumerate(lines) if line.startswith("@@")), len(lines))
    return text_of(lines[:at]), text_of(lines[at:])


def solution_of(workspace: Workspace, lab: Lab, rung: Rung) -> Path:
    return workspace.solutions / lab.id / rung.file_name


def read_text(workspace: Workspace, file: Path) -> str:
    """The file's text with its line ends unchanged. Raises FaultError."""
    try:
        return file.read_bytes().decode("utf-8")
    except OSError as error:
        raise FaultError(system_error_line(error)) from error
    except UnicodeDecodeError as error:
        raise FaultError(f"{workspace.shown(file)}: {error}") from error


def breaches(mutant: Mutant, result: RungResult) -> list[str]:
    """How `result` differs from what the mutant declares; empty when it was caught as declared."""
    if result.outcome is not mutant.outcome:
        return [f"was {result.outcome}, not {mutant.outcome}"]
    found = [finding for finding in result.findings if finding.kind in mutant.kinds]
    if mutant.kinds and not found:
        kinds = ", ".join(sorted(finding.kind for finding in result.findings)) or "no finding"
        return [f"got {kinds}, not {' or '.join(sorted(mutant.kinds))}"]
    wrong = []
    if mutant.message and not any(mutant.message in text for text in _messages(result, found)):
        wrong.append(f"no message says {mutant.message!r}")
    if mutant.line and not any(_names_line(finding, mutant.line) for finding in found):
        lines = ", ".join(_shown_line(mutant.text, finding.line) for finding in found)
        wrong.append(f"named line {lines}, not {_shown_line(mutant.text, mutant.line)}")
    if mutant.is_trivial:
        tests = [test for test in result.judgement.tests if test.part is Part.CORRECTNESS]
        passed = [test.name for test in tests if test.outcome is Outcome.PASSED]
        wrong += [f"a trivial submission passes {name}" for name in passed]
    return wrong


def _names_line(finding: Finding, line: int) -> bool:
    """A race has two places, in either order."""
    in_words = re.search(rf"\bline {line}\b", finding.message)
    return finding.line == line or (finding.kind is FindingKind.RACE and in_words is not None)


def _shown_line(text: str, number: int) -> str:
    lines = lines_of(text)
    return f"{number} ({lines[number - 1].strip()})" if 0 < number <= len(lines) else str(number)


def _lines_with(text: str, wanted: str) -> list[int]:
    """The numbers of the lines that equal `wanted`, ignoring blanks at both ends."""
    return [at for at, line in enumerate(lines_of(text), 1) if line.strip() == wanted]


def _messages(result: RungResult, found: list[Finding]) -> list[str]:
    failed = [test.message for test in result.judgement.tests if test.outcome is Outcome.FAILED]
    return [finding.message for finding in found] + failed


def read_fields(text: str) -> Mapping[str, str]:
    """The fields of the header, which is the comment that `text` begins with."""
    fields = {}
    for line in lines_of(text):
        if line and not line.startswith("//"):
            break
        if match := _FIELD.fullmatch(line):
            fields[match[1]] = match[2]
    return fields


def without_fields(text: str) -> str:
    """`text` without the fields of its header."""
    lines = lines_of(text)
    end = next((at for at, line in enumerate(lines) if line and not line.startswith("//")), 0)
    return text_of([*(line for line in lines[:end] if not _FIELD.fullmatch(line)), *lines[end:]])


def _declared(workspace: Workspace, lab: Lab, file: Path, text: str) -> Mutant:
    fields = read_fields(text)
    for name in _REQUIRED:
        if not fields.get(name):
            shown = workspace.shown(file)
            raise FaultError(f"{shown}: the header lacks '// {name}: ...'")
    try:
        outcome, *kinds = fields["expect"].split()
        return Mutant(
            file=file,
            rung=find_rung(lab, fields["mutant of"]),
            mistake=fields["mistake"],
            outcome=Outcome(outcome),
            expected=tuple(map(FindingKind, kinds)),
            also=frozenset(map(FindingKind, _words(fields.get("also", "")))),
            message=fields.get("message", ""),
            needs=fields.get("needs", ""),
        )
    except (ValueError, LockstepError) as error:
        raise FaultError(f"{workspace.shown(file)}: malformed header: {error}") from error


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()
