# SPDX-License-Identifier: MIT
"""nvcc in addition to g++: what it refuses is a compile error, at the place in the file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from lockstep_grader.compile.nvcc import Compiled, compile_for_gpus
from lockstep_grader.confine.sandbox import Unconfined
from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import (
    ARCHITECTURES,
    Backend,
    Finding,
    FindingKind,
    Gate,
    Judgement,
    Outcome,
    Part,
    Points,
    Resources,
    Rung,
    TestResult,
)
from lockstep_grader.model.score import score_rung
from lockstep_grader.toolchain.nvcc import NoRungCompiler, Phase, RungCompiler, rung_compiler
from lockstep_grader.words.nvcc_log import nvcc_findings
from test_clang_log import MISTAKES

from conftest import LAB, LAB_TOML, STARTER, Checkout, rungs, runnable
from setups import DEMO, setup_in

FILE = "01_first.cu"


def compiled_by(argv_text: str, source: str, work: Path) -> Compiled:
    """What is made of a compiler that is a shell script."""
    nvcc = work / "nvcc"
    runnable(nvcc, f"#!/bin/sh\n{argv_text}\n")
    return compiled(RungCompiler(str(nvcc), "13.0.88", "/usr/bin/g++"), source, work)


def compiled(
    nvcc: RungCompiler, source: str, work: Path, architectures: Sequence[str] = ARCHITECTURES
) -> Compiled:
    setup = setup_in(work)
    setup = replace(setup, whole=replace(setup.whole, nvcc=nvcc))
    rung = replace(DEMO.rungs[0], architectures=tuple(architectures))
    text = Source(FILE, source.encode())
    return compile_for_gpus(setup, rung, text, work / "made", Phase.RESOURCES)


def errors(output: str, source: str) -> list[tuple[int, int, str]]:
    found, _ = nvcc_findings(output, Source(FILE, source.encode()))
    assert all(item.kind is FindingKind.COMPILE_ERROR for item in found)
    return [(item.line, item.column, item.message) for item in found]


# ---- its words: as nvcc 13.0.88 writes them


def test_the_column_is_that_of_the_students_line_and_not_of_nvccs_excerpt() -> None:
    source = "__global__ void k(float* p) {\n}\n__global__ void f(float* p) { p[0] = s[0]; }\n"
    output = (
        f'/tmp/x/{FILE}(3): error: identifier "s" is undefined\n'
        "  __attribute__((global)) void f(float* p) { p[0] = s[0]; }\n"
        "                                                    ^\n\n"
        f'1 error detected in the compilation of "/tmp/x/{FILE}".\n'
    )
    ((line, column, message),) = errors(output, source)
    assert (line, message) == (3, 'identifier "s" is undefined')
    assert source.splitlines()[2][column - 1 :].startswith("s[0]")


def test_a_line_is_blamed_once_and_each_line_by_itself() -> None:
    said = ((4, "a"), (4, "b"), (2, "c"), (9, "c"), (10, "d"), (11, "e"), (12, "f"), (13, "g"))
    output = "".join(f"{FILE}({line}): error: {text}\n\n" for line, text in said)
    assert [line for line, _, _ in errors(output, "")] == [4, 2, 10, 11, 12]


def test_an_error_in_a_header_is_blamed_on_the_students_line_that_led_there() -> None:
    output = (
        '/usr/include/c++/12/bits/x.h(30): error: no operator "<" matches these operands\n'
        "          detected during:\n"
        '            instantiation of "void sort(T) [with T=int]" at line 77 of y.h\n'
        f'            instantiation of "void f()" at line 6 of {FILE}\n'
    )
    assert errors(output, "")[0][0] == 6


def test_an_error_that_is_nowhere_in_the_students_file_keeps_its_place() -> None:
    output = "lab/scratch.cuh(30): error: no\n"
    assert errors(output, "") == [(0, 0, "scratch.cuh:30: no")]


def test_the_assemblers_error_is_blamed_on_the_kernel() -> None:
    source = "int before;\n__global__ void big(float* p) { }\n"
    output = (
        "ptxas error   : Entry function '_Z3bigPf' uses too much shared data "
        "(0x13880 bytes, 0xc000 max)\n"
    )
    ((line, _, message),) = errors(output, source)
    assert line == 2
    assert message == "the kernel declares 80000 bytes of shared memory; a block has at most 49152"


def test_warnings_of_the_students_file_are_kept_once_and_others_dropped() -> None:
    warning = f'{FILE}(2): warning #177-D: variable "i" was declared but never referenced\n'
    shown = "    int i = 3;\n        ^\n\n"
    other = "/usr/include/x.h(2): warning #177-D: whatever\n"
    _, found = nvcc_findings(
        (warning + shown) * 2 + other, Source(FILE, b"void f() {\n  int i = 3;")
    )
    ((text, line, column),) = [(item.message, item.line, item.column) for item in found]
    assert (text, line, column) == ('variable "i" was declared but never referenced', 2, 7)


@pytest.mark.parametrize(
    ("said", "architectures", "advice"),
    [
        ('identifier "__reduce_max_sync" is undefined', ("7.5", "9.0"),
         ": __reduce_max_sync needs compute capability 8.0, and this rung is also compiled for "
         "7.5: use __shfl_xor_sync"),
        ('namespace "cooperative_groups" has no member "this_cluster"', ("8.0", "9.0"),
         ": this_cluster needs compute capability 9.0, and this rung is also compiled for 8.0: "
         "leave clusters out"),
        ('identifier "__reduce_max_sync" is undefined', ("8.0", "9.0"), ""),
        ('identifier "__reduce_mul_sync" is undefined', ("7.5", "9.0"), ""),
    ],
)  # fmt: skip
def test_a_name_of_newer_gpus_is_named_with_the_one_that_lacks_it(
    said: str, architectures: tuple[str, ...], advice: str
) -> None:
    (found,), _ = nvcc_findings(f"{FILE}(1): error: {said}\n", Source(FILE, b""), architectures)
    assert found.message == said + advice


def test_half_a_name_as_nvcc_mangles_it_is_the_students_name() -> None:
    output = (
        f'{FILE}(2): error: calling a __device__ function("_ZN3lab3devE1?") from a __host__ '
        'function("run") is not allowed\n'
    )
    ((_, column, message),) = errors(output, "\n  float y = dev(3.0f);\n")
    assert message == (
        "run runs on the host and cannot call dev, a device function: call it from a kernel, or "
        "write __host__ __device__ before it"
    )
    assert column == 13


# ---- nvcc itself fails


def test_an_nvcc_that_fails_by_itself_is_no_fault_of_the_student(tmp_path: Path) -> None:
    with pytest.raises(FaultError, match="nvcc failed: nvcc fatal : cicc is missing"):
        compiled_by("echo 'nvcc fatal : cicc is missing'; exit 1", "int i;", tmp_path)


def test_an_nvcc_that_dies_of_this_rung_alone_blames_the_rung(tmp_path: Path) -> None:
    dies = f"if [ -s {tmp_path}/made/{FILE} ] && [ ! -e {tmp_path}/made/empty ]; then "
    script = f"{dies} echo 'nvcc error : cicc died due to signal 9'; exit 9; fi"
    compiled = compiled_by(script, "a bomb", tmp_path)
    assert "cicc died due to signal 9" in compiled.errors[0].message
    assert "grow without end" in compiled.errors[0].message


def test_nvcc_is_confined_like_any_compiler(tmp_path: Path) -> None:
    class Refusing(Unconfined):
        def compiling(self, argv: Sequence[str], work: Path, include: Path) -> list[str]:
            assert (argv[0], work, include) == ("/a/nvcc", tmp_path / "made", tmp_path)
            return ["sh", "-c", f"echo '{FILE}(1): error: confined'; exit 1"]

    nvcc = RungCompiler("/a/nvcc", "13", "g++")
    setup = setup_in(tmp_path, confinement=Refusing())
    setup = replace(setup, whole=replace(setup.whole, nvcc=nvcc))
    source, work = Source(FILE, b""), tmp_path / "made"
    said = compile_for_gpus(setup, DEMO.rungs[0], source, work, Phase.RESOURCES)
    assert "confined" in said.errors[0].message


# ---- what `grade` makes of it, with a compiler that is a shell script


@dataclass(frozen=True)
class Nvcc:
    """A toolkit whose nvcc prints what the test wants."""

    checkout: Checkout
    script: Path

    def says(self, output: str, status: int) -> None:
        quoted = output.replace("'", "'\\''")
        runnable(
            self.script,
            "#!/bin/sh\n"
            'if [ "$1" = --version ]; then echo "tools, release 13.0, V13.0.88"; exit; fi\n'
            f'echo "$*" >> {self.script}.calls\n'
            f"printf '%s' '{quoted}'\nexit {status}\n",
        )

    @property
    def commands(self) -> list[str]:
        file = Path(f"{self.script}.calls")
        return file.read_text().splitlines() if file.exists() else []

    @property
    def calls(self) -> int:
        return len(self.commands)


@pytest.fixture
def nvcc(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Nvcc:
    made = Nvcc(checkout, checkout.write("toolkit/bin/nvcc", ""))
    made.says("", 0)
    monkeypatch.delenv("LOCKSTEP_NVCC")
    # A --no-nvcc that was given in this checkout is remembered.
    monkeypatch.setattr("lockstep_grader.toolchain.nvcc_setup._reason", lambda _: "")
    for module in ("system", "nvcc", "nvcc_setup"):
        monkeypatch.setattr(
            f"lockstep_grader.toolchain.{module}.toolkit_nvcc", lambda: str(made.script)
        )
    return made


def test_what_nvcc_refuses_is_a_compile_error_and_earns_nothing(
    checkout: Checkout, nvcc: Nvcc
) -> None:
    nvcc.says(f"/x/{FILE}(1): error: a host function call cannot be configured\n", 1)
    ran, report = checkout.grade(checkout.root / "solutions")
    first = rungs(report)["01_first"]
    assert ran.status == 1
    assert (first["score"], first["outcome"]) == (0, "failed")
    assert first["tests"] == []
    (finding,) = first["findings"]
    assert (finding["kind"], finding["file"], finding["line"]) == ("compile_error", FILE, 1)
    assert "write __global__ before it" in finding["message"]


def test_warnings_and_resources_are_in_the_json_and_cost_nothing(
    checkout: Checkout, nvcc: Nvcc
) -> None:
    nvcc.says(
        f"{FILE}(1): warning #1-D: last line of file ends without a newline\n"
        "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_75'\n"
        "ptxas info    : Function properties for _Z1kPf\n"
        "    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
        "ptxas info    : Used 70 registers, 512 bytes smem\n",
        0,
    )
    ran, report = checkout.grade(checkout.root / "solutions")
    first = rungs(report)["01_first"]
    assert (ran.status, first["outcome"]) == (0, "passed")
    assert first["warnings"] == [
        {
            "file": FILE,
            "line": 1,
            "column": None,
            "message": "last line of file ends without a newline",
        }
    ]
    (kernel,) = first["resources"]
    assert (kernel["architecture"], kernel["registers"], kernel["spilled_bytes"]) == ("7.5", 70, 12)
    assert report["toolchain"]["nvcc"]["version"] == "13.0.88"


def test_a_warning_breaks_the_proof_of_a_starter_and_of_a_solution(
    checkout: Checkout, nvcc: Nvcc
) -> None:
    nvcc.says(f"{FILE}(1): warning #1-D: last line of file ends without a newline\n", 0)
    ran = checkout.lab("lint")
    breach = "01_first: a warning at line 1: last line of file ends without a newline"
    assert (ran.status, ran.out.count(breach)) == (1, 2)


ABOUT_TOGETHER = "together.cu(9): warning #1-D: odd\n"
IN_LAB = "\nnamespace lab {\n%s}  // namespace lab\n"


@pytest.mark.parametrize(
    ("said", "solution", "calls"),
    [
        ("", "// solved\n", 1),
        (ABOUT_TOGETHER, "// solved\n", 1 + 4),  # then each is asked about alone
        ("", "#if 1\n#endif\n", 1 + 1),
        ("", "auto x = __CUDA_ARCH__;\n", 1 + 1),
        ("", "}  // namespace lab\nint global;\nnamespace lab {\n", 1 + 1),
    ],
)
def test_nvcc_reads_the_headers_of_a_lab_once(
    checkout: Checkout, nvcc: Nvcc, said: str, solution: str, calls: int
) -> None:
    for rung in ("01_first", "02_second"):
        text = '#include "demo.cuh"\n#include "lab/todo.cuh"\n' + IN_LAB % STARTER
        checkout.write(f"labs/{LAB}/{rung}.cu", text)
        body = solution if rung == "01_first" else "// solved\n"
        checkout.write(f"solutions/{LAB}/{rung}.cu", '#include "demo.cuh"\n' + IN_LAB % body)
    nvcc.says(said, 0)
    ran = checkout.lab("lint")
    assert (ran.status, nvcc.calls) == (0, calls), ran.out


def test_a_rung_is_compiled_after_no_header_that_it_does_not_include(
    checkout: Checkout, nvcc: Nvcc
) -> None:
    for number, headers in (("01_first", "ab"), ("02_second", "ac")):
        included = "".join(f'#include "{name}.cuh"\n' for name in headers)
        checkout.write(f"solutions/{LAB}/{number}.cu", included + IN_LAB % "// solved\n")
    assert checkout.lab("lint").status == 0
    assert nvcc.calls == 4  # the starters have other texts around namespace lab


def test_who_waits_gets_the_errors_alone_unless_a_budget_counts_registers(
    checkout: Checkout, nvcc: Nvcc
) -> None:
    target = (f"{LAB}/01_first", "--from", str(checkout.root / "solutions"), "--no-sandbox")
    checkout.lab("check", *target)
    assert "-Xcicc=-O0" in nvcc.commands[-1]
    checkout.grade(checkout.root / "solutions")
    assert "-O3" in nvcc.commands[-1]
    hints = 'hints = ["a gentle hint", "a telling hint"]\n'
    budget = "[rung.budget]\nregisters_per_thread = { zero = 128, full = 64 }\n"
    checkout.write(f"labs/{LAB}/lab.toml", LAB_TOML.replace(hints, hints + budget))
    before = nvcc.calls
    checkout.lab("check", *target)
    assert nvcc.calls == before + 1
    assert "-O3" in nvcc.commands[-1]


@pytest.mark.parametrize(
    ("said", "status", "told", "exit_status"),
    [
        ("", 0, "nvcc has nothing to add\n", 0),
        (f"{FILE}(1): warning #1-D: odd\n", 0, f"  a warning, {FILE}:1: odd\n", 0),
        (f"{FILE}(1): error: recursion\n", 1, "\nnvcc changes the verdict:\n", 1),
    ],
)
def test_who_waits_gets_the_verdict_before_nvcc_is_asked(
    checkout: Checkout, nvcc: Nvcc, said: str, status: int, told: str, exit_status: int
) -> None:
    nvcc.says(said, status)
    target = (f"{LAB}/01_first", "--from", str(checkout.root / "solutions"), "--no-sandbox")
    ran = checkout.lab("check", *target)
    verdict, _, last = ran.out.partition("now nvcc compiles it, too ...\n")
    assert "passed" in verdict
    assert last.startswith(told)
    assert ("passed" in last, "failed" in last) == (False, bool(status))
    assert ran.status == exit_status
    ran = checkout.lab("check", *target, "--json")
    assert "nvcc compiles" not in ran.out
    assert ('"outcome": "failed"' in ran.out) == bool(status)


def test_a_verdict_is_kept_until_the_compiler_changes(checkout: Checkout, nvcc: Nvcc) -> None:
    checkout.grade(checkout.root / "solutions", "--results", "kept")
    assert nvcc.calls == 2
    checkout.grade(checkout.root / "solutions", "--results", "kept")
    assert nvcc.calls == 2
    toml = LAB_TOML.replace("[[rung]]", 'architectures = ["8.0"]\n[[rung]]', 1)
    checkout.write(f"labs/{LAB}/lab.toml", toml)
    checkout.grade(checkout.root / "solutions", "--results", "kept")
    assert nvcc.calls == 4


def test_without_nvcc_grade_says_so_once_and_the_json_records_it(checkout: Checkout) -> None:
    ran, report = checkout.grade(checkout.root / "solutions")
    assert ran.err.count("not compiled with nvcc") == 1
    assert report["toolchain"]["nvcc"] == {"missing": "nvcc is switched off"}


def test_what_only_the_emulator_refuses_says_that_nvcc_compiles_it(
    checkout: Checkout, nvcc: Nvcc
) -> None:
    refusing = [{"name": "compile", "argv": ["sh", "-c", f"echo '{FILE}:1:1: error: no'; exit 1"]}]
    checkout.write_toolchain(steps=refusing)
    _, report = checkout.grade(checkout.root / "solutions", "--lab", LAB)
    (finding,) = rungs(report)["01_first"]["findings"]
    assert finding["message"].startswith(
        "nvcc compiles this, but the emulator does not know it (no): "
    )


def test_what_nvcc_only_warns_about_is_a_mistake_in_clangs_words(
    checkout: Checkout, nvcc: Nvcc
) -> None:
    said = f"{FILE}:1:1: error: builtin functions must be directly called"
    refusing = [{"name": "compile", "argv": ["sh", "-c", f"echo '{said}'; exit 1"]}]
    checkout.write_toolchain(steps=refusing)
    nvcc.says(f"{FILE}(1): warning #174-D: expression has no effect\n", 0)
    _, report = checkout.grade(checkout.root / "solutions", "--lab", LAB)
    (finding,) = rungs(report)["01_first"]["findings"]
    assert finding["message"] == "builtin functions must be directly called"


def test_where_clang_refuses_a_rung_too_its_words_count(checkout: Checkout, nvcc: Nvcc) -> None:
    refuses = ["sh", "-c", f"echo '{FILE}:1:4: error: as clang says'; exit 1"]
    steps = [{"name": "device", "at_once": True, "argv": refuses}]
    checkout.write_toolchain(steps=steps)
    nvcc.says(f"{FILE}(1): error: as nvcc says\n{FILE}(1): warning #1-D: odd\n", 1)
    _, report = checkout.grade(checkout.root / "solutions")
    first = rungs(report)["01_first"]
    assert [each["message"] for each in first["findings"]] == ["as clang says"]
    assert [each["message"] for each in first["warnings"]] == []


def test_forbidden_text_never_reaches_nvcc(checkout: Checkout, nvcc: Nvcc) -> None:
    folder = checkout.submission("ann", {"01_first": '#include "/etc/passwd"\n'})
    _, report = checkout.grade(folder)
    assert rungs(report)["01_first"]["findings"][0]["kind"] == "forbidden"
    assert nvcc.calls == 1  # of the other rung


# ---- budgets


def resources(registers: int, architecture: str = "9.0") -> Resources:
    return Resources("k", architecture, registers, 0, 0, 0, None)


def test_a_budget_of_registers_counts_the_worst_kernel_and_is_left_out_without_nvcc() -> None:
    gate = Gate("registers_per_thread", 128, 64)
    rung = Rung("01_first", "A rung", Points(1, 1, 2), budget=(gate,))
    tests = (
        TestResult("Right", Part.CORRECTNESS, Outcome.PASSED),
        TestResult("Budget", Part.EFFICIENCY, Outcome.PASSED),
    )
    kernels = (resources(32), resources(96, "7.5"))
    result = score_rung(rung, Judgement(tests, resources=kernels), Backend.CPU)
    assert result.parts[Part.EFFICIENCY].score == 1
    assert "96 registers per thread (full mark: at most 64)" in result.findings[0].message
    without = score_rung(rung, Judgement(tests), Backend.CPU)
    assert (without.outcome, without.score) == (Outcome.PASSED, 4)


# ---- the real one


@pytest.fixture(scope="module")
def real() -> RungCompiler:
    found = rung_compiler()
    if isinstance(found, NoRungCompiler):
        pytest.skip(found.reason)
    return found


def refused(real: RungCompiler, source: str, work: Path) -> Finding:
    return compiled(real, source, work, ("7.5",)).errors[0]


@pytest.mark.parametrize("mistake", [name for name in MISTAKES if "nvcc" in MISTAKES[name]])
def test_a_mistake_of_the_language_is_named_at_its_place(
    real: RungCompiler, mistake: str, tmp_path: Path
) -> None:
    finding = refused(real, MISTAKES[mistake]["source"], tmp_path)
    assert [finding.line, finding.column, finding.message] == MISTAKES[mistake]["nvcc"]


def test_a_text_that_asks_for_the_architecture_is_read_for_each(
    real: RungCompiler, tmp_path: Path
) -> None:
    source = "#if __CUDA_ARCH__ >= 900\n#error too new\n#endif\n"
    assert [item.line for item in compiled(real, source, tmp_path).errors] == [2]
