# SPDX-License-Identifier: MIT
"""What nvcc, a GPU, compute-sanitizer and the emulator say of the programs in common/device/tests/corpus.

The results are written as they come; `cuda` goes on where it was stopped, unless a program has changed.
"""

import hashlib
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from corpus import RIGHT, Program, examine, read_corpus
from measurements import (
    BENCH,
    GPU,
    ROOT,
    MeasurementError,
    machine,
    measurement,
    output,
    provenance,
    write,
    write_json,
)

from lockstep_grader.toolchain.sanitizer import SANITIZER_ADVICE, find_sanitizer
from lockstep_grader.words.sanitizer_log import read_log
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding
from lockstep_grader.student.program.build import program_steps
from lockstep_grader.toolchain.description import Step
from lockstep_grader.toolchain.system import toolkit_nvcc

WORK = ROOT / "build" / "programs"
TOOLS = {
    "memcheck": ("--leak-check=full",),
    "racecheck": ("--racecheck-report=analysis",),
    "synccheck": (),
    "initcheck": (),
}
RUN_SECONDS, TOOL_SECONDS, HUNG_TOOL_SECONDS = 10, 30, 15
HUNG = "hangs"
MAX_NVCC = 80  # characters of its message in the table
ON_GPU = ("nvcc", *TOOLS)
FINDERS = (*ON_GPU, "emulator")

Outcome = dict[str, Any]


def places(findings: Sequence[Finding]) -> list[str]:
    """Kind and line, each once."""
    return list(
        dict.fromkeys(f"{item.kind} ({item.line})" if item.line else item.kind for item in findings)
    )


def run_limited(argv: Sequence["str | Path"], seconds: float) -> tuple[int | None, str]:
    """Exit status, None where it ran too long, and what it printed. All its processes are ended."""
    with tempfile.TemporaryFile(
        "w+", errors="replace"
    ) as printed:  # a pipe may outlive its program
        child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT,
            start_new_session=True, cwd=WORK,
        )  # fmt: skip
        try:
            status: int | None = child.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            status = None
        printed.seek(0)
        said = printed.read()
    return status, said


def compiled(nvcc: str, program: Program, binary: Path) -> list[str]:
    """nvcc's first error; empty where it compiles."""
    flags = ["-std=c++20", "-arch=sm_90", "-lineinfo", "-o", str(binary)]
    status, said = run_limited([nvcc, *flags, str(program.file)], 120)
    if status == 0:
        return []
    match = re.search(r"\((\d+)\): error: (.*)|(?:error|fatal)\s*: (.*)", said)
    if not match:
        return [f"error: {said.strip()[:200]}"]
    return [f"line {match[1]}: {match[2]}" if match[1] else match[3]]


def on_gpu(nvcc: str, sanitizer: Path, program: Program) -> Outcome:
    binary = WORK / program.name.replace("/", ".")
    outcome: Outcome = {"nvcc": compiled(nvcc, program, binary)}
    if outcome["nvcc"]:
        return outcome
    status, said = run_limited([binary], RUN_SECONDS)
    outcome["run"] = ended(status, said)
    seconds = HUNG_TOOL_SECONDS if status is None else TOOL_SECONDS
    for tool, options in TOOLS.items():
        argv = [sanitizer, f"--tool={tool}", "--print-limit=20", *options, binary]
        begin = time.monotonic()
        status, said = run_limited(argv, seconds)
        (WORK / f"{binary.name}.{tool}.txt").write_text(said, "utf-8")
        outcome[tool] = heard(said, program)
        if status is None:
            outcome[tool].append(HUNG)
        outcome.setdefault("seconds", {})[tool] = round(time.monotonic() - begin, 1)
    return outcome


def ended(status: int | None, said: str) -> str:
    if status is None:
        return HUNG
    if status < 0:
        return signal.Signals(-status).name
    words = [line for line in said.splitlines() if line in ("PASS", "FAIL")]
    return words[-1] if words and status == 0 else f"status {status}"


def heard(said: str, program: Program) -> list[str]:
    """What a tool found. A text that the reader does not know is kept in the tool's own words."""
    try:
        return places(read_log(said, program.file.name).findings)
    except FaultError as error:
        return [str(error)[:200]]


def digest(program: Program, tool: str = "") -> str:
    """What an outcome depends on: the program, and the tool that examined it, if that is ours."""
    return hashlib.sha256(tool.encode() + program.file.read_bytes()).hexdigest()[:16]


def emulator_digest(*folders: str) -> str:
    files = [file for folder in folders for file in (ROOT / "common" / folder).rglob("*.*")]
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


def gather(
    name: str,
    head: dict[str, object],
    jobs: int,
    examine: Callable[[Program], Outcome],
    tool: str = "",
) -> None:
    """docs/bench/NAME, kept up to date while programs are examined."""
    file = BENCH / name
    known = json.loads(file.read_text("utf-8"))["programs"] if file.is_file() else {}
    # Those that hang come last: while they spin, the others wait for the device.
    programs = sorted(read_corpus(), key=lambda each: "deadlock" in each.kinds)
    found = {
        each.name: known[each.name]
        for each in programs
        if known.get(each.name, {}).get("hash") == digest(each, tool)
    }
    lock = threading.Lock()

    def one(program: Program) -> None:
        outcome = {"hash": digest(program, tool), **examine(program)}
        with lock:
            found[program.name] = outcome
            report = {**head, "programs": dict(sorted(found.items()))}
            file.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
            print(f"{len(found)}/{len(programs)} {program.name}: {outcome}", flush=True)

    WORK.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, [each for each in programs if each.name not in found]))
    write_json(name, {**head, "programs": dict(sorted(found.items()))})


