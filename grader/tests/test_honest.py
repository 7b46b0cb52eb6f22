# SPDX-License-Identifier: MIT
"""Rungs in an unusual but right style get full marks: what stops an exploit leaves them alone.

`honest/NAME/LAB/RUNG.cu` is a rung; RUNG.edit are the blocks that change the solution (edits.py).
Its header says what is unusual about it:
    // style: what it does
Add one with each rule that stops an exploit: the most similar code that is right.
"""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.author.edits import apply_edits, read_blocks
from lockstep_grader.author.mutants import EDIT, split_edit
from lockstep_grader.confine.sandbox import NoSandbox, find_sandbox
from lockstep_grader.model.grades import Backend
from test_e2e import grade

from repository import REPOSITORY, sampled

pytestmark = pytest.mark.e2e

HONEST = Path(__file__).parent / "honest"
RUNGS = sorted(file for file in HONEST.glob("*/*/*") if file.suffix in (".cu", EDIT))
LABS = sorted({file.parent.name for file in RUNGS})


def hand_in(file: Path, submissions: Path) -> None:
    target = submissions / file.relative_to(HONEST).with_suffix(".cu")
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix != EDIT:
        shutil.copyfile(file, target)
        return
    solution = REPOSITORY / "solutions" / target.relative_to(submissions / file.parts[-3])
    _, blocks = split_edit(file.read_text("utf-8"))
    target.write_text(apply_edits(solution.read_text("utf-8"), read_blocks(blocks)), "utf-8")


@pytest.fixture(scope="module")
def judged(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str, str], Any]:
    """Each rung that is tested, by its submission, its lab and its name: all in one run."""
    if isinstance(found := find_sandbox(Backend.CPU), NoSandbox):
        pytest.skip(found.reason)
    folder = tmp_path_factory.mktemp("honest")
    tests = [item for item in request.session.items if item.path == request.path]
    for test in tests:
        hand_in(test.callspec.params["file"], folder / "class")  # type: ignore[attr-defined]
    _, report = grade(
        folder / "class",
        folder,
        *(word for lab in LABS for word in ("--lab", lab)),
    )
    return {
        (submission["id"], lab["id"], rung["id"]): rung
        for submission in report["submissions"]
        for lab in submission["labs"]
        for rung in lab["rungs"]
    }


@pytest.mark.parametrize(
    "file", sampled(RUNGS, 8), ids=lambda file: f"{file.parts[-3]}-{file.stem}"
)
def test_gets_full_marks(file: Path, judged: dict[tuple[str, str, str], Any]) -> None:
    assert re.search(r"^// style: .+$", file.read_text("utf-8"), re.MULTILINE)
    rung = judged[file.parts[-3], file.parent.name, file.stem]
    assert (rung["outcome"], rung["score"]) == ("passed", rung["max_score"]), rung["findings"]
