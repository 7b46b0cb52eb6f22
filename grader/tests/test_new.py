# SPDX-License-Identifier: MIT
"""`new`: a scaffold that compiles and is laid out, and that `lint` accepts once it is written."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from lockstep_grader.author.lint import prove_predictions, prove_quiz
from lockstep_grader.author.new import EDITOR_FLAGS
from lockstep_grader.author.selftest.runner import tool
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend
from lockstep_grader.model.quiz import Kind
from lockstep_grader.quiz.file import read_quiz
from lockstep_grader.toolchain.description import build_backend

from conftest import LAB, Checkout
from repository import REPOSITORY

BUILD = Path(os.environ.get("LOCKSTEP_BUILD") or REPOSITORY / "build").absolute()


@pytest.fixture
def authors(checkout: Checkout) -> Checkout:
    checkout.write(EDITOR_FLAGS, "-xcuda\n-iquote../../../labs/01-demo\n")
    shutil.copy(REPOSITORY / ".clang-format", checkout.root)
    return checkout


def files_of(checkout: Checkout) -> list[str]:
    made = (path for path in checkout.root.rglob("*08-sample-lab/**/*") if path.is_file())
    return sorted(str(path.relative_to(checkout.root)) for path in made)


def test_a_lab_has_every_file_that_the_checklist_asks_for(authors: Checkout) -> None:
    ran = authors.lab("new", "08-sample-lab", "--title", "A sample", "--rungs", "plain", "tiled")
    assert ran.status == 0, ran.err
    assert files_of(authors) == [
        "labs/08-sample-lab/01_plain.cu",
        "labs/08-sample-lab/02_tiled.cu",
        "labs/08-sample-lab/README.md",
        "labs/08-sample-lab/judge/fixture.h",
        "labs/08-sample-lab/judge/main.cpp",
        "labs/08-sample-lab/judge/reference.cpp",
        "labs/08-sample-lab/judge/reference.h",
        "labs/08-sample-lab/judge/sample_lab_test.cpp",
        "labs/08-sample-lab/judge/workload.cpp",
        "labs/08-sample-lab/judge/workload.h",
        "labs/08-sample-lab/lab.toml",
        "labs/08-sample-lab/predict.toml",
        "labs/08-sample-lab/quiz.toml",
        "labs/08-sample-lab/sample_lab.cuh",
        "solutions/08-sample-lab/01_plain.cu",
        "solutions/08-sample-lab/02_tiled.cu",
        "solutions/08-sample-lab/README.md",
        "solutions/08-sample-lab/mutants/zeros.cu",
        "solutions/08-sample-lab/quiz.toml",
    ]
    assert "A sample" in authors.lab("list").out


def test_a_lab_touches_its_own_folders_and_one_shared_file(authors: Checkout) -> None:
    def texts() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in authors.root.rglob("*") if path.is_file()}

    before = texts()
    ran = authors.lab("new", "02-next")
    after = texts()
    assert all(after[path] == before[path] for path in before if path.name != "compile_flags.txt")
    new = {path.relative_to(authors.root).parts[:2] for path in set(after) - set(before)}
    assert new == {("labs", "02-next"), ("solutions", "02-next")}
    assert EDITOR_FLAGS in ran.out
    authors.lab("new", "00-before")
    assert (authors.root / EDITOR_FLAGS).read_text().splitlines() == [
        "-xcuda",
        *(f"-iquote../../../labs/{lab}" for lab in ("00-before", "01-demo", "02-next")),
    ]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["9-x"], "two digits and words, as in 08-histogram"),
        (["08_x"], "two digits and words"),
        (["08-Sample"], "two digits and words"),
        (["08-../../x"], "two digits and words"),
        (["01-other"], "number 01 is taken by 01-demo"),
        (["08-demo"], "the name demo is taken by 01-demo"),
        (["08-double"], "'double' names something else already"),
        (["08-x", "--rungs", "Warp"], "'Warp' is not a rung name"),
        (["08-x", "--rungs", "one", "one"], "the rung one is there twice"),
        (["08-x", "--title", 'a "b"'], "is not a title"),
    ],
)
def test_a_name_that_will_not_do_is_refused_before_anything_is_written(
    authors: Checkout, arguments: list[str], complaint: str
) -> None:
    before = sorted(authors.root.rglob("*"))
    assert complaint in authors.refusal("new", *arguments)
    assert sorted(authors.root.rglob("*")) == before


def test_the_questions_of_a_new_lab_are_proved(authors: Checkout) -> None:
    assert authors.lab("new", "08-sample-lab").status == 0
    workspace = Workspace(authors.root, authors.root / "build")
    (lab,) = (each for each in read_labs(workspace) if each.id == "08-sample-lab")
    quiz = read_quiz(workspace, lab)
    assert quiz
    assert {Kind.NUMBER, Kind.CHOICE, Kind.EXPLAIN} == {each.kind for each in quiz.questions}
    proofs = (*prove_quiz(workspace, lab, ()), *prove_predictions(workspace, lab))
    assert len(proofs) == len(quiz.questions) + len(lab.rungs)
    assert [(name, found) for name, found in proofs if found] == []


def test_lint_names_the_lines_that_an_author_has_still_to_write(checkout: Checkout) -> None:
    checkout.write(f"labs/{LAB}/README.md", "# Demo\n\nTODO(author) the idea\n")
    ran = checkout.lab("lint")
    assert ran.status == 1
    assert f"file labs/{LAB}/README.md: line 3 is not written yet: the idea" in ran.out


# ---- the scaffold built, judged and linted, with the emulator and judge that are built already


def compile_like(build: Path, model: str, source: Path, include: Path) -> Path:
    """Compiles `source` with the flags of the target `model`, but faster; the object's path."""
    commands = json.loads((build / "compile_commands.json").read_text())
    entry = next(entry for entry in commands if f"/{model}.dir/" in entry["command"])
    flags = shlex.split(entry["command"].replace(f"{REPOSITORY}/labs/01-reduction", str(include)))
    flags = flags[: flags.index("-o")]
    target = include.parents[1] / "build" / f"{source.name}.o"
    subprocess.run([*flags, "-O0", "-o", target, "-c", str(source)], cwd=build, check=True)
    return target


