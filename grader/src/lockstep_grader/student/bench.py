# SPDX-License-Identifier: MIT
"""`bench`: a lab's ladder timed over a range of sizes, with the limit and the library; the report
as a table for a README, and as a plot."""

import html
import json
import math
import platform
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lockstep_grader.judging.session import Session
from lockstep_grader.machine.files import as_records, read_json, write_whole
from lockstep_grader.machine.process import Limits
from lockstep_grader.machine.progress import stage
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.errors import FaultError, InputError, SubmissionError
from lockstep_grader.model.grades import Backend, Lab, Outcome, Rung
from lockstep_grader.model.text import last_line
from lockstep_grader.model.timing import Device, Prediction
from lockstep_grader.observe.judge import Workers
from lockstep_grader.student.profile.run import SizeProfile, profile_rung
from lockstep_grader.student.profile.timing import limit_seconds, predicted
from lockstep_grader.student.program.build import source_of, worker_of

_LIMITS = Limits(seconds=600)
_VERSION = 1
_BEGIN, _END = "<!-- measured:begin -->", "<!-- measured:end -->"

# Of the plot.
_WIDTH, _HEIGHT = 840, 400
_LEFT, _TOP, _RIGHT, _BOTTOM = 66, 34, 606, 352  # of the axes
_LEGEND, _ROW = _RIGHT + 16, 18
_MARGIN = 0.045  # of an axis' length, beyond the first and the last value
_STYLE = """\
text{font:12px system-ui,sans-serif;fill:#1f2328}.m{text-anchor:middle}.e{text-anchor:end}
.h{font-size:14px;text-anchor:middle}.f{fill:#fff;stroke:#59636e}.g{stroke:#d1d9e0}
.l{fill:none;stroke-width:2;stroke-linejoin:round}
.p{fill:none;stroke-width:7;stroke-linecap:round}
.c0{stroke:#1f77b4}.c1{stroke:#ff7f0e}.c2{stroke:#2ca02c}.c3{stroke:#d62728}.c4{stroke:#9467bd}
.c5{stroke:#8c564b}.c6{stroke:#e377c2}.c7{stroke:#7f7f7f}.c8{stroke:#bcbd22}.c9{stroke:#17becf}
.limit{stroke:#1f2328}.library{stroke:#818b98}.d0{stroke-dasharray:7 4}
.d1{stroke-dasharray:2 3}.d2{stroke-dasharray:8 3 2 3}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.f{fill:#0d1117;stroke:#9198a1}
.g{stroke:#2a313c}.limit{stroke:#e6edf3}.c0{stroke:#58a6ff}.c3{stroke:#f85149}
.c4{stroke:#b48ce0}.c5{stroke:#bd8579}}"""
_COLOURS = 10
_DASHES = 3

Row = dict[str, Any]


def require_gpu(backend: Backend, lab: Lab) -> None:
    """Raises InputError where there is nothing to time. Ask before anything is built."""
    if backend is not Backend.CUDA:
        raise InputError(
            "bench times a GPU, and no nvcc with a working GPU is here (./lab doctor); "
            f"without one, ./lab bench {lab.id} --predicted draws the ladder from counts"
        )


def predict(
    session: Session, folder: Path, lab: Lab, sizes: Sequence[int], device: Device
) -> dict[str, Any]:
    """The report for `draw` and `table` without a GPU: what the model says of each rung.

    Raises InputError if no rung of the lab can be predicted.
    """
    if not any(rung.speed for rung in lab.rungs):
        raise InputError(
            f"no rung of {lab.id} is judged by a kernel's speed; "
            f"./lab profile {lab.id}/RUNG shows what a call does, and its timeline if it has one"
        )
    today = datetime.now(UTC).date().isoformat()
    rows: list[Row] = []
    failures: list[str] = []
    with stage("counting") as progress:
        for done, rung in enumerate(lab.rungs):
            try:
                profile = profile_rung(session, folder, lab, rung, sizes, device)
                for size in profile.sizes:
                    if size.outcome is not Outcome.PASSED:
                        failures.append(f"{rung.id}, {size.num_items} items: {size.message}")
                    elif told := predicted(size, profile.resources, device):
                        rows.append({"rung": rung.id, "date": today, **_predicted_row(size, told)})
            except (InputError, SubmissionError, FaultError) as error:
                failures.append(str(error))
            progress.advance(done + 1, len(lab.rungs), rung.id)
    if not rows:
        raise InputError(failures[0] if failures else f"{lab.id} has no rung that is measured")
    compare_with_first(rows)
    compare_with_cpu(rows)
    return {
        "version": _VERSION,
        "lab": lab.id,
        "command": f"./lab bench {lab.id} --predicted",
        "date": today,
        "machine": {"gpu": f"{device.name}, predicted (±{device.error:.0%})"},
        "rows": rows,
        "failures": failures,
    }


