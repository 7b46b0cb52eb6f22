# SPDX-License-Identifier: MIT
"""Without `./lab`: `cmake --install`, lockstep-run, and a project that finds the package."""

import os
import subprocess
from pathlib import Path

import pytest

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend
from lockstep_grader.student.program.build import program_steps
from test_e2e import REPOSITORY

pytestmark = pytest.mark.e2e

SAXPY = """\
#include <cstdio>
#include "factor.h"
__global__ void saxpy(const float* x, float* y, int num_items) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) y[i] += FACTOR * x[i];
}
int main(int argc, char**) {
  constexpr int kItems = 100;
  float *x, *y;
  cudaMalloc(&x, kItems * sizeof(float));
  cudaMalloc(&y, kItems * sizeof(float));
  cudaMemset(x, 0, kItems * sizeof(float));
  cudaMemset(y, 0, kItems * sizeof(float));
  saxpy<<<1, 128>>>(x, y, kItems);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  std::printf("factor %d, %d arguments\\n", FACTOR, argc - 1);
  return argc > 1 ? -1 : 0;
}
"""
WRONG = SAXPY.replace("i < num_items", "i <= num_items")
PROJECT = """\
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES NONE)
find_package(lockstep REQUIRED)
enable_testing()
lockstep_add_program(right saxpy.cu INCLUDE headers DEFINE SCALE=2 STD 20 DEPENDS headers/factor.h)
lockstep_add_program(wrong wrong.cu INCLUDE headers DEFINE SCALE=2)
add_test(NAME right COMMAND right)
add_test(NAME wrong COMMAND wrong)
"""


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
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "factor.h").write_text("#define FACTOR (SCALE + 1)\n")
    (tmp_path / "saxpy.cu").write_text(SAXPY)
    (tmp_path / "wrong.cu").write_text(WRONG)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    return tmp_path


def test_lockstep_run_builds_and_runs_a_program(prefix: Path, project: Path) -> None:
    run = prefix / "bin" / "lockstep-run"
    ran = call(run, "saxpy.cu", "-I", "headers", "-DSCALE=4", "--", "a", "b", cwd=project)
    assert (ran.returncode, ran.stdout, ran.stderr) == (255, "factor 5, 2 arguments\n", "")


CURAND = """\
#include <curand.h>
#include <curand_kernel.h>
__global__ void draw(float* out) {
  curandState state;
  curand_init(1234, threadIdx.x, 0, &state);
  out[threadIdx.x] = curand_uniform(&state);
}
int main() {
  float* out;
  cudaMallocManaged(&out, 64 * sizeof(float));
  draw<<<1, 32>>>(out);
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandGenerateUniform(generator, out + 32, 32);
  cudaDeviceSynchronize();
  curandDestroyGenerator(generator);
  for (int i = 0; i < 64; ++i) if (!(out[i] > 0 && out[i] <= 1)) return 1;
  cudaFree(out);
}
"""


CUB = """\
#include <cub/cub.cuh>
int main() {
  int *in, *out;
  void* room;
  size_t bytes = 0;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 64; ++i) in[i] = i;
  cub::DeviceReduce::Sum(nullptr, bytes, in, out, 64);
  cudaMalloc(&room, bytes);
  cub::DeviceReduce::Sum(room, bytes, in, out, 64);
  cudaDeviceSynchronize();
  const int sum = *out;
  cudaFree(room);
  cudaFree(out);
  cudaFree(in);
  return sum - 2016;
}
"""
THRUST = """\
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
int main() {
  thrust::device_vector<int> items(100, 2);
  return thrust::reduce(items.begin(), items.end()) - 200;
}
"""
WRITTEN = {"cub": CUB, "curand": CURAND, "thrust": THRUST}


@pytest.mark.parametrize("program", WRITTEN)
def test_lockstep_run_has_every_header(prefix: Path, tmp_path: Path, program: str) -> None:
    (tmp_path / "written.cu").write_text(WRITTEN[program])
    ran = call(prefix / "bin" / "lockstep-run", "written.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_lockstep_run_builds_c_and_openmp(prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "triple.c").write_text(
        "#include <stdlib.h>\nint triple(int x) {\n  int *new = malloc(sizeof *new);\n"
        "  *new = 3 * x;\n  x = *new;\n  free(new);\n  return x;\n}\n"
    )
    (tmp_path / "add.cu").write_text(
        "__global__ void add(int* sum, int item) { atomicAdd(sum, item); }\n"
        "void launch(int* sum, int item) { add<<<1, 1>>>(sum, item); }\n"
    )
    (tmp_path / "sum.cpp").write_text(
        "#include <cuda_runtime.h>\n#include <omp.h>\n#include <cstdio>\n"
        'extern "C" int triple(int);\nvoid launch(int*, int);\n'
        "int main() {\n  int* sum;\n  cudaMallocManaged(&sum, sizeof(int));\n"
        "  *sum = 0;\n#pragma omp parallel num_threads(3)\n"
        "  launch(sum, triple(omp_get_thread_num()));\n"
        '  cudaDeviceSynchronize();\n  std::printf("%d\\n", *sum);\n  cudaFree(sum);\n}\n'
    )
    ran = call(prefix / "bin" / "lockstep-run", "sum.cpp", "add.cu", "triple.c", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "9\n", "")


def test_lockstep_run_prints_findings(prefix: Path, project: Path) -> None:
    run = prefix / "bin" / "lockstep-run"
    ran = call(run, "wrong.cu", "-I", "headers", "-D", "SCALE=4", cwd=project)
    assert (ran.returncode, ran.stdout) == (1, "factor 5, 0 arguments\n")
    assert "out_of_bounds  wrong.cu:5\n  thread 100 of block 0 reads 4 bytes" in ran.stderr
    assert "allocated in line 10 of wrong.cu" in ran.stderr  # not in a header of ours
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
    assert "out_of_bounds  wrong.cu:5" in tested.stdout
    again = call("cmake", "--build", build, cwd=project)
    assert "Building" not in again.stdout
    (project / "headers" / "factor.h").write_text("#define FACTOR (SCALE + 2)\n")
    changed = call("cmake", "--build", build, cwd=project)
    assert "Building right" in changed.stdout
    assert "Building wrong" not in changed.stdout
