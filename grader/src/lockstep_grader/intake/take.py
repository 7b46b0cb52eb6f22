# SPDX-License-Identifier: MIT
"""From a path to submissions: one, or a class as folders and archives, matched to its roster.

And from a path to the lab folders of one student.
"""

import difflib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lockstep_grader.intake.archives import CLASS_BOUNDS, ArchiveError, Spool, is_foreign, stem
from lockstep_grader.intake.confined import ArchiveReader
from lockstep_grader.intake.gather import Gathered, Gatherer, Wanted, is_flat
from lockstep_grader.intake.platforms import (
    EXPORT,
    METADATA,
    HandedIn,
    Owner,
    Platform,
    classroom_logins,
    gradescope_submissions,
    owner_of,
    platform_of,
)
from lockstep_grader.intake.roster import Identities, Roster, fitting
from lockstep_grader.intake.submission import (
    DiskFolder,
    Source,
    Submission,
    SubmittedFile,
    Tree,
    archive_tree,
    visible_name,
)
from lockstep_grader.machine.progress import say
from lockstep_grader.model.errors import (
    FaultError,
    InputError,
    LockstepError,
    system_error_line,
)
from lockstep_grader.model.grades import Lab, Student


class Class(NamedTuple):
    submissions: tuple[Submission, ...]
    warnings: tuple[str, ...]


class _Entry(NamedTuple):
    owner: Owner
    content: Tree | SubmittedFile


class _Pile(NamedTuple):
    """All that one student, or one group, handed in."""

    key: str
    students: Sequence[Student]
    entries: Sequence[_Entry]
    at: str = ""  # when it was handed in, where the platform says so


def take_in(
    path: Path, labs: Sequence[Lab], only: Sequence[Lab], roster: Roster, spool: Spool
) -> Class:
    """The submissions under `path`, all to be graded on the same labs.

    These are `only`, or every lab that any submission has. `path` is one submission when it
    holds lab folders itself, or else a class with an entry or more a student. Raises InputError
    when there is nothing to grade.
    """
    require_something(path)
    chosen = tuple(only or labs)
    others = tuple(lab for lab in labs if lab not in chosen)
    wanted = Wanted(chosen, only[0] if len(only) == 1 else None, others)
    with ArchiveReader(spool) as reader:
        gatherer = Gatherer(wanted, reader)
        piles = _piles(path, wanted, labs, reader)
        gathered = [(pile, _gathered(pile, gatherer)) for pile in piles]
    present = {lab for _, found in gathered for lab in found.labs}
    graded = tuple(lab for lab in wanted.labs if lab.id in present)
    if not graded and only and any(found.problems or found.fault for _, found in gathered):
        graded = tuple(only)  # a class may have only broken archives
    if not graded:
        if fault := next((found.fault for _, found in gathered if found.fault), ""):
            raise FaultError(f"cannot read the submissions: {fault}")
        raise InputError(f"{path} contains no lab folder, such as {path / wanted.labs[0].id}")
    identities = Identities(roster)
    made = [
        submission
        for pile, found in gathered
        for submission in identities.identified(
            pile.key, pile.students, _submission(pile, found, graded)
        )
    ]
    everyone = sorted(
        [*identities.settled(made), *identities.absent(graded)],
        key=lambda submission: submission.id,
    )
    return Class(tuple(everyone), identities.warnings)


