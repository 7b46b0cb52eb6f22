# SPDX-License-Identifier: MIT
"""Tries this checkout on this machine and writes docs/bench/systems/NAME.json. `.ci/matrix` calls it.

    python3 docs/bench/scripts/system.py NAME [--only-grade]
    python3 docs/bench/scripts/system.py --table    writes the table of docs/measured.md anew

The compiler is g++, or the one that CXX names. --only-grade leaves out unit tests and proofs, for
which an emulated processor takes too long; LOCKSTEP_EMULATED names that processor. Exit status: 0
if everything passed, else 1. Runs with Python 3.10 and without any package, so its arguments are read by argparse:
the first command on a new system is ./lab, which installs the packages.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from datetime import datetime, timezone
from pathlib import Path
from typing import NoReturn

from sources import as_records, write_table

ROOT = Path(__file__).resolve().parents[3]
RESULTS = ROOT / "docs" / "bench" / "systems"
PAGE = ROOT / "docs" / "measured.md"
BUILD = Path(os.environ.get("LOCKSTEP_BUILD") or ROOT / "build") / "cpu"
SEED = "7"  # all systems count the same inputs
MUTANT_LABS = ("00-threads", "01-reduction")
PROOF = re.compile(
    r"^\s*\S+\s+(starters|solutions|mutants)\s+(\d+)\s+(\d+)\s+(\d+)\s*$", re.MULTILINE
)


def run(what: str, command: "list[str | Path]") -> "tuple[str, float]":
    """The command's output, which is also shown, and its seconds. Ignores its exit status."""
    print(f"== {what}: {' '.join(map(str, command))}", flush=True)
    begin = time.monotonic()
    lines = []
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120"}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as child:
        for line in child.stdout or ():
            lines.append(line)
            print(line, end="", flush=True)
    return "".join(lines), time.monotonic() - begin


