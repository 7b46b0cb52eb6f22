# SPDX-License-Identifier: MIT
"""What `--regrade` asks for: which results are judged again, remembered until they are."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep_grader.intake.catalog import find_target
from lockstep_grader.intake.roster import KEYS, words_of
from lockstep_grader.intake.submission import Submission
from lockstep_grader.machine.files import read_json, write_json
from lockstep_grader.machine.progress import say
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.results.store import ResultId, Store

EVERYTHING = "all"
_FILE = ".regrade.json"


@dataclass(frozen=True, slots=True)
class Regrade:
    """The options: rungs as LAB[/RUNG] or `all`, students by any of their names."""

    targets: tuple[str, ...] = ()
    students: tuple[str, ...] = ()

    def chosen(
        self, submissions: Sequence[Submission], labs: Sequence[Lab]
    ) -> tuple[ResultId, ...]:
        """The results asked for: of these students, these rungs. Raises InputError."""
        if not (self.targets or self.students):
            return ()
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
        return found


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
    by_name: dict[str, set[str]] = {}
    by_words: dict[tuple[str, ...], set[str]] = {}
    for submission in submissions:
        who = submission.student
        for known in (submission.id, who.name, *(getattr(who, key) for key in KEYS)):
            if known:
                by_name.setdefault(known.casefold(), set()).add(submission.id)
        if words := words_of(who.name):
            by_words.setdefault(words, set()).add(submission.id)
    found_ids: set[str] = set()
    for name in names:
        found = by_name.get(name.casefold()) or by_words.get(words_of(name))
        if found is None:
            close = difflib.get_close_matches(name.casefold(), by_name, n=1, cutoff=0.5)
            guess = f"; did you mean {close[0]}?" if close else ""
            raise InputError(f"{option}: no student here is called {name!r}{guess}")
        if len(found) > 1:
            ids = ", ".join(sorted(found))
            raise InputError(f"{option}: {name!r} may be each of {ids}; name one of these")
        found_ids |= found
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
