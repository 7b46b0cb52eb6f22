# SPDX-License-Identifier: MIT
"""compute-sanitizer: what its logs become, and cleanliness on a GPU from them."""

import json
from pathlib import Path

import pytest

from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.observe.observer import works as works_here
from lockstep_grader.toolchain.nvcc import Sanitizer
from lockstep_grader.words.sanitizer_log import Report, read_log

from conftest import FAKES, LAB, Checkout, rungs, runnable, verdict_line

DATA = Path(__file__).parent / "data" / "sanitizer"
LOGS = {
    # mutant's log: the rung's file, then kind and lines of the findings
    "barrier_in_branch.synccheck": ("02_interleaved.cu", FindingKind.BARRIER_DIVERGENCE, {30}),
    "barrier_missing.racecheck": ("03_contiguous.cu", FindingKind.RACE, {24, 28}),
    "second_barrier_missing.racecheck": ("05_warp_shuffle.cu", FindingKind.RACE, {35}),
    "warp_synchronous.racecheck": ("03_contiguous.cu", FindingKind.RACE, {30, 34, 35, 36, 37}),
    "host_pointer.memcheck": ("01_global_atomic.cu", FindingKind.HOST_POINTER, {17}),
    "misaligned_vectors.memcheck": ("06_single_pass.cu", FindingKind.MISALIGNED, {58}),
    "too_many_threads.memcheck": ("02_interleaved.cu", FindingKind.LAUNCH_ERROR, {0}),
}
RACE = DATA / "second_barrier_missing.racecheck.log"
OUT_OF_MEMORY = (
    "========= COMPUTE-SANITIZER\n"
    '========= Program hit cudaErrorMemoryAllocation (error 2) due to "out of memory" on CUDA '
    "API call to cudaMalloc.\n"
)
BLOCK = """\
========= COMPUTE-SANITIZER
========= {heading}
=========     at lab::<unnamed>::kernel(float *)+0x1c0 in /home/student/01_x.cu:30
=========     by thread (64,0,0) in block (1,0,0)
=========
"""


def read(name: str, file_name: str) -> Report:
    return read_log((DATA / f"{name}.log").read_text(), file_name)


def read_block(heading: str, *lines: str) -> tuple[Finding, ...]:
    text = BLOCK.format(heading=heading)
    text = text.removesuffix("=========\n") + "".join(f"=========     {line}\n" for line in lines)
    return read_log(text, "01_x.cu").findings


@pytest.mark.parametrize("name", LOGS)
def test_real_logs_become_findings_with_kind_file_and_line(name: str) -> None:
    file_name, kind, lines = LOGS[name]
    report = read(name, file_name)
    assert report.has_run
    assert {finding.kind for finding in report.findings} == {kind}
    assert {finding.line for finding in report.findings} == lines
    assert {finding.file for finding in report.findings} == {file_name}


@pytest.mark.parametrize("name", ["leak.memcheck", "zeros.memcheck"])
def test_a_banner_alone_is_a_tool_that_ran_and_saw_nothing(name: str) -> None:
    assert read(name, "01_x.cu") == Report((), has_run=True)


def test_no_banner_is_a_tool_that_did_not_start() -> None:
    assert read_log("", "01_x.cu") == Report((), has_run=False)


def test_a_race_names_both_lines_and_the_remedy() -> None:
    (race,) = read("second_barrier_missing.racecheck", "05_warp_shuffle.cu").findings
    assert race.message == (
        "compute-sanitizer: line 35 writes shared memory that line 37 reads, and nothing orders "
        "the two: a __syncthreads() or, within a warp, a __syncwarp() is missing (28 hazards)"
    )


def test_messages_carry_the_thread_and_no_raw_addresses() -> None:
    (finding,) = read("misaligned_vectors.memcheck", "06_single_pass.cu").findings
    assert finding.message == (
        "compute-sanitizer: Invalid __global__ read of size 16 bytes by thread (96,0,0) in block "
        "(3,0,0): the address is misaligned"
    )
    (finding,) = read("host_pointer.memcheck", "01_global_atomic.cu").findings
    assert "bytes after the nearest allocation of size 512 bytes" in finding.message
    assert "0x" not in finding.message


def test_a_block_that_was_cut_off_adds_nothing_to_a_place_that_is_known() -> None:
    heading = "========= Invalid __global__ read of size 16 bytes\n"
    whole = BLOCK.format(heading="Invalid __global__ read of size 16 bytes")
    where = whole.splitlines()[2] + "\n"
    whole = whole.removesuffix("=========\n") + "=========     Access to 0x9 is misaligned\n"
    (finding,) = read_log(whole + heading + where, "01_x.cu").findings
    (vague,) = read_log("========= COMPUTE-SANITIZER\n" + heading, "01_x.cu").findings
    assert finding.kind is FindingKind.MISALIGNED
    assert (vague.kind, vague.line) == (FindingKind.OUT_OF_BOUNDS, 0)


