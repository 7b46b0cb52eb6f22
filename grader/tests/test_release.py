# SPDX-License-Identifier: MIT
"""`release`: the students' copy holds nothing that solves a task, and works by itself."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from lockstep_grader.author.release.contents import (
    find_leaks,
    fit_links,
    release_files,
    require_committed,
    require_starters,
    without_cuts,
)
from lockstep_grader.author.release.make import (
    release,
    require_ours,
    with_manifest,
    write_folder,
    write_zip,
)
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Backend, Lab
from lockstep_grader.toolchain.clang import ensure_clang
from lockstep_grader.toolchain.description import build_backend

from conftest import Checkout
from markdown import links
from repository import REPOSITORY, sampled_labs

BUILD = Path(os.environ.get("LOCKSTEP_BUILD") or REPOSITORY / "build").absolute()
WORKSPACE = Workspace(REPOSITORY, BUILD)
LABS = read_labs(WORKSPACE)
INSTRUCTORS = ("instructors", "authors", "coverage", "measured", "results", "syllabus", "decisions")


@pytest.fixture(scope="module")
def whole() -> dict[str, bytes]:
    """The files of a copy with every lab."""
    return release_files(WORKSPACE, LABS, LABS)


@pytest.fixture(scope="module")
def copy(whole: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "students"
    write_folder(folder, with_manifest(whole, "1", "2026-01-01", [lab.id for lab in LABS]), ())
    return folder


# ---- what is in it


def test_nothing_of_the_instructors_is_in_a_copy(whole: dict[str, bytes]) -> None:
    for path in whole:
        assert not {"solutions", "mutants", "exploits", "bench", ".git"} & set(Path(path).parts)
        assert not path.startswith(("grader/tests", "common/device/tests/programs"))
        assert path not in {f"docs/{name}.md" for name in INSTRUCTORS}
        assert b"release:" not in whole[path] or "lockstep_grader" in path, path
    for lab in LABS:
        assert {f"labs/{lab.id}/{rung.file_name}" for rung in lab.rungs} <= set(whole)


def test_no_file_of_a_copy_holds_a_piece_of_a_solution(whole: dict[str, bytes]) -> None:
    assert find_leaks(REPOSITORY, LABS, whole) == []


@sampled_labs
def test_no_copy_of_one_lab_holds_a_piece_of_any_solution(lab: Lab) -> None:
    files = release_files(WORKSPACE, LABS, [lab])
    assert find_leaks(REPOSITORY, LABS, files) == []
    assert {path.split("/")[1] for path in files if path.startswith("labs/")} == {lab.id}
    flags = files["common/cuda/editor/compile_flags.txt"].decode()
    assert [other.id for other in LABS if other.id in flags] == [lab.id]
    headers = {path for path in files if path.startswith("common/cuda/lab/")}
    kept_back = {header for other in LABS for header in other.headers} - set(lab.headers)
    assert not headers & {f"common/cuda/{header}" for header in kept_back}


def test_every_solution_would_be_noticed_wherever_it_hides() -> None:
    hidden = {}
    for lab in LABS:
        for rung in lab.rungs:
            solution = (REPOSITORY / "solutions" / lab.id / rung.file_name).read_bytes()
            for path in ("common/judge/{}.h", "docs/{}.md", "grader/src/{}.py"):
                hidden[path.format(f"{lab.id}_{rung.id}")] = b"# page\n" + solution
    assert [leak.split()[0] for leak in find_leaks(REPOSITORY, LABS, hidden)] == list(hidden)


def test_a_starter_may_not_solve_a_later_lab() -> None:
    later = (REPOSITORY / "solutions/04-radix-sort/05_onesweep.cu").read_bytes()
    found = find_leaks(REPOSITORY, LABS, {"labs/01-reduction/01_global_atomic.cu": later})
    (leak,) = found
    assert "a piece of solutions/04-radix-sort/05_onesweep.cu: " in leak


def test_every_link_in_a_copy_leads_somewhere_in_it(copy: Path) -> None:
    found = [link for page in copy.rglob("*.md") for link in links(page)]
    assert len(found) > 40
    assert [link.problem for link in found if link.problem] == []
    assert all((link.page.parent / link.target).resolve().is_relative_to(copy) for link in found)


def test_a_copy_that_is_pushed_is_graded(copy: Path) -> None:
    for file in (copy / ".github" / "workflows" / "grade.yml", copy / ".gitlab-ci.yml"):
        text = file.read_text("utf-8")
        assert all(lab.id in text for lab in LABS)
        assert "./lab " in text


def test_cut_blocks_go_and_blocks_for_the_copy_appear() -> None:
    text = "a\n<!-- release:cut -->\nsecret\n<!-- release:end -->\n<!-- release:only\nb\n-->\nc\n"
    assert without_cuts("x.md", text) == "a\nb\nc\n"
    with pytest.raises(InputError, match=r"x\.md:2: a release:cut block that does not end"):
        without_cuts("x.md", "a\n# release:cut\nb\n")


@sampled_labs
def test_the_instructions_of_a_copy_are_about_its_own_labs(lab: Lab) -> None:
    files = release_files(WORKSPACE, LABS, [lab])
    others = [other.id for other in LABS if other != lab]
    rungs = {f"{lab.id}/{rung.id}" for rung in lab.rungs}
    for path in ("README.md", "docs/students.md", "docs/profiling.md"):
        text = files[path].decode()
        assert not [other for other in others if other in text], path
        assert path == "README.md" or f"./lab profile {lab.id}/" in text, path
        assert set(re.findall(r"\b\d\d-[\w-]+/\d\d[a-z]?_\w+", text)) <= rungs


def test_links_that_lead_out_become_words() -> None:
    text = "[a](b.md#c) [d](../e.md) [f](https://f) [g](#g) [h](sub)"
    fitted = fit_links("docs/x.md", text, {"docs/b.md", "docs/sub/i.md"})
    assert fitted == "[a](b.md#c) d [f](https://f) [g](#g) [h](sub)"


# ---- how it is written


def test_the_same_files_give_the_same_bytes(whole: dict[str, bytes], tmp_path: Path) -> None:
    files = with_manifest(whole, "1", "2026-01-01", ["00-threads"])
    for name in ("a.zip", "b.zip"):
        write_zip(tmp_path / name, "students", dict(reversed(files.items())))
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.getinfo("students/lab").external_attr >> 16 == 0o100755
        assert {name.partition("/")[0] for name in archive.namelist()} == {"students"}
        assert archive.read("students/LICENSE") == whole["LICENSE"]


def test_the_manifest_has_each_files_hash(copy: Path) -> None:
    manifest = json.loads((copy / "release.json").read_text())
    assert (manifest["date"], manifest["release"]) == ("2026-01-01", "1")
    for name, known in manifest["files"].items():
        assert hashlib.sha256((copy / name).read_bytes()).hexdigest() == known
    on_disk = {str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()}
    assert set(manifest["files"]) == on_disk - {"release.json"}
    assert os.access(copy / "lab", os.X_OK)


def test_a_folder_that_no_release_wrote_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("all of it")
    with pytest.raises(InputError, match="is not empty, and no release wrote it"):
        require_ours(tmp_path)
    (tmp_path / "release.json").write_text('{"files": {"../thesis.tex": ""}}')
    with pytest.raises(InputError, match="names files outside"):
        require_ours(tmp_path)


def test_an_earlier_release_is_replaced_and_what_is_not_its_own_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = with_manifest({"labs/01-a/x.cu": b"1", "lab": b""}, "1", "2026-01-01", ["01-a"])
    write_folder(out, first, require_ours(out))
    (out / ".git").mkdir()
    (out / ".git" / "HEAD").write_text("ref")
    second = with_manifest({"lab": b"new"}, "2", "2026-02-01", [])
    write_folder(out, second, require_ours(out))
    left = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    assert left == [".git/HEAD", "lab", "release.json"]
    assert not (out / "labs").exists()
    assert (out / "lab").read_bytes() == b"new"


def test_a_starter_that_somebody_has_solved_is_not_released(tmp_path: Path) -> None:
    lab, *_ = LABS
    rung, *_ = lab.rungs
    root = tmp_path / "root"
    shutil.copytree(REPOSITORY / "labs", root / "labs")
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "labs"], check=True)
    require_committed(root, LABS)
    file = root / "labs" / lab.id / rung.file_name
    file.write_text(file.read_text() + "// half done\n")
    with pytest.raises(InputError, match=f"{rung.file_name} differs from the last commit"):
        require_committed(root, LABS)

    solved = (REPOSITORY / "solutions" / lab.id / rung.file_name).read_bytes()
    files = {f"labs/{lab.id}/{each.file_name}": b"  todo(x);\n" for each in lab.rungs}
    require_starters(files, lab)
    with pytest.raises(InputError, match=f"{rung.file_name} calls todo"):
        require_starters({**files, f"labs/{lab.id}/{rung.file_name}": solved}, lab)
    with pytest.raises(InputError, match=f"{rung.file_name} is missing"):
        require_starters({}, lab)


def test_nothing_is_written_when_a_piece_would_leak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: dict[str, bytes]
) -> None:
    solution = (REPOSITORY / "solutions/01-reduction/03_contiguous.cu").read_bytes()
    leaking = {**whole, "common/judge/extra.h": solution}
    monkeypatch.setattr("lockstep_grader.author.release.make.release_files", lambda *_: leaking)
    monkeypatch.setattr("lockstep_grader.author.release.make.require_committed", lambda *_: None)
    with pytest.raises(FaultError, match=r"nothing was released: common/judge/extra\.h holds"):
        release(WORKSPACE, LABS, LABS, tmp_path / "out", zipped=False)
    assert not (tmp_path / "out").exists()


def test_a_checkpoint_is_one_solution_beside_the_starters(tmp_path: Path) -> None:
    lab = LABS[-1]
    rung = lab.rungs[1]
    made = release(WORKSPACE, LABS, [lab], tmp_path / "a", zipped=False, checkpoints=[(lab, rung)])
    plain = release(WORKSPACE, LABS, [lab], tmp_path / "b", zipped=False)
    path = f"labs/{lab.id}/checkpoints/{rung.file_name}"
    mark, _, rest = (made.folder / path).read_text().partition("\n")
    assert Source(rung.file_name, mark.encode()).checkpoint == f"{lab.id}/{rung.id}"
    assert rest == (WORKSPACE.solutions / lab.id / rung.file_name).read_text()
    assert made.num_files == plain.num_files + 1
    assert made.notes[-1].startswith(f"{path} is a solution")


def test_a_checkpoint_names_one_rung_of_a_released_lab(checkout: Checkout) -> None:
    for name, problem in (("01-demo", "names a lab"), ("99-none/01", "99-none")):
        ran = checkout.lab("release", "--output", "out", "--checkpoint", name)
        assert ran.status == 2
        assert problem in ran.complaint


def test_a_checkpoint_of_a_lab_that_is_left_out_says_how_to_add_it() -> None:
    argv = [
        "release",
        "--output",
        "nowhere",
        "--lab",
        LABS[0].id,
        "--checkpoint",
        f"{LABS[-1].id}/01",
    ]
    ran = lab_of(REPOSITORY, *argv)
    assert ran.returncode == 2
    assert f"add --lab {LABS[-1].id}" in ran.stderr


def test_the_repository_itself_is_no_output(checkout: Checkout) -> None:
    ran = checkout.lab("release", "--output", checkout.root)
    assert ran.status == 2
    assert "contains this repository" in ran.complaint


def test_a_students_copy_says_what_it_cannot_do(checkout: Checkout) -> None:
    shutil.rmtree(checkout.root / "solutions")
    for arguments in (["release", "--output", "x"], ["new", "08-x"]):
        assert "this is a students' copy" in checkout.lab(*arguments).complaint
    assert "this copy has none" in checkout.lab("lint").complaint
    assert checkout.lab("check", "01-demo/01_first").status == 1


# ---- that it works: its own grader, with judges and emulator that are built already


def lab_of(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "LOCKSTEP_TOOLCHAIN": str(BUILD / "cpu" / "lockstep.json"),
    }
    env.pop("LOCKSTEP_ROOT", None)
    program = copy / "grader" / "src" / "lockstep_grader" / "__main__.py"
    argv = [sys.executable, str(program), *arguments]
    return subprocess.run(argv, cwd=copy, env=env, capture_output=True, text=True, check=False)


@pytest.mark.e2e
def test_a_copy_checks_hints_lists_packs_and_configures_by_itself(copy: Path) -> None:
    build_backend(WORKSPACE, Backend.CPU, ["lockstep"], 2)
    target = "00-threads/01_matrix_add"
    starter = lab_of(copy, "check", target, "--backend", "cpu")
    assert (starter.returncode, "not written yet: TODO" in starter.stdout) == (1, True), starter
    shutil.copy(REPOSITORY / "solutions" / f"{target}.cu", copy / "labs" / f"{target}.cu")
    solved = lab_of(copy, "check", target, "--backend", "cpu")
    assert (solved.returncode, "passed" in solved.stdout) == (0, True), solved
    row = next(row for row in lab_of(copy, "list").stdout.splitlines() if "01_matrix_add" in row)
    assert row.split()[-2:] == ["2", "2"]
    assert "hint 1 of" in lab_of(copy, "hint", target).stdout
    assert lab_of(copy, "submit", "00-threads", "--force").returncode == 0
    sections = [line.split()[0] for line in lab_of(copy, "test", "--list").stdout.splitlines()]
    assert sections == ["format", "python", "ctest", "tidy", "cuda"]
    configured = subprocess.run(
        ["cmake", "--preset", "cpu"],
        cwd=copy,
        env={**os.environ, "LOCKSTEP_CLANG": str(ensure_clang().path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert configured.returncode == 0, configured.stderr
    listed = json.loads((copy / "build/cpu/lockstep.json").read_text())["labs"]
    assert set(listed) == {lab.id for lab in LABS}


@sampled_labs
def test_the_examples_of_a_copy_ask_for_rungs_that_are_counted(lab: Lab) -> None:
    manual = release_files(WORKSPACE, LABS, [lab])["docs/students.md"].decode()
    examples = re.findall(r"\./lab (?:predict|profile) (\d\S+)/(\w+)", manual)
    counted = {(lab.id, rung.id) for rung in lab.rungs if rung.budget}
    assert len(examples) > 1
    assert set(examples) <= counted
