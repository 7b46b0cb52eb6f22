# SPDX-License-Identifier: MIT
"""`trace`: what it reads from a recording, what its page holds, and how it refuses."""

import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.machine.progress import tell_of_page
from lockstep_grader.model.errors import FaultError
from lockstep_grader.student.trace.model import Recording, find_races, read_recording
from lockstep_grader.student.trace.page import MAX_PAGE_BYTES, Trace, cells_of, make_page, notes_of
from lockstep_grader.student.trace.record import Recorded

from conftest import LAB, Checkout
from in_process import lab, text_of
from recordings import (
    IN,
    SOURCE,
    TILE,
    access,
    ints,
    kinds,
    other_shift,
    recorded_source,
    shift,
    unpacked,
)

TARGET = f"{LAB}/02_second"
on_the_machine = pytest.mark.e2e


def page_of(recording: Recording, **more: Any) -> str:
    made = Trace("01-demo/01_first", "", Recorded(recording), {"shift.cu": SOURCE}, (), **more)
    return make_page(made)[1]


@pytest.mark.parametrize(
    "changes",
    [
        {"moments": [["q", 0]]},
        {"moments": [["b", 0, 10]]},
        {"moments": [["r", 0, 0, 5, 1, 1, 0, 9, 4, [0, 4], "", "", 1, 1]]},
        {"moments": [["r", 0, 0, 5, 1, 1, 0, 0, 4, [0, 4], "00", "", 1, 1]]},
        {"moments": [["r", 0, 0, 5, 1, 1, 0, 0, 4, [-4, 4], "", "", 1, 1]]},
        {"grid": [1]},
        {"arrays": [{}]},
    ],
)
def test_a_recording_that_is_not_as_agreed_is_the_graders_fault(changes: Any) -> None:
    with pytest.raises(FaultError, match="a recording that cannot be read"):
        read_recording(shift(**changes))


@pytest.mark.parametrize(
    ("declaration", "kind", "columns"),
    [
        ("__shared__ float tile[64];", "f32", 32),
        ("__shared__ unsigned tile[64];", "u32", 32),
        ("__shared__ long long tile[32];", "i64", 32),
        ("constexpr int kRow = 16;\n__shared__ float tile[4][kRow + 1];", "f32", 17),
        ("#define ROW 8\n__shared__ int tile[8][ROW];", "i32", 8),
        ("template <int kRow> void k() { __shared__ float tile[kRow][kRow]; }", "f32", 32),
        ("// float tile[3][3]", "i32", 32),
        ("extern __shared__ unsigned char tile[];", "u8", 32),
    ],
)
def test_the_source_says_what_the_cells_hold(declaration: str, kind: str, columns: int) -> None:
    tile = cells_of(read_recording(shift()), [declaration], {})[TILE]
    assert (tile.type, tile.columns) == (kind, columns)


def test_an_allocation_has_the_name_of_the_variable_that_got_it() -> None:
    array = {"name": "allocation 1", "space": "global", "block": -1, "bytes": 1 << 20}
    data = shift()
    data["arrays"][0] = {**array, "file": "main.cu", "line": 2}
    source = "float* d_items;\ncudaMalloc(&d_items, num_bytes);\n"
    cells = cells_of(read_recording(data), [source], {"main.cu": source})[IN]
    assert (cells.name, cells.type) == ("d_items", "f32")
    assert (cells.first, cells.count, cells.total) == (0, 64, 1 << 18)


def test_findings_call_an_allocation_by_that_name() -> None:
    said = "race: line 5 reads what line 7 writes ({}, allocated in line 2 of main.cu)"
    data = shift()
    data["findings"][0]["message"] = said.format("allocation 1")
    recorded = Recorded(read_recording(data), said.format("allocation 1"))
    named = recorded.with_names({"main.cu": "float* d_items;\ncudaMalloc(&d_items, num_bytes);\n"})
    assert named.recording.findings[0].message == named.message == said.format("d_items")


def test_a_race_is_the_two_accesses_that_the_finding_accuses() -> None:
    (race,) = find_races(read_recording(shift()))
    assert (race.first.thread, race.first.kind) == (31, "r")
    assert (race.second.thread, race.second.kind) == (32, "w")
    assert race.first.offset == race.second.offset == 4 * 32


