# SPDX-License-Identifier: MIT
"""`run`: programs with a main() of their own, on the machine."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.model.errors import InputError
from lockstep_grader.student.program import run as gpu
from lockstep_grader.student.program.build import BuildError, Options, build_program, check_files
from lockstep_grader.student.program.run import Checks, Settings
from lockstep_grader.toolchain.description import Step
from lockstep_grader.toolchain.nvcc import Sanitizer
from test_e2e import REPOSITORY

from in_process import lab

KERNEL = """\
#include <cstdio>
#include <cstdlib>
__global__ void fill(int* out, int num_items) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i COMPARED num_items) out[i] = i;
}
int main(int argc, char** argv) {
  int* d_out = nullptr;
  cudaMalloc(&d_out, 100 * sizeof(int));
  fill<<<1, 128>>>(d_out, 100);
  cudaDeviceSynchronize();
  cudaFree(d_out);
  std::printf("%d:%s\\n", argc, argv[argc - 1]);
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
"""
RIGHT, PAST_THE_END = KERNEL.replace("COMPARED", "<"), KERNEL.replace("COMPARED", "<=")

emulated = pytest.mark.e2e


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return lab("run", *arguments, cwd=cwd)


def report(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


@emulated
def test_a_program_keeps_its_arguments_its_output_and_its_exit_code(tmp_path: Path) -> None:
    (tmp_path / "fill.cu").write_text(RIGHT)
    ran = run("fill.cu", "--", "7", "--seed", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (7, "3:--seed\n")
    assert ran.stderr.count("finding") == 0


@emulated
def test_a_finding_is_printed_on_stderr_and_makes_the_exit_code_1(tmp_path: Path) -> None:
    (tmp_path / "fill.cu").write_text(PAST_THE_END)
    ran = run("fill.cu", "--json", "out.json", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (1, "1:fill\n")
    assert "out_of_bounds  fill.cu:5" in ran.stderr
    said = report(tmp_path / "out.json")
    assert (said["exit_code"], said["program_status"]) == (1, 0)
    (finding,) = said["findings"]
    assert (finding["kind"], finding["line"], finding["kernel"]) == ("out_of_bounds", 5, "fill")


@emulated
@pytest.mark.parametrize(("checks", "kinds"), [("none", []), ("memory", ["uninitialized_read"])])
def test_fewer_checks_find_less(tmp_path: Path, checks: str, kinds: list[str]) -> None:
    (tmp_path / "race.cu").write_text(
        "__global__ void k(int* a) {\n"
        "  a[0] = threadIdx.x;\n"
        "  a[0] = -static_cast<int>(threadIdx.x);\n"
        "  a[1] = a[2] + 1;\n"
        "}\n"
        "int main() { int* a; cudaMalloc(&a, 12); k<<<1, 64>>>(a); cudaFree(a); }\n"
    )
    run("race.cu", "--checks", checks, "--json", "out.json", cwd=tmp_path)
    assert [finding["kind"] for finding in report(tmp_path / "out.json")["findings"]] == kinds
    run("race.cu", "--json", "out.json", cwd=tmp_path)
    every = {finding["kind"] for finding in report(tmp_path / "out.json")["findings"]}
    assert every == {"race", "uninitialized_read"}


@emulated
def test_files_find_each_other_and_their_headers(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    (parts / "include").mkdir(parents=True)
    (parts / "include" / "twice.cuh").write_text("#pragma once\n__device__ int twice(int);\n")
    (parts / "include" / "start.cuh").write_text(
        "#pragma once\n#include <twice.cuh>\ninline __global__ void start(int* out) {\n"
        "  extern __shared__ int room[];\n  room[0] = NUMBER;\n  *out = twice(room[0]);\n}\n"
        "inline void launch(int* d_out) { start<<<1, 1, sizeof(int)>>>(d_out); }\n"
    )
    (parts / "twice.cu").write_text(
        "#include <twice.cuh>\n__device__ int twice(int x) { return 2 * x; }\n"
    )
    (parts / "start.cu").write_text("#include <start.cuh>\nvoid go(int* d) { launch(d); }\n")
    (parts / "main.cpp").write_text(
        "#include <cuda_runtime.h>\n#include <cstdio>\nvoid go(int*);\n"
        "int main() {\n  int *d, h = 0;\n  cudaMalloc(&d, 4);\n  go(d);\n"
        "  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n  cudaFree(d);\n"
        '  std::printf("%d\\n", h);\n}\n'
    )
    files = ("parts/main.cpp", "parts/start.cu", "parts/twice.cu")
    ran = run(*files, "-Iparts/include", "-D", "NUMBER=21", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "42\n"), ran.stderr


@emulated
def test_a_file_in_c_stays_c(tmp_path: Path) -> None:
    (tmp_path / "twice.c").write_text(
        "#include <stdlib.h>\nint twice(int x) {\n"
        "  int *new = malloc(sizeof *new);\n  *new = 2 * x;\n  x = *new;\n  free(new);\n"
        "  return x;\n}\n"
    )
    (tmp_path / "main.cu").write_text(
        '#include <cstdio>\nextern "C" int twice(int);\n'
        "__global__ void nothing() {}\n"
        'int main() {\n  nothing<<<1, 1>>>();\n  std::printf("%d\\n", twice(21));\n}\n'
    )
    ran = run("twice.c", "main.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "42\n"), ran.stderr


@emulated
def test_threads_of_openmp_share_the_device(tmp_path: Path) -> None:
    (tmp_path / "add.cu").write_text(
        "__global__ void add(int* d, int n) { atomicAdd(d, n); }\n"
        "void launch(int* d, int n) { add<<<1, 32>>>(d, n); }\n"
    )
    (tmp_path / "main.cpp").write_text(
        "#include <cuda_runtime.h>\n#include <omp.h>\n#include <cstdio>\nvoid launch(int*, int);\n"
        "int main() {\n  int *d, h = 0;\n  cudaMalloc(&d, 4);\n  cudaMemset(d, 0, 4);\n"
        "#pragma omp parallel num_threads(3)\n  launch(d, omp_get_thread_num() + 1);\n"
        "  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n  cudaFree(d);\n"
        '  std::printf("%d\\n", h);\n}\n'
    )
    ran = run("main.cpp", "add.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "192\n"), ran.stderr


@emulated
def test_a_header_may_include_openmp(tmp_path: Path) -> None:
    (tmp_path / "threads.h").write_text("#include <omp.h>\n")
    (tmp_path / "shared.cu").write_text(
        '#include <cstdio>\n#include "threads.h"\n'
        "__global__ void k() {}\n"
        "int main() {\n  k<<<1, 1>>>();\n"
        '  std::printf("%d of %d\\n", omp_get_thread_num(), omp_get_num_threads());\n}\n'
    )
    ran = run("shared.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "0 of 1\n", "")


@emulated
def test_a_header_of_the_labs_may_launch_kernels(tmp_path: Path) -> None:
    (tmp_path / "sums.cu").write_text(
        '#include <cstdio>\n#include "lab/provided_scan.cuh"\n'
        "int main() {\n"
        "  int h_items[6] = {3, 1, 7}, *d_items;\n"
        "  void* d_scratch;\n"
        "  cudaMalloc(&d_items, sizeof h_items);\n"
        "  cudaMalloc(&d_scratch, 65536);\n"
        "  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);\n"
        "  lab::Scratch scratch(d_scratch, 65536);\n"
        "  lab::exclusive_scan(d_items, 3, d_items + 3, scratch, nullptr);\n"
        "  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);\n"
        '  std::printf("%d %d %d\\n", h_items[3], h_items[4], h_items[5]);\n'
        "  cudaFree(d_items);\n"
        "  cudaFree(d_scratch);\n"
        "}\n"
    )
    ran = run("sums.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "0 3 4\n"), ran.stderr


@emulated
def test_a_destructor_of_a_global_object_may_use_the_device(tmp_path: Path) -> None:
    (tmp_path / "end.cu").write_text(
        "#include <cstdio>\n__global__ void add(int* d) { *d += 1; }\n"
        "struct Counter {\n  int* d;\n"
        "  Counter() { cudaMalloc(&d, 4); cudaMemset(d, 0, 4); }\n"
        "  ~Counter() {\n    add<<<1, 1>>>(d);\n    int h = 0;\n"
        "    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n"
        '    std::printf("%d\\n", h);\n    cudaFree(d);\n  }\n} counter;\n'
        "int main() { add<<<1, 1>>>(counter.d); }\n"
    )
    ran = run("end.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "2\n"), ran.stderr


@emulated
@pytest.mark.parametrize("std", ["17", "20"])
def test_what_programs_of_others_need_is_there(tmp_path: Path, std: str) -> None:
    helper = "inline __host__ __device__ float lerp(float a, float b, float t) {\n"
    (tmp_path / "others.cu").write_text(
        "#include <cooperative_groups.h>\n#include <cstdio>\n"
        "#if !defined(__CUDA_RUNTIME_H__) || !defined(__DRIVER_TYPES_H__)\n"
        "#error no guards\n#endif\n"
        f"#if __cplusplus == 201703L\n{helper}  return a + t * (b - a);\n}}\n#endif\n"
        "namespace cg = cooperative_groups;\n"
        "__global__ void k(int* p, int n) {\n  cg::synchronize(cg::this_thread_block());\n"
        '  std::printf("%d %d\\n", p == nullptr, n);\n}\n'
        "template <class T> __global__ void fill(T* p, T value) { *p = value; }\n"
        "int main() {\n  k<<<1, 1>>>(0, 0);\n  int *d;\n  cudaMalloc(&d, 4);\n"
        "  fill<<<1, 1>>>(d, 0);\n  cudaFree(d);\n"
        "  cudaDeviceProp p;\n  cudaGetDeviceProperties(&p, 0);\n"
        "  return p.kernelExecTimeoutEnabled + p.maxTexture2DMipmap[0];\n}\n"
    )
    ran = run("others.cu", "--std", std, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "1 0\n"), ran.stderr


@emulated
@pytest.mark.parametrize(("num_words", "findings"), [(16384, 0), (16385, 1)])
def test_constant_memory_has_64_kib(tmp_path: Path, num_words: int, findings: int) -> None:
    """A host's array of the same name, in a function, does not count."""
    constant = f"__constant__ int table[{num_words}];\nint filled() {{ static int table[20000]; "
    constant += "return ++table[2]; }\n"
    text = constant + RIGHT.replace("= i;", "= table[0];").replace("? std::", "+ filled() ? std::")
    (tmp_path / "fill.cu").write_text(text)
    ran = run("fill.cu", cwd=tmp_path)
    assert ran.stderr.count("launch_error") == findings, ran.stderr
    assert ran.stderr.count("variables take 65540 bytes") == findings


@emulated
def test_as_written_a_pointer_past_a_local_array_is_found(tmp_path: Path) -> None:
    program = "local_array_through_pointer.cu"
    folder = REPOSITORY / "common" / "device" / "tests" / "corpus" / "bounds"
    assert "finding" not in run(folder / program, cwd=tmp_path).stderr
    ran = run("--as-written", folder / program, cwd=tmp_path)
    assert ran.returncode == 1
    assert "right past the end of local best (16 bytes)" in " ".join(ran.stderr.split())


MAXIMUM = """\
#include <cstdio>
__global__ void maximum(const int* in, int* best) {
  const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (value > READ)
    UPDATE;
}
int main() {
  int *d_in, *d_best;
  int h_in[256];
  for (int i = 0; i < 256; ++i) h_in[i] = i;
  cudaMalloc(&d_in, sizeof h_in);
  cudaMalloc(&d_best, sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  cudaMemset(d_best, 0, sizeof(int));
  maximum<<<4, 64>>>(d_in, d_best);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_best);
  std::puts("done");
}
"""


@emulated
@pytest.mark.parametrize(
    ("read", "update", "noted"),
    [
        ("*best", "atomicMax(best, value)", True),
        ("*(volatile int*)best", "atomicMax(best, value)", False),
        ("*best", "atomicCAS(best, *best, value)", False),
    ],
)
def test_a_plain_read_that_guards_an_atomic_update_is_a_note(
    tmp_path: Path, read: str, update: str, noted: bool
) -> None:
    source = MAXIMUM.replace("READ", read).replace("UPDATE", update)
    (tmp_path / "maximum.cu").write_text(source)
    ran = run("maximum.cu", "--json", "report.json", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr
    told = report(tmp_path / "report.json")
    assert told["findings"] == []
    assert [(note["file"], note["line"]) for note in told["notes"]] == [("maximum.cu", 4)] * noted
    assert ("cuda::atomic_ref" in " ".join(ran.stderr.split())) is noted


@emulated
def test_an_error_that_the_program_never_asks_for_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "large.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 2048>>>(); }\n")
    ran = run("large.cu", cwd=tmp_path)
    assert ran.returncode == 1
    assert "launch_error  large.cu:2" in ran.stderr
    assert "2048" in ran.stderr


@emulated
def test_every_error_is_a_finding_before_what_it_causes(tmp_path: Path) -> None:
    (tmp_path / "twice.cu").write_text(
        "__global__ void fill(int* d) { d[threadIdx.x] = 1; }\n"
        "__global__ void use(int* d) { d[threadIdx.x + 32] = d[threadIdx.x] + 1; }\n"
        "int main() {\n  int* d;\n  cudaMalloc(&d, 256);\n"
        "  fill<<<1, 2048>>>(d);\n  use<<<1, 32>>>(d);\n  fill<<<0, 32>>>(d);\n"
        "  cudaFree(d);\n}\n"
    )
    run("twice.cu", "--json", "out.json", cwd=tmp_path)
    findings = report(tmp_path / "out.json")["findings"]
    assert [(finding["kind"], finding["line"]) for finding in findings] == [
        ("launch_error", 6),
        ("launch_error", 8),
        ("uninitialized_read", 2),
    ]


@emulated
def test_an_ignored_error_is_told_before_the_crash_that_follows(tmp_path: Path) -> None:
    (tmp_path / "host.cu").write_text(
        "__global__ void fill(int* d) { d[threadIdx.x] = 1; }\n"
        "int main() {\n  int* d;\n  cudaMalloc(&d, 256);\n  fill<<<1, 2048>>>(d);\n"
        "  return d[0];\n}\n"
    )
    run("host.cu", "--json", "out.json", cwd=tmp_path)
    findings = report(tmp_path / "out.json")["findings"]
    assert [(finding["kind"], finding["line"]) for finding in findings] == [
        ("launch_error", 5),
        ("host_pointer", 6),
    ]


@emulated
def test_the_end_of_the_program_waits_for_a_kernel_that_polls(tmp_path: Path) -> None:
    (tmp_path / "wait.cu").write_text(
        "__global__ void wait(volatile int* flag) { while (*flag == 0) {} }\n"
        "__managed__ int flag;\n"
        "int main(int argc, char**) { wait<<<1, 32>>>(&flag); flag = argc > 1; return 0; }\n"
    )
    assert run("wait.cu", "--", "set", cwd=tmp_path).returncode == 0
    ran = run("wait.cu", cwd=tmp_path)
    assert ran.returncode == 1
    assert "deadlock  wait.cu:1\n" in ran.stderr


@emulated
def test_memory_that_is_never_freed_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "keep.cu").write_text("int main() {\n  int* d;\n  cudaMalloc(&d, 12);\n}\n")
    ran = run("keep.cu", "--json", "out.json", cwd=tmp_path)
    assert ran.returncode == 0
    assert "never freed 1 allocation of device memory, 12 bytes (keep.cu:3)" in ran.stderr
    assert report(tmp_path / "out.json")["leaks"] == [
        {"file": "keep.cu", "line": 3, "size_bytes": 12}
    ]


