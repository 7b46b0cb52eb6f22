# SPDX-License-Identifier: MIT
"""Grades a made-up class, with the emulator or on GPUs.

The class holds solutions, starters, mutants, mixtures of these, hostile files, empty submissions and
broken archives, as folders, zips and tars. What each rung must earn is declared when it is made.
"""

import gzip
import io
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from measurements import (
    GPU,
    IDLE,
    ROOT,
    MeasurementError,
    ProcessorTime,
    gpu_fields,
    gpu_names,
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

    def __init__(self, labs: Sequence[str] = LABS) -> None:
        self.labs = [read_lab(ROOT / "labs" / lab / "lab.toml") for lab in labs]
        self.rungs = [(lab, rung) for lab in self.labs for rung in lab.rungs]
        self._mutants: dict[str, list[Mutant]] = {}
        for lab in self.labs:
            for mutant in read_mutants(Workspace(ROOT, ROOT / "build"), lab):
                known = self._mutants.setdefault(f"{lab.id}/{mutant.rung.id}", [])
                if not mutant.needs:
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
class Run:
    """What one `lab grade` took."""

    seconds: float  # on the clock
    processor_seconds: float  # of everything that it started
    own_seconds: float  # processor time of the grader, without compilers, judges and workers
    memory_mib: float  # the grader's, at most


def graded(folder: Path, results: Path, jobs: int) -> Run:
    """Runs `lab grade`; what it said is in log.txt, next to the results."""
    words = ["grade", str(folder), "--results", str(results), "--backend", "cpu"]
    words += ["--jobs", str(jobs), "--seed", str(SEED)]
    log = results.parent / "log.txt"
    print(f"lab {' '.join(words)}", flush=True)
    begin, spent = time.monotonic(), ProcessorTime()
    used = 0.0, 0.0
    with log.open("w") as stream:
        running = subprocess.Popen(
            [*spent.words, *LAB, *words], env=lab_env(), stdout=stream, stderr=subprocess.STDOUT
        )
        while running.poll() is None:
            used = used_by(running.pid) or used
            time.sleep(POLL_SECONDS)
    if running.returncode not in (0, 1):
        raise MeasurementError(f"lab grade ended with {running.returncode}: {last_line(log)}")
    return Run(time.monotonic() - begin, spent.seconds(), *used)


def lab_env() -> dict[str, str]:
    """The environment of a `lab` that is this checkout's."""
    path = [str(ROOT / "grader" / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def last_line(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").splitlines()
    return lines[-1] if lines else "no message"


def used_by(perf: int) -> tuple[float, float] | None:
    """Own seconds and memory, until now, of the command that perf runs; None when it has just ended."""
    try:
        pid = Path(f"/proc/{perf}/task/{perf}/children").read_text().split()[0]
        status, stat = (Path(f"/proc/{pid}/{name}").read_text() for name in ("status", "stat"))
    except (OSError, IndexError):
        return None
    user, system = map(int, stat.rpartition(")")[2].split()[11:13])
    peak = re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)
    return ((user + system) / os.sysconf("SC_CLK_TCK"), int(peak[1]) / 1024) if peak else None


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
    judged = {(name, declared[who][name].text) for who, name, _ in rungs_of(report)}
    return {
        "submissions": len(report["submissions"]),
        "rungs": len(list(rungs_of(report))),
        "different_files": len(judged),
        "jobs": jobs,
        "seconds": round(run.seconds, 1),
        "processor_seconds": round(run.processor_seconds, 1),
        "seconds_a_submission": round(run.seconds / len(report["submissions"]), 2),
        "share_of_time_in_the_grader": round(run.own_seconds / (jobs * run.seconds), 4),
        "seconds_when_all_is_judged_already": round(again.seconds, 1),
        "grader_memory_mib": round(run.memory_mib, 1),
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


GPU_LABS = ("01-reduction",)
WITH_FILES = ("solutions", "starters", "mutants", "mixture", "hostile")  # of KINDS


@measurement("gpu-class", needs=GPU, writes=["GPU-class.json"], uses=["./lab grade"])
def gpu_class(
    submissions: Annotated[int, typer.Option(min=0, help="How many of all kinds.")] = 10,
    right: Annotated[int, typer.Option(min=0, help="How many that are all right.")] = 6,
    whole: Annotated[int, typer.Option(min=1, help="How many the class has.")] = 100,
) -> None:
    """Grade parts of a class in lab 01, on one GPU and on all; say what the whole class takes."""
    names = gpu_names()  # says when there is none
    parts: list[dict[str, Any]] = []
    described = {
        **provenance(),
        "machine": {**machine(), "gpus": names},
        "labs": list(GPU_LABS),
        "whole": whole,
        "parts": parts,
    }
    graded_on_gpus(1, whole, 1, all_right=True)  # builds what all parts need
    for all_right, count in ((True, right), (False, submissions)):
        for gpus in sorted({1, len(names)}) if count else ():
            parts.append(graded_on_gpus(count, whole, gpus, all_right=all_right))
            write_json(f"{names[0]}-class.json", described)  # a run that is stopped keeps its parts
    if wrong := [line for part in parts for line in part["other_scores"]]:
        raise MeasurementError(f"{len(wrong)} scores differ from the declared ones: {wrong[0]}")


def graded_on_gpus(count: int, whole: int, gpus: int, *, all_right: bool) -> dict[str, Any]:
    """What grading `count` made-up submissions took. `whole`: of the class that they stand for."""
    with tempfile.TemporaryDirectory(prefix="gpu-class-") as temp:
        folder, report = Path(temp) / "class", Path(temp) / "grade.json"
        folder.mkdir()
        declared = write_part(folder, count, all_right)
        words = ["grade", folder, "--backend", "cuda", "--json", report]
        env = {**lab_env(), "CUDA_VISIBLE_DEVICES": ",".join(gpu_fields("uuid")[:gpus])}
        begin = time.monotonic()
        done = subprocess.run([*LAB, *words, "--results", Path(temp) / "results"], env=env)
        seconds = time.monotonic() - begin
        if done.returncode not in (0, 1):
            raise MeasurementError(f"./lab grade ended with {done.returncode}; see its message")
        said = json.loads(report.read_text("utf-8"))
    rungs = [rung for _, _, rung in rungs_of(said)]
    return {
        "gpus": gpus,
        "submissions": count,
        "kinds": Counter(name.partition("-")[2] for name in declared),
        "rungs": len(rungs),
        "rungs_with_full_marks": sum(rung["score"] == rung["max_score"] for rung in rungs),
        "seconds": round(seconds, 1),
        "seconds_per_submission": round(seconds / count, 2),
        "minutes_for_the_whole": round(seconds * whole / count / 60),
        "other_scores": other_scores(said, declared),
    }


def write_part(folder: Path, count: int, all_right: bool) -> dict[str, dict[str, Made]]:
    """Writes submissions of all kinds by turns; returns what each rung must get.

    No two files are equal. In a class some are, and are judged once."""
    sources, chance = Sources(GPU_LABS), random.Random(SEED)
    kinds = ("solutions",) if all_right else WITH_FILES
    declared: dict[str, dict[str, Made]] = {}
    for index in range(count):
        kind = kinds[index % len(kinds)]
        name = f"student{index:03}-{kind}"
        made = {
            rung: replace(one, text=one.text and one.text + f"// {name}\n".encode())
            for rung, one in sources.files(kind, chance).items()
        }
        write_submission(folder, name, kind, made, chance)
        declared[name] = made
    return declared


def other_scores(report: Any, declared: dict[str, dict[str, Made]]) -> list[str]:
    """Rungs whose score is not the declared one. A GPU need not see what the emulator sees."""
    return [
        f"{submission} {name}: {rung['score']}"
        for submission, name, rung in rungs_of(report)
        if declared[submission][name].score not in (None, rung["score"])
    ]
