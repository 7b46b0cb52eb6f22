# SPDX-License-Identifier: MIT
"""Archives as students hand them in, and as they never should: only one student's trouble."""

import bz2
import gzip
import io
import lzma
import re
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.intake.archives import STUDENT_BOUNDS, Bounds
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import FindingKind

from conftest import LAB, SOLUTION, Checkout
from handed_in import FLAT, GOOD, RUNGS, by_id, findings, is_whole, taken, tar_bytes, zip_bytes

FIRST = f"{LAB}/{RUNGS[0]}"


@pytest.fixture
def class_folder(checkout: Checkout) -> Path:
    """A class with one student whose archive is as it should be."""
    return checkout.write("class/good.zip", zip_bytes(GOOD)).parent


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("ann.zip", zip_bytes(GOOD)),
        ("ann.tar", tar_bytes(GOOD)),
        ("ann.tar.gz", gzip.compress(tar_bytes(GOOD))),
        ("ann.tgz", gzip.compress(tar_bytes(GOOD))),
        ("ann.tar.xz", lzma.compress(tar_bytes(GOOD))),
        ("ann.tar.bz2", bz2.compress(tar_bytes(GOOD))),
        ("ann.zip", gzip.compress(tar_bytes(GOOD))),  # misnamed
        ("ann.zip", zip_bytes({f"work/lab one/{name}": text for name, text in GOOD.items()})),
        ("ann.zip", zip_bytes({name.replace("/", "\\"): text for name, text in GOOD.items()})),
        ("ann.zip", zip_bytes({**GOOD, f"__MACOSX/{LAB}/._{RUNGS[0]}": b"\0\5", ".DS_Store": ""})),
        ("ann.tar", tar_bytes({f"./{name}": text for name, text in GOOD.items()})),
    ],
)
def test_an_archive_is_taken_in(
    checkout: Checkout, class_folder: Path, name: str, data: bytes
) -> None:
    checkout.write(f"class/{name}", data)
    submissions = by_id(taken(checkout, class_folder))
    assert list(submissions) == ["ann", "good"]
    assert is_whole(submissions["ann"])


@pytest.mark.parametrize("wrapper", ["", "work/"])
def test_flat_files_are_taken_in_where_the_lab_is_known(checkout: Checkout, wrapper: str) -> None:
    files = {wrapper + name: text for name, text in FLAT.items()}
    checkout.write("class/ann.zip", zip_bytes(files))
    (submission,) = taken(checkout, checkout.root / "class", LAB).submissions
    assert is_whole(submission)


def test_what_submit_packs_is_taken_in(checkout: Checkout) -> None:
    packed = checkout.work / "ann.zip"
    assert checkout.lab("submit", LAB, "--from", "../solutions", "--output", packed).status == 0
    (submission,) = taken(checkout, packed).submissions
    assert (submission.id, is_whole(submission)) == ("ann", True)


def test_nothing_but_rung_files_leaves_an_archive(checkout: Checkout, class_folder: Path) -> None:
    stuff = {f"{LAB}/demo.cuh": "edited", "CMakeLists.txt": "", f"{LAB}/lab.toml": "[[["}
    checkout.write("class/ann.zip", zip_bytes({**GOOD, **stuff}))
    assert is_whole(by_id(taken(checkout, class_folder))["ann"])
    spooled = [file.read_text() for file in (checkout.work / "spool").iterdir()]
    assert spooled == [SOLUTION] * 4


def zip_entry(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, mode << 16
    return entry


def zip_with(entry: zipfile.ZipInfo, data: str) -> bytes:
    packed = io.BytesIO(zip_bytes({f"{LAB}/{RUNGS[1]}": SOLUTION}))
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr(entry, data)
    return packed.getvalue()


def doubled(*names: str) -> bytes:
    packed = io.BytesIO(zip_bytes({f"{LAB}/{RUNGS[1]}": SOLUTION}))
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "a") as archive:
        warnings.simplefilter("ignore")
        for name in names:
            archive.writestr(f"{LAB}/{name}", "other")
    return packed.getvalue()