@emulated
def test_what_was_found_before_a_crash_or_a_time_limit_is_kept(tmp_path: Path) -> None:
    (tmp_path / "stop.cu").write_text(
        PAST_THE_END.replace(
            "return argc > 1", "if (argc > 1) std::abort();\n  for (;;) {}\n  return argc"
        )
    )
    ran = run("stop.cu", "--json", "out.json", "--", "abort", cwd=tmp_path)
    said = report(tmp_path / "out.json")
    assert [finding["kind"] for finding in said["findings"]] == ["out_of_bounds", "crash"]
    assert (ran.returncode, said["program_status"]) == (1, None)
    ran = run("stop.cu", "--timeout", "2", "--json", "out.json", cwd=tmp_path)
    said = report(tmp_path / "out.json")
    assert [finding["kind"] for finding in said["findings"]] == ["out_of_bounds", "timeout"]
    assert ran.returncode == 1


@emulated
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("*nothing = argc;", "dereferenced a null pointer"),
        ("argc = 700 / (argc - 1);", "divided an integer by zero"),
        ("volatile int room[4 << 20]; room[argc] = 1;", "used up its stack of "),
        ("std::memset(reinterpret_cast<void*>(argc + 1000000), 0, 9);", "accessed address 0xf4241"),
    ],
)
def test_a_crash_of_the_host_is_told_once_with_its_line(
    tmp_path: Path, wrong: str, said: str
) -> None:
    (tmp_path / "host.cu").write_text(
        "#include <cstring>\n"
        "int main(int argc, char**) {\n  volatile int* volatile nothing = nullptr;\n"
        f"  {wrong}\n  return nothing == nullptr && argc != 5;\n}}\n"
    )
    ran = run("host.cu", "--json", "out.json", cwd=tmp_path)
    (finding,) = report(tmp_path / "out.json")["findings"]
    assert finding["kind"] == "crash"
    assert finding["line"] in ((2, 3, 4) if "stack" in said else (4,))  # where a function begins
    assert said in finding["message"]
    assert ran.returncode == 1


