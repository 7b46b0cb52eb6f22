# SPDX-License-Identifier: MIT
"""`bench`: a lab's ladder timed over a range of sizes, with the limit and the library."""

import json
import platform
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

from lockstep_grader.compile.worker import compile_rung
from lockstep_grader.intake.submission import read_source
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.files import as_records, write_whole
from lockstep_grader.machine.process import Limits
from lockstep_grader.machine.progress import stage
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Backend, Finding, Lab, Rung
from lockstep_grader.model.text import last_line
from lockstep_grader.observe.judge import Workers

_LIMITS = Limits(seconds=600)
_VERSION = 1

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
    """Times every rung of `lab` under `folder` at each size; the report that `bench_page` draws.

    What could not be measured is in its `failures`. Raises InputError where nothing could.
    What the `earlier` report has is not measured again; InputError if it is another GPU's.
    """
    kept = _rows_of(earlier) if earlier else []
    today = datetime.now(UTC).date().isoformat()
    rows: list[Row] = []
    failures: list[str] = []
    with stage("timing") as progress, tempfile.TemporaryDirectory(prefix="lockstep-bench-") as temp:
        with ThreadPoolExecutor(
            session.jobs
        ) as pool:  # all of them first: compilers would disturb a timing
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
            except (InputError, FaultError) as error:  # the other rungs took minutes
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
    source = read_source(folder, lab, rung)
    if isinstance(source, Finding):
        raise InputError(f"{lab.id}/{rung.id}: {source.message}")
    work.mkdir(parents=True)
    worker = compile_rung(session.setup.of(lab), source, work)
    if isinstance(worker, Finding):
        raise InputError(f"{lab.id}/{rung.id} does not compile: {worker.message}")
    return worker


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
        report = json.loads(file.read_bytes())
    except FileNotFoundError as error:
        raise InputError(f"no benchmark report {file}: ./lab bench makes it, on a GPU") from error
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{file}: not a benchmark report: {error}") from error
    if not isinstance(report, dict) or report.get("version") != _VERSION:
        raise InputError(f"{file}: not a benchmark report of version {_VERSION}")
    return report
