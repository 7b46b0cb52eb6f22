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

from conftest import FAKES, runnable
from in_process import lab, put, text_of
from repository import REPOSITORY

KERNEL = text_of("fill/fill.cu")
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
    put(tmp_path, "race_and_uninitialized")
    run("race.cu", "--checks", checks, "--json", "out.json", cwd=tmp_path)
    assert [finding["kind"] for finding in report(tmp_path / "out.json")["findings"]] == kinds
    run("race.cu", "--json", "out.json", cwd=tmp_path)
    every = {finding["kind"] for finding in report(tmp_path / "out.json")["findings"]}
    assert every == {"race", "uninitialized_read"}


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


MAXIMUM = text_of("guarded_maximum/maximum.cu")


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
    put(tmp_path, "errors_and_what_they_cause")
    run("twice.cu", "--json", "out.json", cwd=tmp_path)
    findings = report(tmp_path / "out.json")["findings"]
    assert [(finding["kind"], finding["line"]) for finding in findings] == [
        ("launch_error", 6),
        ("launch_error", 8),
        ("uninitialized_read", 2),
    ]


@emulated
def test_an_ignored_error_is_told_before_the_crash_that_follows(tmp_path: Path) -> None:
    put(tmp_path, "ignored_error")
    run("host.cu", "--json", "out.json", cwd=tmp_path)
    findings = report(tmp_path / "out.json")["findings"]
    assert [(finding["kind"], finding["line"]) for finding in findings] == [
        ("launch_error", 5),
        ("host_pointer", 6),
    ]


@emulated
def test_each_ignored_error_of_a_line_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "two.cu").write_text(
        "int main() {\n  for (int i = 0; i < 2; ++i) cudaSetDevice(7), cudaFree((void*)8);\n}\n"
    )
    run("two.cu", "--json", "out.json", cwd=tmp_path)
    findings = report(tmp_path / "out.json")["findings"]
    assert [(finding["kind"], finding["line"]) for finding in findings] == [("launch_error", 2)] * 2
    assert "cudaErrorInvalidDevice" in findings[0]["message"]
    assert "cudaErrorInvalidValue" in findings[1]["message"]


@emulated
def test_the_end_of_the_program_waits_for_a_kernel_that_polls(tmp_path: Path) -> None:
    put(tmp_path, "polling_kernel")
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
    ("text", "said"),
    [
        ("void f() {}\n", "the program has no main(): "),
        ("int main() { return wrong; }\n", "bad.cu:1"),
        ("#include <cublas_v2.h>\nint main() {}\n", "this library is not part of Lockstep"),
        ("texture<float, 2> t; int main() {}\n", "use cudaCreateTextureObject"),
        ("CUdevice d; int main() {}\n", "not the driver API"),
        ("void g(); int main() { g(); }\n", "undefined reference to `g()'"),
    ],
)
def test_what_does_not_build_is_one_finding(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "bad.cu").write_text(text)
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
    runnable(file, f"#!/bin/sh\n{text}")
    return file


_NVCC = (FAKES / "nvcc").read_text("utf-8")
_SANITIZER = (FAKES / "sanitizer_with_log").read_text("utf-8")


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


HUGE = text_of("huge_launch/huge.cu")


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
