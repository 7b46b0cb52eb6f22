# SPDX-License-Identifier: MIT
"""Grades a made-up term: three dates, changes of lab.toml, pages, exports in every format.

The labs are a copy, so that a changed gate touches no file of the checkout. Judges and workers are this checkout's own build.
"""

import csv
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from made_up_class import LAB, Made, graded, lab_env, surprises
from made_up_term import ATTEMPTS, OWN_SHARE, Term
from measurements import (
    BENCH,
    IDLE,
    ROOT,
    MeasurementError,
    ProcessorTime,
    machine,
    measurement,
    provenance,
    rungs_of,
    write_json,
)
from sources import write_table

from lockstep_grader.judging.session import Wanted, open_session
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend

FIGURES = "term.json"
PAGE = ROOT / "docs" / "instructors.md"
SCHEMAS = ROOT / "grader" / "tests" / "data" / "formats"
CALM_LOAD = 0.5  # more than this before the start, and the machine is shared
COUNTS = {
    "judged before": re.compile(r"^(\d+) of \d+ rungs were judged before", re.MULTILINE),
    "shared": re.compile(r"^(\d+) rungs? equals? another submission's file", re.MULTILINE),
}
# The first gate of the first lab with budgets, made harder than our solution can meet; and a hint.
GATE = ("global_read_bytes_per_item = { zero = 8, full = 4 }", "full = 4", "full = 2")
HINT = ("Every thread handles one item.", "Every", "Each")
PACKAGES = {  # what the last steps need, by the file that pins it
    "copydetect": "requirements-similarity.txt",
    "jsonschema": "requirements-dev.txt",
    "xmlschema": "requirements-dev.txt",
}
CANVAS = "https://canvas.example.edu/courses/12/assignments/345"


class Desk:
    """The instructor's folder: labs, results, and what each command took."""

    def __init__(self, folder: Path, jobs: int, term: Term) -> None:
        self.folder, self.jobs, self.term = folder, jobs, term
        self.results = folder / "results"
        self.seconds: dict[str, float] = {}
        self.processor_seconds: dict[str, float] = {}
        self.env = {
            "LOCKSTEP_ROOT": str(folder / "checkout"),
            "LOCKSTEP_TOOLCHAIN": str(built([lab.id for lab in term.sources.labs])),
        }
        for part in ("common", "labs", "solutions"):
            shutil.copytree(ROOT / part, folder / "checkout" / part)
        self.write("roster.csv", term.roster())
        self.write("worksheet.csv", term.worksheet())
        self.write("course.toml", term.course())

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, "utf-8")

    def grade(self, attempt: int) -> dict[str, Any]:
        """Grades what was collected at this date; returns the time and what was judged."""
        options = ["--roster", str(self.folder / "roster.csv")]
        collected = self.folder / f"collected-{attempt}"
        run = graded(collected, self.results, self.jobs, options, self.env)
        log = (self.folder / "log.txt").read_text("utf-8")
        report = self.report()
        rungs = sum(1 for _ in rungs_of(report))
        counts = {name: int(found[1]) if (found := each.search(log)) else 0
                  for name, each in COUNTS.items()}  # fmt: skip
        return {
            "seconds": round(run.seconds, 1),
            "processor_seconds": round(run.processor_seconds, 1),
            "rungs": rungs,
            **{name.replace(" ", "_"): count for name, count in counts.items()},
            "judged": rungs - sum(counts.values()),
            "grader_memory_mib": round(max(each.memory_mib for each in run.samples), 1),
        }

    def report(self) -> Any:
        return json.loads((self.results / "grade.json").read_text("utf-8"))

    def edit(self, lab: str, change: tuple[str, str, str]) -> Callable[[], None]:
        """Changes one line of a lab.toml; returns what puts it back."""
        file = self.folder / "checkout" / "labs" / lab / "lab.toml"
        before = file.read_text("utf-8")
        line, old, new = change
        if line not in before:
            raise MeasurementError(f"{lab}/lab.toml has no more {line!r}: change this script")
        file.write_text(before.replace(line, line.replace(old, new), 1), "utf-8")
        return lambda: file.write_text(before, "utf-8") and None

    def run(self, name: str, words: Sequence[str]) -> str:
        """Runs `lab WORDS`, keeps its time under `name`, and returns what it prints."""
        begin, spent = time.monotonic(), ProcessorTime()
        done = subprocess.run(
            [*spent.words, *LAB, *words],
            env=lab_env(self.env),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1):
            raise MeasurementError(f"lab {' '.join(words)} ended with {done.returncode}: "
                                   f"{(done.stderr.splitlines() or ['no message'])[-1]}")  # fmt: skip
        self.seconds[name] = round(time.monotonic() - begin, 2)
        self.processor_seconds[name] = round(spent.seconds(), 2)
        print(f"lab {' '.join(words)}: {self.seconds[name]} s", flush=True)
        return done.stdout

    def exported(self, format_: str, *options: str) -> Path:
        """The file or folder that `export` wrote."""
        target = self.folder / f"exported-{'-'.join([format_, *options[1:2]])}"
        if format_ in ("gradescope", "autolab", "prairielearn"):
            target.mkdir()
        words = ["export", str(self.results), "--format", format_, *options]
        self.run(f"export {format_} {' '.join(options[1:2])}".strip(),
                 [*words, "--output", str(target)])  # fmt: skip
        return target