def require_something(path: Path) -> None:
    """Raises InputError unless `path` is an archive, or a folder that is not empty."""
    try:
        if not path.exists():
            raise InputError(f"{path}: no such folder or archive")
        if not path.is_dir() and (stem(path.name) is None or not path.is_file()):
            raise InputError(f"{path} is not a folder, nor an archive, of lab folders")
        if path.is_dir() and not any(path.iterdir()):
            raise InputError(f"{path} is empty; grade takes a folder of lab folders")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def _piles(
    path: Path, wanted: Wanted, labs: Sequence[Lab], reader: ArchiveReader
) -> Sequence[_Pile]:
    tree = _tree(path, wanted, reader)
    key = visible_name(path.absolute())
    whole: Tree | SubmittedFile = DiskFolder(path, path)
    if path.is_file():
        key, whole = stem(key) or key, SubmittedFile(path)
    one = _Pile(key, (), [_Entry(Owner(key, rest=path.name), whole)])
    is_lab = tree is not None and key in {lab.id for lab in labs} and not wanted.flat
    if is_lab and tree and any(map(Wanted(labs).names, tree.files())):
        raise InputError(f"{path} is a lab folder; grade its parent, with --lab {key}")
    if tree is None or _is_one(tree, wanted):
        return [one]
    piles = _piles_of_class(tree)
    return piles or ([one] if path.is_file() and wanted.flat else [])


def _tree(path: Path, wanted: Wanted, reader: ArchiveReader) -> Tree | None:
    """The class at `path`; None for an archive so damaged that it can only be one submission."""
    if path.is_dir():
        return _unwrapped(DiskFolder(path, path))
    try:
        names = replace(wanted.names, in_class=True)
        members = reader.read(path, names, CLASS_BOUNDS)
    except ArchiveError as error:
        if wanted.flat:
            return None
        raise InputError(f"{path} {error}") from error
    tree = _unwrapped(archive_tree(visible_name(path), members))
    while len(tree.folders()) == 1 and not tree.files() and not _is_one(tree, wanted):
        (inner,) = tree.folders().values()
        if platform_of([inner.name], []) is not Platform.NONE:
            break
        tree = inner
    return tree


def _unwrapped(tree: Tree) -> Tree:
    """A Gradescope export is a folder in a folder or archive; this is the inner one.

    Its name is checked, since any student can hand in a file of the metadata's name.
    """
    folders = tree.folders()
    if len(folders) == 1 and not tree.file(METADATA):
        ((name, inner),) = folders.items()
        return inner if EXPORT.fullmatch(name) and inner.file(METADATA) else tree
    return tree


def _is_one(tree: Tree, wanted: Wanted) -> bool:
    folders = tree.folders()
    return any(lab.id in folders for lab in wanted.labs) or is_flat(tree, wanted)


def _piles_of_class(tree: Tree) -> list[_Pile]:
    known = _known_submissions(tree)
    piles: dict[str, list[_Entry]] = {}
    for entry in sorted(_entries(tree), key=_by_time):
        piles.setdefault(entry.owner.key, []).append(entry)
    found = []
    for key, entries in sorted(piles.items()):
        students, at = known.get(key, HandedIn(()))
        found.append(_Pile(key, students or [entries[0].owner.student], entries, at))
    return found


def _entries(tree: Tree) -> Iterator[_Entry]:
    folders, files = tree.folders(), tree.files()
    platform = platform_of(folders, files)
    for name, folder in folders.items():
        yield _Entry(owner_of(name, platform, is_folder=True), folder.apart())
    for name, file in files.items():
        owner = owner_of(name, platform)
        if owner.by_platform or stem(name) or is_foreign(name):
            # An instructor may have built the class from links.
            yield _Entry(owner, SubmittedFile(file.path, None, file.problem, file.kind))


def _by_time(entry: _Entry) -> tuple[int, bool, str]:
    """Sorts so that later entries win: a newer upload, and a folder over an archive."""
    return entry.owner.order, not isinstance(entry.content, SubmittedFile), entry.owner.rest


def _known_submissions(tree: Tree) -> Mapping[str, HandedIn]:
    """What Gradescope's metadata or GitHub Classroom's clones say of each."""
    metadata = tree.file(METADATA)
    if metadata and metadata.path:
        return gradescope_submissions(metadata.path)
    clones = [name for name, folder in tree.folders().items() if folder.file(".git")]
    logins = classroom_logins(clones)
    return {name: HandedIn([Student(login=login)]) for name, login in logins.items()}