def test_errors_of_the_api_after_a_faulting_kernel_are_its_consequence() -> None:
    report = read("host_pointer.memcheck", "01_global_atomic.cu")
    assert FindingKind.LAUNCH_ERROR not in {finding.kind for finding in report.findings}


@pytest.mark.parametrize(
    ("heading", "line", "kind"),
    [
        (
            "Invalid __shared__ write of size 4 bytes",
            "Access to 0x9 is out of bounds",
            "out_of_bounds",
        ),
        ("Invalid __local__ read of size 4 bytes", "Address 0x9 is out of bounds", "out_of_bounds"),
        ("Uninitialized __global__ memory read of size 4 bytes", "", "uninitialized_read"),
        ("Barrier error detected. Divergent thread(s) in block.", "", "barrier_divergence"),
        ("Stack overflow", "", "launch_error"),
        ("An unknown kind of error", "", "launch_error"),
    ],
)
def test_each_heading_has_its_kind(heading: str, line: str, kind: str) -> None:
    (finding,) = read_block(heading, line)
    assert (finding.kind, finding.file, finding.line) == (kind, "01_x.cu", 30)
    assert heading.rstrip(".") in finding.message


def test_a_place_in_a_header_gives_way_to_the_students_own_line() -> None:
    frame = "    Device Frame: lab::kernel()+0x1 in /w/02_y.cu:7"
    (finding,) = read_log(
        BLOCK.format(heading="Invalid x") + f"========= {frame}", "02_y.cu"
    ).findings
    assert (finding.file, finding.line) == ("02_y.cu", 7)


def test_sums_and_remarks_are_no_findings() -> None:
    text = (
        "========= COMPUTE-SANITIZER\n"
        "========= Warning: Maximum number of hazards reached.\n"
        "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"
        "========= LEAK SUMMARY: 0 bytes leaked in 0 allocations\n"
        "========= Target application returned an error\n"
        "========= ERROR SUMMARY: 0 errors\n"
    )
    assert read_log(text, "01_x.cu") == Report((), has_run=True)


def test_a_copy_of_padding_is_no_finding_and_another_error_of_a_copy_is_a_fault() -> None:
    text = (
        "========= COMPUTE-SANITIZER\n"
        "========= Host API memory access error at host access to 0x7f00 of size 512 bytes\n"
        "=========     {} access at 0x7f0c on access by cudaMemcpy source\n"
    )
    assert read_log(text.format("Uninitialized"), "01_x.cu") == Report((), has_run=True)
    with pytest.raises(FaultError, match="cannot read"):
        read_log(text.format("Other"), "01_x.cu")


def test_a_leak_is_the_students_unless_the_worker_keeps_the_memory() -> None:
    leak = "========= COMPUTE-SANITIZER\n========= Leaked 1,024 bytes at 0x7f00\n"
    frame = "=========         Host Frame: {} [0x9] in worker\n"
    (finding,) = read_log(leak + frame.format("lab::reduce_sum(int)"), "01_x.cu").findings
    assert finding.kind is FindingKind.LEAK
    assert "Leaked 1,024 bytes of device memory" in finding.message
    for function in (
        "worker::scratch_memory(unsigned long, bool)",
        "shared_device_memory::(anonymous namespace)::map(unsigned long long, unsigned long)",
    ):
        assert read_log(leak + frame.format(function), "01_x.cu").findings == ()


def test_memory_that_ran_out_is_not_called_a_bad_launch() -> None:
    (finding,) = read_log(OUT_OF_MEMORY, "01_x.cu").findings
    assert finding.kind is FindingKind.OUT_OF_MEMORY
    assert "cudaMalloc failed with cudaErrorMemoryAllocation: out of memory" in finding.message


def test_an_error_that_cannot_be_read_is_a_fault_and_never_dropped() -> None:
    text = "========= COMPUTE-SANITIZER\n========= Internal Sanitizer Error: no device\n"
    with pytest.raises(FaultError, match="Internal Sanitizer Error: no device; --no-sanitizer"):
        read_log(text, "01_x.cu")


