# SPDX-License-Identifier: MIT
"""The list of measurements, and what their scripts share.

A script declares its measurement with `@measurement`; `app.py` imports each script and runs one by name.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

import sources
import typer

SCRIPTS = Path(__file__).resolve().parent
BENCH, ROOT = sources.BENCH, sources.ROOT

IDLE, GPU, NOTHING = "an idle machine", "a GPU", ""
TABLES = "tables.md"  # a section per measurement

Function = TypeVar("Function", bound=Callable[..., None])


@dataclass(frozen=True)
class Measurement:
    name: str
    needs: str  # empty: nothing
    writes: tuple[str, ...]  # patterns, from docs/bench
    uses: tuple[str, ...]  # the scripts that make it, from the top level
    run: Callable[..., None]  # its docstring and its parameters are what --help shows

    @property
    def what(self) -> str:
        return (self.run.__doc__ or "").partition("\n")[0]


MEASUREMENTS: dict[str, Measurement] = {}


class Side(str, Enum):
    """Of a comparison: what is measured, or the table of both."""

    CPU = "cpu"
    CUDA = "cuda"
    TABLE = "table"


class MeasurementError(Exception):
    """Why nothing was measured, in one line with the next step."""


def measurement(
    name: str, *, needs: str, writes: Iterable[str], uses: Iterable[str] = ()
) -> Callable[[Function], Function]:
    def declare(run: Function) -> Function:
        script = f"docs/bench/scripts/{run.__module__}.py"
        MEASUREMENTS[name] = Measurement(name, needs, tuple(writes), (script, *uses), run)
        return run

    return declare


def provenance() -> dict[str, str]:
    """The command and the date, which begin every report."""
    command = " ".join(["docs/bench/measure", *sys.argv[1:]])
    return {"command": command, "date": datetime.now(timezone.utc).date().isoformat()}


def machine() -> dict[str, object]:
    return {"cores": os.cpu_count(), "system": platform.platform(terse=True)}


def processor() -> str:
    names = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return names[0] if names else platform.machine()


class ProcessorTime:
    """The processor time of a command with all that it starts, by Linux' perf.

    wait() and its relatives do not know it: a sandbox ends without waiting for what it isolates.
    """

    def __init__(self) -> None:
        if shutil.which("perf") is None:
            raise MeasurementError("perf is missing: apt-get install linux-perf")
        handle, name = tempfile.mkstemp(prefix="perf-")
        os.close(handle)
        self._file = Path(name)

    @property
    def words(self) -> tuple[str, ...]:
        """To be put before the command's words."""
        return ("perf", "stat", "-x", ",", "-e", "task-clock", "-o", str(self._file), "--")

    def seconds(self) -> float:
        """Once the command has ended."""
        found = re.search(r"^([\d.]+),msec,task-clock", self._file.read_text(), re.MULTILINE)
        self._file.unlink()
        if not found:
            raise MeasurementError("perf counts nothing here: run as root")
        return float(found[1]) / 1000


def write(name: str, text: str) -> None:
    (BENCH / name).write_text(text if text.endswith("\n") else f"{text}\n", "utf-8")
    print(f"wrote docs/bench/{name}")


def read_section(page: str, title: str) -> str:
    """The text below the page's heading `title`; empty if there is none."""
    file = BENCH / page
    text = file.read_text("utf-8") if file.is_file() else ""
    _, _, rest = f"{text}\n## ".partition(f"\n## {title}\n")
    return rest.partition("\n## ")[0].strip()


def write_section(page: str, title: str, text: str) -> None:
    """Replaces the text below the page's heading `title`, or adds both at the end."""
    file = BENCH / page
    name = file.stem.upper()
    old = file.read_text("utf-8") if file.is_file() else f"# Grades and verdicts on one {name}\n"
    head, *sections = f"\n{old}".split("\n## ")
    new = f"{title}\n\n{text.strip()}\n"
    at = [n for n, each in enumerate(sections) if each.partition("\n")[0] == title]
    sections[at[0] if at else len(sections) :] = [new, *(sections[at[0] + 1 :] if at else [])]
    write(page, "\n\n## ".join(each.strip() for each in (head, *sections)))


def write_json(name: str, report: dict[str, Any]) -> None:
    write(name, sources.as_records(report))


def read_sides(name: str) -> dict[str, dict[str, Any]]:
    """Each side of a comparison, as it was measured."""
    file = BENCH / name
    stored = json.loads(file.read_text("utf-8")) if file.is_file() else {"sides": {}}
    heads = stored.pop("sides")
    return {
        side: head
        | {
            group: {record: each[side] for record, each in records.items() if side in each}
            for group, records in stored.items()
        }
        for side, head in heads.items()
    }