def test_the_other_order_of_a_race_shows_what_its_reader_gets_then() -> None:
    (read_first,) = find_races(read_recording(shift()))
    assert (read_first.value, read_first.other_value) == (word(32), word(33))
    (written_first,) = find_races(read_recording(other_shift()))
    assert (written_first.first.kind, written_first.second.kind) == ("w", "r")
    assert (written_first.value, written_first.other_value) == (word(33), word(32))


def test_the_other_order_of_two_writes_leaves_what_the_first_one_stores() -> None:
    pair = [[0, 32, 8, 1], [0, 31, 5, 1]]
    finding = {"kind": "race", "file": "", "line": 8, "message": "", "race": pair}
    moments = [
        access("w", 0, 5, TILE, 1, range(70, 102)),
        ["f", 0, 1, 0, 0],
        access("w", 1, 8, TILE, 32, range(32)),
    ]
    (race,) = find_races(read_recording(shift(findings=[finding], moments=moments)))
    assert (race.value, race.other_value) == (word(0), word(101))


def word(value: int) -> bytes:
    return bytes.fromhex(ints([value]))


@pytest.mark.parametrize(
    "pair",
    [
        [],
        [[0, 32, 7, 1], [0, 30, 7, 0]],  # another cell
        [[0, 32, 7, 1], [0, 31, 6, 0]],  # another line
        [[0, 32, 7, 0], [0, 31, 7, 0]],  # it writes
        [[0, 32, 7, 1], [-1, 31, 7, 0]],  # of a block that is not recorded
    ],
)
def test_no_other_pair_takes_the_place_of_the_accused_one(pair: Any) -> None:
    data = shift()
    data["findings"][0]["race"] = pair
    assert find_races(read_recording(data)) == []


def test_the_page_holds_the_whole_recording_and_asks_for_nothing() -> None:
    recording = read_recording(shift())
    page = page_of(recording, races=tuple(find_races(recording)))
    data = unpacked(page)
    assert data["moments"] == shift()["moments"]
    assert data["races"][0]["touches"][0]["thread"] == 31
    assert not re.search(r"""(?:src|href)=|@import|url\(""", page)
    assert "script-src &#39;sha256-" in page
    assert "two threads <b>" not in page


def test_what_a_page_leaves_out_is_said() -> None:
    recording = read_recording(shift(grid=[9, 1, 1], cut=True))
    made = Trace("x", "", Recorded(recording), {}, ())
    blocks, cut = notes_of(made)
    assert "blocks 0 to 3 of 9" in blocks
    assert "is cut after 17 steps" in cut
    assert "a smaller problem has fewer" in blocks
    assert cut in make_page(made)[1]


