# SPDX-License-Identifier: MIT
"""lab.toml: what is read, and that every mistake names its file, line and key."""

import re
import subprocess
from pathlib import Path

import pytest

from lockstep_grader.intake.catalog import find_lab, find_rung, find_target, read_lab
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Backend, Gate, Lab
from lockstep_grader.model.text import one_line

from conftest import LAB_TOML
from repository import REPOSITORY

SPEED = """\
[rung.speed]
share = { zero = 0.05, full = 0.17 }
"""


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "01-demo" / "lab.toml"
    file.parent.mkdir()
    file.write_text(text)
    return file


def complaint(tmp_path: Path, text: str) -> str:
    file = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_lab(file)
    return str(caught.value).removeprefix(str(file))


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return read_lab(write(tmp_path, LAB_TOML + SPEED))


def test_a_lab_is_read_as_it_is_written(lab: Lab) -> None:
    assert (lab.id, lab.slug, lab.max_score) == ("01-demo", "demo", 10)
    assert [rung.file_name for rung in lab.rungs] == ["01_first.cu", "02_second.cu"]
    assert lab.rungs[1].hints == ("one", "two", "three")
    assert lab.rungs[1].gates(Backend.CUDA) == (Gate("share", 0.05, 0.17),)
    assert lab.rungs[1].gates(Backend.CPU) == ()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('slug = "demo"', 'slog = "demo"', ":1: lab.slug: is missing"),
        ('slug = "demo"', 'slug = "../demo"', ":3: lab.slug: expected a name as in radix_sort"),
        ("correctness = 2", "correctness = 1e300", ":12: rung[0].points.correctness: is far too"),
        (
            "correctness = 2",
            f"correctness = 1{'0' * 400}",
            ".correctness: is far too large",
        ),
        ("requires = []", f"requires = {'[' * 200_000}", ": its tables are nested too deeply"),
        ('id = "01_first"', 'id = "../01_first"', ":10: rung[0].id: expected two digits and a"),
        ("requires = []", "hours = 0", ":19: rung[1].hours: more than 0, and at most 100"),
        (
            "requires = []",
            "uses_libraries = 1",
            ":19: rung[1].uses_libraries: expected true or false, got 1",
        ),
        (
            "requires = []",
            'requires = ["02_second"]',
            ":19: rung[1].requires: '02_second'",
        ),
        ('slug = "demo"', 'slug = "demo"\nextra = 1', ":4: lab.extra: unknown key"),
        ('id = "01-demo"', 'id = "01-other"', ":2: lab.id: is '01-other', but the folder's"),
        ('title = "The first"', "title = 3", ":11: rung[0].title: expected a text, got 3"),
        ("correctness = 2", "correctnes = 2", ":12: rung[0].points.correctness: is missing"),
        ("correctness = 2", "correctness = 0.333", ":12: rung[0].points.correctness: points are"),
        ("correctness = 2", "correctness = -2", ":12: rung[0].points.correctness: points are"),
        ("efficiency = 1 }", "efficiency = 1, style = 1 }", "points.style: unknown key"),
        ("requires = []", 'requires = ["09_x"]', ":19: rung[1].requires: '09_x' is not an earlier"),
        ('id = "02_second"', 'id = "01_first"', ":16: rung[1].id: 01_first is there twice"),
        ("requires = []", 'architectures = ["9.0b"]', "compute capability, as 7.5 or 9.0a, got"),
        ("requires = []", 'architectures = ["9.0", "8.0"]', "list the oldest first, each once"),
        ("requires = []", 'architectures = ["9.0", "9.0a"]', "list the oldest first, each once"),
        ('id = "02_second"', 'id = "second"', ":16: rung[1].id: expected two digits and a name"),
        ('hints = ["one", "two", "three"]', "hints = [1]", ":20: rung[1].hints: expected a list"),
        ('"a telling hint"]', '"b"]\nhint_for = { races = 1 }', "races: is neither a kind"),
        ('"a telling hint"]', '"b"]\nhint_for = { race = 3 }', "the number of a hint, from 1 to 2"),
        ("[[rung]]", "[rung]", "rung: expected [[rung]] tables"),
    ],
)
def test_a_mistake_names_line_and_key(tmp_path: Path, old: str, new: str, expected: str) -> None:
    text = LAB_TOML.replace(old, new)
    if new == "[rung]":
        text = LAB_TOML[: LAB_TOML.rindex("[[rung]]")].replace(old, new)
    assert expected in complaint(tmp_path, text)


