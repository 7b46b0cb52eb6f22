# SPDX-License-Identifier: MIT
"""The control group that limits workers' memory. Folders take the place of the kernel's groups."""

import os
from pathlib import Path

import pytest

from lockstep_grader.confine.memory_group import (
    VARIABLE,
    NoMemoryGroup,
    find_memory_group,
    use_memory_group,
)
from lockstep_grader.model.errors import InputError

Tree = tuple[Path, Path, Path]  # /proc, the root of the groups, and our own group


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.delenv(VARIABLE)
    group = tmp_path / "groups" / "user.slice" / "run-7.scope"
    group.mkdir(parents=True)
    (group / "cgroup.controllers").write_text("cpu memory pids\n")
    (group / "cgroup.procs").write_text("41\n42\n")
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "self" / "cgroup").write_text("4:memory:/other\n0::/user.slice/run-7.scope\n")
    return proc, tmp_path / "groups", group


def delegate(group: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every file system has such attributes."""
    marked = {(group, "user.delegate"): b"1"}

    def read(path: Path, name: str) -> bytes:
        if (path, name) in marked:
            return marked[path, name]
        raise OSError(61, "No data available")

    monkeypatch.setattr(os, "getxattr", read)


def test_a_delegated_group_is_divided(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    proc, root, group = tree
    delegate(group, monkeypatch)
    assert use_memory_group(proc, root) == group
    assert (group / "lockstep" / "cgroup.procs").read_text() == "42"  # the last that has moved
    assert (group / "cgroup.subtree_control").read_text() == "+memory"
    assert os.environ[VARIABLE] == str(group)


def test_a_second_run_in_it_uses_it_too(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    proc, root, group = tree
    delegate(group, monkeypatch)
    own = group / "lockstep"
    own.mkdir()
    (own / "cgroup.controllers").write_text("memory")
    (group / "cgroup.procs").write_text("")
    (proc / "self" / "cgroup").write_text("0::/user.slice/run-7.scope/lockstep\n")
    assert use_memory_group(proc, root) == group


def test_a_group_that_is_not_delegated_is_left_alone(tree: Tree) -> None:
    proc, root, group = tree
    before = sorted(group.iterdir())
    found = use_memory_group(proc, root)
    assert isinstance(found, NoMemoryGroup)
    assert "Delegate=yes" in found.reason
    assert sorted(group.iterdir()) == before
    assert VARIABLE not in os.environ


def test_a_group_that_cannot_be_divided_is_none(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    proc, root, group = tree
    delegate(group, monkeypatch)
    (group / "cgroup.subtree_control").mkdir()  # writing to it fails
    found = use_memory_group(proc, root)
    assert isinstance(found, NoMemoryGroup)
    assert "cannot be divided" in found.reason
    assert VARIABLE not in os.environ


def test_without_version_2_for_memory_there_is_none(tree: Tree) -> None:
    proc, root, group = tree
    (group / "cgroup.controllers").write_text("cpu pids\n")
    assert isinstance(find_memory_group(proc, root), NoMemoryGroup)


def test_a_prepared_group_may_be_named(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    proc, root, group = tree
    monkeypatch.setenv(VARIABLE, str(group))
    (group / "cgroup.subtree_control").write_text("memory pids\n")
    assert use_memory_group(proc, root) == find_memory_group(proc, root) == group


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
