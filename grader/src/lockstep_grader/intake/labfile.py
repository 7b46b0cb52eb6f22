# SPDX-License-Identifier: MIT
"""Reads lab.toml, the grade model of a lab; every error names the file, the line and the key."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lockstep_grader.intake.toml_lines import KeyPath, key_lines, line_of, spelled
from lockstep_grader.model.compat import tomllib
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import ARCHITECTURES, BENCH_SIZES, Gate, Lab, Points, Rung
from lockstep_grader.model.measures import COMPILER_MEASURES, MEANS, MEASURES, PAID_BY

_LAB_ID = re.compile(r"\d\d-[a-z0-9-]+")
_RUNG_ID = re.compile(r"\d\d[a-z]?_[a-z0-9_]+")
_ARCHITECTURE = re.compile(r"\d+\.\d")
_CALL = re.compile(r"[a-z][a-z0-9_]*")
# What CMake reads, by the patterns of common/cmake/LabFile.cmake.
_PLAIN = {key: re.compile(rf'^{key} = "([^"\n]*)"', re.MULTILINE) for key in ("id", "slug")}
_CALLS = re.compile(r"^calls = \[[^\]]*\]", re.MULTILINE)
_NAME = re.compile(r'"([A-Za-z0-9_]+)"')
_HEADER = re.compile(r"lab/[a-z0-9_]+\.cuh")
_SPEED_GATES = frozenset({"share", "of_reference", "speedup", "speedup_cpu", "of_library"})
_BUDGET_GATES = frozenset({*MEASURES, *COMPILER_MEASURES})


def read_lab(file: Path) -> Lab:
    """The lab that `file` describes. Raises FaultError when it is missing or malformed."""
    try:
        text = file.read_text("utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise FaultError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FaultError(f"{file}: not UTF-8 (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise FaultError(f"{file}: {error}") from error
    root = _Table(file, key_lines(text), (), data)
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
            raise FaultError(
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

    def error(self, key: str, problem: str) -> FaultError:
        path = (*self._path, key) if key else self._path
        return FaultError(f"{self._file}:{line_of(self._lines, path)}: {spelled(path)}: {problem}")

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
            raise self.error(key, f"expected a list of numbers above 0, got {value!r}")
        return tuple(value)

    def number(self, key: str) -> float:
        value = self._take(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(key, f"expected a number, got {value!r}")
        return float(value)

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
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


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
        slug=head.text("slug"),
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
            problem = f"expected a compute capability, as in 7.5, got {name!r}"
            raise table.error("architectures", problem)
    if not names or sorted(set(names), key=_capability) != list(names):
        raise table.error("architectures", "list the oldest first, each once")
    return names


def _capability(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split(".")))


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
    rung = Rung(
        id=rung_id,
        title=table.text("title"),
        points=_points(table.table("points")),
        requires=requires,
        hints=table.texts("hints"),
        speed=_gates(table, "speed", _SPEED_GATES),
        budget=_budget(table),
        architectures=_architectures(table, architectures),
    )
    table.finish()
    return rung


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
        if not (math.isfinite(gate.zero) and math.isfinite(gate.full)) or gate.zero == gate.full:
            raise limits.error("full", "must be a number, and differ from zero")
        if not gate.zero < gate.full < gate.most and most != math.inf:
            raise limits.error("most", "must be above full, and full above zero")
        limits.finish()
        gates.append(gate)
    return tuple(gates)