def compare_with_first(rows: Sequence[Row]) -> None:
    """Adds how much faster each rung is than the first one, where both define one function."""
    first = {_work(row): row["time_ms"] for row in rows if row["rung"] == rows[0]["rung"]}
    for row in rows:
        if _work(row) in first:
            row["speedup_first"] = first[_work(row)] / row["time_ms"]


def compare_with_cpu(rows: Sequence[Row]) -> None:
    """Adds how much faster each rung is than the sequential loop on this CPU: the quickest of its
    runs, because another program can only make it slower."""
    for row in rows:
        runs = [other["sequential_ms"] for other in rows if _work(other) == _work(row)]
        if any(runs):
            row["speedup_cpu"] = min(filter(None, runs)) / row["time_ms"]


def _work(row: Row) -> tuple[str, int]:
    return row["function"], row["num_items"]


def _predicted_row(size: SizeProfile, told: Prediction) -> Row:
    best = limit_seconds(size, told.device)
    rate, work = ("gflops", size.limit_flops) if size.limit_flops else ("gbps", size.limit_bytes)
    return {
        "function": size.function,
        "num_items": size.num_items,
        "limit": size.limit,
        "library": "",
        "time_ms": told.seconds * 1e3,
        "limited_by": told.limited_by,
        "share": min(1.0, best / told.seconds),
        rate: work / told.seconds * 1e-9,
        f"anchor_{rate}": work / best * 1e-9,
        "sequential_ms": size.sequential_ms,
    }


