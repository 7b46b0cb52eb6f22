# SPDX-License-Identifier: MIT
"""Rungs in an unusual but right style get full marks: what stops an exploit leaves them alone.

`honest/NAME/LAB/RUNG.cu` is a rung. Its header says what is unusual about it:
    // style: what it does
Add one with each rule that stops an exploit: the most similar code that is right.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.confine.sandbox import NoSandbox, find_sandbox
from lockstep_grader.model.grades import Backend
from test_e2e import grade

pytestmark = pytest.mark.e2e

HONEST = Path(__file__).parent / "honest"
RUNGS = sorted(HONEST.glob("*/*/*.cu"))
LABS = sorted({file.parent.name for file in RUNGS})


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, str], Any]:
    """Each judged rung by its submission, its lab and its name: all in one run."""
    if isinstance(found := find_sandbox(Backend.CPU), NoSandbox):
        pytest.skip(found.reason)
    _, report = grade(
        HONEST,
        tmp_path_factory.mktemp("honest"),
        *(word for lab in LABS for word in ("--lab", lab)),
    )
    return {
        (submission["id"], lab["id"], rung["id"]): rung
        for submission in report["submissions"]
        for lab in submission["labs"]
        for rung in lab["rungs"]
    }


@pytest.mark.parametrize("file", RUNGS, ids=lambda file: f"{file.parts[-3]}-{file.stem}")
def test_gets_full_marks(file: Path, judged: dict[tuple[str, str, str], Any]) -> None:
    assert re.search(r"^// style: .+$", file.read_text("utf-8"), re.MULTILINE)
    rung = judged[file.parts[-3], file.parent.name, file.stem]
    assert (rung["outcome"], rung["score"]) == ("passed", rung["max_score"]), rung["findings"]
