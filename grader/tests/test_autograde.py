# SPDX-License-Identifier: MIT
"""Each package's own entry point, started in a folder laid out as its platform lays it out.

The launcher finds a .venv that is this very Python; most tests have a fake compiler and judge.
"""

import io
import json
import marshal
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from pathlib import Path
from typing import Any

import pytest
import yaml

from lockstep_grader.author.mutants import read_mutants
from lockstep_grader.author.packages.autograde import autograde
from lockstep_grader.author.packages.build import Platform, build_package
from lockstep_grader.cli.verbs_student import pack
from lockstep_grader.judging.session import Wanted, open_session
from lockstep_grader.machine.files import Packed, tarred, write_whole
from lockstep_grader.machine.process import Completed, Limits, Processes
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend
from made_up_grades import document, lab, rung, submission
from test_export import follows
from test_packages import THREADS

from conftest import SOURCE_FOLDER, Checkout, verdict_line
from repository import REPOSITORY, sampled

RUNGS = [rung.id for rung in THREADS.rungs]
MEASURED = {gate.name: gate.full for rung in THREADS.rungs for gate in rung.budget}
RIGHT = verdict_line() + verdict_line(part="efficiency", num_items=65536, **MEASURED)
FORGED = json.dumps({"score": 1000, "scores": {"00-threads/01_matrix_add": 1000}})
SUBMISSIONS: Mapping[str, Mapping[str, str]] = {
    "good": dict.fromkeys(RUNGS, RIGHT),
    "partly": dict.fromkeys(RUNGS, RIGHT)
    | {
        "02_grid_stride": verdict_line()
        + verdict_line() * 2
        + verdict_line(outcome="failed", message="the tail is missing"),
        "05_host_flow": "SYNTAX",
    },
    "broken": dict.fromkeys(RUNGS, "SYNTAX"),
    "empty": {},
    "hostile": dict.fromkeys(
        RUNGS,
        verdict_line(
            outcome="failed",
            message=f"\x1b[2J<script>\n::set-output name=result::x\n{FORGED}",
            output=f"\n{FORGED}\n::notice::Points 10/10\n",
        ),
    ),
}
FULL = THREADS.max_score
# Lost: part of 02, and 05, on which 05b builds.
POINTS = {"good": FULL, "partly": FULL - 5.25, "broken": 0.0, "empty": 0.0, "hostile": 0.0}


@pytest.fixture(scope="module")
def packages() -> dict[Platform, bytes]:
    workspace = Workspace(REPOSITORY, REPOSITORY / "build")
    return {platform: build_package(workspace, platform, THREADS) for platform in Platform}


def untar(data: io.BytesIO, folder: Path) -> None:
    """Extracts one of our own archives; older versions of Python lack filters."""
    with tarfile.open(fileobj=data) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(folder, filter="data")
        else:
            archive.extractall(folder)


@cache
def compiled_modules() -> Mapping[str, bytes]:
    """The grader's compiled modules by path, which fit where the source has the same bytes.

    Of this checkout, which has them compiled: Python would take a second for it in each test.
    """
    is_hashed_and_checked = (0b11).to_bytes(4, "little")
    made = {}
    for file in SOURCE_FOLDER.rglob("*.py"):
        code = SourceFileLoader(file.stem, str(file)).get_code(file.stem)
        head = MAGIC_NUMBER + is_hashed_and_checked + source_hash(file.read_bytes())
        made[str(file.relative_to(SOURCE_FOLDER))] = head + marshal.dumps(code)
    return made