def cuda(jobs: int) -> None:
    nvcc, sanitizer = toolkit_nvcc(), find_sanitizer()
    if not nvcc:
        raise MeasurementError("nvcc is not here: it comes with NVIDIA's CUDA toolkit")
    if sanitizer is None:
        raise MeasurementError(f"compute-sanitizer is not here: {SANITIZER_ADVICE}")
    device = output(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader", "-i", "0"])
    head: dict[str, object] = {
        **provenance(),
        "gpu": device.strip(),
        "nvcc": output([nvcc, "--version"]).strip().splitlines()[-1],
        "sanitizer": sanitizer.version,
    }
    gather("programs-cuda.json", head, jobs, partial(on_gpu, nvcc, sanitizer.program))


def on_cpu(steps: Mapping[str, Step], program: Program) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        examined = examine(steps, program, Path(folder))
    outcome: Outcome = {"emulator": places(examined.findings)}
    return (
        {**outcome, "run": ended(examined.status, examined.output)} if examined.built else outcome
    )


def cpu(jobs: int) -> None:
    steps = program_steps(Workspace(ROOT, ROOT / "build"), jobs)
    head: dict[str, object] = {**provenance(), "machine": machine()}
    tool = emulator_digest("device", "runtime", "cuda", "cmake")
    gather("programs-cpu.json", head, jobs, partial(on_cpu, steps), tool)


def table() -> str:
    """Who finds what: by kind, then program by program."""
    sides = [json.loads((BENCH / f"programs-{side}.json").read_text()) for side in ("cpu", "cuda")]
    cpu_side, cuda_side = (side["programs"] for side in sides)
    everything = read_corpus()
    rows = [
        (each, {**cuda_side.get(each.name, {}), "emulator": cpu_side[each.name]["emulator"]})
        for each in everything
    ]
    num_wrong = sum(not each.is_right for each in everything)
    lines = [
        f"`docs/bench/measure programs table`: {num_wrong} wrong and {len(rows) - num_wrong} right programs. "
        f"Emulator {sides[0]['date']}; compute-sanitizer {sides[1]['date']}, {sides[1]['gpu']}.",
        "",
        "A tool finds a program when it reports anything about it. The emulator finds one when it names the kind, and"
        " a line, that the program's header declares. `run` is the program on the GPU without a tool.",
        "",
        *_markdown(("kind", "programs", *FINDERS, "any tool"), _sums(rows)),
    ]
    for topic in dict.fromkeys(each.topic for each in everything):
        of_topic = [_row(each, found) for each, found in rows if each.topic == topic]
        head = ("program", "verdict", "line", "nvcc", "run", *TOOLS, "emulator")
        lines += ["", f"## {topic.capitalize()}", "", *_markdown(head, of_topic)]
    return "\n".join(lines)


def _found_by(finder: str, program: Program, found: Outcome) -> bool:
    if finder == "emulator" and not program.is_right:
        return any(program.expects(*_place(said)) for said in found["emulator"])
    return any(said != HUNG for said in found.get(finder, []))


def _place(said: str) -> tuple[str, int]:
    """What `places` wrote."""
    kind, _, line = said.partition(" ")
    return kind, int(line.strip("()") or 0)


def _sums(rows: Sequence[tuple[Program, Outcome]]) -> list[list[str]]:
    sums = []
    for kind in dict.fromkeys([*sorted(each.kinds[0] for each, _ in rows if each.kinds), RIGHT]):
        of_kind = [row for row in rows if (row[0].kinds or (RIGHT,))[0] == kind]
        counts = [sum(_found_by(finder, *row) for row in of_kind) for finder in FINDERS]
        by_tools = sum(any(_found_by(finder, *row) for finder in ON_GPU) for row in of_kind)
        sums.append([kind, *map(str, (len(of_kind), *counts, by_tools))])
    return sums


def _row(program: Program, found: Outcome) -> list[str]:
    verdict = f"{' or '.join(program.kinds) or RIGHT}: {program.says}"
    if program.missed:
        verdict += f" Missed: {program.missed}"
    cells = [", ".join(found.get(tool, [])) or "-" for tool in ("nvcc", *TOOLS, "emulator")]
    cells[0] = cells[0] if len(cells[0]) <= MAX_NVCC else f"{cells[0][:MAX_NVCC]}..."
    cells.insert(1, found.get("run", "-"))
    named = ", ".join(map(str, program.lines)) or "-"
    return [f"`{program.name.partition('/')[2]}`", verdict, named, *cells]


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in cells]


class Side(str, Enum):
    CPU = "cpu"
    CUDA = "cuda"
    TABLE = "table"


@measurement(
    "programs",
    needs=f"{GPU} with compute-sanitizer for cuda",
    writes=["programs-cpu.json", "programs-cuda.json", "programs.md"],
    uses=["docs/bench/scripts/corpus.py"],
)
def programs(
    side: Side, jobs: Annotated[int, typer.Option(min=1, help="Programs at once.")] = 14
) -> None:
    """Compare compiler, GPU, compute-sanitizer and the emulator on small wrong and right programs."""
    if side is Side.CUDA:
        cuda(jobs)
    elif side is Side.TABLE:
        write("programs.md", table())
    else:
        cpu(jobs)
