# SPDX-License-Identifier: MIT
"""Grades on a GPU as a short Markdown page: one row per rung.

A grade lists every test of every rung, some 1,500 lines per lab. The page keeps what other pages
quote."""

import json
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from measurements import (
    BENCH,
    GPU,
    ROOT,
    MeasurementError,
    gpu_name,
    measured_now,
    measurement,
    provenance,
    write,
)

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
SPEED_TEST = "Measured.ReachesItsSpeed"
Report = Mapping[str, Any]  # what ./lab grade --json writes
BEYOND = sorted((ROOT / "solutions").glob("*/beyond/*.cu"))


@measurement(
    "grades", needs=GPU, writes=["GPU-grades.md", "GPU-sandbox.md", "GPU-limit-exploits.md"]
)
def grades(
    labs: Annotated[list[str] | None, typer.Argument(metavar="[LAB]...")] = None,
    submissions: Annotated[
        Path, typer.Option("--from", help="What to grade: a submission, or a folder of them.")
    ] = ROOT / "solutions",
    name: Annotated[str, typer.Option(help="The page is GPU-NAME.md.")] = "grades",
    keep: Annotated[
        Path | None, typer.Option(help="The results folder: a run that was stopped goes on.")
    ] = None,
) -> None:
    """Grade the solutions, or other submissions, on a GPU, and keep a row per rung."""
    known = sorted(path.name for path in (ROOT / "labs").glob("[0-9]*"))
    if unknown := sorted(set(labs or ()) - set(known)):
        raise typer.BadParameter(f"no lab {unknown[0]}; there are: {', '.join(known)}")
    page_name = f"{gpu_name()}-{name}.md"
    kept = rows_of_others(BENCH / page_name, labs) if labs else []
    with tempfile.TemporaryDirectory(prefix="lockstep-grades-") as temp:
        reports = grade(labs or (), submissions, Path(temp), keep)
        write(page_name, page(reports, kept))
        if name == "grades":
            measured_now(page_name, graded(reports))


@measurement("beyond", needs=GPU, writes=["GPU-beyond.md"])
def beyond(
    labs: Annotated[list[str] | None, typer.Argument(metavar="[LAB]...")] = None,
) -> None:
    """Grade the solutions beyond the ladder on a GPU, each in place of its rung."""
    known = sorted({file.parts[-3] for file in BEYOND})
    if unknown := sorted(set(labs or ()) - set(known)):
        raise typer.BadParameter(f"none in {unknown[0]}; there are some in: {', '.join(known)}")
    page_name = f"{gpu_name()}-beyond.md"
    kept = rows_of_others(BENCH / page_name, labs) if labs else []
    with tempfile.TemporaryDirectory(prefix="lockstep-grades-") as temp:
        submissions = Path(temp) / "submissions"
        put_beyond(submissions)
        write(page_name, page(grade(labs or known, submissions, Path(temp)), kept))


def put_beyond(folder: Path) -> None:
    """Makes a submission of each solution beyond the ladder."""
    for file in BEYOND:
        lab, number = file.parts[-3], file.stem.split("_")[0]
        rung = next((ROOT / "labs" / lab).glob(f"{number}_*.cu")).name
        target = folder / file.stem / lab / rung
        target.parent.mkdir(parents=True)
        shutil.copyfile(file, target)


def rows_of_others(file: Path, labs: Sequence[str]) -> Sequence[str]:
    """The rows of a page that is already there, except for those of `labs`."""
    if not file.is_file():
        return []
    rows = [line for line in file.read_text("utf-8").splitlines() if line.startswith("| ")]
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
    begun = [f"<!-- {provenance()['command']} -->", ""]
    begun += [f"Graded on {' and '.join(made)} with {compiler(reports[0])}."]
    begun += speed_verdicts(reports)
    begun += ["Rows of rungs that were not graded then are older."] if kept else []
    head = [f"| {' | '.join(cells)} |" for cells in (NAMES, RULE)]
    in_order = sorted([*new, *kept], key=lambda row: row.split(" | ")[1::-1])
    return "\n".join([*begun, "", *head, *in_order])


def speed_verdicts(reports: Sequence[Report]) -> list[str]:
    seconds = [
        test["seconds"]
        for report in reports
        for submission in report["submissions"]
        for lab in submission["labs"]
        for rung in lab["rungs"]
        for test in rung["tests"]
        if test["name"] == SPEED_TEST and test["measures"]
    ]
    return [sentence_of(seconds)] if seconds else []


def sentence_of(seconds: Sequence[float]) -> str:
    return (
        f"{len(seconds)} speed verdicts took a median of {statistics.median(seconds):.1f} s each,"
        f" {min(seconds):.1f} to {max(seconds):.1f} s."
    )


def graded(reports: Sequence[Report]) -> Iterator[str]:
    """LAB/RUNG of each rung in the reports."""
    for report in reports:
        for submission in report["submissions"]:
            for lab in submission["labs"]:
                yield from (f"{lab['id']}/{rung['id']}" for rung in lab["rungs"])


def compiler(report: Report) -> str:
    used = report["toolchain"]["compiler"]
    return f"{Path(used['path']).name} {used['version']}"


def rows(report: Report) -> Iterator[Sequence[str]]:
    for submission in report["submissions"]:
        for lab in submission["labs"]:
            for rung in lab["rungs"]:
                if not is_handed_in(rung):
                    continue
                measures: dict[str, float] = {}
                for test in rung["tests"]:
                    measures |= test["measures"]
                yield (
                    submission["id"],
                    f"{lab['id']}/{rung['id']}",
                    f"{rung['score']:g} of {rung['max_score']:g}",
                    rung["outcome"],
                    ", ".join(sorted({finding["kind"] for finding in rung["findings"]})),
                    share(measures),
                    ratio(measures, "of_reference"),
                    ratio(measures, "of_library"),
                    sanitizer(rung["tests"]),
                    f"{rung['seconds']:.1f}",
                )


def is_handed_in(rung: Mapping[str, Any]) -> bool:
    messages = [finding["message"] for finding in rung["findings"]]
    return not any("is missing from the submission" in message for message in messages)


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