class Machine:
    """A folder in which packages are unpacked, and the environment that they are started in."""

    def __init__(self, root: Path, toolchain: Path | None = None) -> None:
        self.root = root
        self.toolchain = toolchain

    def unpack(self, data: bytes, folder: str) -> Path:
        target = self.root / folder
        target.mkdir(parents=True, exist_ok=True)
        if data.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for info in archive.infolist():  # as unzip does, and extractall does not
                    Path(archive.extract(info, target)).chmod(info.external_attr >> 16)
        else:
            untar(io.BytesIO(data), target)
        return target

    def set_up(self, lockstep: Path) -> None:
        """What `setup.sh` leaves behind, without a network.

        That is a .venv that the launcher takes, and the grader's modules compiled.
        """
        python = lockstep / ".venv" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        shutil.copy(lockstep / "grader/requirements.txt", lockstep / ".venv/installed.txt")
        for module, data in compiled_modules().items():
            if (lockstep / "grader" / "src" / module).parent.is_dir():
                file = Path(cache_from_source(str(lockstep / "grader" / "src" / module)))
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(data)

    def run(
        self, *argv: str | Path, cwd: str = ".", **env: str
    ) -> subprocess.CompletedProcess[str]:
        ours = ("LOCKSTEP_", "PYTHON", "GITHUB_")
        clean = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        clean["LOCKSTEP_NVCC"] = "off"
        if self.toolchain:
            clean["LOCKSTEP_TOOLCHAIN"] = str(self.toolchain)
        return subprocess.run(
            argv, cwd=self.root / cwd, env=clean | env, capture_output=True, text=True, timeout=300
        )


@pytest.fixture
def machine(checkout: Checkout, tmp_path: Path) -> Machine:
    toolchain = json.loads((checkout.root / "toolchain.json").read_text())
    tools = {**toolchain["labs"]["01-demo"], "include": str(REPOSITORY / "labs" / THREADS.id)}
    checkout.write_toolchain(labs={THREADS.id: tools})
    return Machine(tmp_path / "machine", checkout.root / "toolchain.json")


