# SPDX-License-Identifier: MIT
"""The labs of this repository, and how a person may name one.

lab.toml is the grade model of a lab; every error names the file, the line and the key.
"""

import difflib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lockstep_grader.intake.toml_lines import KeyPath, key_lines, line_of, load, spelled
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import (
    ARCHITECTURES,
    BENCH_SIZES,
    FindingKind,
    Gate,
    Lab,
    Points,
    Rung,
    capability,
)
from lockstep_grader.model.measures import COMPILER_MEASURES, MEANS, MEASURES, PAID_BY, RISING

_MAX_GUESSES = 3


def read_labs(workspace: Workspace) -> tuple[Lab, ...]:
    """Every lab of labs/, in order. Raises FaultError when there is none."""
    files = sorted(workspace.labs.glob("*/lab.toml"))
    if not files:
        raise FaultError(f"{workspace.labs} contains no lab: is this a whole checkout?")
    return tuple(read_lab(file) for file in files)


def find_lab(labs: Iterable[Lab], name: str) -> Lab:
    """The lab called `name`: its id, its slug, its number, or the start of one lab's id or slug."""
    known = tuple(labs)
    names = [(lab.id, lab.slug, lab.id.split("-")[0]) for lab in known]
    return known[_position("lab", name, names)]


def find_rung(lab: Lab, name: str) -> Rung:
    """The rung called `name`: its id, its name without the number, its number, or the start of one.

    A start must be no other rung's.
    """
    names = []
    for rung in lab.rungs:
        number, _, rest = rung.id.partition("_")
        names.append((rung.id, rest, number))
    return lab.rungs[_position(f"rung of {lab.id}", name.removesuffix(".cu"), names)]


def find_target(labs: Iterable[Lab], target: str) -> tuple[Lab, tuple[Rung, ...]]:
    """What LAB[/RUNG] names; a path as the shell completes it, labs/LAB/RUNG.cu, will do."""
    lab_name, _, rung_name = target.removeprefix("labs/").strip("/").partition("/")
    lab = find_lab(labs, lab_name)
    return lab, (find_rung(lab, rung_name),) if rung_name else lab.rungs


def _position(what: str, name: str, known: Sequence[tuple[str, ...]]) -> int:
    """Which of the `known` is called so, by whole names first. Raises InputError for none."""
    for position, names in enumerate(known):
        if name in names:
            return position
    begun = [
        position
        for position, names in enumerate(known)
        if name and any(each.startswith(name) for each in names)
    ]
    if len(begun) == 1:
        return begun[0]
    ids = [names[0] for names in known]
    close = difflib.get_close_matches(name, ids, n=1, cutoff=0.5)
    if 0 < len(begun) <= _MAX_GUESSES:
        guess = f"is it {' or '.join(ids[position] for position in begun)}?"
    elif close:
        guess = f"did you mean {close[0]}?"
    else:
        guess = f"there are: {', '.join(ids)}"
    raise InputError(f"there is no {what} called {name!r}; {guess}")


_MAX_NUMBER = 10**9  # of points or in a gate: far more is a slip, and sums of it are no numbers
_MAX_SIZE = 2**31 - 1
_MAX_HOURS = 100
_LAB_ID = re.compile(r"\d\d-[a-z0-9-]+")
_RUNG_ID = re.compile(r"\d\d[a-z]?_[a-z0-9_]+")
_ARCHITECTURE = re.compile(r"\d+\.\da?")
_CALL = re.compile(r"[a-z][a-z0-9_]*")
# What CMake reads, by the patterns of common/cmake/LabFile.cmake.
_PLAIN = {key: re.compile(rf'^{key} = "([^"\n]*)"', re.MULTILINE) for key in ("id", "slug")}
_CALLS = re.compile(r"^calls = \[[^\]]*\]", re.MULTILINE)
_NAME = re.compile(r'"([A-Za-z0-9_]+)"')
_HEADER = re.compile(r"lab/[a-z0-9_]+\.cuh")
_SPEED_GATES = frozenset({"share", "of_reference", "speedup", "speedup_cpu", "of_library"})
_BUDGET_GATES = frozenset({*MEASURES, *COMPILER_MEASURES})


