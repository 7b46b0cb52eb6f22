# SPDX-License-Identifier: MIT
"""Grades a made-up class.

The class holds solutions, starters, mutants, mixtures of these, hostile files, empty submissions and
broken archives, as folders, zips and tars. What each rung must earn is declared when it is made.
"""

import gzip
import io
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from measurements import (
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

from lockstep_grader.author.mutants import Mutant, read_mutants
from lockstep_grader.intake.catalog import read_lab
from lockstep_grader.machine.workspace import Workspace

LABS = ("00-threads", "01-reduction")
SEED = 20  # of the class and of the judges: a class can be made, and judged, again
POLL_SECONDS = 0.5
LAB = (sys.executable, "-P", "-m", "lockstep_grader")
KINDS = {  # of submissions, with their weights
    "solutions": 20,
    "starters": 20,
    "mutants": 15,
    "mixture": 25,
    "hostile": 8,
    "empty": 4,
    "broken": 8,
}
HOSTILE = {  # put in front of a solution; runs before anything of ours does
    "leaves": "#include <unistd.h>\nstruct E { E() { _exit(0); } } e;\n",
    "aborts": "#include <cstdlib>\nstruct E { E() { std::abort(); } } e;\n",
    "does not compile": "#error no\n",
    "is no text": "\xff",
    "is huge": "//" + "x" * (2 << 20) + "\n",
}


@dataclass(frozen=True)
class Made:
    """A rung's file and the result that it must get; None stands for a missing file."""

    text: bytes | None
    score: float | None = None  # None: less than the full mark
    kinds: frozenset[str] = frozenset()  # one of these must be found


class Sources:
    """The files that submissions are made of."""

    def __init__(self, labs: Sequence[str] = LABS, mutants_per_rung: int | None = None) -> None:
        """`mutants_per_rung`: at most so many; None: all."""
        self.labs = [read_lab(ROOT / "labs" / lab / "lab.toml") for lab in labs]
        self.rungs = [(lab, rung) for lab in self.labs for rung in lab.rungs]
        self._mutants: dict[str, list[Mutant]] = {}
        for lab in self.labs:
            for mutant in read_mutants(Workspace(ROOT, ROOT / "build"), lab):
                known = self._mutants.setdefault(f"{lab.id}/{mutant.rung.id}", [])
                if not mutant.needs and len(known) != mutants_per_rung:
                    known.append(mutant)

    def solution(self, lab: Any, rung: Any, chance: random.Random) -> Made:
        return Made((ROOT / "solutions" / lab.id / rung.file_name).read_bytes(), rung.points.total)

    def starter(self, lab: Any, rung: Any, chance: random.Random) -> Made:
        return Made((ROOT / "labs" / lab.id / rung.file_name).read_bytes(), 0.0)

    def missing(self, lab: Any, rung: Any, chance: random.Random) -> Made:
        return Made(None, 0.0)

    def mutant(self, lab: Any, rung: Any, chance: random.Random) -> Made:
        known = self._mutants.get(f"{lab.id}/{rung.id}")
        if not known:
            return self.solution(lab, rung, chance)
        mutant = chance.choice(known)
        return Made(mutant.source.data, None, frozenset(map(str, mutant.kinds)))

    def hostile(self, lab: Any, rung: Any, chance: random.Random) -> Made:
        attack = chance.choice(list(HOSTILE.values())).encode("latin-1")
        return Made(attack + (self.solution(lab, rung, chance).text or b""), 0.0)

    def mixed(self, lab: Any, rung: Any, chance: random.Random) -> Made:
        make = chance.choice([self.solution, self.starter, self.mutant, self.missing])
        return make(lab, rung, chance)

    def files(self, kind: str, chance: random.Random) -> dict[str, Made]:
        """What a submission of this kind (one of KINDS) has for each LAB/RUNG."""
        makers: dict[str, Callable[..., Made]] = {
            "solutions": self.solution,
            "starters": self.starter,
            "mutants": self.mutant,
            "mixture": self.mixed,
            "hostile": self.hostile,
        }
        make = makers.get(kind, self.missing)
        return {f"{lab.id}/{rung.id}": make(lab, rung, chance) for lab, rung in self.rungs}


def zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def tarred(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"my work/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(packed.getvalue())


def write_class(folder: Path, count: int) -> dict[str, dict[str, Made]]:
    """Writes `count` submissions; returns the results to expect, by submission and LAB/RUNG."""
    sources, chance = Sources(), random.Random(SEED)
    declared: dict[str, dict[str, Made]] = {}
    for index in range(count):
        kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
        made = sources.files(kind, chance)
        name = f"student{index:03}-{kind}"
        write_submission(folder, name, kind, made, chance)
        declared[name] = made
    return declared


def write_submission(
    folder: Path, name: str, kind: str, made: Mapping[str, Made], chance: random.Random
) -> None:
    files = {f"{rung}.cu": item.text for rung, item in made.items() if item.text is not None}
    form = chance.choice(("folder", "zip", "tar"))
    if kind == "broken":
        (folder / f"{name}.zip").write_bytes(broken_archive(chance))
    elif form == "folder" or kind == "empty":
        (folder / name).mkdir()
        for path, text in files.items():
            (folder / name / path).parent.mkdir(exist_ok=True)
            (folder / name / path).write_bytes(text)
    elif form == "zip":
        (folder / f"{name}.zip").write_bytes(zipped(files))
    else:
        (folder / f"{name}.tar.gz").write_bytes(tarred(files))


def broken_archive(chance: random.Random) -> bytes:
    whole = zipped({f"{LABS[0]}/{index}.cu": os.urandom(999) for index in range(9)})
    return chance.choice(
        (
            whole[: len(whole) // 2],
            gzip.compress(bytes(1 << 28)),  # a bomb
            zipped({f"../../../{LABS[0]}/01_matrix_add.cu": b"x"}),
            b"Rar!" + whole,
            b"",
        )
    )


@dataclass(frozen=True)
class Sample:
    """The time and memory that the grader has used so far."""

    seconds: float  # on the clock
    memory_mib: float
    cpu_seconds: float  # processor time of its own, without compilers, judges and workers


@dataclass(frozen=True)
class Run:
    """What one `lab grade` took."""

    seconds: float  # on the clock
    processor_seconds: float  # of everything that it started
    samples: Sequence[Sample]


def graded(
    folder: Path,
    results: Path,
    jobs: int,
    options: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> Run:
    """Runs `lab grade`; what it said is in log.txt, next to the results."""
    words = ["grade", str(folder), "--results", str(results), "--backend", "cpu"]
    words += ["--jobs", str(jobs), "--seed", str(SEED), *options]
    log = results.parent / "log.txt"
    print(f"lab {' '.join(words)}", flush=True)
    begin, spent = time.monotonic(), ProcessorTime()
    samples: list[Sample] = []
    with log.open("w") as stream:
        running = subprocess.Popen(
            [*spent.words, *LAB, *words], env=lab_env(env), stdout=stream, stderr=subprocess.STDOUT
        )
        while running.poll() is None:
            samples += sample(running.pid, begin)
            time.sleep(POLL_SECONDS)
    if running.returncode not in (0, 1):
        raise MeasurementError(f"lab grade ended with {running.returncode}: {last_line(log)}")
    return Run(time.monotonic() - begin, spent.seconds(), samples)


def lab_env(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a `lab` that is this checkout's."""
    path = [str(ROOT / "grader" / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), **(more or {})}


def last_line(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").splitlines()
    return lines[-1] if lines else "no message"


def sample(perf: int, begin: float) -> Iterator[Sample]:
    """Of the command that perf runs; none when it has just ended."""
    try:
        pid = Path(f"/proc/{perf}/task/{perf}/children").read_text().split()[0]
        status, stat = (Path(f"/proc/{pid}/{name}").read_text() for name in ("status", "stat"))
    except (OSError, IndexError):
        return
    lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    user, system = map(int, stat.rpartition(")")[2].split()[11:13])
    if "VmRSS" in lines:
        memory = int(lines["VmRSS"].split()[0]) / 1024
        own = (user + system) / os.sysconf("SC_CLK_TCK")
        yield Sample(time.monotonic() - begin, memory, own)


def surprises(report: Any, declared: Mapping[str, Mapping[str, Made]]) -> list[str]:
    """Rungs with another result than declared, and copies with different scores."""
    wrong: list[str] = []
    same: dict[tuple[str, bytes | None], float] = {}
    for submission, name, rung in rungs_of(report):
        made = declared[submission][name]
        kinds = {finding["kind"] for finding in rung["findings"]}
        first = same.setdefault((name, made.text), rung["score"])
        expected = rung["score"] == made.score
        if made.score is None:
            is_found = not made.kinds or bool(kinds & made.kinds)
            expected = rung["score"] < rung["max_score"] and is_found
        if not expected or rung["score"] != first:
            wrong.append(f"{submission} {name}: {rung['score']} {sorted(kinds)}")
    return wrong


def summary(
    report: Any, declared: Mapping[str, Mapping[str, Made]], run: Run, again: Run, jobs: int
) -> dict[str, Any]:
    judged = {  # equal files once, as the grader judges them
        (rung["id"], declared[submission][name].text): rung["seconds"]
        for submission, name, rung in rungs_of(report)
    }
    samples, available = run.samples, jobs * run.seconds
    quarters = [int((len(samples) - 1) * part / 4) for part in range(1, 5)]
    return {
        "submissions": len(report["submissions"]),
        "rungs": len(list(rungs_of(report))),
        "different_files": len(judged),
        "jobs": jobs,
        "seconds": round(run.seconds, 1),
        "processor_seconds": round(run.processor_seconds, 1),
        "seconds_a_submission": round(run.seconds / len(report["submissions"]), 2),
        # The overhead, in wall-clock and in processor time: all but a rung's compile and run.
        "share_of_time_between_rungs": round(1 - sum(judged.values()) / available, 4),
        "share_of_time_in_the_grader": round(samples[-1].cpu_seconds / available, 4),
        "seconds_when_all_is_judged_already": round(again.seconds, 1),
        "grader_memory_mib": {
            "peak": round(max(sample.memory_mib for sample in samples), 1),
            "at_each_quarter": [round(samples[index].memory_mib, 1) for index in quarters],
        },
    }


@measurement("class", needs=IDLE, writes=["class.json"])
def made_up_class(
    submissions: Annotated[int, typer.Option(min=1, help="How many are graded.")] = 200,
    jobs: Annotated[
        int, typer.Option(min=1, help="How many rungs at once; default: the cores.")
    ] = len(os.sched_getaffinity(0)),
) -> None:
    """Grade a made-up class: time, memory, and scores that differ from the declared ones."""
    with tempfile.TemporaryDirectory(prefix="class-") as temp:
        folder, results = Path(temp) / "class", Path(temp) / "results"
        folder.mkdir()
        declared = write_class(folder, submissions)
        run = graded(folder, results, jobs)
        report = json.loads((results / "grade.json").read_text())
        again = graded(folder, results, jobs)
    wrong = surprises(report, declared)
    measured = {
        **provenance(),
        "machine": machine(),
        **summary(report, declared, run, again, jobs),
        "scores_other_than_declared": wrong,
    }
    write_json("class.json", measured)
    if wrong:
        raise MeasurementError(f"{len(wrong)} scores differ from the declared ones")
