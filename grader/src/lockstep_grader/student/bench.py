# SPDX-License-Identifier: MIT
"""`bench`: a lab's ladder timed over a range of sizes, with the limit and the library; the report
as a table for a README, and as a plot."""

import json
import platform
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

from lockstep_grader.judging.session import Session
from lockstep_grader.machine.files import as_records, read_json, write_whole
from lockstep_grader.machine.process import Limits
from lockstep_grader.machine.progress import stage
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.errors import FaultError, InputError, SubmissionError
from lockstep_grader.model.grades import Backend, Lab, Rung
from lockstep_grader.model.text import last_line
from lockstep_grader.observe.judge import Workers
from lockstep_grader.student.plot import DASHES, Line, draw_plot
from lockstep_grader.student.program.build import source_of, worker_of

_LIMITS = Limits(seconds=600)
_VERSION = 1
_BEGIN, _END = "<!-- measured:begin -->", "<!-- measured:end -->"

Row = dict[str, Any]


def require_gpu(backend: Backend, lab: Lab) -> None:
    """Raises InputError where there is nothing to time. Ask before anything is built."""
    if backend is not Backend.CUDA:
        raise InputError(
            "bench times a GPU, and no nvcc with a working GPU is here (./lab doctor); "
            f"without one, ./lab profile {lab.id}/{lab.rungs[0].id} counts what a rung costs"
        )


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
    machine = report["machine"]
    compared = [name for name in ("share", "of_library") if any(name in row for row in rows)]
    titles = {"share": "share of limit", "of_library": "of library"}
    head = [*(f"{_power(size)}, {unit}" for size in sizes), *(titles[name] for name in compared)]
    lines = [
        f"{machine['gpu']}, driver {machine['driver']}, nvcc {report['compiler']['version']}, "
        f"{report['date']}: `{report['command']}` wrote [{Path(source).name}]({source}). "
        f"Ratios are medians of paired rounds at {_power(largest)} items"
        f"{_named('the limit is', rows, 'limit')}{_named('the library', rows, 'library')}."
        f"{_checked(rows)}{_noisy(rows)}",
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


def _named(what: str, rows: Sequence[Mapping[str, Any]], key: str) -> str:
    names = dict.fromkeys(row[key] for row in rows if row[key])
    return f"; {what} {' or '.join(f'`{name}`' for name in names)}" if names else ""


def _checked(rows: Sequence[Mapping[str, Any]]) -> str:
    counts = [int(row["checked_calls"]) for row in rows if "checked_calls" in row]
    if not counts:
        return ""
    return f" The result of every timed call was checked: at least {min(counts)} per rung and size."


def _noisy(rows: Sequence[Mapping[str, Any]]) -> str:
    is_noisy = any(row.get("noisy") for row in rows)
    return " `~`: rounds that differ by more than 5%." if is_noisy else ""


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
            lines.append(Line(met[0][key], points, f"{key} d{number % DASHES}"))
    title = f"{report['lab']} on {report['machine']['gpu']}, {report['date']}"
    sizes = sorted({row["num_items"] for row in rows})
    ticks = {size: _power(size) for size in sizes}
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


def _power(size: int) -> str:
    exponent = size.bit_length() - 1
    return f"2^{exponent}" if size == 1 << exponent else str(size)


def _rate(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """The name and the unit of the figure by which a lab measures speed."""
    return ("gflops", "GFLOP/s") if "gflops" in rows[0] else ("gbps", "GB/s")


def _figure(row: Mapping[str, Any], rate: str) -> str:
    value = row[rate]
    return ("~" if row.get("noisy") else "") + (f"{value:.0f}" if value >= 10 else f"{value:.1f}")
