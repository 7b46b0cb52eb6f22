# SPDX-License-Identifier: MIT
"""The emulator by itself: `cmake --install`, lockstep-run, and a project that finds the package."""

import os
import platform
import subprocess
from pathlib import Path

import pytest

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend
from lockstep_grader.student.program.tools import program_steps
from test_e2e import REPOSITORY
from test_run_libraries import needs_cccl

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
    workspace = Workspace.from_environment({**env, "LOCKSTEP_ROOT": str(REPOSITORY)})
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


SIMT_TESTS = REPOSITORY / "common" / "simt" / "tests"
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


@pytest.mark.parametrize(
    "program",
    [
        "cub",
        "curand",
        pytest.param("thrust", marks=needs_cccl),
        "captured_graph",
        "inline_ptx",
        "matrix_fragments",
        "texture_filter",
    ],
)
def test_lockstep_run_has_every_header(prefix: Path, tmp_path: Path, program: str) -> None:
    path = SIMT_TESTS / "programs" / f"{program}.cu"
    if program in WRITTEN:
        path = tmp_path / "written.cu"
        path.write_text(WRITTEN[program])
    ran = call(prefix / "bin" / "lockstep-run", path, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_lockstep_run_builds_c_and_openmp(prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "triple.c").write_text(
        "#include <stdlib.h>\nint triple(int x) {\n  int *new = malloc(sizeof *new);\n"
        "  *new = 3 * x;\n  x = *new;\n  free(new);\n  return x;\n}\n"
    )
    (tmp_path / "sum.cu").write_text(
        '#include <omp.h>\n#include <cstdio>\nextern "C" int triple(int);\n'
        "__global__ void add(int* sum, int item) { atomicAdd(sum, item); }\n"
        "int main() {\n  int* sum;\n  cudaMallocManaged(&sum, sizeof(int));\n"
        "  *sum = 0;\n#pragma omp parallel num_threads(3)\n"
        "  add<<<1, 1>>>(sum, triple(omp_get_thread_num()));\n"
        '  cudaDeviceSynchronize();\n  std::printf("%d\\n", *sum);\n  cudaFree(sum);\n}\n'
    )
    ran = call(prefix / "bin" / "lockstep-run", "sum.cu", "triple.c", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "9\n", "")


# Under -O2 g++ copies the barrier for each way that leads to it, and one copy has no line.
UNCHECKED = """\
#include <cstdio>
__global__ void chain(int* flags, int* values) {
  __shared__ int before;
  if (threadIdx.x == 0) {
    if (blockIdx.x > 0) {
      while (atomicAdd(&flags[blockIdx.x], 0) == 0) {}
      before = values[blockIdx.x];
      values[blockIdx.x + 1] = before + 1;
      __threadfence();
      atomicAdd(&flags[blockIdx.x + 1], 1);
    } else {
      values[1] = 1;
      __threadfence();
      atomicAdd(&flags[1], 1);
    }
  }
  __syncthreads();
  if (blockIdx.x > 0) atomicAdd(&values[9], before);
}
__global__ void past(int* x) { x[16] = 1; }
int main() {
  int *flags, *values;
  cudaMallocManaged(&flags, 64);
  cudaMallocManaged(&values, 64);
  for (int i = 0; i < 16; ++i) flags[i] = values[i] = 0;
  chain<<<4, 64>>>(flags, values);
  cudaDeviceSynchronize();
  std::printf("%d\\n", values[9]);
  past<<<1, 1>>>(values);
  cudaDeviceSynchronize();
  cudaFree(flags);
  cudaFree(values);
#ifdef __SANITIZE_THREAD__
  std::puts("announced");
#endif
}
"""


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (UNCHECKED, "384\n"),
        # Threads may wait for what is volatile, so all is announced, and still nothing is checked.
        (UNCHECKED.replace("int* values", "volatile int* values"), "384\nannounced\n"),
    ],
    ids=["silent", "announced"],
)
def test_lockstep_run_builds_programs_that_nothing_checks(
    prefix: Path, tmp_path: Path, program: str, said: str
) -> None:
    program = program.replace("&values[9]", "(int*)&values[9]")
    (tmp_path / "chain.cu").write_text(program)
    run = prefix / "bin" / "lockstep-run"
    built = call(run, "chain.cu", "--checks", "none", "-o", "chain", cwd=tmp_path)
    assert (built.returncode, built.stderr) == (0, "")
    ran = call("./chain", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, said, "")
    asked = call("/usr/bin/env", "LOCKSTEP_CHECKS=all", "./chain", cwd=tmp_path)
    assert (asked.returncode, asked.stdout) == (0, said)
    assert "built with --checks none, so nothing is checked" in asked.stderr