@emulated
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("void f() {}\n", "the program has no main(): "),
        ("int main() { return wrong; }\n", "bad.cu:1"),
        ("#include <cublas_v2.h>\nint main() {}\n", "this library is not part of Lockstep"),
        ("texture<float, 2> t; int main() {}\n", "use cudaCreateTextureObject"),
        ("CUdevice d; int main() {}\n", "not the driver API"),
        ("void g(); int main() { g(); }\n", "undefined reference to `g()'"),
    ],
)
def test_what_does_not_build_is_one_finding(tmp_path: Path, source: str, said: str) -> None:
    (tmp_path / "bad.cu").write_text(source)
    ran = run("bad.cu", "--json", "out.json", cwd=tmp_path)
    assert ran.returncode == 1
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr
    (finding,) = report(tmp_path / "out.json")["findings"]
    assert finding["kind"] == "compile_error"


@emulated
def test_ctrl_c_ends_the_program(tmp_path: Path) -> None:
    (tmp_path / "loop.cu").write_text(
        '#include <cstdio>\nint main() { puts("on"); fflush(stdout); for (;;) {} }\n'
    )
    with subprocess.Popen(
        [sys.executable, "-c", _STARTS_LAB, REPOSITORY / "lab", "run", "loop.cu"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline() == "on\n"
        os.killpg(running.pid, signal.SIGINT)
        assert running.wait(60) == 130
        assert "Traceback" not in running.stderr.read()


# With Ctrl-C as a terminal has it: a shell's background process ignores it.
_STARTS_LAB = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


def test_what_is_no_program_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "built.cu").write_bytes(b"\x7fELF\0")
    refused = {
        "none.cu": "no such file",
        "notes.txt": ".cu",
        ".": "is a folder",
        "built.cu": "is not text",
    }
    for name, said in refused.items():
        with pytest.raises(InputError, match=said):
            check_files([tmp_path / name])


def test_a_broken_link_is_told_by_what_is_missing(tmp_path: Path) -> None:
    said = (
        "/usr/bin/ld: gathered.o: in function `main':\nmain.cu:7: undefined reference to `go(int)'"
    )
    steps = {name: Step(name, ("true",)) for name in ("compile_host", "gather", "isolate")}
    steps["link"] = Step("link", ("sh", "-c", f'echo "{said}"; exit 1'.replace("`", "\\`")))
    source = tmp_path / "main.cpp"
    source.write_text("")
    with pytest.raises(BuildError) as caught:
        build_program(steps, [source], Options(), tmp_path, 1)
    finding = caught.value.finding
    assert (finding.file, finding.line) == ("main.cu", 7)
    assert finding.message == "undefined reference to `go(int)'"


def script(file: Path, text: str) -> Path:
    file.write_text(f"#!/bin/sh\n{text}")
    file.chmod(0o755)
    return file


_NVCC = """\
for last; do :; done
{ echo "#!/bin/sh"; echo 'echo ran $1; exit 7'; } > "$last"
chmod +x "$last"
"""
_SANITIZER = """\
for word; do case $word in
  --tool=*) tool=${word#--tool=} ;;
  --log-file=*) log=${word#--log-file=} ;;
  --*) ;;
  *) break ;;
esac; shift; done
{ echo "========= COMPUTE-SANITIZER"
  [ $tool = memcheck ] && echo "========= Invalid __global__ read of size 4 bytes" &&
    echo "=========     at k() in main.cu:4"
  echo "========= ERROR SUMMARY: 1 error"; } > $log
exec "$@"
"""


def test_on_a_gpu_each_tool_runs_the_program_and_the_first_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    nvcc = script(tmp_path / "nvcc", _NVCC)
    checker = script(tmp_path / "compute-sanitizer", _SANITIZER)
    monkeypatch.setattr(gpu, "toolkit_nvcc", lambda: str(nvcc))
    monkeypatch.setattr(gpu, "gpu_name", lambda: "GPU 0")
    monkeypatch.setattr(gpu, "find_sanitizer", lambda: Sanitizer(checker))
    source = tmp_path / "main.cu"
    source.write_text("\n\n\nk();\n")
    built = gpu.build_with_nvcc([source], Options(), tmp_path)
    ran = gpu.run_on_gpu(built, ["5"], Settings(), tmp_path, source.name)
    assert [(finding.kind, finding.line) for finding in ran.findings] == [("out_of_bounds", 4)]
    assert (ran.status, ran.exit_code) == (7, 1)
    assert capfd.readouterr().out == "ran 5\n"
    ran = gpu.run_on_gpu(built, ["5"], Settings(checks=Checks.NONE), tmp_path, source.name)
    assert (ran.findings, ran.exit_code) == ((), 7)
    with pytest.raises(InputError, match="--backend cpu"):
        gpu.run_on_gpu(built, [], Settings(profile=True), tmp_path, source.name)


HUGE = """\
__global__ void fill(int* d_out) {
  int sum = 0;
  for (int i = 0; i < 3000; ++i) sum += d_out[threadIdx.x] + i;
  d_out[64 + threadIdx.x] = sum;
}
__global__ void first() {}
int main() {
  int* d_out = nullptr;
  cudaMalloc(&d_out, 128 * sizeof(int));
  cudaMemset(d_out, 0, 128 * sizeof(int));
  first<<<1, 1>>>();
  fill<<<1 << 26, 64>>>(d_out);
  cudaDeviceSynchronize();
  cudaFree(d_out);
}
"""


@pytest.mark.e2e
def test_a_huge_launch_says_how_far_it_is_and_ends_in_time(tmp_path: Path) -> None:
    (tmp_path / "huge.cu").write_text(HUGE)
    ran = run("huge.cu", "--timeout", "5", "--checks", "none", cwd=tmp_path)
    assert ran.returncode == 1
    news = re.findall(r"after \d+ s: kernel fill with (\d+) of 67108864 blocks done", ran.stderr)
    assert len(news) == 1
    assert int(news[0]) > 0
    assert "did not end within 5 s and was in kernel fill with" in ran.stderr
    assert "launch 2: try a smaller size, or give it a longer --timeout" in ran.stderr


@emulated
def test_a_loop_without_effect_is_not_left_out(tmp_path: Path) -> None:
    (tmp_path / "spin.cu").write_text(
        "__global__ void spin(int i) { while (i != -7) i = i * 6 + 2; }\n"  # it stays even
        "int main() { spin<<<1, 1>>>(4); cudaDeviceSynchronize(); }\n"
    )
    ran = run("spin.cu", "--checks", "none", "--timeout", "20", cwd=tmp_path)
    assert ran.returncode == 1
    assert "deadlock  spin.cu:1" in ran.stderr
    assert "endless loop" in ran.stderr


@pytest.mark.e2e
def test_an_endless_loop_of_the_host_is_told_from_a_kernel(tmp_path: Path) -> None:
    (tmp_path / "loop.cu").write_text("int main() { volatile int i = 1; while (i) {} }\n")
    ran = run("loop.cu", "--timeout", "4", cwd=tmp_path)
    assert "after 3 s: the host's code, after 0 launches; --timeout ends it after 4 s" in ran.stderr
    assert "look for a loop of the host that never ends" in ran.stderr