def random_writes(num_steps: int, size: int, bits: int) -> Recording:
    """Of 4 blocks of 256 threads; no value repeats, and none has more than `bits`."""
    random_ = random.Random(7)
    data = shift(grid=[4, 1, 1], block=[256, 1, 1], findings=[], moments=[["B", 0, 0, 0, 0]])
    data["arrays"][IN]["bytes"] = 256 * size
    for step in range(num_steps - 1):
        values = b"".join(random_.getrandbits(bits).to_bytes(size, "little") for _ in range(32))
        data["moments"].append(access_row(step % 4, step // 4 % 8, size, values.hex()))
    return read_recording(data)


def access_row(block: int, warp: int, size: int, values: str) -> list[Any]:
    everyone = 2**32 - 1
    lanes = [everyone, everyone, 0]
    return ["w", block, warp, 5, *lanes, IN, size, [32 * size * warp, size], "", values, 4, 0]


def test_20000_steps_that_all_write_random_ints_fit_into_a_page() -> None:
    made = Trace("x", "", Recorded(random_writes(20_000, 4, 31)), {"shift.cu": SOURCE}, ())
    shown, page = make_page(made)
    assert len(page.encode()) <= MAX_PAGE_BYTES == 4_200_000
    assert len(shown.recording.moments) == 20_000
    assert notes_of(shown) == []


def test_what_does_not_fit_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = MAX_PAGE_BYTES // 4
    monkeypatch.setattr("lockstep_grader.student.trace.page.MAX_PAGE_BYTES", limit)
    made = Trace("x", "", Recorded(random_writes(2_000, 16, 128)), {"shift.cu": SOURCE}, ())
    shown, page = make_page(made)
    assert 0.9 * limit < len(page.encode()) <= limit
    assert f"is cut after {len(shown.recording.moments)} steps" in page
    assert len(kinds(page)) == len(shown.recording.moments) > 900


def test_the_judge_is_told_what_to_record(checkout: Checkout) -> None:
    log = checkout.work / "judge.log"
    checkout.submission("labs", {"02_second": recorded_source(shift(findings=[], moments=[]))})
    ran = checkout.lab("trace", TARGET, "--size", "9", "--seed", "3", "--kernel", "k")
    assert (ran.status, "the page: trace.html" in ran.err) == (0, True)
    assert "record=9 kernel=k order=3" in log.read_text()
    assert (checkout.work / "trace.html").is_file()


def test_a_test_of_a_check_is_replayed_with_its_seed(checkout: Checkout) -> None:
    log = checkout.work / "judge.log"
    checkout.submission("labs", {"02_second": recorded_source(shift())})
    assert checkout.lab("trace", TARGET, "--test", "A.B", "--size", "9", "--seed", "3").status == 1
    assert "record=9 kernel= seed=3 replay=A.B" in log.read_text()
    page = (checkout.work / "trace.html").read_text("utf-8")
    assert "as in the test A.B with 9 items of a check with the seed 3" in page


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ({"kind": "todo", "message": "TODO: add"}, 1, "02_second is not written yet: TODO: add"),
        ({"kind": "crash", "message": "died"}, 1, "no launch could be recorded: died"),
        ({"launches": []}, 2, "no kernel was launched"),
    ],
)
def test_a_rung_without_a_recording_is_one_line(
    checkout: Checkout, said: Any, status: int, words: str
) -> None:
    checkout.submission("labs", {"02_second": recorded_source(None, **said)})
    ran = checkout.lab("trace", TARGET)
    assert ran.status == status
    assert words in ran.err.splitlines()[-1]
    assert not (checkout.work / "trace.html").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "nothing"),
        ([LAB], "trace needs a rung"),
        ([TARGET, "--from", "nowhere"], "nowhere: no such folder"),
        ([TARGET, "--out", "nowhere/page.html"], "no such folder"),
        (["missing.cu"], "missing.cu: no such file"),
        (["missing.cu", "--size", "3"], "--size, --test and --from are for a LAB/RUNG"),
        (["missing.cu", "--test", "A.B"], "--size, --test and --from are for a LAB/RUNG"),
        (
            [TARGET, "--kernel", "k"],
            "no kernel k is launched; --kernel can be one of: shift_kernel",
        ),
        ([TARGET, "-D", "X=1"], "is a rung: further files, -I, -D, --std and -- are for a program"),
        ([TARGET, "--", "7"], "is a rung"),
        (["missing.cu", "-I", "nowhere"], "-I nowhere: no such folder"),
        (["missing.cu", "--std", "11"], "choose 17 or 20"),
        ([TARGET, "--what"], "No such option"),
        ([TARGET, "--size", "0"], "--size"),
        ([TARGET, "--size", "few"], "'few' is not a whole number"),
    ],
)
def test_bad_input_is_refused(checkout: Checkout, arguments: list[str], words: str) -> None:
    checkout.submission("labs", {"02_second": recorded_source(None)})
    ran = checkout.lab("trace", *arguments)
    assert ran.status == 2
    assert words in ran.err
    assert "Traceback" not in ran.err


PROGRAM = text_of("launches/fill.cu")


def trace(folder: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "fill.cu").write_text(program)
    return lab("trace", "fill.cu", *arguments, cwd=folder)


@on_the_machine
def test_a_program_is_traced(tmp_path: Path) -> None:
    ran = trace(tmp_path, PROGRAM.replace("LAUNCH", "fill<<<2, 64>>>(d_out, 100)"))
    assert ran.returncode == 0, ran.stderr
    shown = unpacked((tmp_path / "trace.html").read_text("utf-8"))
    assert (shown["kernel"], shown["threads"], shown["blocks"]) == ("fill", 64, [0, 1])
    assert [array["name"] for array in shown["arrays"]] == ["d_out"]
    written = [moment[11] for moment in shown["moments"] if moment[0] == "w"]
    assert "".join(written) == ints(range(100))


