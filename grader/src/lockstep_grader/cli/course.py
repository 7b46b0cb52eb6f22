# SPDX-License-Identifier: MIT
"""Results by the rules of --course, and students as a person names them."""

import difflib
from pathlib import Path

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.intake.roster import fitting
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.results.graded import Entry, Results


def by_rules(results: Results, file: Path | None) -> Results:
    """What counts by the course file, if there is one. Raises InputError with all its mistakes."""
    if file is None:
        return results
    from lockstep_grader.intake.coursefile import CourseFile  # needs pydantic

    rules = CourseFile(file, read_labs(Workspace.from_environment()))
    course = rules.course(results.entries)
    for warning in rules.warnings(course):
        say(warning)
    return results.marked(course)


def student_called(name: str, results: Results) -> Entry:
    """Raises InputError unless `name` is that of exactly one."""
    found = fitting(name, results.entries)
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(entry.id for entry in found)
        raise InputError(f"{name!r} fits {len(found)} submissions; choose one: {ids}")
    known = [each for entry in results.entries for each in (entry.id, entry.name)]
    parts = [each for each in known if name.casefold() in each.casefold()]  # a first name
    close = parts or difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else "./lab export RESULTS --format csv lists all"
    raise InputError(f"there is no student {name!r} in these results; {hint}")