def write(folder: Path, files: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.cu").write_text(text)
    return folder


def gradescope(
    machine: Machine, package: bytes, files: Mapping[str, str], metadata: Any = None
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """/autograder as https://gradescope-autograders.readthedocs.io/en/latest/specs/ has it."""
    source = machine.unpack(package, "autograder/source")
    machine.set_up(source / "lockstep")
    root = machine.root / "autograder"
    shutil.copy(source / "run_autograder", root)
    (root / "results").mkdir()
    write(root / "submission", files)
    if metadata is not None:
        (root / "submission_metadata.json").write_text(json.dumps(metadata))
    ran = machine.run("./run_autograder", cwd="autograder", LOCKSTEP_PLATFORM_ROOT=str(root))
    return ran, json.loads((root / "results" / "results.json").read_text())


@pytest.mark.parametrize("kind", sampled(list(SUBMISSIONS), 2))
def test_gradescope_grades(kind: str, machine: Machine, packages: dict[Platform, bytes]) -> None:
    ran, made = gradescope(machine, packages[Platform.GRADESCOPE], SUBMISSIONS[kind])
    assert ran.returncode == 0, ran.stderr
    follows(made, "gradescope")
    assert (made["score"], sum(test["score"] for test in made["tests"])) == (POINTS[kind],) * 2
    assert sum(test["max_score"] for test in made["tests"]) == FULL
    assert "\x1b" not in json.dumps(made)
    said = " ".join(test["output"] for test in made["tests"])
    expected = {
        "partly": "the tail is missing",
        "broken": "compile_error at 01_matrix_add.cu:3",
        "empty": "is missing",
    }
    assert expected.get(kind, "") in said


def test_folders_that_a_student_hands_in_are_one_submission(
    machine: Machine, packages: dict[Platform, bytes]
) -> None:
    write(machine.root / "autograder/submission/a backup", {"notes": "none"})
    write(machine.root / "autograder/submission/mine" / THREADS.id, SUBMISSIONS["good"])
    _, made = gradescope(machine, packages[Platform.GRADESCOPE], {})
    assert made["score"] == FULL


def test_gradescope_lists_earlier_submissions(
    machine: Machine, packages: dict[Platform, bytes]
) -> None:
    earlier = {"submission_time": "2026-09-01T10:00:00-07:00", "score": 2.5, "results": {}}
    metadata = {"id": 1, "previous_submissions": [earlier]}
    _, made = gradescope(
        machine, packages[Platform.GRADESCOPE], SUBMISSIONS["good"], metadata=metadata
    )
    assert "Earlier submissions: 2.5 on 2026-09-01 10:00; the best was 2.5." in made["output"]


def test_a_fault_of_ours_gets_no_points_on_gradescope_and_keeps_the_last(
    machine: Machine, packages: dict[Platform, bytes]
) -> None:
    files = {**SUBMISSIONS["good"], "03_thread_ids": "//! exit 9\n"}
    ran, made = gradescope(machine, packages[Platform.GRADESCOPE], files)
    assert ran.returncode == 3
    follows(made, "gradescope")
    assert "score" not in json.dumps([made.keys(), *made["tests"]], default=list)
    root = machine.root / "autograder"
    last = {"submission_time": "2026-09-01", "score": 7, "results": {"score": 7.0, "tests": []}}
    (root / "submission_metadata.json").write_text(json.dumps({"previous_submissions": [last]}))
    machine.run("./run_autograder", cwd="autograder", LOCKSTEP_PLATFORM_ROOT=str(root))
    made = json.loads((root / "results" / "results.json").read_text())
    assert made["score"] == 7
    assert "Not graded" in made["output"]


def test_a_toolchain_that_is_gone_is_a_fault_and_no_zero(
    machine: Machine, packages: dict[Platform, bytes]
) -> None:
    machine.toolchain = machine.root / "gone.json"
    ran, made = gradescope(machine, packages[Platform.GRADESCOPE], SUBMISSIONS["good"])
    assert ran.returncode == 3
    assert "score" not in made
    assert "gone.json" in made["tests"][0]["output"]


@pytest.mark.parametrize("kind", ["partly", "hostile"])
def test_autolab_grades(kind: str, machine: Machine, packages: dict[Platform, bytes]) -> None:
    """Autolab copies the handin and two files to an empty folder and runs make there."""
    assessment = machine.unpack(packages[Platform.AUTOLAB], "course") / "threads"
    job = machine.root / "job"
    job.mkdir()
    shutil.copy(assessment / "autograde-Makefile", job / "Makefile")
    handed = write(machine.root / "mine" / THREADS.id, SUBMISSIONS[kind]).parent
    pack(handed, THREADS, job / "handin.zip", force=True)
    image = machine.root / "image" / THREADS.id  # what image/Dockerfile copies and prepares
    shutil.copytree(assessment / "image" / "lockstep", image)
    machine.set_up(image)
    ran = machine.run("make", f"IMAGE_COPY={image}", cwd="job")
    assert ran.returncode == 0, ran.stderr
    stages, autoresult = (json.loads(line) for line in ran.stdout.splitlines()[-2:])
    follows([stages, autoresult], "autolab")
    assert sum(autoresult["scores"].values()) == POINTS[kind]
    assert autoresult["scoreboard"] == [POINTS[kind]]
    assert "\x1b" not in ran.stdout


@pytest.mark.parametrize(
    ("handed_in", "said"),
    [
        (b"not a zip", "handin.zip is neither a zip nor a tar archive"),
        (None, "handin.zip is missing from the submission"),
    ],
)
def test_autolab_without_the_image_unpacks_what_it_was_given(
    machine: Machine, packages: dict[Platform, bytes], handed_in: bytes | None, said: str
) -> None:
    assessment = machine.unpack(packages[Platform.AUTOLAB], "course") / "threads"
    untar(io.BytesIO((assessment / "autograde.tar").read_bytes()), machine.root / "job")
    machine.set_up(machine.root / "job" / "lockstep")  # else it would fetch packages
    shutil.copy(assessment / "autograde-Makefile", machine.root / "job" / "Makefile")
    shutil.copy(assessment / "autograde.tar", machine.root / "job")
    if handed_in is not None:
        (machine.root / "job" / "handin.zip").write_bytes(handed_in)
    ran = machine.run("make", "IMAGE_COPY=/nowhere", cwd="job")
    assert ran.returncode == 0, ran.stderr
    autoresult = json.loads(ran.stdout.splitlines()[-1])
    assert sum(autoresult["scores"].values()) == 0
    assert said in ran.stdout


@pytest.mark.parametrize("kind", sampled(["good", "partly", "empty"], 2))
def test_prairielearn_grades(kind: str, machine: Machine, packages: dict[Platform, bytes]) -> None:
    """/grade as https://prairielearn.readthedocs.io/en/latest/externalGrading/ has it."""
    made = machine.unpack(packages[Platform.PRAIRIELEARN], "course")
    machine.set_up(made / "image" / "lockstep")
    root = machine.root / "grade"
    write(root / "student", SUBMISSIONS[kind])
    shutil.copytree(made / "questions" / "lockstep-00-threads" / "tests", root / "tests")
    ran = machine.run(
        "./tests/run.sh",
        cwd="grade",
        LOCKSTEP_PLATFORM_ROOT=str(root),
        LOCKSTEP_IMAGE_COPY=str(made / "image" / "lockstep"),
    )
    assert ran.returncode == 0, ran.stderr
    results = json.loads((root / "results" / "results.json").read_text())
    follows(results, "prairielearn")
    assert round(results["score"] * FULL, 2) == POINTS[kind]
    assert sum(test["points"] for test in results["tests"]) == POINTS[kind]


def test_a_fault_of_ours_is_not_gradable_on_prairielearn(
    machine: Machine, packages: dict[Platform, bytes]
) -> None:
    made = machine.unpack(packages[Platform.PRAIRIELEARN], "course")
    machine.set_up(made / "image" / "lockstep")
    write(machine.root / "grade" / "student", dict.fromkeys(RUNGS, "//! segfault\n"))
    ran = machine.run(
        made / "questions" / "lockstep-00-threads" / "tests" / "run.sh",
        LOCKSTEP_PLATFORM_ROOT=str(machine.root / "grade"),
        LOCKSTEP_IMAGE_COPY=str(made / "image" / "lockstep"),
    )
    assert ran.returncode == 0, ran.stderr
    results = json.loads((machine.root / "grade" / "results" / "results.json").read_text())
    follows(results, "prairielearn")
    assert results["gradable"] is False


def on_github(machine: Machine, package: bytes, files: Mapping[str, str]) -> Any:
    """A student's repository, and the workflow's last step as the runner starts it."""
    repository = machine.unpack(package, "repository")
    machine.set_up(repository)
    write(repository / "labs" / THREADS.id, files)
    workflow = yaml.safe_load((repository / ".github" / "workflows" / "grade.yml").read_text())
    job = workflow["jobs"]["grade"]
    (lab,) = job["strategy"]["matrix"]["lab"]
    script = job["steps"][-1]["run"].replace("${{ matrix.lab }}", lab)
    summary = machine.root / "summary.md"
    where = {"GITHUB_STEP_SUMMARY": str(summary)}
    ran = machine.run("bash", "-e", "-c", script, cwd="repository", **where)
    return ran, summary.read_text()


@pytest.mark.parametrize("kind", sampled(["hostile", "partly", "good"], 2))
def test_github_grades_a_push(kind: str, machine: Machine, packages: dict[Platform, bytes]) -> None:
    ran, summary = on_github(machine, packages[Platform.GITHUB], SUBMISSIONS[kind])
    assert ran.returncode == (0 if kind == "good" else 1), ran.stderr
    commands = [line for line in ran.stdout.splitlines() if line.strip().startswith("::")]
    points = f"{POINTS[kind]:g} / {FULL:g} points"
    assert commands == [f"::notice title=00-threads::{points}"]
    assert f"### {points}\n" in summary
    assert "\x1b" not in ran.stdout + summary
    assert "<script>" not in summary


@pytest.mark.parametrize("refused", [False, True])
def test_where_no_sandbox_can_be_made_the_container_has_to_do(
    refused: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    started: list[bool] = []

    def run(_: Processes, argv: list[str], limits: Limits, cwd: Path) -> Completed:
        unconfined = argv[-1] == "--no-sandbox"
        started.append(unconfined)
        if refused and not unconfined:
            line = "lab: there is no sandbox, and bubblewrap is missing; --no-sandbox permits it"
            return Completed(3, f"judging ...\n{line}\n", timed_out=False, seconds=0.1)
        right = rung("01_matrix_add", (2, 2))
        report = document([submission("submission", [lab(THREADS.id, [right])])])
        write_whole(cwd / "results" / "grade.json", json.dumps(report).encode())
        return Completed(0, "", timed_out=False, seconds=0.1)

    monkeypatch.setattr(Processes, "run", run)
    (tmp_path / "handin.zip").write_bytes(tarred({"01_matrix_add.cu": Packed(b"")}))
    workspace = Workspace(tmp_path, tmp_path / "build")
    assert autograde(workspace, Platform.AUTOLAB, THREADS, tmp_path) == 0
    assert started == ([False, True] if refused else [False])
    assert '"scoreboard": [2.0]' in capsys.readouterr().out


@pytest.mark.parametrize("part", ["_stage", "_grade", "_deliver"])
@pytest.mark.parametrize("platform", [Platform.AUTOLAB, Platform.GRADESCOPE])
def test_whatever_breaks_the_platform_gets_a_result_that_says_so(
    part: str,
    platform: Platform,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = getattr(sys.modules[autograde.__module__], part)
    broken: list[str] = []

    def breaks_once(*arguments: Any) -> Any:
        if broken:
            return whole(*arguments)
        broken.append(part)
        raise zlib.error("of a kind that is not expected")

    def run(_: Processes, argv: list[str], limits: Limits, cwd: Path) -> Completed:
        right = rung("01_matrix_add", (2, 2))
        report = document([submission("submission", [lab(THREADS.id, [right])])])
        write_whole(cwd / "results" / "grade.json", json.dumps(report).encode())
        return Completed(0, "", timed_out=False, seconds=0.1)

    monkeypatch.setattr(Processes, "run", run)
    monkeypatch.setattr(f"{autograde.__module__}.{part}", breaks_once)
    (tmp_path / "handin.zip").write_bytes(tarred({"01_matrix_add.cu": Packed(b"")}))
    (tmp_path / "submission").mkdir()
    (tmp_path / "results").mkdir()
    workspace = Workspace(tmp_path, tmp_path / "build")
    assert autograde(workspace, platform, THREADS, tmp_path) == 3
    said = capsys.readouterr()
    assert "not graded: of a kind that is not expected" in said.err
    file = tmp_path / "results" / "results.json"
    told = said.out if platform is Platform.AUTOLAB else file.read_text()
    assert "of a kind that is not expected" in told


@pytest.mark.e2e
def test_real_rungs_are_graded_on_gradescope(
    tmp_path: Path, packages: dict[Platform, bytes]
) -> None:
    """With this checkout's cpu backend: two rungs solved, one a mutant, two still to do."""
    built = open_session(Workspace.from_environment(), Wanted(Backend.CPU))
    machine = Machine(tmp_path, built.toolchain.file)
    solutions = REPOSITORY / "solutions" / THREADS.id
    files = {
        rung: (solutions / f"{rung}.cu").read_text() for rung in ("03_thread_ids", "05_host_flow")
    }
    workspace = Workspace(REPOSITORY, tmp_path)
    (wrong,) = (
        mutant for mutant in read_mutants(workspace, THREADS) if mutant.name == "error_swallowed"
    )
    files["04_checked_launch"] = wrong.text
    for name in ("01_matrix_add", "02_grid_stride"):
        files[name] = (REPOSITORY / "labs" / THREADS.id / f"{name}.cu").read_text()
    ran, made = gradescope(machine, packages[Platform.GRADESCOPE], files)
    assert ran.returncode == 0, ran.stderr
    follows(made, "gradescope")
    of_rung = dict(zip((rung.id for rung in THREADS.rungs), made["tests"], strict=True))
    points = {rung: test["score"] for rung, test in of_rung.items()}
    assert (points["01_matrix_add"], points["02_grid_stride"]) == (0, 0)
    assert (points["03_thread_ids"], points["05_host_flow"]) == (2, 2)
    assert points["04_checked_launch"] < 2
    assert "TODO" in of_rung["01_matrix_add"]["output"]
