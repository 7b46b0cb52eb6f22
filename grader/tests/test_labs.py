# SPDX-License-Identifier: MIT
"""A lab's folder shows what a student needs; its judge has the same names in every lab."""

import re
from pathlib import Path

from lockstep_grader.model.grades import Lab

from repository import WORKSPACE, each_lab

ROLES = {"main", "fixture", "data", "reference", "diagnosis", "workload", "picture"}
TEST = re.compile(r"^TEST_F\((\w+),", re.MULTILINE)
MAX_WORDS = 2500  # of a handout; a second page holds what is looked up
NAMESPACE = re.compile(r"^namespace (\w+) \{", re.MULTILINE)


def folder(lab: Lab) -> Path:
    return WORKSPACE.labs / lab.id


def sources(lab: Lab) -> list[Path]:
    """Those of the judge, without its own tests."""
    return [file for file in sorted((folder(lab) / "judge").glob("*.*")) if is_source(file)]


def is_source(file: Path) -> bool:
    return file.suffix in (".h", ".cpp", ".cu")


def is_test(file: Path) -> bool:
    return file.name.endswith("_test.cpp")


@each_lab
def test_a_student_sees_the_handout_the_contract_and_the_rungs(lab: Lab) -> None:
    seen = {path.name for path in folder(lab).iterdir()}
    needed = {"README.md", "lab.toml", "figures", "judge", f"{lab.slug}.cuh"}
    needed |= {rung.file_name for rung in lab.rungs}
    assert needed <= seen
    more = seen - needed - {"quiz.toml", "predict.toml"}
    assert [name for name in more if not name.endswith((".cuh", ".md"))] == []


@each_lab
def test_a_handout_is_short_enough_to_be_read(lab: Lab) -> None:
    text = (folder(lab) / "README.md").read_text("utf-8")
    assert len(text.split()) <= MAX_WORDS
    assert re.search(r"^The hours are our estimate .*, [\d.]+ in all", text, re.MULTILINE)


@each_lab
def test_a_starter_is_quiet(lab: Lab) -> None:
    """Warnings about unused names are off for rungs: no attribute hides a signature."""
    noise = ("maybe_unused", "static_cast<void>")
    for rung in lab.rungs:
        text = (folder(lab) / rung.file_name).read_text("utf-8")
        assert [word for word in noise if word in text] == [], rung.file_name


@each_lab
def test_a_file_of_the_judge_is_named_after_its_role(lab: Lab) -> None:
    """A role, or a role and a part of it: workload.h, workload_softmax.cu."""
    named = [file for file in sources(lab) if not is_test(file)]
    assert [file.name for file in named if file.stem.partition("_")[0] not in ROLES] == []
    assert {"main.cpp", "workload.h"} <= {file.name for file in named}


@each_lab
def test_a_test_file_is_named_after_its_rung_or_its_suite(lab: Lab) -> None:
    rungs = {rung.id for rung in lab.rungs}
    tests = [file for file in sources(lab) if is_test(file)]
    assert tests
    for file in tests:
        name = file.name.removesuffix("_test.cpp")
        suites = set(TEST.findall(file.read_text("utf-8")))
        assert suites
        if name not in rungs:
            assert suites == {"".join(word.capitalize() for word in name.split("_"))}, file


@each_lab
def test_the_judge_of_every_lab_has_one_namespace(lab: Lab) -> None:
    for file in sources(lab):
        spaces = set(NAMESPACE.findall(file.read_text("utf-8")))
        assert spaces - {"lab", "internal"} == (
            set() if file.name == "main.cpp" else {"lab_judge"}
        ), file