def measure(
    session: Session,
    folder: Path,
    lab: Lab,
    sizes: Sequence[int],
    earlier: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Times every rung of `lab` under `folder` at each size: the report for `draw` and `table`.

    What could not be measured is in its `failures`. Raises InputError where nothing could.
    What the `earlier` report has is not measured again; InputError if it is another GPU's.
    """
    kept = _rows_of(earlier) if earlier else []
    today = datetime.now(UTC).date().isoformat()
    rows: list[Row] = []
    failures: list[str] = []
    with stage("timing") as progress, tempfile.TemporaryDirectory(prefix="lockstep-bench-") as temp:
        # All of them first: compilers would disturb a timing.
        with ThreadPoolExecutor(session.jobs) as pool:
            missing = {rung.id: _missing(rung, sizes, kept) for rung in lab.rungs}
            compiled = {
                rung.id: pool.submit(_compile, session, folder, lab, rung, Path(temp) / rung.id)
                for rung in lab.rungs
                if missing[rung.id]
            }
        for done, rung in enumerate(lab.rungs):
            of_rung = [row for row in kept if row["rung"] == rung.id]
            try:
                timed = []
                if rung.id in compiled:
                    worker = compiled[rung.id].result()
                    timed = _time_rung(session, worker, lab, rung, missing[rung.id])
                for row in timed:
                    if "failure" in row:
                        failures.append(f"{rung.id}, {row['num_items']} items: {row['failure']}")
                    else:
                        of_rung.append({"rung": rung.id, "date": today, **row})
            except (
                InputError,
                SubmissionError,
                FaultError,
            ) as error:  # the other rungs took minutes
                failures.append(str(error))
            rows += sorted(of_rung, key=lambda row: int(row["num_items"]))
            progress.advance(done + 1, len(lab.rungs), rung.id)
    if not rows:
        raise InputError(failures[0] if failures else f"{lab.id} has no rung that is measured")
    return {
        "version": _VERSION,
        "lab": lab.id,
        "command": f"./lab bench {lab.id}",
        "date": " and ".join(sorted({row["date"] for row in rows})),
        "machine": _machine(),
        "compiler": dict(session.toolchain.compiler),
        "rows": rows,
        "failures": failures,
    }


def _missing(rung: Rung, sizes: Sequence[int], kept: Sequence[Row]) -> list[int]:
    """The sizes at which nothing is known of the rung. A rung without a workload has no rows."""
    known = {row["num_items"] for row in kept if row["rung"] == rung.id}
    return [size for size in sizes if size not in known]


def _rows_of(report: Mapping[str, Any]) -> list[Row]:
    """Each with its date."""
    machine = _machine()
    if (here := machine["gpu"]) != (there := report["machine"]["gpu"]):
        raise InputError(f"the report is of another GPU, {there}, and this is {here}")
    return [{"date": report["date"], **row} for row in report["rows"]]


def _compile(session: Session, folder: Path, lab: Lab, rung: Rung, work: Path) -> Path:
    source = source_of(folder, lab, rung)
    work.mkdir(parents=True)
    return worker_of(session, lab, rung, source, work)


def _time_rung(
    session: Session, worker: Path, lab: Lab, rung: Rung, sizes: Sequence[int]
) -> list[Row]:
    """A row per size; one that failed has a `failure` in place of its figures."""
    workers = Workers(
        worker,
        anchors=session.toolchain.anchors,
        sandbox=tuple(session.setup.confinement.running(worker)),
    )
    listed = ",".join(str(size) for size in sizes)
    judge = session.toolchain.lab(lab.id).judge
    argv = [str(judge), f"--rung={rung.id}", *workers.arguments(), f"--bench={listed}"]
    done = session.setup.processes.run(argv, _LIMITS, worker.parent)
    if done.returncode != 0 or done.timed_out:
        raise FaultError(f"timing {lab.id}/{rung.id} failed: {last_line(done.output)}")
    return [json.loads(line) for line in done.output.splitlines() if line[:1] == "{"]


def _machine() -> dict[str, str]:
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "--id=0"]
    try:
        found = subprocess.run(query, capture_output=True, text=True, check=True, timeout=60)
        gpu, _, driver = found.stdout.strip().partition(", ")
    except (OSError, subprocess.SubprocessError) as error:
        raise FaultError(f"nvidia-smi does not say which GPU this is: {error}") from error
    return {"gpu": gpu, "driver": driver, "system": platform.platform(terse=True)}


def save(report: dict[str, Any], file: Path) -> None:
    write_whole(file, (as_records(report) + "\n").encode())


def load(file: Path) -> dict[str, Any]:
    """Raises InputError when `file` is not a report of ours."""
    try:
        report = read_json(file)
    except FileNotFoundError as error:
        raise InputError(f"no benchmark report {file}: ./lab bench makes it, on a GPU") from error
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{file}: not a benchmark report: {error}") from error
    if not isinstance(report, dict) or report.get("version") != _VERSION:
        raise InputError(f"{file}: not a benchmark report of version {_VERSION}")
    return report


def table(report: dict[str, Any], source: str, plot: str) -> str:
    """Markdown: the rate of each rung at each size; at the largest, its ratios."""
    rows = report["rows"]
    rate, unit = _rate(rows)
    sizes = sorted({row["num_items"] for row in rows})
    largest = sizes[-1]
    titles = {"share": "share of limit", "of_library": "of library", "speedup_first": "speed-up"}
    is_measured = "compiler" in report
    if not is_measured:  # the CPU is the reader's
        titles["speedup_cpu"] = "times this CPU"
    compared = [name for name in titles if any(name in row for row in rows)]
    head = [*(f"{power(size)}, {unit}" for size in sizes), *(titles[name] for name in compared)]
    is_noisy = any(row.get("noisy") for row in rows)
    noisy = " `~`: rounds that differ by more than 5%." if is_noisy else ""
    ratios = "medians of paired rounds" if is_measured else "predicted"
    lines = [
        f"{_origin(report)}, {report['date']}: `{report['command']}` wrote "
        f"[{Path(source).name}]({source}). Ratios are {ratios} at {power(largest)} items"
        f"{_named('the limit is', rows, 'limit')}{_named('the library', rows, 'library')}."
        f"{_checked(rows)}{noisy}",
        "",
        f"| rung | {' | '.join(head)} |",
        f"|---|{'---:|' * len(head)}",
    ]
    for rung in dict.fromkeys(row["rung"] for row in rows):
        by_size = {row["num_items"]: row for row in rows if row["rung"] == rung}
        cells = [_figure(by_size[size], rate) if size in by_size else "" for size in sizes]
        last = by_size.get(largest, {})
        cells += [f"{last[name]:.3f}" if name in last else "" for name in compared]
        lines.append(f"| `{rung}` | {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"![speed of each rung against the number of items]({plot})"])


def _origin(report: Mapping[str, Any]) -> str:
    """The device, and what compiled for it; a prediction has a device alone."""
    machine = report["machine"]
    if "compiler" not in report:
        return str(machine["gpu"])
    return f"{machine['gpu']}, driver {machine['driver']}, nvcc {report['compiler']['version']}"


def _named(what: str, rows: Sequence[Mapping[str, Any]], key: str) -> str:
    names = dict.fromkeys(row[key] for row in rows if row[key])
    return f"; {what} {' or '.join(f'`{name}`' for name in names)}" if names else ""


def _checked(rows: Sequence[Mapping[str, Any]]) -> str:
    counts = [int(row["checked_calls"]) for row in rows if "checked_calls" in row]
    if not counts:
        return ""
    return f" The result of every timed call was checked: at least {min(counts)} per rung and size."


def put_into(readme: Path, text: str) -> None:
    """Replaces what stands between the markers of `readme`."""
    try:
        old = readme.read_text()
    except OSError as error:
        raise InputError(f"{readme}: {error.strerror}") from error
    before, begin, rest = old.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise InputError(f"{readme}: has no lines {_BEGIN} and {_END} to put the table between")
    write_whole(readme, f"{before}{_BEGIN}\n{text}\n{_END}{after}".encode())


def draw(report: dict[str, Any], file: Path) -> None:
    """An SVG: the rate against items, a line per rung, the limit and the library dashed."""
    rows = report["rows"]
    rate, unit = _rate(rows)
    lines = [
        Line(rung, sorted((row["num_items"], row[rate]) for row in rows if row["rung"] == rung))
        for rung in dict.fromkeys(row["rung"] for row in rows)
    ]
    for key in ("limit", "library"):
        for number, met in enumerate(_last_to_meet(rows, key)):
            points = [(row["num_items"], _rate_of(key, row, rate)) for row in met]
            lines.append(Line(met[0][key], points, f"{key} d{number % _DASHES}"))
    title = f"{report['lab']} on {report['machine']['gpu']}, {report['date']}"
    sizes = sorted({row["num_items"] for row in rows})
    ticks = {size: power(size) for size in sizes}
    write_whole(file, draw_plot(title, ("items", unit), ticks, lines).encode())


def _last_to_meet(rows: Sequence[Mapping[str, Any]], key: str) -> list[list[Mapping[str, Any]]]:
    """For each limit, or library, the rows of the last rung that was compared with it."""
    last = {row[key]: row["rung"] for row in rows if row[key]}
    return [
        sorted(
            (row for row in rows if (row[key], row["rung"]) == (name, rung)),
            key=lambda row: row["num_items"],
        )
        for name, rung in last.items()
    ]


def _rate_of(key: str, row: Mapping[str, Any], rate: str) -> float:
    return float(row[f"anchor_{rate}"] if key == "limit" else row[rate] / row["of_library"])


def power(size: int) -> str:
    """2^20, or the number itself."""
    exponent = size.bit_length() - 1
    return f"2^{exponent}" if size == 1 << exponent else str(size)


def _rate(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """The name and the unit of the figure by which a lab measures speed."""
    return ("gflops", "GFLOP/s") if "gflops" in rows[0] else ("gbps", "GB/s")


def _figure(row: Mapping[str, Any], rate: str) -> str:
    value = row[rate]
    return ("~" if row.get("noisy") else "") + (f"{value:.0f}" if value >= 10 else f"{value:.1f}")


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    points: Sequence[tuple[float, float]]
    # Classes of a line without dots; empty: dots on it, in the next colour; "points": dots alone.
    style: str = ""


class _Axis:
    """Values on a logarithmic scale, between two places of the picture."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        low, high = math.log(min(values)), math.log(max(values))
        room = _MARGIN * (high - low) or 1
        self._low, self._high, self._begin, self._end = low - room, high + room, begin, end

    def at(self, value: float) -> float:
        share = (math.log(value) - self._low) / (self._high - self._low)
        return self._begin + share * (self._end - self._begin)

    def powers_of_ten(self) -> list[float]:
        scale = math.log(10)
        exponents = range(math.ceil(self._low / scale), math.floor(self._high / scale) + 1)
        return [10.0**exponent for exponent in exponents]


def draw_plot(
    title: str, units: tuple[str, str], ticks: Mapping[float, str], lines: Sequence[Line]
) -> str:
    """`units` name the axes, and `ticks` the values along x."""
    values = [point for line in lines for point in line.points]
    along = _Axis([x for x, _ in values], _LEFT, _RIGHT)
    up = _Axis([y for _, y in values], _BOTTOM, _TOP)
    shapes = [
        f'<path class="f" d="M{_LEFT} {_TOP}H{_RIGHT}V{_BOTTOM}H{_LEFT}Z"/>',
        _text((_LEFT + _RIGHT) / 2, 20, title, "h"),
        _text((_LEFT + _RIGHT) / 2, _HEIGHT - 8, units[0], "m"),
        f'<g transform="translate(16 {(_TOP + _BOTTOM) / 2:g})rotate(-90)">'
        f"{_text(0, 0, units[1], 'm')}</g>",
    ]
    decades = up.powers_of_ten()
    grid = [f"M{along.at(x):.1f} {_TOP}V{_BOTTOM}" for x in ticks]
    grid += [f"M{_LEFT} {up.at(y):.1f}H{_RIGHT}" for y in decades]
    shapes.append(f'<path class="g" d="{"".join(grid)}"/>')
    shapes += [_text(along.at(x), _BOTTOM + 18, name, "m") for x, name in ticks.items()]
    shapes += [_text(_LEFT - 8, up.at(y) + 4, f"{y:g}", "e") for y in decades]
    for row, line in enumerate(lines):
        y = _TOP + 8 + row * _ROW
        sample = [(_LEGEND, y), (_LEGEND + 12, y), (_LEGEND + 24, y)]
        places = [(along.at(x), up.at(value)) for x, value in line.points]
        shapes += _line(places, sample, line.style, row)
        shapes.append(_text(_LEGEND + 32, y + 4, line.name))
    label = html.escape(f"{title}: {units[1]} against {units[0]}")
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'role="img" aria-label="{label}">'
    )
    return "\n".join([head, f"<style>\n{_STYLE}\n</style>", *shapes, "</svg>", ""])


def _line(
    places: Sequence[tuple[float, float]],
    sample: Sequence[tuple[float, float]],
    style: str,
    row: int,
) -> list[str]:
    """The line and its sample in the legend, each one with its dots."""
    steps = "".join(
        f"M{'L'.join(f'{x:.1f} {y:.1f}' for x, y in drawn)}" for drawn in (places, sample)
    )
    colour = f"c{row % _COLOURS}"
    points = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in [*places, sample[1]])
    dots = f'<path class="p {colour}" d="{points}"/>'
    if style == "points":
        return [dots]
    return (
        [f'<path class="l {style}" d="{steps}"/>']
        if style
        else [f'<path class="l {colour}" d="{steps}"/>', dots]
    )


def _text(x: float, y: float, words: str, style: str = "") -> str:
    named = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{named}>{html.escape(words)}</text>'
