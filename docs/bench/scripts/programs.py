# SPDX-License-Identifier: MIT
"""What nvcc, a GPU, compute-sanitizer and the emulator say of wrong code.

`programs`: of the programs in common/device/tests/corpus. The results are written as they come; a side goes on where it
was stopped, unless a program has changed. `checkers`: of a lab's mutants that a checker can find, those whose header
expects a kind that no wrong result shows. When a solution changes, lines move: measure both sides again.
"""

import hashlib
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from corpus import RIGHT, Program, examine, read_corpus
from measurements import (
    GPU,
    ROOT,
    TABLES,
    MeasurementError,
    Side,
    gpu_fields,
    machine,
    markdown,
    measurement,
    output,
    provenance,
    read_sides,
    write,
    write_section,
    write_side,
)

from lockstep_grader.author.mutants import Mutant, read_mutants
from lockstep_grader.compile.worker import compile_rung
from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.judging.session import Session, Wanted, open_session
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend, Finding, Judgement, Lab
from lockstep_grader.observe.judge import StandingJudges, Trial, Workers
from lockstep_grader.observe.observer import sanitize
from lockstep_grader.request.job import Job
from lockstep_grader.student.program.build import program_steps
from lockstep_grader.toolchain.description import Step
from lockstep_grader.toolchain.nvcc import SANITIZER_ADVICE, find_sanitizer
from lockstep_grader.toolchain.system import toolkit_nvcc
from lockstep_grader.words.sanitizer_log import read_log

WORK = ROOT / "build" / "programs"
WORKSPACE = Workspace(ROOT, ROOT / "build")
INCLUDED = ROOT / "common" / "cuda"
PROGRAMS, MUTANTS = "programs.json", "mutants.json"
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
LAB, SEED = "01-reduction", 7
MUTANT_TOOLS = ("emulator", "memcheck", "racecheck", "initcheck", "synccheck")
KINDS = {
    "race", "out_of_bounds", "misaligned", "uninitialized_read", "barrier_divergence", "deadlock", "host_pointer",
    "leak", "launch_error",
}  # fmt: skip

Outcome = dict[str, Any]


def places(findings: Sequence[Finding]) -> list[str]:
    """Kind and line, each once."""
    named = (f"{item.kind} ({item.line})" if item.line else str(item.kind) for item in findings)
    return list(dict.fromkeys(named))


def sanitizer_here() -> Any:
    if (sanitizer := find_sanitizer()) is None:
        raise MeasurementError(f"compute-sanitizer is missing: {SANITIZER_ADVICE}")
    return sanitizer


# ---- programs


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
        return status, printed.read()


def compiled(nvcc: str, program: Program, binary: Path) -> list[str]:
    """nvcc's first error; empty where it compiles."""
    flags = [
        "-std=c++20",
        "-gencode=arch=compute_90a,code=sm_90a",
        f"-I{INCLUDED}",
        "-lineinfo",
        "-o",
        str(binary),
    ]
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
        outcome[tool] = heard(said, program) + ([HUNG] if status is None else [])
        outcome.setdefault("seconds", {})[tool] = round(time.monotonic() - begin, 1)
    return outcome


def on_emulator(steps: Mapping[str, Step], program: Program) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        examined = examine(steps, program, Path(folder))
    outcome: Outcome = {"emulator": places(examined.findings)}
    run = {"run": ended(examined.status, examined.output)} if examined.built else {}
    return {**outcome, **run}


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


def digest(program: Program, tool: str) -> str:
    """What an outcome depends on: the program, and the tool that examined it, if that is ours."""
    return hashlib.sha256(tool.encode() + program.file.read_bytes()).hexdigest()[:16]


def emulator_digest() -> str:
    folders = ("device", "runtime", "cuda", "cmake")
    files = [file for folder in folders for file in (ROOT / "common" / folder).rglob("*.*")]
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


def gather(
    side: Side, head: Outcome, jobs: int, judge: Callable[[Program], Outcome], tool: str
) -> None:
    """One side of the file, kept up to date while programs are examined."""
    known = read_sides(PROGRAMS).get(side.value, {"programs": {}})["programs"]
    # Those that hang come last: while they spin, the others wait for the device.
    everything = sorted(read_corpus(), key=lambda each: "deadlock" in each.kinds)
    found = {
        each.name: known[each.name]
        for each in everything
        if known.get(each.name, {}).get("hash") == digest(each, tool)
    }
    lock = threading.Lock()

    def one(program: Program) -> None:
        outcome = {"hash": digest(program, tool), **judge(program)}
        with lock:
            found[program.name] = outcome
            print(f"{len(found)}/{len(everything)} {program.name}: {outcome}", flush=True)
            write_side(PROGRAMS, side.value, head, programs=dict(sorted(found.items())))

    WORK.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, [each for each in everything if each.name not in found]))
    write_side(PROGRAMS, side.value, head, programs=dict(sorted(found.items())))


def examine_programs(side: Side, jobs: int) -> None:
    if side is Side.CPU:
        steps = program_steps(WORKSPACE, jobs)
        head: Outcome = {**provenance(), "machine": machine()}
        gather(side, head, jobs, partial(on_emulator, steps), emulator_digest())
        return
    nvcc, sanitizer = toolkit_nvcc(), sanitizer_here()
    if not nvcc:
        raise MeasurementError("nvcc is not here: it comes with NVIDIA's CUDA toolkit")
    version = output([nvcc, "--version"]).strip().splitlines()[-1]
    head = {
        **provenance(),
        "gpu": gpu_fields("name")[0],
        "nvcc": version,
        "sanitizer": sanitizer.version,
    }
    gather(side, head, jobs, partial(on_gpu, nvcc, sanitizer.program), "")