def build_judge(root: Path, lab: str, slug: str) -> dict[str, str]:
    """Builds the judge and call table as lab 01's are built; what lockstep.json says of them."""
    build = build_backend(Workspace(REPOSITORY, BUILD), Backend.CPU, ["lockstep"], 2).parent
    include, out = root / "labs" / lab, root / "build"
    out.mkdir()
    filled = {
        "slug": slug,
        "weak_declarations": f"[[gnu::weak]] decltype({slug}) {slug};\n",
        "table_entries": f'    make_entry("{slug}", &lab::{slug}),\n',
    }
    template = (REPOSITORY / "common/judge/worker/calls.cpp.in").read_text()
    calls = out / "calls.cpp"
    calls.write_text(re.sub(r"@(\w+)@", lambda name: filled[name[1]], template))
    table = compile_like(build, "reduction_calls", calls, include)
    subprocess.run(["ar", "qc", f"{out}/calls.a", str(table)], check=True)
    (out / "calls.a.keep").write_text(f"_ZN3lab{len(slug)}{slug}E*\n")

    # As one file, like the judges of the labs: they share the headers that take nearly all time.
    unity = out / "judge.cpp"
    sources = sorted((include / "judge").glob("*.cpp"))
    unity.write_text("".join(f'#include "{file}"\n' for file in sources))
    judge = str(compile_like(build, "reduction_test", unity, include))
    asked = ["ninja", "-C", str(build), "-t", "commands", "reduction_test"]
    listed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    libraries = [word for word in listed.splitlines()[-1].split() if re.search(r"\.(a|so)$", word)]
    linked = ["c++", judge, "-o", f"{out}/judge", *libraries]
    subprocess.run(linked, cwd=build, check=True)
    return {"judge": f"{out}/judge", "calls": f"{out}/calls.a", "include": str(include)}


def write_the_lab(root: Path, lab: str) -> None:
    """What an author would do, in the plainest way: each item plus one."""
    for file in [*(root / "labs" / lab).rglob("*.*"), *(root / "solutions" / lab).rglob("*.*")]:
        text = file.read_text()
        if file.parent == root / "solutions" / lab and file.suffix == ".cu":
            text = text.replace("= d_in[item];", "= d_in[item] + 1;")
            text = re.sub(r"\n  todo\([^)]*\);", "", text)
            text = text.replace('#include "lab/todo.cuh"\n', "")
        body = "{ auto h_out = h_in; for (float& item : h_out) item += 1; return h_out; }"
        text = text.replace("{ return h_in; }", body)
        file.write_text(text.replace("TODO(author)", "done:"))


@pytest.mark.e2e
def test_lint_accepts_a_scaffold_as_soon_as_it_is_written(
    tmp_path: Path, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab, slug, root = "08-sample", "sample", tmp_path / "new"
    (root / "labs").mkdir(parents=True)
    (root / "solutions").mkdir()
    shutil.copy(REPOSITORY / ".clang-format", root)
    shutil.copytree(REPOSITORY / "common", root / "common")  # `new` writes the editors' flags
    monkeypatch.setenv("LOCKSTEP_ROOT", str(root))
    assert checkout.lab("new", lab, "--rungs", "plain").status == 0
    sources = [
        path for path in root.glob(f"*/{lab}/**/*") if path.suffix in (".cu", ".cuh", ".cpp", ".h")
    ]
    subprocess.run([tool("clang-format"), "--dry-run", "-Werror", *sources], check=True)

    written = tmp_path / "written"
    shutil.copytree(root, written)
    write_the_lab(written, lab)
    built = build_judge(written, lab, slug)
    toolchain = json.loads((BUILD / "cpu" / "lockstep.json").read_text())
    (root / "toolchain.json").write_text(json.dumps({**toolchain, "labs": {lab: built}}))
    monkeypatch.setenv("LOCKSTEP_TOOLCHAIN", str(root / "toolchain.json"))
    ran = checkout.lab("lint", lab, "--backend", "cpu")
    assert ran.status == 1
    assert "solution 01_plain: still has a TODO" in ran.out
    assert f"file labs/{lab}/lab.toml: line 3 is not written yet" in ran.out

    monkeypatch.setenv("LOCKSTEP_ROOT", str(written))
    ran = checkout.lab("lint", lab, "--backend", "cpu")
    assert ran.status == 0, ran.out + ran.err
    counts = [line.split() for line in ran.out.splitlines()[1:]]
    assert counts == [
        *([lab, kind, "1", "0", "0"] for kind in ("starters", "solutions", "mutants")),
        [lab, "questions", "4", "0", "0"],  # and what its rung predicts
    ]
