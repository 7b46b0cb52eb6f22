# SPDX-License-Identifier: MIT
"""Grades on a GPU as sections of a page, GPU.md: solutions, attacks, and verdicts on speed that are repeated.

A grade lists every test of every rung, some 1,500 lines per lab. A section keeps what other pages quote.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from measurements import (
    GPU,
    ROOT,
    MeasurementError,
    cuda_build,
    gpu_name,
    known_labs,
    markdown,
    measured_now,
    measurement,
    provenance,
    read_section,
    require_known,
    rungs_of,
    write_section,
)

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Lab, Outcome, Part, Rung, TestResult
from lockstep_grader.model.score import credited

NAMES = (
    "submission",
    "rung",
    "points",
    "outcome",
    "found",
    "share",
    "of reference",
    "of library",
    "sanitizer",
    "s",
)
RULE = ("---", "---", "---:", "---", "---", "---:", "---:", "---:", "---", "---:")
Report = Mapping[str, Any]  # what ./lab grade --json writes
BEYOND = sorted((ROOT / "solutions").glob("*/beyond/*.cu"))


@measurement("grades", needs=GPU, writes=["GPU.md"])
def grades(
    labs: Annotated[list[str] | None, typer.Argument(metavar="[LAB]...")] = None,
    keep: Annotated[
        Path | None, typer.Option(help="The results folder: a run that was stopped goes on.")
    ] = None,
) -> None:
    """Grade the solutions on a GPU, and keep a row per rung."""
    require_known("lab", labs, known_labs())
    page_name, title = f"{gpu_name()}.md", "Grades"
    kept = rows_of_others(read_section(page_name, title), labs) if labs else []
    with tempfile.TemporaryDirectory(prefix="lockstep-grades-") as temp:
        reports = grade(labs or (), ROOT / "solutions", Path(temp), keep)
        write_section(page_name, title, page(reports, kept))
        measured_now(f"{page_name}#grades", graded(reports))


@measurement("beyond", needs=GPU, writes=["GPU.md"])
def beyond(labs: Annotated[list[str] | None, typer.Argument(metavar="[LAB]...")] = None) -> None:
    """Grade the solutions beyond the ladder on a GPU, each in place of its rung."""
    known = sorted({file.parts[-3] for file in BEYOND})
    require_known("solution beyond the ladder in", labs, known)
    page_name, title = f"{gpu_name()}.md", "Beyond"
    kept = rows_of_others(read_section(page_name, title), labs) if labs else []
    with tempfile.TemporaryDirectory(prefix="lockstep-grades-") as temp:
        submissions = Path(temp) / "submissions"
        put_beyond(submissions)
        graded_now = grade(labs or known, submissions, Path(temp))
        write_section(page_name, title, page(graded_now, kept))


def put_beyond(folder: Path) -> None:
    """Makes a submission of each solution beyond the ladder."""
    for file in BEYOND:
        lab, number = file.parts[-3], file.stem.split("_")[0]
        rung = next((ROOT / "labs" / lab).glob(f"{number}_*.cu")).name
        target = folder / file.stem / lab / rung
        target.parent.mkdir(parents=True)
        shutil.copyfile(file, target)


def rows_of_others(section: str, labs: Sequence[str]) -> Sequence[str]:
    """The rows that are already there, except for those of `labs`."""
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    return [row for row in rows[2:] if row.split(" | ")[1].split("/")[0] not in labs]


def grade(
    labs: Sequence[str], submissions: Path, folder: Path, keep: Path | None = None
) -> list[Report]:
    """A report per lab; or one of all labs: while a rung has the GPU, the cores work for others."""
    begin = [ROOT / "lab", "grade", submissions.resolve(), "--backend", "cuda"]
    results = keep.resolve() if keep else folder / "results"
    reports = []
    for number, words in enumerate([["--lab", lab] for lab in labs] or [[]]):
        file = folder / f"{number}.json"
        command = [*begin, *words, "--json", file, "--results", results]
        subprocess.run(command, cwd=ROOT, check=False)
        if not file.is_file():
            raise MeasurementError("./lab grade wrote no report; see its message above")
        reports.append(json.loads(file.read_text("utf-8")))
    return reports


def page(reports: Sequence[Report], kept: Sequence[str] = ()) -> str:
    """The reports' rows and those that are `kept`, by lab and rung."""
    new = [f"| {' | '.join(cells)} |" for report in reports for cells in rows(report)]
    made = sorted({report["graded_at"][:10] for report in reports})
    used = reports[0]["toolchain"]["compiler"]
    nvcc = f"{Path(used['path']).name} {used['version']}"
    begun = [f"`{provenance()['command']}`, graded on {' and '.join(made)} with {nvcc}."]
    begun += ["Rows of rungs that were not graded then are older."] if kept else []
    head = [f"| {' | '.join(cells)} |" for cells in (NAMES, RULE)]
    in_order = sorted([*new, *kept], key=lambda row: row.split(" | ")[1::-1])
    return "\n".join([*begun, "", *head, *in_order])


