# SPDX-License-Identifier: MIT
"""The packages of the grader import each other in one direction only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import SOURCE_FOLDER

PACKAGE = SOURCE_FOLDER / "lockstep_grader"

# What each package may import, besides itself. grader/README.md has the same table.
ALLOWED: dict[str, frozenset[str]] = {
    "model": frozenset(),
    "machine": frozenset({"model"}),
    "intake": frozenset({"model", "machine"}),
    "rules": frozenset({"model", "intake"}),
    "confine": frozenset({"model", "machine"}),
    "toolchain": frozenset({"model", "machine"}),
    "results": frozenset({"model", "machine", "intake", "toolchain"}),
    "quiz": frozenset({"model", "machine", "intake"}),
    "judging": frozenset(
        {"model", "machine", "intake", "rules", "confine", "toolchain", "results", "quiz"}
    ),
    "pages": frozenset({"model", "machine", "results"}),
    "student": frozenset(
        {"model", "machine", "intake", "toolchain", "results", "judging", "pages"}
    ),
    "author": frozenset({"model", "machine", "intake", "toolchain", "results", "judging", "quiz"}),
    "cli": frozenset(
        {"model", "machine", "intake", "toolchain", "results", "judging", "pages"}
        | {"student", "author", "quiz"}
    ),
}
Import = tuple[str, str, int, str]  # from a file, of it its package, at a line, the package named


def edges() -> Iterator[Import]:
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE)
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            for module in imported(node):
                first, *rest = module.split(".")
                if first == PACKAGE.name and rest and len(path.parts) > 1:
                    yield str(path), path.parts[0], getattr(node, "lineno", 0), rest[0]


def imported(node: ast.AST) -> list[str]:
    """The modules that an import names, in whichever form and wherever it stands."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        if node.module == PACKAGE.name:
            return [f"{node.module}.{alias.name}" for alias in node.names]
        return [node.module or ""]
    return []


def is_package(name: str) -> bool:
    return (PACKAGE / name / "__init__.py").is_file()


def test_every_package_is_in_the_table() -> None:
    found = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}
    assert found == set(ALLOWED)
    assert {file.name for file in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py"}


def test_no_import_goes_against_the_direction() -> None:
    against = [
        f"{file}:{line}: {package} imports {target}"
        for file, package, line, target in edges()
        if is_package(target) and target != package and target not in ALLOWED[package]
    ]
    assert against == []


def test_every_allowed_import_is_used() -> None:
    used = {(package, target) for _, package, _, target in edges() if target != package}
    unused = [
        f"{package} -> {target}"
        for package, targets in ALLOWED.items()
        for target in sorted(targets)
        if (package, target) not in used
    ]
    assert unused == []


def test_the_direction_has_no_circle() -> None:
    left = dict(ALLOWED)
    while free := [package for package, targets in left.items() if not targets & left.keys()]:
        for package in free:
            del left[package]
    assert left == {}


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("__init__.py")), ids=str)
def test_a_package_itself_holds_no_code(file: Path) -> None:
    """So an import of one module brings no other along, and a key that lists modules is whole."""
    _, *rest = ast.parse(file.read_text("utf-8")).body
    version = [ast.unparse(node).split(" = ")[0] for node in rest]
    assert version == (["__version__"] if file.parent == PACKAGE else [])


@pytest.mark.parametrize("package", ["model"])
def test_the_model_does_no_input_or_output(package: str) -> None:
    doing = {"os", "pathlib", "subprocess", "shutil", "socket", "threading", "tempfile"}
    for file in (PACKAGE / package).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            assert not {name.split(".")[0] for name in imported(node)} & doing, file
