# SPDX-License-Identifier: MIT
"""Compares the verdicts of the cpu backend's two engines on every starter, solution and mutant.

The script goes when the emulator goes, and its results with it.
"""

import json
import os
from collections.abc import Iterator
from enum import Enum
from functools import partial
from typing import Annotated, Any

import typer
from measurements import (
    BENCH,
    NOTHING,
    ROOT,
    MeasurementError,
    machine,
    measurement,
    provenance,
    write,
    write_json,
)

from lockstep_grader.author.mutants import Mutant, breaches, read_mutants
from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.intake.submission import read_source
from lockstep_grader.judging.job import Job
from lockstep_grader.judging.pool import judge_each
from lockstep_grader.judging.session import Session, open_session
from lockstep_grader.machine.progress import stage
from lockstep_grader.machine.workspace import ENGINE, Workspace
from lockstep_grader.model.grades import Backend, Engine, Judgement, Lab
from lockstep_grader.model.score import score_rung
from lockstep_grader.toolchain.nvcc import Phase

SEED = 7
SIDES = (Engine.EMULATOR, Engine.MACHINE)
# Why the first finding differs, and the mutants of which that is so.
EXPLAINED = {
    "the student's line; the emulator names one of lab/look_back.cuh": (
        "03-compaction/look_back_by_one_thread",
        "03-compaction/publish_missing",
        "05-summed-area-table/chain_without_a_wait",
        "05-summed-area-table/prefixes_in_a_chain",
        "05-summed-area-table/tickets_by_block_index",
        "05-summed-area-table/tile_of_block_index",
    ),
    "the other line of a statement that has two": (
        "06-matmul/barrier_at_the_last_step_missing",
        "06-matmul/empty_batches_left_out",
        "06-matmul/fragment_behind_the_end",
        "06-matmul/last_fragment_from_old_stage",
        "06-matmul/one_stage_for_both",
        "06-matmul/too_many_threads",
    ),
    "the loop without the barrier; the emulator's thread 0 runs through it first, and meets the"
    " others where they fill the tile": (
        "01-reduction/barrier_missing",
        "01-reduction/barrier_missing_by_value",
    ),
    "the pair's other line: that of the higher of two threads of a warp": (
        "02-scan/root_zeroed_by_all",
        "06-matmul/barrier_missing",
    ),
    "another pair that the missing barrier leaves unordered: two lanes of a warp": (
        "05-summed-area-table/above_not_awaited",
    ),
    "the first of two loads; the emulator's thread 0 is past the end in the second one only": (
        "01-reduction/past_the_end",
    ),
    "the branch; the emulator names the declaration above it": ("07-scheduling/odd_threads_apart",),
    "the machine knows the loop as endless; the emulator's time was up": (
        "01-reduction/endless_loop",
    ),
    "the cause; the emulator's threads run one after another, so the first one reads what the"
    " others have not written yet": ("04-radix-sort/destination_barrier_missing",),
    "the cause; on the emulator keys that were overwritten led out of the array": (
        "04-radix-sort/in_place",
    ),
    "the machine finds the unwritten counts, too, but they lead two threads to one place, and"
    " races are shown first": ("04-radix-sort/empty_warps_uncounted",),
    "the address is one of the host, as the machine says": (
        "05-summed-area-table/ticket_for_every_thread",
    ),
}
ORDER = "points: the order of threads decides which results are wrong"
STRAY = "points: on the machine a stray access reaches the judge's guard zones, and no other memory"

COMPILED = "clang makes other branches of the same source than g++"
IN_TURN = "blocks take turns at other points, so a look-back meets tiles in other states"
COUNTED = {  # why a measure counts differently
    "divergent_branches": COMPILED,
    "passes_per_warp": COMPILED,
    "busiest_block_bytes_per_item": IN_TURN,
    "look_back_chain": IN_TURN,
    "look_back_loads": IN_TURN,
}

Verdict = dict[str, Any]


