# SPDX-License-Identifier: MIT
"""What `--regrade` asks for: which results are judged again, remembered until they are."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lockstep_grader.intake.catalog import find_rung, find_target
from lockstep_grader.intake.roster import fitting
from lockstep_grader.intake.submission import (
    REQUESTS,
    Source,
    Submission,
    read_submitted,
)
from lockstep_grader.machine.files import read_json, write_json
from lockstep_grader.machine.progress import say
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Finding, Lab
from lockstep_grader.model.text import one_line
from lockstep_grader.results.store import ResultId, Store

EVERYTHING = "all"
_FILE = ".regrade.json"
_MET = ".requests.json"
_MOST_LINES = 50  # of one student's requests


@dataclass(frozen=True, slots=True)
class Regrade:
    """The options: rungs as LAB[/RUNG] or `all`, students by any of their names."""

    targets: tuple[str, ...] = ()
    students: tuple[str, ...] = ()
    requests: tuple["Request", ...] = ()  # of students, that were not met before

    def chosen(
        self, submissions: Sequence[Submission], labs: Sequence[Lab]
    ) -> tuple[ResultId, ...]:
        """The results asked for: of these students, these rungs. Raises InputError."""
        requested = tuple(each.result for each in self.requests)
        if not (self.targets or self.students):
            return requested
        rungs = _rungs(self.targets, labs)
        students = whose(self.students, submissions, "--regrade-student")
        found = tuple(
            ResultId(submission.id, lab.id, rung.id)
            for submission in submissions
            if not self.students or submission.id in students
            for lab in submission.labs
            for rung in lab.rungs
            if (lab.id, rung.id) in rungs
        )
        if not found:
            raise InputError("--regrade: no submission here is graded on what it names")
        return (*found, *requested)


class Request(NamedTuple):
    """What a student asks for in a file: another look at a rung."""

    result: ResultId
    reason: str


def new_requests(
    folder: Path, submissions: Sequence[Submission], say: Callable[[str], None]
) -> tuple[Request, ...]:
    """The requests that `requests_done` has not noted. A line that names no rung is reported."""
    met = _met(folder)
    found: dict[str, Request] = {}
    for submission in submissions:
        for lab in submission.labs:
            file = submission.files.get((lab.id, REQUESTS))
            source = read_submitted(file, REQUESTS) if file else None
            if isinstance(source, Finding):
                say(f"{submission.id}: {lab.id}: {source.message}")
            text = source.data.decode() if isinstance(source, Source) else ""
            lines = list(filter(str.strip, text.splitlines()))
            if len(lines) > _MOST_LINES:
                said = f"{len(lines)} lines, of which the first {_MOST_LINES} are read"
                say(f"{submission.id}: {REQUESTS} of {lab.id} has {said}")
            for line in lines[:_MOST_LINES]:
                name, _, reason = line.partition(":")
                try:
                    rung = find_rung(lab, name.strip())
                except InputError as error:
                    say(f"{submission.id}: {REQUESTS} of {lab.id}: {one_line(str(error))[:200]}")
                    continue
                request = Request(ResultId(submission.id, lab.id, rung.id), one_line(reason)[:500])
                found[_noted(request)] = request
    return tuple(request for noted, request in found.items() if noted not in met)


def requests_done(folder: Path, requests: Sequence[Request]) -> None:
    """Notes that these were met: a request is met once, and again when its words change."""
    if requests:
        write_json(folder / _MET, [*_met(folder), *map(_noted, requests)])


def _noted(request: Request) -> str:
    return f"{request.result}: {request.reason}"


def _met(folder: Path) -> Sequence[str]:
    try:
        data = read_json(folder / _MET)
    except (OSError, ValueError):  # then they are met once more, which costs no points
        return ()
    return [each for each in data if isinstance(each, str)] if isinstance(data, list) else ()


def open_store(
    folder: Path,
    regrade: Regrade,
    chosen: Sequence[ResultId],
    handed_in: Mapping[str, str] | None = None,
) -> Store:
    """The results in `folder`, without the attempts that must be made again.

    The request is written down, so that a run that is killed goes on with it, and asking the same
    again then judges nothing for a third time.
    """
    asked = [*regrade.targets, *(f"student {name}" for name in regrade.students)]
    asked += map(_noted, regrade.requests)
    noted = _read(folder / _FILE)
    if noted is None:
        said = "is damaged: what a stopped run had yet to judge again is not known; ask once more"
        say(f"{folder / _FILE} {said}")
        noted = {}
    again: dict[str, int] = dict(noted.get("attempts", {}))
    if chosen and noted.get("asked") != asked:
        store = Store(folder)
        again |= {str(result): number for result in chosen if (number := store.attempt(result))}
        write_json(folder / _FILE, {"asked": asked, "attempts": again})
    return Store(folder, again, handed_in)


def forget_done(store: Store) -> None:
    """Strikes from the request what has been judged again; asking the same again is a new one."""
    file = store.folder / _FILE
    noted = _read(file) or {}
    left = {
        name: number
        for name, number in noted.get("attempts", {}).items()
        if store.attempt(ResultId(*name.split("/"))) <= number
    }
    if left:
        write_json(file, {"attempts": left})
    else:
        file.unlink(missing_ok=True)


def _rungs(targets: Sequence[str], labs: Sequence[Lab]) -> set[tuple[str, str]]:
    if not targets or EVERYTHING in targets:
        return {(lab.id, rung.id) for lab in labs for rung in lab.rungs}
    found = (find_target(labs, target) for target in targets)
    return {(lab.id, rung.id) for lab, rungs in found for rung in rungs}


def whose(names: Sequence[str], submissions: Sequence[Submission], option: str) -> frozenset[str]:
    """The ids of the submissions of these students. Raises InputError naming the option."""
    found_ids: set[str] = set()
    for name in names:
        found = fitting(name, submissions)
        if not found:
            known = [
                each for submission in submissions for each in (submission.name, submission.id)
            ]
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            guess = f"; did you mean {close[0]}?" if close else ""
            raise InputError(f"{option}: no student here is called {name!r}{guess}")
        if len(found) > 1:
            ids = ", ".join(sorted(each.id for each in found))
            raise InputError(f"{option}: {name!r} may be each of {ids}; name one of these")
        found_ids.add(found[0].id)
    return frozenset(found_ids)


def _read(file: Path) -> Mapping[str, Any] | None:
    """None for a damaged file."""
    try:
        data = read_json(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and isinstance(data.get("attempts"), dict) else None
