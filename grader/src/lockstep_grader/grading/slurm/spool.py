# SPDX-License-Identifier: MIT
"""The folder RESULTS/.slurm that the submitting machine and the nodes share.

    sources/NAME.cu       a rung to judge, as it was read; gone when no process waits for it
    outcomes/NAME.json    its judgement, written whole and renamed; pictures in outcomes/NAME/
    arrays/ID/            one array of tasks: array.json, task-I.json, Slurm's and submitit's files

NAME is a hash of the result's ids, its key and the number of its last attempt. So a run that asks
for the same judgement after another was killed finds the sources, tasks and outcomes of that run.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lockstep_grader.machine.files import write_json, write_whole
from lockstep_grader.model.grades import Judgement
from lockstep_grader.results.parsed import judgement_from_json
from lockstep_grader.results.serial import judgement_json
from lockstep_grader.results.store import ResultId, with_pictures

_VERSION = 1


@dataclass(frozen=True, slots=True)
class TaskJob:
    """One rung to judge, as plain data."""

    name: str
    submission: str
    lab: str
    rung: str
    key: str  # what the judgement depends on; the node must arrive at the same

    @property
    def result(self) -> ResultId:
        return ResultId(self.submission, self.lab, self.rung)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a node judges: as the submitting machine would."""

    root: str
    build_root: str
    toolchain: str  # a ready lockstep.json
    seed: int | None
    sanitizer: bool
    sandbox: bool  # confine student code where that works
    confined: bool  # and refuse to run it where that does not
    workers: int  # rungs at once in one task


@dataclass(frozen=True, slots=True)
class Task:
    spool: Path
    settings: Settings
    jobs: tuple[TaskJob, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """Tasks that were handed to Slurm under one name."""

    name: str
    job_id: str  # empty when the submitter was killed before Slurm had answered
    tasks: tuple[tuple[str, ...], ...]  # by index, the names of its jobs
    parallelism: int  # tasks at once


def job_name(result: ResultId, key: str, last_attempt: int) -> str:
    words = json.dumps([result.submission, result.lab, result.rung, key, last_attempt])
    return hashlib.sha256(words.encode()).hexdigest()[:32]


class Spool:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sources, self._outcomes = folder / "sources", folder / "outcomes"
        self._arrays = folder / "arrays"

    def put_source(self, name: str, data: bytes) -> None:
        if not self.source(name).is_file():
            write_whole(self.source(name), data)

    def source(self, name: str) -> Path:
        return self._sources / f"{name}.cu"

    def put_outcome(self, job: TaskJob, judgement: Judgement) -> None:
        for image in judgement.images:  # first: the JSON file names them
            write_whole(self._outcomes / job.name / image.file, image.png)
        value = {"version": _VERSION, "key": job.key, "judgement": judgement_json(judgement)}
        write_json(self._outcome(job.name), value)

    def outcome_names(self) -> set[str]:
        """The jobs with an outcome; one listing, which a network file system keeps fresh."""
        try:
            names = os.listdir(self._outcomes)
        except FileNotFoundError:
            return set()
        return {name.removesuffix(".json") for name in names if name.endswith(".json")}

    def outcome(self, name: str, key: str) -> Judgement | None:
        """The judgement with its pictures; None when it is absent, damaged or of another key."""
        try:
            data = json.loads(self._outcome(name).read_bytes())
            if data["version"] != _VERSION or data["key"] != key:
                return None
            judgement = judgement_from_json(data["judgement"])
            return with_pictures(judgement, self._outcomes / name)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def drop_outcome(self, name: str) -> None:
        self._outcome(name).unlink(missing_ok=True)
        shutil.rmtree(self._outcomes / name, ignore_errors=True)

    def discard(self, name: str) -> None:
        """Everything about a job that no process waits for any more."""
        self.source(name).unlink(missing_ok=True)
        self.drop_outcome(name)

    def array_folder(self, array_name: str) -> Path:
        return self._arrays / array_name

    def put_array(self, array: Array) -> None:
        write_json(
            self.array_folder(array.name) / "array.json", {"version": _VERSION, **asdict(array)}
        )

    def arrays(self) -> Iterator[Array]:
        """What earlier or other submitters recorded, and did not clear away."""
        for file in sorted(self._arrays.glob("*/array.json")):
            try:
                data = json.loads(file.read_bytes())
                if data["version"] == _VERSION and data["name"] == file.parent.name:
                    tasks = tuple(tuple(map(str, names)) for names in data["tasks"])
                    yield Array(data["name"], data["job_id"], tasks, int(data["parallelism"]))
            except (OSError, ValueError, KeyError, TypeError):
                continue

    def drop_array(self, array_name: str) -> None:
        shutil.rmtree(self.array_folder(array_name), ignore_errors=True)

    def put_task(
        self, array_name: str, index: int, settings: Settings, jobs: Sequence[TaskJob]
    ) -> Path:
        file = self.array_folder(array_name) / f"task-{index}.json"
        value = {
            "version": _VERSION,
            "spool": str(self.folder),
            "settings": asdict(settings),
            "jobs": [asdict(job) for job in jobs],
        }
        write_json(file, value)
        return file

    def _outcome(self, name: str) -> Path:
        return self._outcomes / f"{name}.json"


def read_task(file: Path) -> Task:
    """What `Spool.put_task` wrote. Raises OSError, ValueError, KeyError or TypeError."""
    data: dict[str, Any] = json.loads(file.read_bytes())
    if data["version"] != _VERSION:
        raise ValueError(f"{file}: version {data['version']}, but this grader reads {_VERSION}")
    jobs = tuple(TaskJob(**job) for job in data["jobs"])
    return Task(Path(data["spool"]), Settings(**data["settings"]), jobs)
