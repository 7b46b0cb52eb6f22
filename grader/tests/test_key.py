# SPDX-License-Identifier: MIT
"""The key of a stored result holds everything that decides a verdict, and nothing else."""

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.compile.worker import make_worker
from lockstep_grader.model.grades import Backend
from lockstep_grader.request import key
from lockstep_grader.request.key import DECIDING
from lockstep_grader.toolchain.description import Step, Toolchain, digest

from conftest import LAB, LAB_TOML, SOURCE_FOLDER, Checkout, rungs

PACKAGE = SOURCE_FOLDER / "lockstep_grader"
JUDGING = "judging.rung"
IMPORTS = """\
import sys
sys.path.insert(0, sys.argv[1])
import lockstep_grader.{module}
print(*sys.modules)
"""


@pytest.fixture
def judged(checkout: Checkout) -> Callable[[], int]:
    """Grades the solutions; how many rungs were judged for that."""

    def grade() -> int:
        assert checkout.lab("grade", checkout.root / "solutions", "--results", "kept").status == 0
        return checkout.judged()

    return grade


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a gentle hint", "a gentler hint"),
        ("The first", "Another title"),
        ("Two rungs to climb.", "Another summary."),
        ("[lab]", "# a comment\n[lab]"),
    ],
)
def test_words_of_a_lab_judge_nothing_again(
    checkout: Checkout, judged: Callable[[], int], old: str, new: str
) -> None:
    assert judged() == 2
    checkout.write(f"labs/{LAB}/lab.toml", LAB_TOML.replace(old, new))
    assert judged() == 0


def test_points_are_applied_to_what_was_judged_before(
    checkout: Checkout, judged: Callable[[], int]
) -> None:
    assert judged() == 2
    checkout.write(f"labs/{LAB}/lab.toml", LAB_TOML.replace("correctness = 2", "correctness = 5"))
    assert judged() == 0
    _, report = checkout.grade(checkout.root / "solutions", "--results", "kept")
    assert rungs(report)["01_first"]["score"] == 7


