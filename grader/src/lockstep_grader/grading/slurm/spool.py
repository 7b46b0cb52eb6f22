# SPDX-License-Identifier: MIT
"""The folder RESULTS/.slurm, through which the submitting machine and the nodes talk.

sources/NAME.cu goes out, outcomes/NAME.json and its pictures come back, arrays/ARRAY is submitit's
folder, with the names of each task's jobs. NAME is a hash of the result's ids, its key and the
number of its last attempt. So a run that asks for the same judgement after another was killed finds
the sources, tasks and outcomes of that run.
"""

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.machine.files import write_json, write_whole
from lockstep_grader.model.grades import Judgement
from lockstep_grader.results.serial import judgement_json
from lockstep_grader.results.store import ResultId, with_pictures

_VERSION = 1


@dataclass(frozen=True, slots=True)
class TaskJob:
    """One rung to judge, as plain data."""

    name: str
    result: ResultId
    key: str  # what the judgement depends on; the node must arrive at the same


def job_name(result: ResultId, key: str, last_attempt: int) -> str:
    words = json.dumps([result.submission, result.lab, result.rung, key, last_attempt])
    return hashlib.sha256(words.encode()).hexdigest()[:32]


class Spool:
    def __init__(self, folder: Path) -> None:
        self.arrays, self._outcomes = folder / "arrays", folder / "outcomes"
        self._sources = folder / "sources"

    def source(self, name: str) -> Path:
        return self._sources / f"{name}.cu"

    def put_outcome(self, job: TaskJob, judgement: Judgement) -> None:
        for image in judgement.images:  # first: the JSON file names them
            write_whole(self._outcomes / job.name / image.file, image.png)
        value = {"version": _VERSION, "key": job.key, "judgement": judgement_json(judgement)}
        write_json(self._outcomes / f"{job.name}.json", value)

    def outcome_names(self) -> set[str]:
        """The jobs with an outcome; one listing, which a network file system keeps fresh."""
        return {file.stem for file in self._outcomes.glob("*.json")}

    def outcome(self, name: str, key: str) -> Judgement | None:
        """The judgement with its pictures; None when it is absent, damaged or of another key."""
        from lockstep_grader.results.schema import judgement_from_json  # takes pydantic

        try:
            data = json.loads((self._outcomes / f"{name}.json").read_bytes())
            if data["version"] != _VERSION or data["key"] != key:
                return None
            return with_pictures(judgement_from_json(data["judgement"]), self._outcomes / name)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def drop_outcome(self, name: str) -> None:
        (self._outcomes / f"{name}.json").unlink(missing_ok=True)
        shutil.rmtree(self._outcomes / name, ignore_errors=True)

    def discard(self, name: str) -> None:
        """Everything about a job that no process waits for any more."""
        self.source(name).unlink(missing_ok=True)
        self.drop_outcome(name)

    def put_array(self, array: str, tasks: list[list[str]]) -> None:
        """Before Slurm hears of it: a run that is killed in between finds its array by name."""
        write_json(self.arrays / array / "tasks.json", tasks)

    def recorded(self) -> dict[str, list[list[str]]]:
        """The arrays that a run recorded and did not clear away: each task's jobs."""
        found = {}
        for file in sorted(self.arrays.glob("*/tasks.json")):
            try:
                found[file.parent.name] = [
                    list(map(str, task)) for task in json.loads(file.read_bytes())
                ]
            except (OSError, ValueError, TypeError):
                continue
        return found

    def drop_array(self, array: str) -> None:
        shutil.rmtree(self.arrays / array, ignore_errors=True)
