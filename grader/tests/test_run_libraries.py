# SPDX-License-Identifier: MIT
"""`run`: programs that use Thrust, CUB and cuRAND."""

from pathlib import Path

import pytest

from test_run import report, run

PROGRAMS = Path(__file__).with_name("libraries")

emulated = pytest.mark.e2e


def findings(program: str, folder: Path) -> list[tuple[str, int, str]]:
    """Kind, line and kernel of all that is found in the program."""
    (folder / "program.cu").write_text(program)
    ran = run("program.cu", "--json", "out.json", cwd=folder)
    assert "Traceback" not in ran.stderr
    return [
        (found["kind"], found["line"], found["kernel"])
        for found in report(folder / "out.json")["findings"]
    ]


@emulated
@pytest.mark.parametrize("name", ["cub_block", "cub_device"])
def test_cub_gives_right_results_without_findings(name: str, tmp_path: Path) -> None:
    ran = run(PROGRAMS / f"{name}.cu", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


@emulated
@pytest.mark.parametrize("name", ["thrust_vectors", "thrust_large_sort", "thrust_policies"])
def test_thrust_gives_right_results_without_findings(name: str, tmp_path: Path) -> None:
    ran = run(PROGRAMS / f"{name}.cu", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr  # 1 after a finding; a slow machine says how far it is


@emulated
def test_an_algorithm_on_a_stream_comes_after_the_streams_kernels(tmp_path: Path) -> None:
    program = (
        "#include <thrust/device_vector.h>\n#include <thrust/execution_policy.h>\n"
        "#include <thrust/sort.h>\n"
        "__global__ void fill(int* items) { items[threadIdx.x] = 63 - threadIdx.x; }\n"
        "int main() {\n  cudaStream_t s;\n"
        "  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);\n"
        "  thrust::device_vector<int> v(64);\n"
        "  fill<<<1, 64, 0, s>>>(thrust::raw_pointer_cast(v.data()));\n"
        "  thrust::sort(thrust::cuda::par.on(s), v.begin(), v.end());\n"
        "  fill<<<1, 64, 0, s>>>(thrust::raw_pointer_cast(v.data()));\n"
        "  thrust::sort(thrust::cuda::par_nosync.on(s), v.begin(), v.end());\n"
        "  cudaStreamDestroy(s);\n  return v[0] + v[63] - 63;\n}\n"
    )
    (tmp_path / "program.cu").write_text(program)
    ran = run("program.cu", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


@emulated
def test_kernels_that_leave_a_device_vector_are_found(tmp_path: Path) -> None:
    program = (
        "#include <thrust/device_vector.h>\n"
        "__global__ void k(int* p) { p[threadIdx.x] = 1; }\n"
        "int main() {\n  thrust::device_vector<int> v(100);\n"
        "  k<<<1, 101>>>(thrust::raw_pointer_cast(v.data()));\n}\n"
    )
    assert findings(program, tmp_path) == [("out_of_bounds", 2, "k")]


@emulated
@pytest.mark.parametrize(
    ("wrong", "finding"),
    [
        ("return *thrust::raw_pointer_cast(v.data());", ("host_pointer", 8, "")),
        (
            "return thrust::reduce(thrust::device, h, h + 100);",
            ("host_pointer", 8, "DeviceReduceSingleTileKernel"),
        ),
        (
            "return thrust::reduce(v.begin(), v.end() + 1);",
            ("out_of_bounds", 8, "DeviceReduceSingleTileKernel"),
        ),
    ],
)
def test_an_algorithm_needs_memory_of_its_own_side_up_to_its_end(
    tmp_path: Path, wrong: str, finding: tuple[str, int, str]
) -> None:
    program = (
        "#include <thrust/device_vector.h>\n#include <thrust/execution_policy.h>\n"
        "#include <thrust/fill.h>\n#include <thrust/reduce.h>\n"
        "int main() {\n  int h[100] = {};\n  thrust::device_vector<int> v(100, h[0]);\n"
        f"  {wrong}\n}}\n"
    )
    assert findings(program, tmp_path)[0] == finding


@emulated
def test_a_barrier_that_is_missing_between_two_uses_of_cubs_storage_is_found(
    tmp_path: Path,
) -> None:
    program = (
        "#include <cub/cub.cuh>\n__global__ void k(int* out) {\n"
        "  using Reduce = cub::BlockReduce<int, 64>;\n"
        "  __shared__ typename Reduce::TempStorage temp;\n"
        "  const int a = Reduce(temp).Sum(1);\n  const int b = Reduce(temp).Sum(2);\n"
        "  if (threadIdx.x == 0) *out = a + b;\n}\n"
        "int main() { int* d; cudaMalloc(&d, 4); k<<<1, 64>>>(d); cudaFree(d); }\n"
    )
    assert findings(program, tmp_path) == [("race", 6, "k")]


@emulated
def test_cubs_functions_for_the_device_are_checked_as_kernels(tmp_path: Path) -> None:
    program = (
        "#include <cub/cub.cuh>\nint main() {\n"
        "  int *in, *out, host[64] = {};\n  void* room;\n  size_t bytes = 0;\n"
        "  cudaMalloc(&in, 256);\n  cudaMalloc(&out, 4);\n  cudaMemset(in, 0, 256);\n"
        "  cub::DeviceReduce::Sum(nullptr, bytes, in, out, 64);\n  cudaMalloc(&room, bytes);\n"
        "  cub::DeviceReduce::Sum(room, bytes, in, out, 65);\n"
        "  cub::DeviceReduce::Sum(room, bytes, host, out, 64);\n}\n"
    )
    kernel = "DeviceReduceSingleTileKernel"
    assert findings(program, tmp_path) == [
        ("host_pointer", 12, kernel),
        ("out_of_bounds", 11, kernel),
    ]
