# SPDX-License-Identifier: MIT
"""Readers of what strangers write, on damaged bytes: each returns a value or raises its own error.

`LOCKSTEP_FUZZ=N` tries N inputs of each kind, from a seed that a failure names.
"""

import gzip
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep_grader.intake.archives import STUDENT_BOUNDS, ArchiveError, Spool, read_members
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.intake.coursefile import CourseFile
from lockstep_grader.intake.platforms import gradescope_submissions, owner_of, platform_of
from lockstep_grader.intake.roster import read_roster
from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.rules.source import check_source
from made_up_grades import document, graded, submission
from test_course import COURSE
from test_intake import METADATA

from conftest import Checkout
from handed_in import GOOD, RUNGS, tar_bytes, zip_bytes

TRIES = int(os.environ.get("LOCKSTEP_FUZZ", "60"))
SEED = int(os.environ.get("LOCKSTEP_FUZZ_SEED", "1"))
# What often sits on the edge of a format.
EDGES = (b"\0", b"\xff", b"\n", b'"', b"\\", b"[", b"{", b"PK\1\2", b"9" * 40, b"-1", b"\xf0\x9f")
LONG = b"[" * 2000


def damaged(data: bytes, dice: random.Random) -> bytes:
    """`data` with a few bytes changed, cut, doubled, or replaced by edges."""
    made = bytearray(data)
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(made) + 1)
        match dice.randrange(6):
            case 0 if made:
                made[at % len(made)] = dice.randrange(256)
            case 1:
                del made[at : at + dice.randint(1, 40)]
            case 2:
                made[at:at] = made[at : at + dice.randint(1, 40)]
            case 3:
                made[at:at] = dice.choice(EDGES)
            case 4 if made:
                made[at % len(made)] ^= 1 << dice.randrange(8)
            case _:
                made[at:at] = LONG if dice.random() < 0.05 else dice.choice(EDGES)
    return bytes(made)


def each_damaged(
    data: bytes, try_one: Callable[[bytes], object], errors: tuple[type[Exception], ...]
) -> None:
    for number in range(TRIES):
        made = damaged(data, random.Random(f"{SEED} {number}"))
        try:
            try_one(made)
        except errors:
            pass
        except BaseException as error:
            raise AssertionError(f"seed {SEED}, try {number}: {error!r} on {made!r}") from error


@pytest.mark.parametrize(
    "data",
    [zip_bytes(GOOD), tar_bytes(GOOD), gzip.compress(tar_bytes(GOOD))],
    ids=["zip", "tar", "tar.gz"],
)
def test_archives(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "x"

    def read(made: bytes) -> None:
        file.write_bytes(made)
        spool = Spool(tmp_path / "spool")
        for member in read_members(file, lambda name: name in RUNGS, spool, bounds):
            assert not member.stored or Path(member.stored).is_relative_to(tmp_path / "spool")

    bounds = replace(STUDENT_BOUNDS, unpacked_bytes=1 << 20)
    each_damaged(data, read, (ArchiveError,))


@pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler")
def test_sources() -> None:
    text = (
        b'#include "lab/launch.cuh"\n#define F(x) (x)\n[[maybe_unused]] int k = 1\'000; // "\n'
        b'__attribute__((aligned(16))) char s[] = "a\\"b"; /* R"( */ \\\n#pragma unroll\n'
    )
    each_damaged(text, lambda made: check_source(Source("x.cu", made)), ())


def test_course_files(checkout: Checkout) -> None:
    labs = read_labs(Workspace.from_environment())
    file = checkout.root / "course.toml"
    book = graded(document([submission(name, []) for name in ("bob", "cy", "ann@x")]))

    def read(made: bytes) -> None:
        file.write_bytes(made)
        CourseFile(file, labs).course(book.entries)

    each_damaged(COURSE.encode(), read, (InputError,))


def test_rosters(tmp_path: Path) -> None:
    file = tmp_path / "class.csv"
    text = 'name,email,lms_id,login\n"Lee, Ann",ann@x,7,alee\nJos\u00e9,b@x,Participant 8,bob\n'

    def read(made: bytes) -> None:
        file.write_bytes(made)
        read_roster(file)

    for encoding in ("utf-8", "utf-16"):
        each_damaged(text.encode(encoding), read, (InputError,))


def test_metadata_of_gradescope(tmp_path: Path) -> None:
    file = tmp_path / "submission_metadata.yml"

    def read(made: bytes) -> None:
        file.write_bytes(made)
        gradescope_submissions(file)

    each_damaged(METADATA.encode(), read, (InputError,))


def test_names_of_platforms() -> None:
    names = ["leeann_LATE_100_9001_work-1.zip", "Ann Lee_51_assignsubmission_file_work.zip"]

    def read(made: bytes) -> None:
        name = made.decode("utf-8", "surrogateescape")
        platform = platform_of([name], [*names, name])
        assert owner_of(name, platform).key or not name

    each_damaged("".join(names).encode(), read, ())