def _gathered(pile: _Pile, gatherer: Gatherer) -> Gathered:
    found = Gathered()
    for owner, content in pile.entries:
        try:
            if isinstance(content, SubmittedFile):
                gatherer.from_file(owner.rest, content, found, owner.order)
            else:
                gatherer.from_folder(content, found, owner.order)
        except OSError as error:  # a folder that we may not read is not the student's fault
            found.fault = system_error_line(error)
        except LockstepError as error:
            found.fault = str(error)
        except Exception as error:  # for any error, the rest of the class is graded
            found.fault = f"a bug in the grader, please report it: {error!r}"
    return found


def _submission(pile: _Pile, found: Gathered, graded: tuple[Lab, ...]) -> Submission:
    """The submission found; each missing file also mentions what else was wrong."""
    why = "; ".join(found.problems)
    missing = {
        file_id: SubmittedFile(None, problem=found.misnamed.get(file_id) or why, is_missing=True)
        for file_id in ((lab.id, rung.id) for lab in graded for rung in lab.rungs)
    }
    problem = "" if found.fault else found.problem
    owners = [entry.owner for entry in pile.entries]
    return Submission(
        pile.key,
        graded,
        {**missing, **found.files},
        problem=problem,
        fault=found.fault,
        notes=found.notes,
        handed_in=pile.at,
        is_late=owners[-1].is_late,  # of the latest
        dispute=next((owner.dispute for owner in owners if owner.dispute), ""),
    )


_NAMED = 5  # students, in a message


@contextmanager
def lab_folders(given: Path, lab: Lab, labs: Sequence[Lab]) -> Iterator[Path]:
    """A folder of lab folders: `given` itself, or what it holds of `lab`, for as long as needed.

    `given` may be an archive, one student's folder of an export, or EXPORT/STUDENT. Raises
    InputError where it is none of these, or holds the work of several students.
    """
    if given.is_dir() and any((given / each.id).is_dir() for each in labs):
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="lockstep-from-") as temp:
        submission = _taken(given, lab, labs, Spool(Path(temp) / "spool"))
        target = Path(temp) / "taken"
        (target / lab.id).mkdir(parents=True)
        for rung in lab.rungs:
            file = submission.read(lab, rung)
            if isinstance(file, Source):
                (target / lab.id / rung.file_name).write_bytes(file.data)
        for note in (submission.dispute, *submission.notes):
            if note:
                say(note)
        yield target


def _taken(given: Path, lab: Lab, labs: Sequence[Lab], spool: Spool) -> Submission:
    export, name = (given, "") if given.exists() else (given.parent, given.name)
    if not export.exists() or (name and export == Path()):
        raise InputError(f"{given}: no such folder or archive")
    found = take_in(export, labs, [lab], Roster(), spool).submissions
    if name:
        submission = _named(name, export, found)
    elif len(found) == 1:
        (submission,) = found
    else:
        raise InputError(
            f"{export} holds the work of {len(found)} students; add the name of one, as in "
            f"{export / found[0].id}"
        )
    if submission.problem:
        raise InputError(f"{given}: {submission.problem}")
    return submission


def _named(name: str, export: Path, submissions: Sequence[Submission]) -> Submission:
    """By id, login, email or number, or else by name."""
    fits = fitting(name, submissions)
    if len(fits) == 1:
        return fits[0]
    if fits:
        ids = ", ".join(each.id for each in fits[:_NAMED])
        raise InputError(f"{name!r} fits {len(fits)} submissions in {export}; choose one: {ids}")
    if all(each.problem for each in submissions):  # then it is no export
        raise InputError(f"{export / name}: no such folder or archive")
    known = [who for each in submissions for who in (each.id, each.student.name) if who]
    close = difflib.get_close_matches(name, known, n=1)
    if not close:
        raise InputError(f"{export / name}: no such folder or archive, nor student in {export}")
    raise InputError(f"{export} has nothing of {name!r}; did you mean {close[0]}?")
