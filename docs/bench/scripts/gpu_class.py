# SPDX-License-Identifier: MIT
"""How long a class takes on GPUs: a part of it is graded, and the whole is extrapolated."""

import json
import random
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from made_up_class import LAB, SEED, Made, Sources, lab_env, write_submission
from measurements import (
    GPU,
    MeasurementError,
    gpu_names,
    gpu_uuids,
    machine,
    measurement,
    provenance,
    write_json,
)

LABS = ("01-reduction",)
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
        "labs": list(LABS),
        "whole": whole,
        "parts": parts,
    }
    graded(1, whole, 1, all_right=True)  # builds what all parts need
    for all_right, count in ((True, right), (False, submissions)):
        for gpus in sorted({1, len(names)}) if count else ():
            parts.append(graded(count, whole, gpus, all_right=all_right))
            write_json(f"{names[0]}-class.json", described)  # a run that is stopped keeps its parts
    if wrong := [line for part in parts for line in part["other_scores"]]:
        raise MeasurementError(f"{len(wrong)} scores differ from the declared ones: {wrong[0]}")


def graded(count: int, whole: int, gpus: int, *, all_right: bool) -> dict[str, Any]:
    """What grading `count` made-up submissions took. `whole`: of the class that they stand for."""
    with tempfile.TemporaryDirectory(prefix="gpu-class-") as temp:
        folder, report = Path(temp) / "class", Path(temp) / "grade.json"
        folder.mkdir()
        declared = write_part(folder, count, all_right)
        words = ["grade", folder, "--backend", "cuda", "--json", report]
        env = {**lab_env(), "CUDA_VISIBLE_DEVICES": ",".join(gpu_uuids()[:gpus])}
        begin = time.monotonic()
        done = subprocess.run([*LAB, *words, "--results", Path(temp) / "results"], env=env)
        seconds = time.monotonic() - begin
        if done.returncode not in (0, 1):
            raise MeasurementError(f"./lab grade ended with {done.returncode}; see its message")
        said = json.loads(report.read_text("utf-8"))
    rungs = [one for sub in said["submissions"] for lab in sub["labs"] for one in lab["rungs"]]
    return {
        "gpus": gpus,
        "submissions": count,
        "kinds": Counter(name.partition("-")[2] for name in declared),
        "rungs": len(rungs),
        "rungs_with_full_marks": sum(rung["score"] == rung["max_score"] for rung in rungs),
        "seconds": round(seconds, 1),
        "seconds_per_submission": round(seconds / count, 2),
        "minutes_for_the_whole": round(seconds * whole / count / 60),
        "other_scores": list(surprises(said, declared)),
    }


def write_part(folder: Path, count: int, all_right: bool) -> dict[str, dict[str, Made]]:
    """Writes submissions of all kinds by turns; returns what each rung must get.

    No two files are equal. In a class some are, and are judged once."""
    sources, chance = Sources(LABS), random.Random(SEED)
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


def surprises(report: Any, declared: dict[str, dict[str, Made]]) -> list[str]:
    """Rungs whose score is not the declared one. A GPU need not see what the emulator sees."""
    return [
        f"{submission['id']} {lab['id']}/{rung['id']}: {rung['score']}"
        for submission in report["submissions"]
        for lab in submission["labs"]
        for rung in lab["rungs"]
        if (made := declared[submission["id"]][f"{lab['id']}/{rung['id']}"]).score is not None
        and rung["score"] != made.score
    ]
