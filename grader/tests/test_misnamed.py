# SPDX-License-Identifier: MIT
"""A rung's file under a wrong name: the message that it is missing says what is there instead."""

import pytest

from conftest import LAB, SOLUTION, Checkout
from handed_in import by_id, findings, taken, zip_bytes

_ENDINGS = ("_final.cu", " (1).cu", ".cu.txt", ".cpp", ".cu~")


@pytest.mark.parametrize("name", [f"01_first{end}" for end in _ENDINGS] + ["01_First.cu"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_class_says_what_a_missing_rung_is_called(
    checkout: Checkout, name: str, packed: bool
) -> None:
    files = {f"{LAB}/{name}": SOLUTION, f"{LAB}/02_second.cu": SOLUTION}
    if packed:
        checkout.write("class/ann.zip", zip_bytes(files))
    for path, text in {} if packed else files.items():
        checkout.write(f"class/ann/{path}", text)
    first, second = findings(by_id(taken(checkout, checkout.root / "class"))["ann"])
    assert first
    assert first.is_of_missing_file
    assert first.message.endswith(f": {name} is there, and is not read under this name")
    assert second is None


def test_a_check_says_it_too(checkout: Checkout) -> None:
    rung = checkout.root / "labs" / LAB / "01_first.cu"
    rung.rename(rung.with_name("01_first_old.cu"))
    ran = checkout.lab("check", f"{LAB}/01_first")
    assert "01_first_old.cu is there, and is not read under this name" in " ".join(ran.out.split())


def test_another_rung_is_not_taken_for_the_missing_one(checkout: Checkout) -> None:
    checkout.write(f"class/ann/{LAB}/02_second.cu", SOLUTION)
    first, _ = findings(by_id(taken(checkout, checkout.root / "class"))["ann"])
    assert first
    assert first.message == "01_first.cu is missing from the submission"


def test_a_misnamed_upload_does_not_replace_an_earlier_good_one(checkout: Checkout) -> None:
    checkout.write("class/leeann_1_10_a.zip", zip_bytes({f"{LAB}/01_first.cu": SOLUTION}))
    checkout.write("class/leeann_1_11_b.zip", zip_bytes({f"{LAB}/01_first_b.cu": SOLUTION}))
    first, _ = findings(by_id(taken(checkout, checkout.root / "class"))["leeann_1"])
    assert first is None