def graded(reports: Sequence[Report]) -> Iterator[str]:
    """LAB/RUNG of each rung in the reports."""
    return (name for report in reports for _, name, _ in rungs_of(report))


def rows(report: Report) -> Iterator[Sequence[str]]:
    for submission, name, rung in rungs_of(report):
        messages = [finding["message"] for finding in rung["findings"]]
        if any("is missing from the submission" in message for message in messages):
            continue
        measures: dict[str, float] = {}
        for test in rung["tests"]:
            measures |= test["measures"]
        yield (
            submission,
            name,
            f"{rung['score']:g} of {rung['max_score']:g}",
            rung["outcome"],
            ", ".join(sorted({finding["kind"] for finding in rung["findings"]})),
            share(measures),
            ratio(measures, "of_reference"),
            ratio(measures, "of_library"),
            sanitizer(rung["tests"]),
            f"{rung['seconds']:.1f}",
        )


def share(measures: Mapping[str, float]) -> str:
    if "share" not in measures:
        return ""
    return f"{measures['share']:.3f} ({measures['share_low']:.3f} to {measures['share_high']:.3f})"


def ratio(measures: Mapping[str, float], name: str) -> str:
    return f"{measures[name]:.2f}" if name in measures else ""


def sanitizer(tests: Sequence[Mapping[str, Any]]) -> str:
    """How many of compute-sanitizer's tools found nothing."""
    tools = [test["outcome"] for test in tests if test["name"].startswith("compute-sanitizer.")]
    return f"{tools.count('passed')} of {len(tools)} clean" if tools else ""


TESTS = ROOT / "grader" / "tests"
USES = ("known_exploits.py", "exploits", "exploit_parts")


@measurement(
    "exploits",
    needs=GPU,
    writes=["GPU.md"],
    uses=[f"grader/tests/{name}" for name in USES],
)
def exploits(
    keep: Annotated[
        Path | None, typer.Option(help="The results folder: a run that was stopped goes on.")
    ] = None,
) -> None:
    """Grade every known attack on a GPU as one class: none may gain a point."""
    sys.path.insert(0, str(TESTS))
    from known_exploits import BY_NAME, KNOWN, LAB, hand_in
    from lockstep_grader.model.grades import Backend

    with tempfile.TemporaryDirectory(prefix="lockstep-exploits-") as temp:
        submissions = Path(temp) / "submissions"
        for exploit in KNOWN:
            if exploit.is_tried(Backend.CUDA):
                hand_in(exploit.name, submissions / exploit.name)
        reports = grade([LAB], submissions, Path(temp), keep)
        write_section(f"{gpu_name()}.md", "Exploits", page(reports))
    breaches = [
        breach
        for name, _, rung in rungs_of(reports[0])
        if rung["id"] == BY_NAME[name].file.stem and (breach := BY_NAME[name].breach(rung))
    ]
    if breaches:
        raise MeasurementError(f"{len(breaches)} attacks end otherwise: {'; '.join(breaches)}")