def first_line(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.splitlines()[0]


def version_of(*command: str) -> str:
    found = re.search(r"\d+\.\d+(\.\d+)?", first_line(*command))
    return found[0] if found else "unknown"


def system_name() -> str:
    text = Path("/etc/os-release").read_text("utf-8")
    return re.search(r'^PRETTY_NAME="?([^"\n]+)', text, re.MULTILINE)[1]


def grade(work: Path) -> "tuple[dict[str, object], float, dict[str, str]]":
    file = work / "grade.json"
    command = ["./lab", "grade", "solutions", "--backend", "cpu", "--seed", SEED]
    command += ["--json", file, "--results", work]
    _, seconds = run("the solutions", command)
    if not file.is_file():
        return {"score": 0, "max_score": 0, "short": ["not graded"]}, seconds, {}
    report = json.loads(file.read_text("utf-8"))
    rungs = [
        (lab["id"], rung)
        for submission in report["submissions"]
        for lab in submission["labs"]
        for rung in lab["rungs"]
    ]
    marks = {
        "score": sum(rung["score"] or 0 for _, rung in rungs),
        "max_score": sum(rung["max_score"] for _, rung in rungs),
        "short": [
            f"{lab}/{rung['id']}" for lab, rung in rungs if (rung["score"] or 0) < rung["max_score"]
        ],
        "counts": digest({f"{lab}/{rung['id']}": rung["counters"] for lab, rung in rungs}),
    }
    return marks, seconds, report["toolchain"]["compiler"]


def digest(counts: dict) -> str:
    """Equal where all counts are, to the last one."""
    return hashlib.sha256(json.dumps(counts, sort_keys=True).encode()).hexdigest()[:12]


def test(work: Path) -> "tuple[dict[str, object], float]":
    """The unit tests in C++; the rungs that ctest judges too have been graded already."""
    file = work / "ctest.xml"
    _, build_seconds = run("their build", ["cmake", "--build", BUILD, "--target", "all"])
    command = ["ctest", "--test-dir", BUILD, "--label-exclude", "^rung$", "--no-tests=error"]
    jobs = ["-j", str(os.cpu_count()), "--output-on-failure", "--output-junit", file]
    _, seconds = run("unit tests", [*command, *jobs])
    if not file.is_file():
        return {"passed": 0, "failed": ["not run"]}, build_seconds + seconds
    cases = list(ElementTree.parse(file).getroot().iter("testcase"))
    tried = [case for case in cases if not skips_itself(case)]
    failed = [case.get("name") for case in tried if case.get("status") != "run"]
    return {"passed": len(tried) - len(failed), "failed": failed}, build_seconds + seconds


def skips_itself(case: ElementTree.Element) -> bool:
    """Whether the test says that it needs what this system lacks, such as a control group."""
    skipped = case.find("skipped")
    return skipped is not None and skipped.get("message", "").startswith("SKIP_")


def prove(labs: "tuple[str, ...]") -> "tuple[dict[str, object], float]":
    """Starters fail, solutions pass, mutants are caught: `proved` counts all three."""
    counts, seconds = [0, 0, 0], 0.0
    for lab in labs:
        output, taken = run("proofs", ["./lab", "lint", lab, "--backend", "cpu", "--seed", "1"])
        seconds += taken
        rows = [match.groups()[1:] for match in PROOF.finditer(output)]
        if len(rows) != 3:
            counts[1] += 1  # lint itself broke
        counts = [count + sum(int(row[i]) for row in rows) for i, count in enumerate(counts)]
    proved, breached, skipped = counts
    return {"labs": list(labs), "proved": proved, "breached": breached, "skipped": skipped}, seconds


def row(report: dict) -> str:
    marks, tests, proofs, seconds = (report[key] for key in ("marks", "tests", "proofs", "seconds"))
    processor = report["processor"] + (" (qemu)" if report["emulated"] else "")
    breached = f", {proofs['breached']} breached" if proofs["breached"] else ""
    num_tests = tests["passed"] + len(tests["failed"])
    cells = (
        report["system"],
        processor,
        report["compiler"],
        f"{marks['score']:g} of {marks['max_score']:g}",
        f"{tests['passed']} of {num_tests}" if num_tests else "not tried",
        f"{proofs['proved']}{breached}" if proofs["labs"] else "not tried",
        marks.get("counts", ""),
        f"{sum(seconds.values()) / 60:.0f} on {report['cores']} cores",
        report["date"],
    )
    return f"| {' | '.join(cells)} |\n"


def table() -> str:
    reports = [json.loads(file.read_text("utf-8")) for file in RESULTS.glob("*.json")]
    reports.sort(
        key=lambda report: (report["processor"] != "x86_64", report["system"], report["compiler"])
    )
    head = ("system", "processor", "compiler", "points", "unit tests", "proofs", "counts")
    head = (*head, "minutes", "date")
    lines = [f"| {' | '.join(head)} |\n", f"|{' --- |' * len(head)}\n"]
    return "".join([*lines, *map(row, reports)]).rstrip()


class Parser(argparse.ArgumentParser):
    """Complains in one line."""

    def error(self, message: str) -> "NoReturn":
        self.exit(2, f"system.py: {message}; system.py --help shows its use\n")


def main() -> int:
    parser = Parser(usage=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("name", nargs="?")
    parser.add_argument("--only-grade", action="store_true")
    parser.add_argument("--table", action="store_true")
    chosen = parser.parse_args()
    if chosen.table:
        write_table(PAGE, "systems", table())
        return 0
    if not chosen.name:
        parser.error("NAME is missing")
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        marks, grade_seconds, compiler = grade(Path(folder))
        tests, test_seconds = ({"passed": 0, "failed": []}, 0.0)
        if not chosen.only_grade:
            tests, test_seconds = test(Path(folder))
    proofs, proof_seconds = prove(() if chosen.only_grade else MUTANT_LABS)
    emulated = os.environ.get("LOCKSTEP_EMULATED", "")
    cxx = shutil.which(os.environ.get("CXX", "g++")) or "g++"
    host = f"g++ {version_of(cxx, '-dumpfullversion')}"
    host = f"clang {compiler.get('version', 'unknown')}, {host}"  # rungs are clang's
    report = {
        "system": os.environ.get("LOCKSTEP_SYSTEM") or system_name(),
        "processor": emulated or platform.machine(),
        "emulated": bool(emulated),
        "cores": len(os.sched_getaffinity(0)),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "commit": first_line("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"),
        "compiler": host,
        "versions": {
            "python": platform.python_version(),
            "cmake": version_of("cmake", "--version"),
            "ninja": version_of("ninja", "--version"),
            "ld": version_of("ld", "--version"),
        },
        "seconds": {
            "grade": round(grade_seconds),
            "tests": round(test_seconds),
            "proofs": round(proof_seconds),
        },
        "marks": marks,
        "tests": tests,
        "proofs": proofs,
    }
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{chosen.name}.json"
    file.write_text(as_records(report) + "\n", "utf-8")
    good = not (marks["short"] or tests["failed"] or proofs["breached"])
    print(f"{file}: {'all passed' if good else 'NOT all passed'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
