# SPDX-License-Identifier: MIT
"""Without `./lab`: `cmake --install`, lockstep-run, and a project that finds the package."""

import os
import subprocess
from pathlib import Path

import pytest

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend
from lockstep_grader.student.program.build import program_steps

from in_process import put, text_of
from repository import REPOSITORY

pytestmark = pytest.mark.e2e

WRONG = text_of("saxpy/saxpy.cu").replace("i < num_items", "i <= num_items")


def call(*argv: "str | Path", cwd: Path) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LOCKSTEP_")}
    return subprocess.run(
        argv, cwd=cwd, env=kept, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where it is installed. It was moved there: nothing may know the first folder."""
    env = {key: value for key, value in os.environ.items() if key == "LOCKSTEP_BUILD"}
    env |= {"LOCKSTEP_ROOT": str(REPOSITORY)}
    workspace = Workspace.from_environment(env)
    program_steps(workspace, 1)
    first = tmp_path_factory.mktemp("first") / "lockstep"
    build = workspace.build(Backend.CPU)
    done = call("cmake", "--install", build, "--prefix", first, cwd=first.parent)
    assert done.returncode == 0, done.stderr
    moved = tmp_path_factory.mktemp("a folder") / "lockstep"
    return first.rename(moved)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    put(tmp_path, "saxpy")
    (tmp_path / "wrong.cu").write_text(WRONG)
    return tmp_path


def test_lockstep_run_builds_and_runs_a_program(prefix: Path, project: Path) -> None:
    run = prefix / "bin" / "lockstep-run"
    ran = call(run, "saxpy.cu", "-I", "headers", "-DSCALE=4", "--", "a", "b", cwd=project)
    assert (ran.returncode, ran.stdout, ran.stderr) == (255, "factor 5, 2 arguments\n", "")


@pytest.mark.thorough
def test_lockstep_run_has_the_headers_of_libraries(prefix: Path, tmp_path: Path) -> None:
    """Thrust's algorithms call CUB's. test_run_libraries.py runs other programs."""
    program = Path(__file__).parent / "libraries" / "thrust_on_a_stream.cu"
    ran = call(prefix / "bin" / "lockstep-run", program, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("program", "printed"),
    [("curand", "624778773"), ("file_in_c", "42"), ("openmp_threads", "192")],
)
def test_lockstep_run_builds_other_kinds_of_files(
    prefix: Path, tmp_path: Path, program: str, printed: str
) -> None:
    put(tmp_path, program)
    files = sorted(file.name for file in tmp_path.iterdir())
    ran = call(prefix / "bin" / "lockstep-run", *files, cwd=tmp_path)
    assert (ran.returncode, ran.stdout.split()[0], ran.stderr) == (0, printed, "")


def test_lockstep_run_prints_findings(prefix: Path, project: Path) -> None:
    run = prefix / "bin" / "lockstep-run"
    ran = call(run, "wrong.cu", "-I", "headers", "-D", "SCALE=4", cwd=project)
    assert (ran.returncode, ran.stdout) == (1, "factor 5, 0 arguments\n")
    assert "out_of_bounds  wrong.cu:8\n  thread 100 of block 0 reads 4 bytes" in ran.stderr
    assert "allocated in line 13 of wrong.cu" in ran.stderr  # not in a header of ours
    assert ran.stderr.endswith("lockstep: 1 finding\n")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ([], 2, "name a .cu file"),
        (["--bad"], 2, "unknown option --bad; lockstep-run --help lists the options"),
        (["missing.cu"], 2, "missing.cu: no such file"),
        (["CMakeLists.txt"], 2, "builds .cu files"),
        (["headers"], 2, "headers is a folder"),
        (["built.cu"], 2, "built.cu is not text"),
        (["saxpy.cu", "--std", "14"], 2, "choose 17 or 20"),
        (["saxpy.cu", "--checks"], 2, "--checks needs a value"),
        (["empty.cu"], 1, "the program has no main(): name every file of it"),
        (["broken.cu"], 1, "compile_error  broken.cu:2\n  expected"),
        (["empty.cu", "broken.c"], 1, "compile_error  broken.c:2\n  expected"),
        (["endless.cu", "--timeout", "1"], 1, "did not end within 1 s"),
        (["crash.cu"], 1, "lockstep-run: the program was ended by SIGABRT\n"),
    ],
)
def test_lockstep_run_says_what_is_wrong(
    prefix: Path, project: Path, arguments: list[str], status: int, words: str
) -> None:
    (project / "empty.cu").write_text("__global__ void k() {}\n")
    (project / "built.cu").write_bytes(b"\x7fELF\0")
    (project / "broken.cu").write_text("int main() {\n  return }\n")
    (project / "broken.c").write_text("int triple(int x) {\n  return }\n")
    (project / "endless.cu").write_text("int main() { volatile int i = 1; while (i) {} }\n")
    (project / "crash.cu").write_text("#include <cstdlib>\nint main() { std::abort(); }\n")
    ran = call(prefix / "bin" / "lockstep-run", *arguments, cwd=project)
    assert (ran.returncode, words in ran.stderr) == (status, True), ran.stderr
    assert "|" not in ran.stderr  # nor does g++ show the line


def test_a_project_finds_the_package_and_tests_its_programs(prefix: Path, project: Path) -> None:
    build = project / "build"
    made = call("cmake", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", cwd=project)
    assert made.returncode == 0, made.stderr
    built = call("cmake", "--build", build, cwd=project)
    assert built.returncode == 0, built.stdout
    tested = call("ctest", "--test-dir", build, "--output-on-failure", cwd=project)
    assert "1 tests failed out of 2" in tested.stdout
    assert "out_of_bounds  wrong.cu:8" in tested.stdout
    again = call("cmake", "--build", build, cwd=project)
    assert "Building" not in again.stdout
    (project / "headers" / "factor.h").write_text("#define FACTOR (SCALE + 2)\n")
    changed = call("cmake", "--build", build, cwd=project)
    assert "Building right" in changed.stdout
    assert "Building wrong" not in changed.stdout