@on_the_machine
def test_a_program_of_several_files_gets_its_options_and_arguments(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "launch.h").write_text("void launch(int* d_out, int n);\n")
    (tmp_path / "launch.cu").write_text(
        "#include <launch.h>\n__global__ void fill(int* d_out) { d_out[threadIdx.x] = WANTED; }\n"
        "void launch(int* d_out, int n) { fill<<<1, n>>>(d_out); }\n"
    )
    program = (
        "#include <launch.h>\n#include <cstdlib>\nint main(int, char** argv) {\n"
        "  int* d_out;\n  cudaMalloc(&d_out, 32 * sizeof(int));\n"
        "  launch(d_out, std::atoi(argv[1]));\n  cudaDeviceSynchronize();\n  cudaFree(d_out);\n}\n"
    )
    ran = trace(tmp_path, program, "launch.cu", "-I", "include", "-D", "WANTED=7", "--", "32")
    assert ran.returncode == 0, ran.stderr
    shown = unpacked((tmp_path / "trace.html").read_text("utf-8"))
    assert (shown["kernel"], shown["threads"]) == ("fill", 32)


RACY = text_of("racy_shift/fill.cu")


@on_the_machine
def test_a_real_race_comes_with_its_other_order(tmp_path: Path) -> None:
    assert trace(tmp_path, RACY).returncode == 1
    (race,) = unpacked((tmp_path / "trace.html").read_text("utf-8"))["races"]
    assert [touch["kind"] for touch in race["touches"]] == ["r", "w"]
    reader = race["touches"][0]["thread"]
    assert race["value"] == ints([7 * (reader + 1)])
    assert race["other_value"] == ints([7 * (reader + 2)])


@on_the_machine
@pytest.mark.parametrize(
    ("launch", "blocks", "is_cut"),
    [("fill<<<2147483647, 1>>>(d_out, 99)", 4, False), ("turn<<<1, 1>>>(d_out)", 1, True)],
)
def test_a_launch_that_does_not_end_in_time_has_a_page_of_its_beginning(
    tmp_path: Path, launch: str, blocks: int, is_cut: bool
) -> None:
    endless = "__global__ void turn(int* d_out) { for (int i = 0;; ++i) d_out[i % 8] = i; }\n"
    ran = trace(tmp_path, endless + PROGRAM.replace("LAUNCH", launch), "--timeout", "2")
    assert ran.returncode == 1
    assert "the run failed: timeout: the program did not end within 2 s" in ran.stderr
    assert "--checks" not in ran.stderr  # which is no option of trace
    page = (tmp_path / "trace.html").read_text("utf-8")
    assert (len(unpacked(page)["blocks"]), "w" in kinds(page)) == (blocks, True)
    assert ("is cut after" in ran.stderr) == is_cut


@on_the_machine
@pytest.mark.parametrize(
    ("program", "arguments", "status", "words"),
    [
        ("int main() {}", [], 2, "no kernel was launched"),
        ("__global__ void k() {}", [], 1, "the program has no main()"),
        ("int main() { return }", [], 1, "compile_error"),
        (PROGRAM.replace("LAUNCH", "fill<<<1, 32>>>(d_out, 9)"), ["--kernel", "x"], 2, "fill"),
        (PROGRAM.replace("LAUNCH", "spin<<<1, 1>>>(d_out)"), [], 1, "deadlock"),
        ("int main() { for (;;) {} }", ["--timeout", "1"], 1, "did not end within 1 s"),
        (
            PROGRAM.replace("LAUNCH", "fill<<<4096, 256>>>(d_out, 1 << 20)"),
            [],
            0,
            "blocks 0 to 3 of 4096",
        ),
    ],
    ids=["no launch", "no main", "no C++", "unknown kernel", "spins", "endless", "huge grid"],
)
def test_a_program_that_cannot_be_shown_as_a_whole_says_so(
    tmp_path: Path, program: str, arguments: list[str], status: int, words: str
) -> None:
    ran = trace(tmp_path, program, *arguments)
    assert ran.returncode == status, ran.stderr
    assert words in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("has_browser", [True, False])
def test_a_page_is_opened_or_its_address_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], has_browser: bool
) -> None:
    opened: list[str] = []

    def browse(link: str) -> bool:
        opened.append(link)
        return has_browser

    monkeypatch.setattr("webbrowser.open", browse)
    tell_of_page("the page", Path("/x y/trace.html"), opens=False)
    assert not opened
    tell_of_page("the page", Path("/x y/trace.html"), opens=True)
    assert opened == ["file:///x%20y/trace.html"]
    assert (opened[0] in capsys.readouterr().err) is not has_browser