def built(labs: Sequence[str]) -> Path:
    """The build's description. Builds what is missing, and so no time of a build is measured."""
    return open_session(Workspace.from_environment(), Wanted(Backend.CPU, labs=labs)).toolchain.file


def require_packages() -> None:
    for package, file in PACKAGES.items():
        if importlib.util.find_spec(package) is None:
            raise MeasurementError(
                f"the Python package {package} is missing; install it with: "
                f"{sys.executable} -m pip install -r grader/{file}"
            )


def scores(report: Any) -> dict[tuple[str, str], float]:
    return {(who, name): rung["score"] for who, name, rung in rungs_of(report)}


def present(report: Any) -> Any:
    """The report without students who handed in nothing: nothing is declared for them."""
    here = [each for each in report["submissions"] if not each["missing"]]
    return {**report, "submissions": here}


# ---- what is exported is what the formats demand, and the course's points


def rows_of(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))


def check_documents(desk: Desk) -> dict[str, int]:
    """Exports every format of documents, and holds each document to the format's schema."""
    import jsonschema
    import xmlschema

    def schema(name: str) -> Any:
        text = (SCHEMAS / f"{name}.schema.json").read_text("utf-8")
        return jsonschema.Draft202012Validator(json.loads(text))

    read: Mapping[str, Callable[[str], Any]] = {
        "gradescope": json.loads,
        "prairielearn": json.loads,
        "autolab": lambda text: [json.loads(line) for line in text.splitlines()[-2:]],
    }
    valid: dict[str, int] = {}
    for name, decoded in read.items():
        validator = schema(name)
        files = sorted(desk.exported(name).iterdir())
        for file in files:
            validator.validate(decoded(file.read_text("utf-8")))
        valid[name] = len(files)
    junit = desk.exported("junit")
    xmlschema.XMLSchema(SCHEMAS / "junit.xsd").validate(junit.read_text("utf-8"))
    valid["junit"] = 1
    return valid