def test_words_that_change_while_a_class_is_graded_are_no_trouble(
    checkout: Checkout, judged: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def edited(*arguments: Any) -> Any:
        checkout.write(f"labs/{LAB}/lab.toml", LAB_TOML.replace("a gentle", "a gentler"))
        return make_worker(*arguments)

    monkeypatch.setattr("lockstep_grader.judging.rung.make_worker", edited)
    assert judged() == 2


def test_a_header_that_comes_with_the_lab_judges_again(
    checkout: Checkout, judged: Callable[[], int]
) -> None:
    assert judged() == 2
    checkout.write("common/cuda/lab/look_back.cuh", "// given\n")
    brought = LAB_TOML.replace("[lab]", '[lab]\nheaders = ["lab/look_back.cuh"]')
    checkout.write(f"labs/{LAB}/lab.toml", brought)
    assert judged() == 2


def test_another_judge_or_emulator_judges_again(
    checkout: Checkout, judged: Callable[[], int]
) -> None:
    toolchain = json.loads((checkout.root / "toolchain.json").read_text())
    judge = checkout.write("judge.py", Path(toolchain["labs"][LAB]["judge"]).read_bytes())
    judge.chmod(0o755)
    emulator = checkout.write("build/lockstep_device", "the emulator")
    toolchain["labs"][LAB]["judge"] = str(judge)
    toolchain["steps"][1]["argv"].append(str(emulator))
    checkout.write_toolchain(labs=toolchain["labs"], steps=toolchain["steps"])
    assert judged() == 2
    assert judged() == 0
    judge.write_text(f"{judge.read_text()}\n# changed\n")
    assert judged() == 2
    emulator.write_text("another emulator")
    assert judged() == 2


def imported_at_start() -> set[str]:
    """The modules of ours that an import of the judging brings along."""
    program = IMPORTS.format(module=JUDGING)
    done = subprocess.run(
        [sys.executable, "-c", program, str(SOURCE_FOLDER)],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = {name for name in done.stdout.split() if name.startswith("lockstep_grader.")}
    return {name.partition(".")[2] for name in ours}


def is_for_types(node: ast.AST) -> bool:
    """What mypy alone reads."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def imported_ever() -> set[str]:
    """The same, read from the sources: also what a function imports when it is called."""
    found: set[str] = set()
    queue = [JUDGING]
    while queue:
        name = queue.pop()
        file = PACKAGE.joinpath(*name.split(".")).with_suffix(".py")
        if name in found or not file.is_file():
            continue
        found.add(name)
        tree = ast.parse(file.read_text("utf-8"))
        for_types = {
            each for node in ast.walk(tree) if is_for_types(node) for each in ast.walk(node)
        }
        for node in ast.walk(tree):
            if node in for_types:
                continue
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE.name):
                module = (node.module or "").partition(".")[2]
                names = [alias.name for alias in node.names]
                queue += [module, *(".".join(filter(None, (module, each))) for each in names)]
    return found


def test_the_key_is_of_all_packages_that_the_judging_imports() -> None:
    packages = {name.partition(".")[0] for name in imported_at_start() | imported_ever()}
    assert packages - {""} == set(DECIDING)


def test_the_digest_reads_every_module_of_these_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / name / f"{which}.py" for name in DECIDING for which in ("one", "other")]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text(file.parent.name)
    monkeypatch.setattr(key, "PACKAGE", tmp_path)
    digests = {digested()}
    for file in files:
        file.write_text("changed")
        digests.add(digested())
    assert len(digests) == 1 + len(files)


def digested() -> str:
    key.grader_digest.cache_clear()
    try:
        return key.grader_digest()
    finally:
        key.grader_digest.cache_clear()


def test_the_digest_is_of_this_very_package() -> None:
    files = (file for name in DECIDING for file in sorted((PACKAGE / name).glob("*.py")))
    assert key.grader_digest() == digest(files)


# ---- the toolchain's digest: what makes a stored result another one


def digest_of(folder: Path, root: str = "") -> str:
    step = Step("compile", ("c++", f"-I{folder / 'include'}", str(folder / "library.a")))
    file = folder / "lockstep.json"
    return Toolchain(file, Backend.CPU, {}, (step,), None, {}, root=root).digest


def test_the_digest_is_that_of_every_file_a_rung_is_made_with(tmp_path: Path) -> None:
    for name in ("lockstep.json", "library.a", "include/a.h"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    seen = [digest_of(tmp_path)]
    for name in ("lockstep.json", "library.a", "include/a.h", "include/b.h"):
        (tmp_path / name).write_text(f"another {name}")
        seen.append(digest_of(tmp_path))
    assert len(set(seen)) == len(seen)


def test_precompiled_headers_are_as_good_as_the_headers(tmp_path: Path) -> None:
    for name in ("lockstep.json", "library.a"):
        (tmp_path / name).write_text(name)
    (tmp_path / "include").mkdir()
    before = digest_of(tmp_path)
    for name in ("a.pch", "b-6f57ac6b.pch.tmp"):  # the second while clang writes it
        (tmp_path / "include" / name).write_bytes(b"differs from build to build")
    assert digest_of(tmp_path) == before


def test_what_a_version_stands_for_is_not_read(tmp_path: Path) -> None:
    step = Step("device", (str(tmp_path / ".venv/clang/zig"), "-isystem", "/usr/include"))
    for name in ("lockstep.json", ".venv/clang/zig", "lockstep_device"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    device = tmp_path / "lockstep_device"
    files = Toolchain(
        tmp_path / "lockstep.json", Backend.CPU, {}, (step,), None, {}, device=device
    ).files
    assert files == (tmp_path / "lockstep.json", device)


def test_the_place_of_checkout_and_build_makes_no_difference(tmp_path: Path) -> None:
    seen = set()
    for root, build in (("a", "a/build/cpu"), ("b/c", "b/c/build/cpu"), ("b/c", "elsewhere/cpu")):
        folder = tmp_path / build
        (folder / "include").mkdir(parents=True)
        (folder / "include" / "a.h").write_text("a")
        (folder / "library.a").write_text("l")
        (folder / "lockstep.json").write_text(f"{tmp_path / root}/common {folder}/library.a")
        seen.add(digest_of(folder, str(tmp_path / root)))
    assert len(seen) == 1
    (folder / "library.a").rename(folder / "include" / "library.a")
    (folder / "library.a").write_text("a")
    assert digest_of(folder, str(tmp_path / root)) not in seen
