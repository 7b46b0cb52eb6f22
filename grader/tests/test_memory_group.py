# SPDX-License-Identifier: MIT
"""The control group that limits workers' memory. Folders take the place of the kernel's groups.

The last test has the kernel's own, where one is delegated or named.
"""

import os
from pathlib import Path

import pytest

from lockstep_grader.confine import memory_group
from lockstep_grader.confine.memory_group import (
    FOR_JUDGES,
    VARIABLE,
    NoMemoryGroup,
    find_memory_group,
    use_memory_group,
)
from lockstep_grader.model.errors import InputError

from conftest import runnable

Tree = tuple[Path, Path, Path]  # /proc, the root of the groups, and our own group
SYSTEM_UNIT = "system.slice/run-7.scope"
USER_UNIT = f"user.slice/user@{os.getuid()}.service/app.slice/run-7.scope"
SYSTEMCTL = """#!/bin/sh
[ "$*" = "$(cat "$0.delegated" 2>&1)" ] && echo yes || echo no
"""


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOR_JUDGES, "")
    monkeypatch.delenv(FOR_JUDGES)


@pytest.fixture
def tree(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    monkeypatch.delenv(VARIABLE, raising=False)
    unit = getattr(request, "param", SYSTEM_UNIT)
    root = tmp_path / "groups"
    group = root / unit
    group.mkdir(parents=True)
    for folder in (root, group):
        (folder / "cgroup.controllers").write_text("cpu memory pids\n")
    (group / "cgroup.procs").write_text("41\n42\n")
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "self" / "cgroup").write_text(f"4:memory:/other\n0::/{unit}\n")
    systemctl = tmp_path / "bin" / "systemctl"
    systemctl.parent.mkdir()
    runnable(systemctl, SYSTEMCTL)
    monkeypatch.setenv("PATH", f"{systemctl.parent}:{os.environ['PATH']}")
    return proc, root, group


def delegate(group: Path) -> None:
    (tmp_path,) = (folder.parent for folder in group.parents if folder.name == "groups")
    user = "--user " if "user.slice" in group.parts else ""
    (tmp_path / "bin" / "systemctl.delegated").write_text(
        f"{user}show --property=Delegate --value {group.name}"
    )


@pytest.mark.parametrize("tree", [SYSTEM_UNIT, USER_UNIT], indirect=True)
def test_a_delegated_group_is_divided(tree: Tree) -> None:
    proc, root, group = tree
    delegate(group)
    assert use_memory_group(proc, root) == group
    assert (group / "lockstep" / "cgroup.procs").read_text() == "42"  # the last that has moved
    assert (group / "cgroup.subtree_control").read_text() == "+memory"
    assert os.environ[FOR_JUDGES] == str(group)


@pytest.mark.parametrize("below", ["lockstep", "main"])  # of an earlier run, of DelegateSubgroup=
def test_a_group_whose_processes_are_below_it_is_divided(below: str, tree: Tree) -> None:
    proc, root, group = tree
    delegate(group)
    (group / below).mkdir()
    (group / "cgroup.procs").write_text("")
    (proc / "self" / "cgroup").write_text(f"0::/{SYSTEM_UNIT}/{below}\n")
    assert use_memory_group(proc, root) == group


@pytest.mark.parametrize(
    ("is_delegated", "file", "reason"),
    [
        (False, "", "Delegate=yes"),
        (True, f"{SYSTEM_UNIT}/cgroup.controllers", "Delegate=yes"),  # without memory
        (True, "cgroup.controllers", "version 2"),
    ],
)
def test_a_group_that_is_not_ours_to_divide_is_left_alone(
    tree: Tree, is_delegated: bool, file: str, reason: str
) -> None:
    proc, root, group = tree
    if is_delegated:
        delegate(group)
        (root / file).write_text("cpu pids\n")
    before = sorted(group.iterdir())
    found = use_memory_group(proc, root)
    assert isinstance(found, NoMemoryGroup)
    assert reason in found.reason
    assert sorted(group.iterdir()) == before
    assert FOR_JUDGES not in os.environ


def test_a_group_that_cannot_be_divided_is_none(tree: Tree) -> None:
    proc, root, group = tree
    delegate(group)
    (group / "cgroup.subtree_control").mkdir()  # writing to it fails
    found = use_memory_group(proc, root)
    assert isinstance(found, NoMemoryGroup)
    assert "cannot be divided" in found.reason
    assert FOR_JUDGES not in os.environ


def test_a_group_of_another_machine_is_forgotten(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slurm hands the environment of the machine that sends a task to the one that runs it."""
    proc, root, _ = tree
    monkeypatch.setenv(FOR_JUDGES, "/sys/fs/cgroup/run-8.scope")
    assert isinstance(use_memory_group(proc, root), NoMemoryGroup)
    assert FOR_JUDGES not in os.environ


def test_what_killed_judges_left_is_removed(tree: Tree) -> None:
    proc, root, group = tree
    delegate(group)
    (proc / "77").mkdir()
    for name in ("worker-76-aaaaaa", "worker-77-bbbbbb"):
        (group / name).mkdir()
    assert use_memory_group(proc, root) == group
    assert [folder.name for folder in group.glob("worker-*")] == ["worker-77-bbbbbb"]


def test_a_prepared_group_may_be_named(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    proc, root, group = tree
    monkeypatch.setenv(VARIABLE, str(group))
    (group / "cgroup.subtree_control").write_text("memory pids\n")
    assert use_memory_group(proc, root) == find_memory_group(proc, root) == group
    assert os.environ[FOR_JUDGES] == str(group)


def test_a_named_group_that_no_process_may_enter_is_refused(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    proc, root, group = tree
    monkeypatch.setenv(VARIABLE, str(group))
    (group / "cgroup.subtree_control").write_text("memory\n")
    monkeypatch.setattr(memory_group, "_ENTER", "exit 1")
    with pytest.raises(InputError, match="in which no process of ours may start; prepare"):
        use_memory_group(proc, root)


@pytest.mark.parametrize(
    ("name", "problem"),
    [("run-7.scope", "cgroup.subtree_control lacks memory"), ("run-8.scope", "is no folder")],
)
def test_a_named_group_that_cannot_be_used_is_refused(
    name: str, problem: str, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    proc, root, group = tree
    monkeypatch.setenv(VARIABLE, str(group.with_name(name)))
    assert isinstance(find_memory_group(proc, root), NoMemoryGroup)
    with pytest.raises(InputError, match=f"{problem}; prepare such a group, or unset {VARIABLE}"):
        use_memory_group(proc, root)


def test_the_kernel_accepts_what_we_do_to_its_group() -> None:
    found = find_memory_group()
    if isinstance(found, NoMemoryGroup):
        pytest.skip(found.reason)
    group = use_memory_group()
    assert group == found
    assert os.environ[FOR_JUDGES] == str(group)
    assert "memory" in (group / "cgroup.subtree_control").read_text().split()
    assert memory_group._can_enter(group)
    assert not list(group.glob("try-*"))