def programs_page() -> str:
    """What each finds: by kind, then program by program."""
    sides = read_sides(PROGRAMS)
    cpu, cuda = sides["cpu"], sides["cuda"]
    everything = read_corpus()
    rows = [
        (each, {**cuda["programs"].get(each.name, {}), "emulator": cpu["programs"][each.name]["emulator"]})
        for each in everything
    ]  # fmt: skip
    told = [
        row for row in rows if not row[0].is_right or any(_found_by(each, *row) for each in FINDERS)
    ]
    num_wrong = sum(not each.is_right for each in everything)
    lines = [
        f"`docs/bench/measure programs table`: {num_wrong} wrong and {len(rows) - num_wrong} right programs. "
        f"Emulator {cpu['date']}; compute-sanitizer {cuda['date']}, {cuda['gpu']}.",
        "",
        "A tool finds a program when it reports anything about it. The emulator finds one when it names the kind, and"
        " a line, that the program's header declares. `run` is the program on the GPU without a tool.",
        "",
        f"The tables by topic leave out {len(rows) - len(told)} right programs about which all are silent.",
        "",
        *markdown(("kind", "programs", *FINDERS, "any tool"), _sums(rows), gap=" "),
    ]
    head = ("program", "verdict", "line", "nvcc", "run", *TOOLS, "emulator")
    for topic in dict.fromkeys(each.topic for each, _ in told):
        of_topic = [_row(each, found) for each, found in told if each.topic == topic]
        lines += ["", f"## {topic.capitalize()}", "", *markdown(head, of_topic, gap=" ")]
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


@measurement(
    "programs",
    needs=f"{GPU} with compute-sanitizer for cuda",
    writes=[PROGRAMS, "programs.md"],
    uses=["docs/bench/scripts/corpus.py"],
)
def programs(
    side: Side, jobs: Annotated[int, typer.Option(min=1, help="Programs at once.")] = 14
) -> None:
    """Compare compiler, GPU, compute-sanitizer and the emulator on small wrong and right programs."""
    if side is Side.TABLE:
        write("programs.md", programs_page())
    else:
        examine_programs(side, jobs)


# ---- mutants


def mutants() -> list[Mutant]:
    lab = find_lab(read_labs(WORKSPACE), LAB)
    return [mutant for mutant in read_mutants(WORKSPACE, lab) if KINDS & set(mutant.expected)]


def of_checkers(findings: Sequence[Finding]) -> list[str]:
    """A wrong result is not a checker's finding."""
    return places([item for item in findings if item.kind in KINDS])


def examine_mutant(session: Session, lab: Lab, mutant: Mutant) -> Outcome:
    """What the backend's checkers find. On cuda, speed and results are not judged."""
    rung, source = mutant.rung, mutant.source
    head = {"line": mutant.line} if mutant.line else {}  # in the text that was judged
    if session.toolchain.backend is Backend.CPU:
        judgement = session.judge.judge(Job(mutant.name, lab, rung, lambda: source), source)
        found = [found for test in judgement.tests for found in test.findings]
        return {**head, "emulator": of_checkers(found)}
    setup = session.setup.of(lab)
    with tempfile.TemporaryDirectory() as temp:
        work = Path(temp)
        worker = compile_rung(setup, source, work)
        if isinstance(worker, Finding):
            raise MeasurementError(f"{mutant.file}: {worker.message}")
        judges = StandingJudges(session.setup.processes)
        trial = Trial(setup.tools.judge, rung.id, Workers(worker), work, SEED, standing=judges)
        tests = sanitize(session.setup, trial, rung.file_name, Judgement())
    names = (test.name.removeprefix("compute-sanitizer.") for test in tests)
    return {**head, **dict(zip(names, (of_checkers(test.findings) for test in tests), strict=True))}


def mutants_page() -> str:
    sides = read_sides(MUTANTS)
    rows = []
    for mutant in mutants():
        if mutant.name not in sides["cpu"]["mutants"]:
            continue  # newer than the measurement
        cpu, cuda = (sides[side]["mutants"].get(mutant.name, {}) for side in ("cpu", "cuda"))
        cells = [", ".join({**cpu, **cuda}.get(tool, [])) or "-" for tool in MUTANT_TOOLS]
        rows.append([f"`{mutant.name}`", mutant.mistake, str(cuda.get("line", "-")), *cells])
    lines = [
        f"`docs/bench/measure checkers table`; lab {LAB}, emulator {sides['cpu']['date']}, compute-sanitizer"
        f" {sides['cuda']['date']}. Kind and line, as each names them; the fault's line is what the mutant declares.",
        "",
        *markdown(("mutant", "mistake", "line", *MUTANT_TOOLS), rows),
    ]
    return "\n".join(lines)


@measurement("checkers", needs=f"{GPU} with compute-sanitizer for cuda", writes=[MUTANTS, TABLES])
def checkers(side: Side) -> None:
    """Compare the emulator's checkers with compute-sanitizer on mutants: one side, or the table of both."""
    if side is Side.TABLE:
        write_section(TABLES, "Mutants", mutants_page())
        return
    if side is Side.CUDA:
        sanitizer_here()
    wanted = Wanted(Backend(side.value), seed=SEED, emulator=False, sandbox=False)
    session = open_session(WORKSPACE, wanted)
    lab = find_lab(read_labs(WORKSPACE), LAB)
    with ThreadPoolExecutor(session.jobs) as threads:
        reports = list(threads.map(partial(examine_mutant, session, lab), mutants()))
    found = {mutant.name: report for mutant, report in zip(mutants(), reports, strict=True)}
    write_side(MUTANTS, side.value, provenance(), mutants=found)