def write_side(name: str, side: str, head: Mapping[str, Any], **groups: Mapping[str, Any]) -> None:
    """Writes one side of a comparison; a record's line holds what each side says of it."""
    sides = {**read_sides(name), side: {**head, **groups}}
    heads = {
        side: {key: value for key, value in said.items() if key not in groups}
        for side, said in sides.items()
    }
    merged: dict[str, dict[str, Any]] = {group: {} for group in groups}
    for side, said in sides.items():
        for group in groups:
            for record, found in said[group].items():
                merged[group].setdefault(record, {})[side] = found
    write_json(name, {"sides": heads, **merged})


def rungs_of(report: Any) -> Iterator[tuple[str, str, Any]]:
    """Of a grade.json: the submission's id, LAB/RUNG, and what the report says of the rung."""
    for submission in report["submissions"]:
        for lab in submission["labs"]:
            for rung in lab["rungs"]:
                yield submission["id"], f"{lab['id']}/{rung['id']}", rung


def markdown(
    head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0, gap: str = ""
) -> list[str]:
    """A table; its last `numbers` columns are aligned on the right."""
    rules = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    rule = "|".join(["", *(f"{gap}{each}{gap}" for each in rules), ""])
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return [f"| {' | '.join(head)} |", rule, *lines]


def output(command: "list[str | Path]", **options: Any) -> str:
    """What a command prints. Raises MeasurementError if it fails or is missing."""
    options = {"cwd": ROOT, "capture_output": True, "text": True, "check": False, **options}
    try:
        done = subprocess.run(command, **options)
    except OSError as error:
        raise MeasurementError(
            f"{command[0]}: {error.strerror} (docs/bench/measure lists what each one needs)"
        ) from error
    if done.returncode != 0:
        words = (done.stderr or done.stdout or "no message").strip().splitlines()
        said = next((line for line in words if "error" in line), words[-1])
        raise MeasurementError(f"{command[0]} ended with {done.returncode}: {said}")
    return str(done.stdout)


def measured_now(name: str, solutions: Iterable[str] = (), labs: Collection[str] = ()) -> None:
    """Records that the figures in docs/bench/NAME belong to today's code; only those of `labs`, if
    there are any.

    The figures describe `solutions` (LAB/RUNG), besides those that sources.json already has for
    them."""
    sources.record(name, [f"solutions/{rung}.cu" for rung in solutions], labs)
    sources.write_older()


def require_known(kind: str, named: Iterable[str] | None, known: Collection[str]) -> None:
    """Raises BadParameter for a name that there is not."""
    if unknown := sorted(set(named or ()) - set(known)):
        raise typer.BadParameter(f"no {kind} {unknown[0]}; there are: {', '.join(known)}")


def known_labs() -> list[str]:
    return sorted(path.name for path in (ROOT / "labs").glob("[0-9]*"))


def ncu(metrics: Iterable[str], *options: str) -> list[str]:
    """Nsight Compute's command for these metrics of each launch, as a table."""
    path = shutil.which("ncu")
    if path is None:
        raise MeasurementError("ncu is not on the PATH; it comes with the CUDA toolkit")
    command = [path, "--clock-control", "none", "--csv", "--page", "raw", *options]
    return [*command, "--metrics", ",".join(metrics)]


def gpu_names() -> list[str]:
    """`h200` of each "NVIDIA H200", `h100` of each "NVIDIA H100 80GB HBM3"."""
    return [line.removeprefix("NVIDIA ").split()[0].lower() for line in gpu_fields("name")]


def gpu_name() -> str:
    return gpu_names()[0]


def gpu_fields(fields: str) -> list[str]:
    """What nvidia-smi says of each GPU; raises MeasurementError where there is none."""
    if shutil.which("nvidia-smi") is None:
        raise MeasurementError(
            "no GPU here: nvidia-smi is not on the PATH; it comes with the driver"
        )
    return output(["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader"]).splitlines()


def cuda_build() -> Any:
    """What the cuda backend was built of, as lockstep.json says; raises MeasurementError."""
    try:
        return json.loads((ROOT / "build" / "cuda" / "lockstep.json").read_text("utf-8"))
    except FileNotFoundError as error:
        raise MeasurementError(
            "the cuda backend is not built; run ./lab grade solutions --backend cuda first"
        ) from error


def nvcc(program: str, flags: "list[str | Path]", sources: "list[str | Path]") -> Path:
    """Compiles build/PROGRAM for this machine's GPU, with CUDA's and the labs' headers."""
    gpu_name()  # without a GPU, `native` is the oldest that nvcc knows
    target = ROOT / "build" / program
    target.parent.mkdir(exist_ok=True)
    output(["nvcc", "-std=c++20", "-arch=native", "-Icommon/cuda", *flags, *sources, "-o", target])
    return target