def check_tables(desk: Desk) -> tuple[dict[str, int], list[str]]:
    """Exports every table; returns the rows, and where points are other than the course's."""
    course = ["--course", str(desk.folder / "course.toml")]
    worksheet = ["--roster", str(desk.folder / "worksheet.csv")]
    rows = {
        layout: rows_of(desk.exported("csv", "--layout", layout, *more))
        for layout, more in {
            "students": course,
            "rungs": [],
            "quiz": [],
            "canvas": course,
            "moodle": course,
            "worksheet": [*worksheet, *course],
            "mail": course,
        }.items()
    }
    preview = desk.run(
        "export canvas",
        ["export", str(desk.results), "--format", "canvas", "--to", CANVAS, *course],
    )
    return {
        **{name: len(each) for name, each in rows.items()},
        "canvas preview": len(preview.splitlines()),
    }, wrong_marks(desk, rows)


def wrong_marks(desk: Desk, rows: Mapping[str, Sequence[Mapping[str, str]]]) -> list[str]:
    """Points of a student's lab that are not what the course's rules make of the graded ones."""
    found: list[str] = []
    by_login = {each.login: each for each in desk.term.students}
    exported = {row["login"]: row for row in rows["students"]}
    gradebooks = {
        "canvas": {row["SIS Login ID"]: row for row in rows["canvas"]},
        "moodle": {row["Username"]: row for row in rows["moodle"]},
    }
    for submission in present(desk.report())["submissions"]:
        login = submission["student"]["login"]
        if submission["dispute"]:
            if login in exported:
                found.append(f"{submission['id']}: in dispute, and exported")
            continue
        for lab in submission["labs"]:
            quiz = lab["quiz"]
            share = quiz["score"] / quiz["max_score"]
            points = desk.term.expected_points(by_login[login], lab["id"], lab["score"], share)
            cells = [exported[login], *(book[login] for book in gradebooks.values())]
            if any(float(row[lab["id"]]) != points for row in cells):
                given = ", ".join(row[lab["id"]] for row in cells)
                found.append(f"{submission['id']} {lab['id']}: {given} instead of {points}")
    return found


# ---- the measurement


def changes(desk: Desk) -> dict[str, Any]:
    """A gate and a hint are changed and the class is graded again: nothing is judged."""
    lab, told = "01-reduction", {}
    before = scores(desk.report())
    for name, change in (("gate", GATE), ("hint", HINT)):
        put_back = desk.edit(lab, change)
        told[name] = desk.grade(ATTEMPTS)
        after = scores(desk.report())
        told[name]["points_changed"] = sum(after[key] != score for key, score in before.items())
        put_back()
    told["put_back"] = desk.grade(ATTEMPTS)
    if scores(desk.report()) != before:
        raise MeasurementError("the points differ although lab.toml is as it was")
    return told


def attempts(desk: Desk) -> tuple[list[dict[str, Any]], list[str]]:
    """Grades the three dates one after the other, into one results folder."""
    told, wrong = [], []
    for attempt in range(1, ATTEMPTS + 1):
        collected = desk.folder / f"collected-{attempt}"
        declared: Mapping[str, Mapping[str, Made]] = desk.term.write_attempt(collected, attempt)
        told.append(desk.grade(attempt))
        wrong += surprises(present(desk.report()), declared)
    return told, wrong


def table(measured: Mapping[str, Any]) -> str:
    """What the instructor's page shows of the figures."""
    rows = [
        (
            f"`grade`, date {number}",
            run["seconds"],
            run["processor_seconds"],
            f"{run['judged']} of {run['rungs']} rungs judged",
        )
        for number, run in enumerate(measured["attempts"], start=1)
    ]
    said = {"gate": "a gate changed", "hint": "a hint changed"}
    rows += [
        (
            f"`grade`, {words}",
            measured["changes"][name]["seconds"],
            measured["changes"][name]["processor_seconds"],
            f"{measured['changes'][name]['judged']} judged; "
            f"{measured['changes'][name]['points_changed']} rungs with other points",
        )
        for name, words in said.items()
    ]
    seconds, processor = measured["seconds"], measured["processor_seconds"]
    pages, documents = measured["pages"], sum(measured["documents"].values())
    exports = [name for name in seconds if name.startswith("export")]
    rows += [
        (what, sum(seconds[name] for name in names), sum(processor[name] for name in names), did)
        for what, names, did in (
            ("`report --course`", ["report"], f"{pages} pages"),
            ("`report --course --similarity`", ["report --similarity"], "with pairs"),
            (f"`export`, {len(exports)} formats", exports, f"{documents} documents, valid"),
        )
    ]
    lines = ["| command | seconds | of processor time | what it did |", "|---|---:|---:|---|"]
    lines += [f"| {what} | {took:.1f} | {used:.1f} | {did} |" for what, took, used, did in rows]
    on = measured["machine"]
    load = f"load average {on['load_before']:g} before, {on['load_after']:g} after"
    place = f"Measured on {measured['date']} on {on['cores']} cores; {on['note']} ({load})."
    texts = f"{measured['different_texts']} texts differ."
    return "\n".join([*lines, "", f"{place} {texts}"])