@pytest.mark.parametrize(
    ("speed", "expected"),
    [
        ("share = 0.5", ":22: rung[1].speed.share: expected a table"),
        ("share = { zero = 0.5 }", ":22: rung[1].speed.share.full: is missing"),
        (
            "share = { zero = 0.5, full = 0.5 }",
            "share.full: must be above zero, as more is better",
        ),
        ("share = { zero = 0.5, full = 0.1 }", "share.full: must be above zero, as more is better"),
        ("share = { zero = nan, full = 0.5 }", "share.full: zero and full must be numbers"),
        ("share = { zero = 0.1, full = 0.5, most = 0.4 }", "share.most: must be above full"),
        ("share = { zero = 0.5, full = 0.1, most = 0.9 }", "share.full: must be above zero"),
        ("luck = { zero = 0, full = 1 }", ":22: rung[1].speed.luck: unknown gate"),
    ],
)
def test_a_mistake_in_a_gate_names_line_and_key(tmp_path: Path, speed: str, expected: str) -> None:
    assert expected in complaint(tmp_path, f"{LAB_TOML}[rung.speed]\n{speed}\n")


# ---- what CMake reads

READS = """\
include(common/cmake/LabFile.cmake)
read_lab_file(${FILE} lab)
message("${lab_ID}|${lab_SLUG}|${lab_RUNGS}|${lab_CALLS}")
"""


def cmake_reads(tmp_path: Path, file: Path) -> tuple[int, str]:
    """CMake's exit status, and what it read or why it did not."""
    script = tmp_path / "reads.cmake"
    script.write_text(READS)
    argv = ["cmake", f"-DFILE={file}", "-P", str(script)]
    done = subprocess.run(argv, cwd=REPOSITORY, capture_output=True, text=True)
    return done.returncode, one_line(done.stderr)


def as_cmake(lab: Lab) -> str:
    rungs = ";".join(rung.id for rung in lab.rungs)
    return f"{lab.id}|{lab.slug}|{rungs}|{';'.join(lab.calls)}"


@pytest.mark.parametrize("file", sorted(REPOSITORY.glob("labs/*/lab.toml")), ids=str)
def test_cmake_and_the_grader_read_the_same_lab(tmp_path: Path, file: Path) -> None:
    lab = read_lab(file)
    assert cmake_reads(tmp_path, file) == (0, as_cmake(lab))
    contract = (file.parent / f"{lab.slug}.cuh").read_text()
    included = re.findall(r'^#include "(\w+\.cuh)"', contract, re.MULTILINE)
    declared = contract + "".join((file.parent / name).read_text() for name in included)
    assert [call for call in lab.calls if not re.search(rf"\b{call}\(", declared)] == []
    assert {rung.file_name for rung in lab.rungs} == {
        path.name for path in file.parent.glob("[0-9]*.cu")
    }


@pytest.mark.parametrize(
    "calls", ['["demo"]', '[\n  "demo",\n  "other",  # one more\n]', '[ "demo" , "other" ]']
)
def test_cmake_reads_calls_however_they_are_laid_out(tmp_path: Path, calls: str) -> None:
    file = write(tmp_path, LAB_TOML.replace('["demo"]', calls))
    assert cmake_reads(tmp_path, file) == (0, as_cmake(read_lab(file)))


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('id = "01_first"', "id = '01_first'", "id"),
        ('id = "01_first"', ' id = "01_first"', "id"),
        ('id = "01_first"', 'id="01_first"', "id"),
        ('slug = "demo"', 'slug  = "demo"', "slug"),
        ('calls = ["demo"]', "calls = ['demo']", "calls"),
        ('calls = ["demo"]', 'calls= ["demo"]', "calls"),
        ('calls = ["demo"]', 'calls = ["demo", # "other"\n]', "calls"),
        ('title = "The first"', 'title = """\nid = "09_x"\n"""', "id"),
    ],
)
def test_what_cmake_would_read_otherwise_is_refused(
    tmp_path: Path, old: str, new: str, key: str
) -> None:
    said = complaint(tmp_path, LAB_TOML.replace(old, new))
    assert f": {key}: CMake reads " in said
    assert f"write each at the start of a line, as in {key} = " in said


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('id = "01_first"', "id = '01_first'", "2 rungs and the lab, but 2 lines of the form id ="),
        ('slug = "demo"', "slug = 'demo'", "no line of the form slug ="),
        ('calls = ["demo"]', "calls = []", "list the functions that the rungs define"),
    ],
)
def test_cmake_refuses_what_it_cannot_read(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    status, said = cmake_reads(tmp_path, write(tmp_path, LAB_TOML.replace(old, new)))
    assert status != 0
    assert expected in said


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("[]", ":7: lab.calls: is missing: list the functions"),
        ('["demo", "demo"]', ":7: lab.calls: demo is there twice"),
        ('["lab::demo"]', ":7: lab.calls: expected the name of a function"),
    ],
)
def test_a_mistake_in_calls_names_line_and_key(tmp_path: Path, calls: str, expected: str) -> None:
    assert expected in complaint(tmp_path, LAB_TOML.replace('["demo"]', calls))


