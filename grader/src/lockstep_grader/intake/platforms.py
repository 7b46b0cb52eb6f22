# SPDX-License-Identifier: MIT
"""Finds the student of a file or folder from the name that a learning platform gave it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from lockstep_grader.intake.archives import foreign_stem, stem
from lockstep_grader.model.compat import UTC, StrEnum
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import NOBODY_KNOWN, Student

EXPORT = re.compile(r"assignment_\d+_export")  # the folder that Gradescope packs
METADATA = "submission_metadata.yml"  # next to the submissions in it
_MAX_METADATA_BYTES = 256 << 20

# lastfirst_LATE_123_456_file.zip; 123 is the student, 456 the file, which grows with time.
_CANVAS = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<upload>\d+)_(?P<rest>.+)")
# Full Name_12345_assignsubmission_file_, a folder, or followed by the name of a file.
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<user>\d+)_assignsubmission_[a-z]+_?(?P<rest>.*)")
_MOODLE_FOLDER = re.compile(r"(?P<name>.+)_(?P<user>\d+)_assignsubmission_[a-z]+_?")
_MOODLE_MARK = re.compile(r"_\d+_assignsubmission_")
# Canvas marks a file handed in again by a number before the suffix.
_AGAIN = re.compile(r"(?P<stem>.+)-(?P<number>\d+)(?P<suffix>\.[^.]+)")


class Platform(StrEnum):
    """Whose naming a whole export follows."""

    CANVAS = "Canvas"
    MOODLE = "Moodle"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of an entry of a class: entries with the same `key` belong to one student."""

    key: str
    student: Student = NOBODY_KNOWN
    order: int = 0  # of several entries of one student, the later count
    rest: str = ""  # the name that the file had at the student's
    by_platform: bool = False
    is_late: bool = False
    dispute: str = ""  # why it is not clear whose this is; empty when it is


def platform_of(folders: Iterable[str], files: Iterable[str]) -> Platform:
    """The platform that most names are made by.

    A student chooses the end of a name, which may look as if another platform had made it. So all
    names are read together, and the beginning of each decides.
    """
    votes = [Platform.MOODLE for name in folders if _MOODLE_FOLDER.fullmatch(name)]
    for name in files:
        canvas, moodle = _CANVAS.fullmatch(name), _MOODLE.fullmatch(name)
        if canvas and (not moodle or canvas.start("user") < moodle.start("user")):
            votes.append(Platform.CANVAS)
        elif moodle:
            votes.append(Platform.MOODLE)
    by_count = sorted(Platform, key=votes.count, reverse=True)
    return by_count[0] if votes else Platform.NONE


def owner_of(name: str, platform: Platform, *, is_folder: bool = False) -> Owner:
    """The student who handed in the entry of this name. Canvas exports only files."""
    if platform is Platform.MOODLE:
        if match := (_MOODLE_FOLDER if is_folder else _MOODLE).fullmatch(name):
            rest = "" if is_folder else match["rest"]
            if not is_folder and len(_MOODLE_MARK.findall(name)) > 1:
                dispute = "its name fits two students: rename it as Moodle would for its owner"
                return Owner(stem(name) or name, rest=rest, by_platform=True, dispute=dispute)
            student = Student(name=match["name"], participant=match["user"])
            return Owner(f"{match['name']}_{match['user']}", student, 0, rest, by_platform=True)
    elif platform is Platform.CANVAS and not is_folder and (match := _CANVAS.fullmatch(name)):
        student = Student(name=match["name"], lms_id=match["user"])
        key, order = f"{match['name']}_{match['user']}", int(match["upload"][:18])
        return Owner(
            key, student, order, match["rest"], by_platform=True, is_late=bool(match["late"])
        )
    return Owner(stem(name) or foreign_stem(name) or name, rest=name)


def names_at_students(name: str) -> tuple[str, ...]:
    """What the file may have been called before a platform named it, whichever that was."""
    found = (owner_of(name, platform).rest for platform in Platform)
    return tuple(first_name(rest) for rest in found)


def first_name(rest: str) -> str:
    """`rest` as the student called it, before Canvas numbered it for being handed in again."""
    match = _AGAIN.fullmatch(rest)
    return match["stem"] + match["suffix"] if match else rest


class HandedIn(NamedTuple):
    """What a platform's list says of one submission."""

    students: Sequence[Student]
    at: str = ""  # when, as ISO 8601 in UTC; empty where it is not known


def gradescope_submissions(file: Path) -> Mapping[str, HandedIn]:
    """What each folder of a Gradescope export is. Raises InputError naming the file."""
    try:
        import yaml
    except ImportError as error:
        raise FaultError(f"{file} cannot be read without the Python package PyYAML") from error

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Gradescope's own objects among the scores are of no interest here."""

    Loader.add_multi_constructor("", lambda loader, suffix, node: None)
    try:
        if file.stat().st_size > _MAX_METADATA_BYTES:
            raise InputError(f"{file} is larger than {_MAX_METADATA_BYTES >> 20} MiB")
        data = yaml.load(file.read_bytes(), Loader)  # noqa: S506
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or error
        raise InputError(f"{file}{line}: not the metadata that Gradescope writes: {problem}") from (
            error
        )
    if not isinstance(data, dict):
        raise InputError(f"{file}: not the metadata that Gradescope writes: no folders in it")
    return {
        str(folder): HandedIn(_submitters(record), _created_at(record))
        for folder, record in data.items()
    }


def _created_at(record: Any) -> str:
    when = record.get(":created_at") if isinstance(record, dict) else None
    if not isinstance(when, datetime):
        return ""
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="seconds")


def _submitters(record: Any) -> list[Student]:
    listed = record.get(":submitters") if isinstance(record, dict) else None
    return [
        Student(
            name=_scalar(item.get(":name")),
            email=_scalar(item.get(":email")),
            lms_id=_scalar(item.get(":sid")),
        )
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, dict)
    ]


def _scalar(value: Any) -> str:
    """A text or number. A list may hold itself nine times over, nine levels deep."""
    return str(value) if isinstance(value, str | int | float) else ""


def classroom_logins(names: Sequence[str]) -> Mapping[str, str]:
    """The logins in `assignment-login`, the clones of GitHub Classroom, by folder name.

    The assignment is the common beginning of all names, up to a hyphen; one name alone is not
    enough.
    """
    if len(names) < 2:
        return {}
    shared = min(names), max(names)
    length = next(
        (i for i, (a, b) in enumerate(zip(*shared, strict=False)) if a != b), len(shared[0])
    )
    prefix = shared[0][: shared[0].rfind("-", 0, length) + 1]
    return {name: name.removeprefix(prefix) for name in names} if prefix else {}