@measurement(
    "term",
    needs=IDLE,
    writes=[FIGURES, "../instructors.md"],
    uses=["docs/bench/scripts/made_up_term.py"],
)
def term(
    students: Annotated[int, typer.Option(min=16, help="How many are in the course.")] = 120,
    jobs: Annotated[int, typer.Option(min=1, help="How many rungs at once.")] = 2,
    page_only: Annotated[
        bool, typer.Option("--page-only", help="Only the page's table, from the file.")
    ] = False,
) -> None:
    """Grade, score again, report and export a made-up term: times, and points other than declared."""
    if not page_only:
        measured = measure_term(students, jobs)
        write_json(FIGURES, measured)
    else:
        measured = json.loads((BENCH / FIGURES).read_text("utf-8"))
    write_table(PAGE, "term", table(measured))
    wrong = [*measured["scores_other_than_declared"], *measured["marks_other_than_declared"]]
    if wrong:
        raise MeasurementError(f"{len(wrong)} points differ from the declared ones: {wrong[0]}")


def measure_term(students: int, jobs: int) -> dict[str, Any]:
    require_packages()
    load = os.getloadavg()[0]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="term-") as temp:
        desk = Desk(Path(temp), jobs, Term(students))
        runs, wrong_scores = attempts(desk)
        changed = changes(desk)
        course = ["--course", str(desk.folder / "course.toml")]
        pages = desk.folder / "pages"
        words = ["report", str(desk.results), "--output", str(pages), *course]
        desk.run("report", [*words, "--moodle-zip", str(desk.folder / "moodle.zip")])
        num_pages = len(list(pages.rglob("*.html")))
        desk.run("report --similarity", [*words, "--similarity"])
        documents = check_documents(desk)
        tables, wrong_marks_found = check_tables(desk)
        texts = {file.read_bytes() for file in desk.folder.glob("collected-*/*/labs/*/*.cu")}
        handed_in = [each["id"] for each in present(desk.report())["submissions"]]
    return {
        **provenance(),
        "machine": {
            **machine(),
            "python": sys.version.split()[0],
            "load_before": round(load, 2),
            "load_after": round(os.getloadavg()[0], 2),
            "note": "an idle machine"
            if load < CALM_LOAD
            else "other programs ran at the same time",
        },
        "students": students,
        "labs": [each.id for each in desk.term.sources.labs],
        "submissions": len(handed_in),
        "jobs": jobs,
        "different_texts": len(texts),
        "share_of_texts_with_a_line_of_their_own": OWN_SHARE,
        "labs_handed_in": desk.term.arrivals(),
        "seconds_in_all": round(time.monotonic() - begin),
        "attempts": runs,
        "changes": changed,
        "seconds": desk.seconds,
        "processor_seconds": desk.processor_seconds,
        "pages": num_pages,
        "documents": documents,
        "rows": tables,
        "scores_other_than_declared": wrong_scores,
        "marks_other_than_declared": wrong_marks_found,
    }