@pytest.fixture
def gpu(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    """A checkout with a GPU and a compute-sanitizer."""
    checkout.write_toolchain(backend="cuda")
    found = Sanitizer(FAKES / "compute-sanitizer")
    monkeypatch.setattr("lockstep_grader.judging.session.find_sanitizer", lambda: found)
    return checkout


def racy(verdict: str = "") -> str:
    return f"{verdict or verdict_line()}//sanitizer racecheck {RACE}\n"


def test_a_clean_rung_passes_four_tests_of_cleanliness(gpu: Checkout) -> None:
    ran, report = gpu.grade(gpu.submission("ann", {}))
    assert ran.status == 0
    tests = rungs(report)["01_first"]["tests"][2:]
    assert {(test["part"], test["outcome"]) for test in tests} == {("cleanliness", "passed")}
    assert [test["name"].rpartition(".")[2] for test in tests] == [
        "memcheck",
        "racecheck",
        "initcheck",
        "synccheck",
    ]
    log = (gpu.work / "judge.log").read_text().splitlines()
    begun = [line.split() for line in log if line.startswith("begin")]
    assert sum("quick" in options for options in begun) == 2 * 4
    assert sum("few-launches" in options for options in begun) == 2  # racecheck
    assert len(begun) == 2 * (1 + 4)


def test_a_race_costs_cleanliness_and_names_file_and_line(gpu: Checkout) -> None:
    text = RACE.read_text().replace("05_warp_shuffle", "01_first")
    log = gpu.write("race.log", text)
    source = f"{verdict_line()}//sanitizer racecheck {log}\n"
    ran, report = gpu.grade(gpu.submission("ann", {"01_first": source}))
    first = rungs(report)["01_first"]
    assert ran.status == 1
    assert first["parts"]["correctness"]["score"] == 2
    assert first["parts"]["cleanliness"]["score"] == 0
    assert first["parts"]["efficiency"]["score"] == 1
    (finding,) = first["findings"]
    assert (finding["kind"], finding["file"], finding["line"]) == ("race", "01_first.cu", 35)


def test_a_wrong_rung_is_examined_too_for_the_cause(gpu: Checkout) -> None:
    wrong = verdict_line(outcome="failed", message="expected 6, got 4")
    _, report = gpu.grade(gpu.submission("ann", {"01_first": racy(wrong)}))
    assert "race" in {finding["kind"] for finding in rungs(report)["01_first"]["findings"]}


def test_what_hangs_or_is_not_written_is_not_examined(gpu: Checkout) -> None:
    gpu.grade(gpu.root / "labs")
    hangs = verdict_line(outcome="failed", kind="timeout", message="no answer")
    gpu.grade(gpu.submission("ann", {"01_first": hangs, "02_second": hangs}))
    assert "quick" not in (gpu.work / "judge.log").read_text()


def test_no_sanitizer_skips_it(gpu: Checkout) -> None:
    ran, report = gpu.grade(gpu.submission("ann", {"01_first": racy()}), "--no-sanitizer")
    assert ran.status == 0
    assert len(rungs(report)["01_first"]["tests"]) == 1


def test_a_missing_sanitizer_is_said_once(gpu: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lockstep_grader.judging.session.find_sanitizer", lambda: None)
    ran, _ = gpu.grade(gpu.submission("ann", {}))
    assert ran.status == 0
    assert (
        ran.err.count("compute-sanitizer is not here, so only the emulator judges cleanliness") == 1
    )


def test_a_sanitizer_that_does_not_start_is_a_fault_and_costs_nothing(gpu: Checkout) -> None:
    source = "//! no sanitizer\n"
    ran, report = gpu.grade(gpu.submission("ann", {"01_first": source}))
    assert ran.status == 3
    assert "memcheck did not start" in rungs(report)["01_first"]["fault"]
    assert rungs(report)["01_first"]["score"] is None


def test_stored_results_are_taken_again_only_with_the_same_sanitizer(
    gpu: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, store = gpu.submission("ann", {}), ("--results", gpu.work / "kept")

    def judged(*options: str) -> int:
        gpu.grade(folder, *store, *options)
        return gpu.judged()

    assert [judged(), judged()] == [10, 0]
    assert judged("--no-sanitizer") == 2
    monkeypatch.setenv("FAKE_SANITIZER_VERSION", "2026.1")
    again = Sanitizer(FAKES / "compute-sanitizer")
    monkeypatch.setattr("lockstep_grader.judging.session.find_sanitizer", lambda: again)
    assert judged() == 10


def test_mutants_of_checker_kinds_are_proved_where_the_sanitizer_is(
    gpu: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu.submission("solutions", {})
    log = gpu.write("race.log", RACE.read_text().replace("05_warp_shuffle", "01_first"))
    gpu.write(
        f"solutions/{LAB}/mutants/no_barrier.cu",
        "// mutant of: 01_first\n// mistake: 1, a barrier is missing\n// expect: failed race\n"
        f"// line: the 37th\n{verdict_line()}//sanitizer racecheck {log}\n"
        + "\n" * 30
        + "the 37th\n",
    )
    assert "no_barrier" not in gpu.lab("lint", LAB).out
    monkeypatch.setattr("lockstep_grader.judging.session.find_sanitizer", lambda: None)
    assert "no_barrier: skipped, a GPU alone does not see it" in gpu.lab("lint", LAB).out


def ends_otherwise(tool: str, **test: str) -> str:
    """A rung that is right, but not under the tool."""
    return f"{verdict_line()}//! under {tool} {json.dumps(test)}\n"


def test_a_rung_that_ends_otherwise_under_a_tool_is_not_clean(gpu: Checkout) -> None:
    """It can notice the tool by the time it takes, and end before anything is checked."""
    thrown = ends_otherwise("racecheck", outcome="failed", kind="crash", message="it threw")
    ran, report = gpu.grade(gpu.submission("ann", {"01_first": thrown}))
    first = rungs(report)["01_first"]
    assert ran.status == 1
    assert [part["score"] for part in first["parts"].values()] == [2, 0, 1]
    (finding,) = first["findings"]
    assert (finding["kind"], finding["message"]) == ("crash", "only under racecheck: it threw")


@pytest.mark.parametrize("trouble", ["exit 4", verdict_line(outcome="failed", kind="crash")])
def test_what_another_rung_may_have_caused_is_run_again_alone(gpu: Checkout, trouble: str) -> None:
    """One that takes the device's memory must not cost another its points."""
    source = f"{verdict_line()}//! with others memcheck {trouble.removeprefix('//! ')}\n"
    ran, report = gpu.grade(gpu.submission("ann", {"01_first": source}))
    assert (ran.status, rungs(report)["01_first"]["findings"]) == (0, [])


def test_a_wrong_rung_is_not_blamed_for_memory_that_another_took(gpu: Checkout) -> None:
    """Or its first cause would be one that it does not have."""
    log = gpu.write("full.log", OUT_OF_MEMORY)
    wrong = verdict_line(outcome="failed", kind="crash", message="it threw")
    source = f"{wrong}//with others sanitizer memcheck {log}\n"
    _, report = gpu.grade(gpu.submission("ann", {"01_first": source}))
    assert {found["kind"] for found in rungs(report)["01_first"]["findings"]} == {"crash"}


def test_a_rung_that_fails_without_a_tool_may_fail_under_it(gpu: Checkout) -> None:
    wrong = verdict_line(outcome="failed", kind="wrong_result", message="expected 6, got 4")
    _, report = gpu.grade(gpu.submission("ann", {"01_first": wrong}))
    tests = rungs(report)["01_first"]["tests"][1:]
    assert {test["outcome"] for test in tests} == {"skipped"}


@pytest.mark.parametrize("trouble", ["//! no sanitizer\n", "//! under memcheck exit 4\n"])
def test_trouble_of_a_tool_that_works_is_the_rungs(
    gpu: Checkout, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    """A rung can end its own worker under a tool, and garble the tool's log."""
    monkeypatch.setattr("lockstep_grader.observe.observer.works", lambda *_: True)
    gpu.write_toolchain(backend="cuda", anchors=str(gpu.write("anchors", "fast")))
    source = f"{verdict_line()}{trouble}"
    ran, report = gpu.grade(gpu.submission("ann", {"01_first": source}))
    first = rungs(report)["01_first"]
    assert ran.status == 1
    assert (first["score"], first["findings"][0]["kind"]) == (3, "forbidden")


def test_trouble_of_a_tool_does_not_replace_the_verdict_of_a_wrong_rung(gpu: Checkout) -> None:
    wrong = verdict_line(outcome="failed", kind="wrong_result", message="expected 6, got 4")
    ran, report = gpu.grade(gpu.submission("ann", {"01_first": wrong + "//! no sanitizer\n"}))
    assert ran.status == 1
    assert rungs(report)["01_first"]["outcome"] == "failed"


@pytest.mark.parametrize(("says", "works"), [("========= COMPUTE-SANITIZER", True), ("", False)])
def test_a_tool_works_if_it_speaks_about_a_program_of_ours(
    tmp_path: Path, says: str, works: bool
) -> None:
    program = tmp_path / "compute-sanitizer"
    runnable(program, f'#!/bin/sh\ncase "$*" in *"worker --probe") echo "{says}";; esac\n')
    assert works_here(Sanitizer(program), "racecheck", tmp_path / "worker", "0") is works
    program.unlink()
    assert not works_here(Sanitizer(program), "memcheck", tmp_path / "worker", "")