def read_lab(file: Path) -> Lab:
    """The lab that `file` describes. Raises InputError for its author's mistakes."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise FaultError(f"{file}: {error.strerror}") from error
    text, tables = load(str(file), data)
    root = _Table(file, key_lines(text), (), tables)
    lab = _lab(root, file.parent.name, file.parent.parent.with_name("common") / "cuda")
    root.finish()
    _require_plain(file, text, lab)
    return lab


def _require_plain(file: Path, text: str, lab: Lab) -> None:
    """That common/cmake/LabFile.cmake, which has no TOML parser, reads the same lab."""
    found = _CALLS.search(text)
    plain: dict[str, Sequence[str]] = {
        "id": _PLAIN["id"].findall(text),
        "slug": _PLAIN["slug"].findall(text),
        "calls": _NAME.findall(found[0]) if found else (),
    }
    read = {
        "id": [lab.id, *(rung.id for rung in lab.rungs)],
        "slug": [lab.slug],
        "calls": lab.calls,
    }
    for key, values in read.items():
        if list(values) != list(plain[key]):
            example = '["one", "two"]' if key == "calls" else f'"{values[0]}"'
            raise InputError(
                f"{file}: {key}: CMake reads {', '.join(plain[key]) or 'nothing'}; "
                f"write each at the start of a line, as in {key} = {example}"
            )


class _Table:
    """One table of the file, taken apart key by key so that leftovers can be reported."""

    def __init__(
        self, file: Path, lines: Mapping[KeyPath, int], path: KeyPath, data: Mapping[str, Any]
    ) -> None:
        self._file, self._lines, self._path = file, lines, path
        self._left = dict(data)

    def error(self, key: str, problem: str) -> InputError:
        path = (*self._path, key) if key else self._path
        return InputError(f"{self._file}:{line_of(self._lines, path)}: {spelled(path)}: {problem}")

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._left))

    def text(self, key: str) -> str:
        value = self._take(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, f"expected a text, got {value!r}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._left.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"expected a list of texts, got {value!r}")
        return tuple(value)

    def sizes(self, key: str) -> tuple[int, ...]:
        value = self._take(key)
        if not isinstance(value, list) or not value or not all(map(_is_size, value)):
            problem = f"expected a list of numbers from 1 to {_MAX_SIZE}, got {value!r}"
            raise self.error(key, problem)
        return tuple(value)

    def number(self, key: str) -> float:
        value = self._take(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(key, f"expected a number, got {value!r}")
        if _MAX_NUMBER < abs(value) < math.inf:
            raise self.error(key, f"is far too large: the most is {_MAX_NUMBER}")
        return float(value)

    def flag(self, key: str) -> bool:
        value = self._left.pop(key, False)
        if not isinstance(value, bool):
            raise self.error(key, f"expected true or false, got {value!r}")
        return value

    def table(self, key: str) -> "_Table":
        value = self._take(key)
        if not isinstance(value, dict):
            raise self.error(key, f"expected a table, got {value!r}")
        return _Table(self._file, self._lines, (*self._path, key), value)

    def tables(self, key: str) -> list["_Table"]:
        value = self._take(key)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.error(key, f"expected [[{key}]] tables, got {value!r}")
        return [
            _Table(self._file, self._lines, (*self._path, key, index), item)
            for index, item in enumerate(value)
        ]

    def finish(self) -> None:
        for key in self._left:
            raise self.error(key, "unknown key")

    def _take(self, key: str) -> Any:
        if key not in self._left:
            raise self.error(key, "is missing")
        return self._left.pop(key)


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MAX_SIZE


def _lab(root: _Table, folder: str, headers: Path) -> Lab:
    head = root.table("lab")
    lab_id = head.text("id")
    if lab_id != folder:
        raise head.error("id", f"is {lab_id!r}, but the folder's name is {folder!r}")
    if not _LAB_ID.fullmatch(lab_id):
        raise head.error(
            "id", f"expected two digits and a slug, as in 01-reduction, got {lab_id!r}"
        )
    architectures = _architectures(head, ARCHITECTURES)
    rungs: list[Rung] = []
    for table in root.tables("rung"):
        rungs.append(_rung(table, {rung.id for rung in rungs}, architectures))
    if not rungs:
        raise root.error("rung", "a lab needs at least one rung")
    lab = Lab(
        id=lab_id,
        slug=_slug(head),
        title=head.text("title"),
        summary=head.text("summary"),
        prerequisites=head.texts("prerequisites"),
        rungs=tuple(rungs),
        calls=_calls(head),
        headers=_headers(head, headers),
        bench_sizes=head.sizes("bench_sizes") if "bench_sizes" in head else BENCH_SIZES,
    )
    head.finish()
    return lab


def _slug(head: _Table) -> str:
    slug = head.text("slug")
    if not _CALL.fullmatch(slug):
        raise head.error("slug", f"expected a name as in radix_sort, got {slug!r}")
    return slug


def _calls(head: _Table) -> tuple[str, ...]:
    calls = head.texts("calls")
    if not calls:
        raise head.error("calls", "is missing: list the functions that the rungs define")
    for index, call in enumerate(calls):
        if not _CALL.fullmatch(call):
            raise head.error("calls", f"expected the name of a function, got {call!r}")
        if call in calls[:index]:
            raise head.error("calls", f"{call} is there twice")
    return calls


def _headers(head: _Table, folder: Path) -> tuple[str, ...]:
    headers = head.texts("headers")
    for index, header in enumerate(headers):
        if not _HEADER.fullmatch(header):
            problem = f"expected a header of common/cuda, as in lab/look_back.cuh, got {header!r}"
            raise head.error("headers", problem)
        if not (folder / header).is_file():
            raise head.error("headers", f"{header} is not in {folder}")
        if header in headers[:index]:
            raise head.error("headers", f"{header} is there twice")
    return headers


def _architectures(table: _Table, default: tuple[str, ...]) -> tuple[str, ...]:
    """The GPUs that nvcc compiles for, from the oldest to the newest."""
    if "architectures" not in table:
        return default
    names = table.texts("architectures")
    for name in names:
        if not _ARCHITECTURE.fullmatch(name):
            problem = f"expected a compute capability, as 7.5 or 9.0a, got {name!r}"
            raise table.error("architectures", problem)
    numbers = [capability(name) for name in names]
    if not names or sorted(set(numbers)) != numbers:
        raise table.error("architectures", "list the oldest first, each once")
    return names


def _rung(table: _Table, earlier: set[str], architectures: tuple[str, ...]) -> Rung:
    rung_id = table.text("id")
    if not _RUNG_ID.fullmatch(rung_id):
        problem = f"expected two digits and a name, as in 02_interleaved, got {rung_id!r}"
        raise table.error("id", problem)
    if rung_id in earlier:
        raise table.error("id", f"{rung_id} is there twice")
    requires = table.texts("requires")
    for needed in requires:
        if needed not in earlier:
            raise table.error("requires", f"{needed!r} is not an earlier rung of this lab")
    hints = table.texts("hints")
    rung = Rung(
        id=rung_id,
        title=table.text("title"),
        points=_points(table.table("points")),
        requires=requires,
        hints=hints,
        hint_for=_hint_for(table, len(hints)),
        speed=_gates(table, "speed", _SPEED_GATES),
        budget=_budget(table),
        architectures=_architectures(table, architectures),
        hours=_hours(table),
        uses_libraries=table.flag("uses_libraries"),
    )
    table.finish()
    return rung


def _hint_for(table: _Table, num_hints: int) -> dict[str, int]:
    """The number of the hint that serves a kind of finding, or a measure over its budget."""
    if "hint_for" not in table:
        return {}
    numbers, found = table.table("hint_for"), {}
    for name in numbers:
        if name not in _BUDGET_GATES | {str(kind) for kind in FindingKind}:
            raise numbers.error(name, "is neither a kind of finding nor a measure")
        number = numbers.number(name)
        if number not in range(1, num_hints + 1):
            raise numbers.error(name, f"expected the number of a hint, from 1 to {num_hints}")
        found[name] = int(number)
    return found


def _hours(table: _Table) -> float | None:
    if "hours" not in table:
        return None
    hours = table.number("hours")
    if not 0 < hours <= _MAX_HOURS:
        raise table.error("hours", f"more than 0, and at most {_MAX_HOURS}")
    return hours


def _points(table: _Table) -> Points:
    points = Points(
        table.number("correctness"), table.number("cleanliness"), table.number("efficiency")
    )
    for key in ("correctness", "cleanliness", "efficiency"):
        value = getattr(points, key)
        if not (0 <= value < math.inf and round(value, 2) == value):
            raise table.error(key, "points are not negative, and have at most two decimals")
    if points.total == 0:
        raise table.error("", "a rung needs points")
    table.finish()
    return points


def _budget(rung: _Table) -> tuple[Gate, ...]:
    gates = _gates(rung, "budget", _BUDGET_GATES)
    names = {gate.name for gate in gates}
    if (means := sorted(names & MEANS)) and PAID_BY not in names:
        raise rung.error(
            "budget",
            f"{means[0]} is a mean, which further requests can improve: "
            f"add a gate on {PAID_BY}, where they cost something",
        )
    return gates


def _gates(rung: _Table, key: str, known: frozenset[str]) -> tuple[Gate, ...]:
    if key not in rung:
        return ()
    table = rung.table(key)
    gates = []
    for name in table:
        if name not in known:
            raise table.error(name, f"unknown gate; the gates are {', '.join(sorted(known))}")
        limits = table.table(name)
        most = limits.number("most") if "most" in limits else math.inf
        gate = Gate(name, limits.number("zero"), limits.number("full"), most)
        if not (math.isfinite(gate.zero) and math.isfinite(gate.full)):
            raise limits.error("full", "zero and full must be numbers")
        rises = name in _SPEED_GATES | RISING or most != math.inf
        if gate.zero == gate.full or (gate.zero < gate.full) != rises:
            better, side = ("more", "above") if rises else ("less", "below")
            raise limits.error("full", f"must be {side} zero, as {better} is better")
        if gate.full >= gate.most:
            raise limits.error("most", "must be above full")
        limits.finish()
        gates.append(gate)
    return tuple(gates)
