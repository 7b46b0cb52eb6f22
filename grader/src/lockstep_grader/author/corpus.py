# SPDX-License-Identifier: MIT
"""The corpus: small CUDA programs, wrong and right, each with the verdict that it must get.

A program's first comment names the kind of its mistake, or `right`, and the lines that a checker may name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import FindingKind

RIGHT = "right"
# What nothing but the program's own output shows.
UNCHECKED = frozenset({FindingKind.WRONG_RESULT})

_FIELD = re.compile(r"^// (?P<name>[a-z_]+): (?P<text>.*)$")
_MORE = re.compile(r"^// (?P<text>.*)$")


@dataclass(frozen=True, slots=True)
class Program:
    name: str  # races/missing_barrier
    file: Path
    kinds: tuple[str, ...]  # one of them must be found; empty: the program is right
    says: str  # what is wrong, or why it is right
    lines: tuple[int, ...]  # one of them must be named; empty: any
    missed: str  # why the emulator does not find it; empty: it does

    @property
    def topic(self) -> str:
        return self.name.partition("/")[0]

    @property
    def is_right(self) -> bool:
        return not self.kinds


def corpus_folder(workspace: Workspace) -> Path:
    return workspace.root / "common" / "simt" / "tests" / "corpus"


def read_corpus(folder: Path) -> list[Program]:
    return [_read(file, folder) for file in sorted(folder.glob("*/*.cu"))]


def _read(file: Path, folder: Path) -> Program:
    name = file.relative_to(folder).with_suffix("").as_posix()
    text = file.read_text("utf-8").splitlines()
    head = text[1 : next(i for i, line in enumerate(text) if not line.startswith("//"))]
    fields = _fields(head, name)
    (kind, says), others = fields[0], fields[1:]
    if kind != RIGHT and kind not in list(FindingKind):
        raise InputError(f"{name}: its first line names no kind of finding: {kind}")
    kinds = [kind] if kind != RIGHT else []
    lines, missed = list[int](), ""
    for field, value in others:
        if field == "at":
            lines.append(_line_of(value, text, len(head) + 1, name))
        elif field == "or":
            kinds.append(FindingKind(value))
        elif field == "missed":
            missed = value
        else:
            raise InputError(f"{name}: unknown field {field}")
    return Program(name, file, tuple(kinds), says, tuple(lines), missed)


def _fields(head: Sequence[str], name: str) -> list[tuple[str, str]]:
    fields: list[tuple[str, str]] = []
    for line in head:
        if match := _FIELD.match(line):
            fields.append((match["name"], match["text"]))
        elif (match := _MORE.match(line)) and fields:
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {match['text']}")
        else:
            raise InputError(f"{name}: its header begins with neither `right:` nor a kind")
    if not fields:
        raise InputError(f"{name}: it has no header")
    return fields


def _line_of(wanted: str, text: Sequence[str], begin: int, name: str) -> int:
    found = [
        number for number, line in enumerate(text, 1) if number > begin and wanted in line
    ]
    if len(found) != 1:
        raise InputError(f"{name}: {len(found)} lines are `{wanted}`")
    return found[0]