def encrypted() -> bytes:
    """Only the flag shows it; the bytes need not be."""
    data = bytearray(zip_bytes(GOOD))
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    return bytes(data)


def squeezed() -> bytes:
    """Only zeros, in a way that zipfile unpacks all at once."""
    packed = io.BytesIO(zip_bytes({f"{LAB}/{RUNGS[1]}": SOLUTION}))
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_BZIP2) as archive:
        archive.writestr(FIRST, bytes(1 << 20))
    return packed.getvalue()


def device() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo(FIRST)
        entry.type, entry.devmajor, entry.devminor = tarfile.CHRTYPE, 1, 5
        archive.addfile(entry)
        good = tarfile.TarInfo(f"{LAB}/{RUNGS[1]}")
        good.size = len(SOLUTION)
        archive.addfile(good, io.BytesIO(SOLUTION.encode()))
    return packed.getvalue()


SECOND_ONLY = {f"{LAB}/{RUNGS[1]}": SOLUTION}


@pytest.mark.parametrize(
    ("data", "kind", "says"),
    [
        (
            zip_bytes({**SECOND_ONLY, f"../../{FIRST}": "x"}),
            FindingKind.FORBIDDEN,
            f"is at ../../{FIRST}, outside of the archive",
        ),
        (
            tar_bytes({**SECOND_ONLY, f"/{FIRST}": "x"}),
            FindingKind.FORBIDDEN,
            "outside of the archive",
        ),
        (
            zip_bytes({**SECOND_ONLY, f"C:\\{LAB}\\{RUNGS[0]}": "x"}),
            FindingKind.FORBIDDEN,
            "outside of the archive",
        ),
        (
            tar_bytes(SECOND_ONLY, links={FIRST: "/etc/passwd"}),
            FindingKind.FORBIDDEN,
            "01_first.cu is a link",
        ),
        (
            zip_with(zip_entry(FIRST, 0o120777), "/etc/passwd"),
            FindingKind.FORBIDDEN,
            "01_first.cu is a link",
        ),
        (device(), FindingKind.COMPILE_ERROR, "is not a regular file"),
        (zip_bytes({**SECOND_ONLY, FIRST: b" " * (2 << 20)}), None, "is larger than 1 MiB"),
        (encrypted(), None, "01_first.cu is encrypted"),
        (squeezed(), None, "01_first.cu is compressed in a way that is not read"),
        (doubled("01_first.cu", "01_first.cu"), None, "is there twice"),
        (doubled("01_first.cu", "01_FIRST.cu"), None, "names that differ in case alone"),
        (
            zip_bytes({**SECOND_ONLY, FIRST: "x", f"b/{LAB}/x": "", f"a/{FIRST}": "y"}),
            None,
            "",  # the shallower one counts
        ),
        (
            zip_bytes({f"{side}/{FIRST}": side for side in "ab"} | {f"b/{LAB}/{RUNGS[1]}": "x"}),
            None,
            "is in 2 folders of 01-demo",
        ),
    ],
)
def test_a_bad_entry_costs_its_own_rung_alone(
    checkout: Checkout, class_folder: Path, data: bytes, kind: FindingKind | None, says: str
) -> None:
    checkout.write("class/mallory.zip", data)
    submissions = by_id(taken(checkout, class_folder))
    first, second = findings(submissions["mallory"])
    assert second is None
    assert says in (first.message if first else "")
    assert kind in (None, first and first.kind)
    assert is_whole(submissions["good"])


def swollen(compress: Callable[[bytes], bytes]) -> bytes:
    size = STUDENT_BOUNDS.unpacked_bytes + (1 << 20)
    data = tar_bytes({"zeros": bytes(size)})
    return compress(data)


def swollen_zip() -> bytes:
    return zip_bytes({**{f"{number}/{FIRST}": bytes(1 << 20) for number in range(65)}, **GOOD})


def truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def claims_huge_table() -> bytes:
    data = bytearray(zip_bytes(GOOD))
    struct.pack_into("<L", data, len(data) - 22 + 12, 0xFFFFFF00)
    return bytes(data)


def asks_for_memory() -> bytes:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 1 << 29}]
    return lzma.compress(tar_bytes(GOOD), filters=filters)


def chained_headers() -> bytes:
    """Each extended header is followed by another, thousands deep."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 0
    return header.tobuf(tarfile.USTAR_FORMAT) * 5000


def of_less_than_nothing() -> bytes:
    """A size below zero, which sends some readers round and round."""
    header = bytearray(tarfile.TarInfo(FIRST).tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" * 11 + b"\x00"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) * 3


@pytest.mark.parametrize(
    ("name", "make", "says"),
    [
        ("m.zip", lambda: truncated(zip_bytes(GOOD)), "is damaged: it ends before its table"),
        ("m.zip", lambda: b"not an archive at all" * 100, "is neither a zip nor a tar archive"),
        ("m.zip", lambda: b"7z\xbc\xaf\x27\x1c" + bytes(99), "is a 7z archive, which is not read"),
        ("m.zip", lambda: b"", "is an empty file of 0 bytes"),
        ("m.zip", swollen_zip, "unpacks to more than 64 MiB"),
        ("m.tar.gz", lambda: truncated(gzip.compress(tar_bytes(GOOD))), "is damaged"),
        (
            "m.tar.xz",
            lambda: truncated(lzma.compress(tar_bytes(GOOD))),
            "is damaged: it ends in the",
        ),
        ("m.zip", claims_huge_table, "holds more than 200000 entries"),
        ("m.tar.gz", lambda: swollen(gzip.compress), "unpacks to more than 64 MiB"),
        ("m.tar.bz2", lambda: swollen(bz2.compress), "unpacks to more than 64 MiB"),
        ("m.tar.xz", asks_for_memory, "is damaged: Memory usage limit"),
        ("m.tar", chained_headers, "is damaged"),
        ("m.tar", of_less_than_nothing, "is damaged"),
        ("m.tar", lambda: tar_bytes({"a/" * 99 + FIRST: ""}), f"{LAB} under 99 other folders"),
        (
            "m.zip",
            lambda: zip_bytes({f"a/b/c/d/e/f/{FIRST}": "", f"a/b/c/d/e/f/g/{LAB}/x": ""}),
            f"{LAB} under 6 other folders: take it out of them, or leave at most 5 around it",
        ),
        ("m.tar.gz", lambda: gzip.compress(tar_bytes({"a/" * (1 << 22): ""})), "contains no lab"),
        ("m.zip", lambda: zip_bytes({}), "m.zip is empty"),
        ("m.zip", lambda: zip_bytes({"hello.txt": "hi"}), "contains no lab folder and no rung"),
        ("m.zip", lambda: zip_bytes({"in.zip": zip_bytes(GOOD)}), "another archive, in.zip"),
        ("m.tar", lambda: tar_bytes({}, links={LAB: "/solutions"}), f"{LAB}, which is a link"),
        ("\x1b[31mm.zip", lambda: b"PK", "\\x1b[31mm.zip is damaged"),
    ],
)
def test_a_bad_archive_is_a_problem_of_its_student_alone(
    checkout: Checkout, class_folder: Path, name: str, make: Callable[[], bytes], says: str
) -> None:
    checkout.write(f"class/{name}", make())
    submissions = by_id(taken(checkout, class_folder))
    assert is_whole(submissions.pop("good"))
    (mallory,) = submissions.values()
    assert says in mallory.problem
    messages = [item.message for item in findings(mallory) if item]
    assert len(messages) == 2
    assert all("is missing from the submission: " in message for message in messages)


def test_too_many_entries_are_not_gone_through(
    checkout: Checkout, class_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = Bounds(entries=10, file_bytes=1 << 20, unpacked_bytes=1 << 20, cpu_seconds=10)
    monkeypatch.setattr("lockstep_grader.intake.gather.STUDENT_BOUNDS", few)
    many = {str(number): "" for number in range(11)}
    checkout.write("class/a.zip", zip_bytes(many))
    checkout.write("class/b.tar", tar_bytes(many))
    submissions = by_id(taken(checkout, class_folder))
    for name in ("a", "b"):
        assert "holds more than 10 entries" in submissions[name].problem


def pax_of_digits() -> bytes:
    """Python before 3.11.10 searches its extended header for hours (CVE-2024-6232)."""
    digits = b"1" * (1 << 20)
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, len(digits)
    return gzip.compress(header.tobuf(tarfile.USTAR_FORMAT) + digits + bytes(10240))


def long_to_unpack() -> bytes:
    """Slow to read for any Python: members of zeros, one after the other."""
    name = tarfile.TarInfo("zeros")
    name.size = 64 << 30
    zeros = gzip.compress(bytes(64 << 20))
    return gzip.compress(name.tobuf(tarfile.GNU_FORMAT)) + zeros * 1000


@pytest.mark.parametrize("make", [pax_of_digits, long_to_unpack])
def test_an_archive_that_takes_for_ever_is_given_up(
    checkout: Checkout,
    class_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[], bytes],
) -> None:
    short = replace(STUDENT_BOUNDS, unpacked_bytes=1 << 40, cpu_seconds=0)
    monkeypatch.setattr("lockstep_grader.intake.gather.STUDENT_BOUNDS", short)
    checkout.write("class/ann.zip", zip_bytes(GOOD))
    checkout.write("class/m.tar.gz", make())
    submissions = by_id(taken(checkout, class_folder))
    assert is_whole(submissions["ann"])
    assert is_whole(submissions["good"])
    if make is long_to_unpack or submissions["m"].problem.endswith("to read"):
        assert submissions["m"].problem.startswith("m.tar.gz takes more than 0 s of processor time")
    else:
        assert re.search("is damaged|is neither a zip nor a tar", submissions["m"].problem)


def test_a_reader_that_cannot_start_is_our_fault_and_no_zero(
    checkout: Checkout, class_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lockstep_grader.intake.confined.sys.executable", "/bin/false")
    with pytest.raises(FaultError, match="the reader of archives ended with status 1"):
        taken(checkout, class_folder)


@pytest.mark.parametrize("pack", [zip_bytes, tar_bytes])
def test_many_files_beside_a_lab_do_not_hide_it(
    checkout: Checkout, class_folder: Path, pack: Callable[[dict[str, str]], bytes]
) -> None:
    many = {f"0/{number}": "" for number in range(12_000)}
    checkout.write("class/ann.zip", pack({**many, **GOOD}))
    assert is_whole(by_id(taken(checkout, class_folder))["ann"])


def test_many_files_beside_a_lab_folder_do_not_hide_it(checkout: Checkout) -> None:
    folder = checkout.write("class/ann/0", "").parent
    for number in range(1, 25_000):
        (folder / str(number)).touch()
    checkout.submission("class/ann", {})
    assert is_whole(by_id(taken(checkout, checkout.root / "class"))["ann"])


def test_an_archive_that_cannot_be_read_is_our_fault_and_no_zero(
    checkout: Checkout, class_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = checkout.write("class/ann.zip", zip_bytes(GOOD))
    really_open = Path.open

    def deny(self: Path, *arguments: Any, **options: Any) -> Any:
        if self == folder:  # root may read everything, so no mode can deny it
            raise PermissionError(13, "Permission denied", str(self))
        return really_open(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", deny)
    ran, report = checkout.grade(class_folder)
    assert [item["score"] for item in report["submissions"]] == [None, 10]
    assert ran.status == 3
    assert "not graded: ann 01-demo/01_first" in ran.complaint
    assert "Permission denied" in ran.complaint