# Each thread notes when it comes to which place; and four ways not to come to an end.
TURNS = """\
#include <cooperative_groups.h>
#include <cstdio>
constexpr int kBlocks = 3, kThreads = 80, kPlaces = 8;
__device__ int num_notes, notes[kBlocks * kThreads * kPlaces], flag;
__device__ void note(int place) {
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  notes[atomicAdd(&num_notes, 1)] = thread * kPlaces + place;
}
__global__ void turns() {
  __shared__ int room[kThreads];
  note(0);
  room[threadIdx.x] = threadIdx.x;
  __syncthreads();
  note(1);
  if (threadIdx.x == 5 || threadIdx.x > 70) return;
  const unsigned lanes = __activemask();
  note(2);
  room[threadIdx.x] += __shfl_sync(lanes, room[threadIdx.x], 3);
  note(3);
  if (threadIdx.x % 2 == 0) __syncwarp(__activemask());
  note(4);
  if (__syncthreads_count(room[threadIdx.x] > 40) > 0) note(5);
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;");
  note(6);
  if (blockIdx.x == 0) while (atomicAdd(&flag, 0) == 0) {}
  if (blockIdx.x == 2 && threadIdx.x == 70) atomicExch(&flag, 1);
  note(7);
}
__global__ void grid() {
  note(0);
  cooperative_groups::this_grid().sync();
  note(1);
}
__global__ void mixed() {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}
__global__ void waits() {
  if (threadIdx.x == 1) while (atomicAdd(&flag, 0) == 0) {}
  __syncthreads();
}
__global__ void misses() {
  if (threadIdx.x == 1) __shfl_sync(~0u, 1, 0);
  __syncthreads();
}
__global__ void skews(float* room) {
  reinterpret_cast<float4*>(room + 1)[threadIdx.x] = float4{1, 2, 3, 4};
}
__global__ void traps(int* place) {
  __syncthreads();
  if (threadIdx.x == 33) *place = 1;
}
int main(int argc, char** argv) {
  switch (argv[1][0]) {
    case 't': turns<<<kBlocks, kThreads>>>(); break;
    case 'g': cudaLaunchCooperativeKernel((void*)grid, kBlocks, kThreads, nullptr); break;
    case 'm': mixed<<<1, 64>>>(); break;
    case 'w': waits<<<1, 64>>>(); break;
    case 's': misses<<<1, 64>>>(); break;
    case 'n': traps<<<1, 64>>>(nullptr); break;
    case 'a': {
      float* room;
      cudaMalloc(&room, 1 << 12);
      skews<<<1, 64>>>(room);
      cudaFree(room);
    }
  }
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
  int count = 0, all[kBlocks * kThreads * kPlaces];
  cudaMemcpyFromSymbol(&count, num_notes, sizeof count);
  cudaMemcpyFromSymbol(all, notes, sizeof all);
  for (int i = 0; i < count; ++i) std::printf("%d ", all[i]);
}
"""


@pytest.fixture(scope="module")
def turns(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("turns")
    (folder / "turns.cu").write_text(TURNS)
    run = prefix / "bin" / "lockstep-run"
    for checks in ("all", "none"):
        built = call(run, "turns.cu", "--checks", checks, "-o", checks, cwd=folder)
        assert (built.returncode, built.stderr) == (0, "")
    return folder


@pytest.mark.parametrize("case", ["turns", "grid"])
def test_threads_take_turns_without_checks_as_with_them(turns: Path, case: str) -> None:
    orders = set()
    for seed in range(4):
        ran = [
            call("/usr/bin/env", f"LOCKSTEP_SEED={seed}", f"./{checks}", case, cwd=turns)
            for checks in ("all", "none")
        ]
        assert [(one.returncode, one.stderr) for one in ran] == 2 * [(0, "")]
        assert ran[0].stdout == ran[1].stdout
        orders.add(ran[0].stdout)
    assert len(orders) > 1


@pytest.mark.parametrize("case", ["mixed", "waits", "shuffle", "null"])
def test_kernels_that_cannot_go_on_are_found_without_checks(turns: Path, case: str) -> None:
    ran = [call(f"./{checks}", case, cwd=turns) for checks in ("all", "none")]
    assert ran[0].returncode == ran[1].returncode == 1
    assert ran[0].stdout == ran[1].stdout
    said = [one.stderr for one in ran]
    if case == "shuffle":  # which of two calls comes first is a matter of how the code is laid out
        said = [text.partition("\n")[2].partition("; the mask")[0] for text in said]
        said[1] = said[1].partition("\n")[0]
    assert said[0] == said[1]
    assert said[0] != ""


def test_a_misaligned_access_without_checks_is_not_called_a_null_pointer(turns: Path) -> None:
    ran = call("./none", "alignment", cwd=turns)
    if platform.machine() == "x86_64":  # elsewhere the hardware takes such an address
        assert "thread 0 of block 0 accessed memory that is misaligned for its type" in ran.stderr
        assert ran.returncode == 1
    assert "null pointer" not in ran.stderr


def test_lockstep_run_says_where_thrust_comes_from(prefix: Path, project: Path) -> None:
    (project / "thrust.cu").write_text("#include <thrust/sort.h>\nint main() {}\n")
    environment = {**os.environ, "LOCKSTEP_CCCL": "off"}
    ran = subprocess.run(
        [prefix / "bin" / "lockstep-run", "thrust.cu"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "Thrust comes with NVIDIA's CCCL" in ran.stderr
    assert "install the CUDA toolkit" in ran.stderr


def test_lockstep_run_prints_findings(prefix: Path, project: Path) -> None:
    run = prefix / "bin" / "lockstep-run"
    ran = call(run, "wrong.cu", "-I", "headers", "-D", "SCALE=4", cwd=project)
    assert (ran.returncode, ran.stdout) == (1, "factor 5, 0 arguments\n")
    assert "out_of_bounds  wrong.cu:5\n  thread 100 of block 0 reads 4 bytes" in ran.stderr
    assert "allocated in line 11 of wrong.cu" in ran.stderr  # not in a header of ours
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