def proofs(workspace: Workspace, lab: Lab, session: Session) -> Iterator[tuple[Job, Mutant | None]]:
    for rung in lab.rungs:
        for kind, folder in (("starter", workspace.labs), ("solution", workspace.solutions)):
            read = partial(read_source, folder, lab, rung)
            yield Job(f"{kind} {rung.id}", lab, rung, read, nvcc=None), None
    for mutant in read_mutants(workspace, lab):
        if mutant.problem or not mutant.obstacle(session.toolchain):
            phase = Phase.ERRORS if mutant.is_of_the_language else None
            read = partial(getattr, mutant, "source")
            yield Job(f"mutant {mutant.name}", lab, mutant.rung, read, nvcc=phase), mutant


def verdict(job: Job, mutant: Mutant | None, judgement: Judgement) -> Verdict:
    """What a student sees first, what a budget counts, and what a mutant's header misses."""
    result = score_rung(job.rung, judgement, Backend.CPU)
    found: Verdict = {"outcome": str(result.outcome), "points": result.score}
    if judgement.fault:
        found["fault"] = judgement.fault
    if result.findings:
        first = result.findings[0]
        found |= {"kind": str(first.kind), "line": first.line, "message": first.message}
    if mutant and (problems := breaches(mutant, result)):
        found["misses"] = problems
    if mutant is None:
        gated = {gate.name for gate in job.rung.budget}
        found["counts"] = {
            f"{test.name}: {name}": test.measures[name]
            for test in judgement.tests
            for name in sorted(gated & set(test.measures))
        }
        found["most"] = result.max_score
    return found


def examine(engine: Engine, lab_id: str) -> dict[str, Verdict]:
    """The verdicts of one lab, or of all; every test runs, unlike in `lint`."""
    os.environ[ENGINE] = engine  # for what is started, too
    workspace = Workspace(ROOT, ROOT / "build", engine=engine)
    labs = read_labs(workspace)
    chosen = [find_lab(labs, lab_id)] if lab_id else labs
    session = open_session(workspace, Backend.CPU, seed=SEED, labs=[lab.id for lab in chosen])
    known = {
        (lab.id, job.submission): (job, mutant)
        for lab in chosen
        for job, mutant in proofs(workspace, lab, session)
    }
    found = {}
    with stage(f"judging on the {engine}") as progress:
        judged = judge_each(
            [job for job, _ in known.values()],
            session.judge,
            session.processes,
            max_workers=session.jobs,
            progress=progress,
        )
        for job, judgement in judged:
            _, mutant = known[job.lab.id, job.submission]
            found[f"{job.lab.id} {job.submission}"] = verdict(job, mutant, judgement)
    return found


def file_name(engine: Engine) -> str:
    return f"engines-{engine}.json"


def measure(engine: Engine, lab_id: str) -> None:
    """Only the lab's verdicts change where one is named; `again` has the day."""
    file = BENCH / file_name(engine)
    head: dict[str, Any] = {**provenance(), "machine": machine(), "seed": SEED}
    verdicts = examine(engine, lab_id)
    if lab_id and file.is_file():
        kept = json.loads(file.read_text("utf-8"))
        others = kept.pop("verdicts")
        verdicts |= {name: one for name, one in others.items() if name.split()[0] != lab_id}
        head = {**kept, "again": {**kept.get("again", {}), lab_id: head["date"]}}
    write_json(file_name(engine), {**head, "verdicts": dict(sorted(verdicts.items()))})


