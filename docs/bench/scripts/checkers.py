# SPDX-License-Identifier: MIT
"""Compares what the emulator's checkers and compute-sanitizer find in a lab's mutants.

Only mutants that a checker can find: those whose header expects a kind that no wrong result shows. When a solution
changes, lines move: measure both sides again.
"""

import json
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from functools import partial
from pathlib import Path

from measurements import (
    BENCH,
    GPU,
    ROOT,
    MeasurementError,
    measurement,
    provenance,
    write,
    write_json,
)

from lockstep_grader.author.mutants import Mutant, read_mutants
from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.compile.worker import compile_rung
from lockstep_grader.request.job import Job
from lockstep_grader.observe.sanitizer import SANITIZER_ADVICE, Patient, find_sanitizer, sanitize
from lockstep_grader.judging.session import Session, open_session
from lockstep_grader.machine.gpus import GpuPool, find_gpus
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend, Finding, Lab

LAB = "01-reduction"
SEED = 7
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
KINDS = {
    "race", "out_of_bounds", "misaligned", "uninitialized_read", "barrier_divergence", "deadlock", "host_pointer",
    "leak", "launch_error",
}  # fmt: skip

Report = dict[str, list[str]]  # tool: what it found


def mutants() -> list[Mutant]:
    workspace = Workspace(ROOT, ROOT / "build")
    lab = find_lab(read_labs(workspace), LAB)
    return [mutant for mutant in read_mutants(workspace, lab) if KINDS & set(mutant.expected)]


def places(findings: Sequence[Finding]) -> list[str]:
    """Each kind once; a wrong result is not a checker's finding."""
    named = (item for item in findings if item.kind in KINDS)
    return list(
        dict.fromkeys(
            f"{item.kind} ({item.line})" if item.line else str(item.kind) for item in named
        )
    )


def examine(session: Session, pool: GpuPool, lab: Lab, mutant: Mutant) -> Report:
    """What the backend's checkers find. On cuda, speed and results are not judged."""
    rung, source = mutant.rung, mutant.source
    if session.toolchain.backend is Backend.CPU:
        judgement = session.judge.judge(Job(mutant.name, lab, rung, lambda: source), source)
        return {"emulator": places([found for test in judgement.tests for found in test.findings])}
    sanitizer = find_sanitizer()
    if sanitizer is None:
        raise MeasurementError(SANITIZER_ADVICE)
    tools = session.toolchain.lab(lab.id)
    with tempfile.TemporaryDirectory() as temp:
        work = Path(temp)
        worker = compile_rung(session.toolchain, tools, source, work, session.processes)
        if isinstance(worker, Finding):
            raise MeasurementError(f"{mutant.file}: {worker.message}")
        patient = Patient(tools.judge, rung.id, rung.file_name, worker, SEED, work, pool)
        tests = sanitize(sanitizer, patient, session.processes)
    return {test.name.removeprefix("compute-sanitizer."): places(test.findings) for test in tests}


def examine_all(backend: Backend) -> dict[str, object]:
    workspace = Workspace(ROOT, ROOT / "build")
    session = open_session(workspace, backend, seed=SEED, use_sandbox=False)
    pool = GpuPool(find_gpus(), session.jobs)
    lab = find_lab(read_labs(workspace), LAB)
    with ThreadPoolExecutor(session.jobs) as threads:
        reports = threads.map(partial(examine, session, pool, lab), mutants())
        found = {mutant.name: report for mutant, report in zip(mutants(), reports, strict=True)}
    lines = {
        mutant.name: mutant.line for mutant in mutants() if mutant.line
    }  # in the text that was judged
    return {
        **provenance(),
        "backend": str(backend),
        "lines": lines,
        "mutants": found,
    }


def table() -> str:
    sides = [
        json.loads((BENCH / f"mutants-{backend}.json").read_text()) for backend in ("cpu", "cuda")
    ]
    lines = [
        f"`docs/bench/measure checkers table`; lab {LAB}, emulator {sides[0]['date']}, compute-sanitizer"
        f" {sides[1]['date']}. Kind and line, as each names them; the fault's line is what the mutant declares.",
        "",
        "| mutant | mistake | line | emulator | " + " | ".join(TOOLS) + " |",
        "|---" * (4 + len(TOOLS)) + "|",
    ]
    for mutant in mutants():
        found = {**sides[0]["mutants"][mutant.name], **sides[1]["mutants"].get(mutant.name, {})}
        cells = [", ".join(found.get(tool, [])) or "-" for tool in ("emulator", *TOOLS)]
        row = [
            f"`{mutant.name}`",
            mutant.mistake,
            str(sides[1]["lines"].get(mutant.name, "-")),
            *cells,
        ]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


class Side(str, Enum):
    CPU = "cpu"
    CUDA = "cuda"
    TABLE = "table"


@measurement(
    "checkers",
    needs=f"{GPU} with compute-sanitizer for cuda",
    writes=["mutants-cpu.json", "mutants-cuda.json", "mutants.md"],
)
def checkers(side: Side) -> None:
    """Compare the emulator's checkers with compute-sanitizer on mutants: one side, or the table of both."""
    if side is Side.TABLE:
        write("mutants.md", table())
    else:
        write_json(f"mutants-{side.value}.json", examine_all(Backend(side.value)))
