# SPDX-License-Identifier: MIT
"""The packages of the grader import each other in one direction only."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from conftest import SOURCE_FOLDER

PACKAGE = SOURCE_FOLDER / "lockstep_grader"

# What each package may import, besides itself. grader/README.md has the same table.
ALLOWED: dict[str, frozenset[str]] = {
    "model": frozenset(),
    "machine": frozenset({"model"}),
    "intake": frozenset({"model", "machine"}),
    "confine": frozenset({"model", "machine"}),
    "toolchain": frozenset({"model", "machine"}),
    "quiz": frozenset({"model", "machine", "intake"}),
    "rules": frozenset({"model", "intake", "toolchain"}),
    "words": frozenset({"model", "intake", "toolchain", "rules"}),
    "request": frozenset({"model", "machine", "intake", "confine", "toolchain"}),
    "results": frozenset({"model", "machine", "intake", "toolchain", "words"}),
    "pages": frozenset({"model", "machine", "results", "words"}),
}
_BELOW_COMPILE = frozenset({"model", "machine", "intake", "confine", "toolchain", "rules", "words"})
_BELOW_VERBS = frozenset({"model", "machine", "intake", "toolchain", "results", "quiz"})
_PIPELINE = frozenset({"request", "compile", "observe", "judging"})
ALLOWED |= {
    "compile": _BELOW_COMPILE | {"request"},
    "observe": _BELOW_COMPILE - {"rules", "intake"} | {"request"},
    "judging": _BELOW_COMPILE | {"request", "compile", "observe"},
    "grading": _BELOW_VERBS | {"request", "judging"},
    "student": _BELOW_VERBS | _PIPELINE | {"words", "grading", "pages"},
    "author": _BELOW_VERBS | _PIPELINE - {"observe"} | {"grading"},
    "cli": _BELOW_VERBS | {"judging", "grading", "pages", "student", "author"},
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


def test_no_files_import_each_other_in_a_circle() -> None:
    files = {file.relative_to(PACKAGE): imported_files(file) for file in PACKAGE.rglob("*.py")}
    TopologicalSorter(files).prepare()  # or it raises CycleError, which names them


def imported_files(file: Path) -> set[Path]:
    """Of the grader, wherever in the file the import stands."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        for module in imported(node):
            path = Path(f"{module.partition('.')[2].replace('.', '/')}.py")
            if module.startswith(f"{PACKAGE.name}.") and (PACKAGE / path).is_file():
                found.add(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE.name):
            folder = Path(*(node.module or "").split(".")[1:])
            names = (folder / f"{alias.name}.py" for alias in node.names)
            found.update(path for path in names if (PACKAGE / path).is_file())
    return found


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("__init__.py")), ids=str)
def test_a_package_itself_holds_no_code(file: Path) -> None:
    """So an import of one module brings no other along."""
    _, *rest = ast.parse(file.read_text("utf-8")).body
    version = [ast.unparse(node).split(" = ")[0] for node in rest]
    assert version == (["__version__"] if file.parent == PACKAGE else [])


@pytest.mark.parametrize("package", ["model"])
def test_the_model_does_no_input_or_output(package: str) -> None:
    doing = {"os", "pathlib", "subprocess", "shutil", "socket", "threading", "tempfile"}
    for file in (PACKAGE / package).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            assert not {name.split(".")[0] for name in imported(node)} & doing, file