def table() -> str:
    sides = [json.loads((BENCH / file_name(engine)).read_text("utf-8")) for engine in SIDES]
    old, new = (side["verdicts"] for side in sides)
    if set(old) != set(new):
        odd = ", ".join(sorted(set(old) ^ set(new)))
        raise MeasurementError(f"one engine alone has judged {odd}: measure both again")
    dates = " and ".join(
        f"{engine} {side['date']}" for engine, side in zip(SIDES, sides, strict=True)
    )
    mutants = [name for name in old if name.split()[1] == "mutant"]
    lines = [
        f"`docs/bench/measure engines table`; {dates}, {sides[1]['machine']['cores']} cores, seed {SEED}. Every test runs.",
        "",
        "Kind and line are those of the finding that a student sees first. A mutant is caught as declared where the engine finds what its"
        " header demands.",
        "",
        "| lab | mutants | same outcome | and points | same kind | and line | as declared, emulator | machine |",
        "|---" * 8 + "|",
    ]
    for lab in [*sorted({name.split()[0] for name in mutants}), ""]:
        named = [name for name in mutants if name.startswith(lab)]
        cells = [
            sum(_same(old[name], new[name], *fields) for name in named)
            for fields in (("outcome",), ("outcome", "points"), ("kind",), ("kind", "line"))
        ]
        cells += [sum("misses" not in side[name] for name in named) for side in (old, new)]
        shares = [f"{cell} ({cell / len(named):.1%})" if not lab else str(cell) for cell in cells]
        lines.append(f"| {lab or 'all'} | {len(named)} | {' | '.join(shares)} |")
    lines += ["", "## Starters and solutions", ""]
    for kind in ("starter", "solution"):
        named = [name for name in old if name.split()[1] == kind]
        right = [
            sum(
                side[name]["points"] == (side[name]["most"] if kind == "solution" else 0)
                for name in named
            )
            for side in (old, new)
        ]
        marks = "full marks" if kind == "solution" else "no points"
        lines.append(
            f"- {len(named)} {kind}s: {right[0]} have {marks} on the emulator, {right[1]} on the machine."
        )
    lines += ["", "## Mutants whose points, kind or line differ", ""]
    lines += ["| mutant | emulator | machine | why |", "|---|---|---|---|"]
    for name in mutants:
        if not _same(old[name], new[name], "outcome", "points", "kind", "line"):
            lab, _, mutant = name.split()
            why = _why(f"{lab}/{mutant}")
            if not why and _same(old[name], new[name], "kind", "line"):
                why = STRAY if new[name]["kind"] == "out_of_bounds" else ORDER
            lines.append(f"| {lab}/{mutant} | {_said(old[name])} | {_said(new[name])} | {why} |")
    lines += ["", "## Budgets whose count differs", ""]
    lines += ["| solution | count | emulator | machine | why |", "|---|---|---:|---:|---|"]
    for name in old:
        counts = [side[name].get("counts", {}) for side in (old, new)]
        for count in dict.fromkeys([*counts[0], *counts[1]]) if " solution " in name else ():
            one, other = (side.get(count) for side in counts)
            if one != other:
                _, _, measure_name = count.partition(": ")
                row = [measure_name, _shown(one), _shown(other), COUNTED.get(measure_name, "")]
                lines.append(f"| {name.replace(' solution ', '/')} | {' | '.join(row)} |")
    return "\n".join(lines)


def _why(mutant: str) -> str:
    return next((why for why, mutants in EXPLAINED.items() if mutant in mutants), "")


def _same(one: Verdict, other: Verdict, *fields: str) -> bool:
    return all(one.get(field) == other.get(field) for field in fields)


def _said(found: Verdict) -> str:
    place = f"{found['kind']} ({found['line']})" if "kind" in found else found["outcome"]
    points = "?" if found["points"] is None else f"{found['points']:g}"
    return f"{place}, {points} points" + ("; not as declared" if "misses" in found else "")


def _shown(count: float | None) -> str:
    return "-" if count is None else f"{count:g}"


class Side(str, Enum):
    EMULATOR = "emulator"
    MACHINE = "machine"
    TABLE = "table"


@measurement(
    "engines",
    needs=NOTHING,
    writes=["engines-emulator.json", "engines-machine.json", "engines.md"],
)
def engines(side: Side, lab: Annotated[str, typer.Option(help="This lab alone.")] = "") -> None:
    """Compare the verdicts of the emulator and the machine on every mutant: one side, or the table of both."""
    if side is Side.TABLE:
        write("engines.md", table())
    else:
        measure(Engine(side.value), lab)