# The fastest, nearest to its gate; a slow one; one of several launches.
RUNGS = ("01-reduction/06_single_pass", "01-reduction/02_interleaved", "04-radix-sort/05_onesweep")
NUM_ITEMS = 1 << 28
HEAD = ("rung", "verdicts", "s, median", "s, longest", "gate", "full", "credited", "full marks")

Line = Mapping[str, Any]


@measurement("verdicts", needs=f"{GPU}, after ./lab grade", writes=["GPU.md"])
def verdicts(
    names: Annotated[list[str] | None, typer.Argument(metavar="[LAB/RUNG]...")] = None,
    count: Annotated[int, typer.Option(min=1, help="How many verdicts per rung.")] = 100,
) -> None:
    """Judge the speed of some solutions many times, to see how much verdicts differ."""
    labs = read_labs(Workspace(ROOT, ROOT / "build"))
    known = {f"{lab.id}/{rung.id}": (lab, rung) for lab in labs for rung in lab.rungs}
    if unknown := [name for name in names or () if name not in known]:
        raise typer.BadParameter(f"no rung {unknown[0]}; ./lab list has all")
    rows = []
    for name in names or RUNGS:
        lab, rung = known[name]
        rows += verdict_rows(name, rung, list(repeated(lab, rung, count)))
    figures = f"{gpu_name()}.md"
    write_section(figures, "Verdicts", verdict_page(rows))
    measured_now(f"{figures}#verdicts", names or RUNGS)


def repeated(lab: Lab, rung: Rung, count: int) -> Iterator[dict[str, Any]]:
    """The judge's lines on the rung's solution, each with the seconds that it took."""
    tools = cuda_build()
    with tempfile.TemporaryDirectory(prefix="lockstep-verdicts-") as temp:
        command = [
            tools["labs"][lab.id]["judge"],
            f"--rung={rung.id}",
            f"--worker={worker(lab, rung)}",
            f"--reference={worker(lab, rung)}",
            f"--first={worker(lab, lab.rungs[0])}",
            f"--first-times={temp}/first-times",
            f"--anchors={tools['anchors']}",
            f"--bench={','.join([str(NUM_ITEMS)] * count)}",
        ]
        begin = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as judge:
            for text in judge.stdout or ():
                now = time.monotonic()
                yield {"seconds": round(now - begin, 3), **json.loads(text)}
                begin = now
    if judge.returncode != 0:
        raise MeasurementError(f"the judge of {lab.id} ended with {judge.returncode}")


def worker(lab: Lab, rung: Rung) -> Path:
    slug = lab.id.partition("-")[2].replace("-", "_")
    return ROOT / "build" / "cuda" / "workers" / f"{slug}_{rung.id}_worker" / "worker"


def verdict_rows(name: str, rung: Rung, judged: Sequence[Line]) -> Iterator[Sequence[str]]:
    """A row per gate: what counted for it, and how often that was the full mark."""
    failed = [line["failure"] for line in judged if "failure" in line]
    if failed:
        raise MeasurementError(f"{len(failed)} verdicts on {name} failed, one of them: {failed[0]}")
    seconds = [line["seconds"] for line in judged]
    for gate in rung.speed:
        counted = [value for line in judged if (value := credited(gate, as_test(line))) is not None]
        full = sum(gate.fraction(value) == 1 for value in counted)
        yield (
            f"`{name}`",
            str(len(counted)),
            f"{statistics.median(seconds):.2f}",
            f"{max(seconds):.2f}",
            f"`{gate.name}`",
            f"{gate.full:g}",
            f"{min(counted):.3f} to {max(counted):.3f}, median {statistics.median(counted):.3f}",
            f"{full} of {len(counted)}",
        )


def as_test(line: Line) -> TestResult:
    measures = {key: float(value) for key, value in line.items() if type(value) in (int, float)}
    return TestResult("speed", Part.EFFICIENCY, Outcome.PASSED, "", measures=measures)


def verdict_page(rows: Sequence[Sequence[str]]) -> str:
    made = provenance()
    said = f"`{made['command']}`, judged on {made['date']}, {NUM_ITEMS} items, each time with new workers and new data."
    return "\n".join([said, "", *markdown(HEAD, rows)])