# ---- optional keys


def with_headers(headers: str) -> str:
    return LAB_TOML.replace('slug = "demo"', f'slug = "demo"\nheaders = [{headers}]')


def test_a_lab_names_the_headers_that_come_with_it(tmp_path: Path) -> None:
    header = tmp_path / "common" / "cuda" / "lab" / "look_back.cuh"
    header.parent.mkdir(parents=True)
    header.write_text("#pragma once\n")
    file = tmp_path / "labs" / "01-demo" / "lab.toml"
    file.parent.mkdir(parents=True)
    file.write_text(with_headers('"lab/look_back.cuh"'))
    assert read_lab(file).headers == ("lab/look_back.cuh",)
    file.write_text(with_headers('"lab/look_back.cuh", "lab/look_back.cuh"'))
    with pytest.raises(InputError, match="is there twice"):
        read_lab(file)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ('"lab/absent.cuh"', ":4: lab.headers: lab/absent.cuh is not in "),
        ('"../secret.h"', ":4: lab.headers: expected a header of common/cuda"),
        ("3", ":4: lab.headers: expected a list of texts"),
    ],
)
def test_a_mistake_in_headers_names_line_and_key(
    tmp_path: Path, headers: str, expected: str
) -> None:
    assert expected in complaint(tmp_path, with_headers(headers))


def with_sizes(sizes: str) -> str:
    return LAB_TOML.replace('slug = "demo"', f'slug = "demo"\nbench_sizes = {sizes}')


def test_a_lab_says_at_which_sizes_it_is_measured(tmp_path: Path) -> None:
    file = write(tmp_path, LAB_TOML)
    assert read_lab(file).bench_sizes == (2**16, 2**20, 2**24, 2**28)
    file.write_text(with_sizes("[64, 4096]"))
    assert read_lab(file).bench_sizes == (64, 4096)


@pytest.mark.parametrize("sizes", ["[]", "64", "[0]", "[true]", '["64"]', "[1.5]"])
def test_a_mistake_in_bench_sizes_names_line_and_key(tmp_path: Path, sizes: str) -> None:
    expected = ":4: lab.bench_sizes: expected a list of numbers from 1 to "
    assert expected in complaint(tmp_path, with_sizes(sizes))


@pytest.mark.parametrize("name", ["01-demo", "demo", "01", "01-d", "de"])
def test_a_lab_answers_to_its_id_slug_and_number_and_their_start(lab: Lab, name: str) -> None:
    assert find_lab([lab], name) is lab


@pytest.mark.parametrize("name", ["02_second", "02_second.cu", "second", "02", "02_s", "sec"])
def test_a_rung_answers_to_its_id_file_name_and_number_and_their_start(lab: Lab, name: str) -> None:
    assert find_rung(lab, name) is lab.rungs[1]


def test_a_start_that_several_rungs_share_is_an_input_error(lab: Lab) -> None:
    first, second = (rung.id for rung in lab.rungs)
    with pytest.raises(InputError, match=f"'0'; is it {first} or {second}"):
        find_rung(lab, "0")


@pytest.mark.parametrize("target", ["demo", "labs/01-demo/", "01-demo"])
def test_a_target_without_a_rung_is_the_whole_lab(lab: Lab, target: str) -> None:
    assert find_target([lab], target) == (lab, lab.rungs)
    as_completed = "labs/01-demo/02_second.cu"  # by the shell
    assert find_target([lab], as_completed) == (lab, (lab.rungs[1],))


def test_an_unknown_lab_is_an_input_error(lab: Lab) -> None:
    with pytest.raises(InputError, match="there is no lab called 'scan'"):
        find_lab([lab], "scan")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'[lab]\nid = "01-demo"\nslug = oops\n', "at line 3"),
        (b"# caf\xe9\n", "not UTF-8"),
    ],
)
def test_a_file_that_is_no_toml_is_named(tmp_path: Path, data: bytes, says: str) -> None:
    file = tmp_path / "lab.toml"
    file.write_bytes(data)
    with pytest.raises(InputError, match=says):
        read_lab(file)
    file.unlink()
    with pytest.raises(FaultError, match=r"lab\.toml: No such file"):
        read_lab(file)


def test_the_mark_that_editors_of_windows_put_in_front_is_no_mistake(tmp_path: Path) -> None:
    file = write(tmp_path, f"\ufeff{LAB_TOML}")
    assert cmake_reads(tmp_path, file) == (0, as_cmake(read_lab(file)))
