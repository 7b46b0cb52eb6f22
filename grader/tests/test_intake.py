# SPDX-License-Identifier: MIT
"""Classes as learning platforms hand them out: who is who, and no student is lost."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from lockstep_grader.intake.platforms import gradescope_submissions
from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Student

from conftest import DATA, LAB, LAB_TOML, SOLUTION, Checkout
from handed_in import FLAT, GOOD, RUNGS, by_id, is_whole, taken, zip_bytes

METADATA = (DATA / "submission_metadata.yml").read_text("utf-8")


def put(checkout: Checkout, folder: str, files: Mapping[str, str | bytes]) -> Path:
    for name, data in files.items():
        checkout.write(f"{folder}/{name}", data)
    return checkout.root / folder


def exported(checkout: Checkout, name: str, files: Mapping[str, str | bytes], packed: bool) -> Path:
    """As a folder, or packed in a zip, which may also be what one student handed in."""
    return checkout.write(f"{name}.zip", zip_bytes(files)) if packed else put(checkout, name, files)


def gradescope() -> dict[str, str]:
    folder = "assignment_7_export"
    files = {f"{folder}/submission_metadata.yml": METADATA}
    for number in (11, 12):
        files |= {f"{folder}/submission_{number}/{name}": text for name, text in GOOD.items()}
    return files


@pytest.mark.parametrize("packed", [False, True])
def test_a_gradescope_export_names_its_students(checkout: Checkout, packed: bool) -> None:
    path = exported(checkout, "export", gradescope(), packed)
    submissions = by_id(taken(checkout, path))
    assert list(submissions) == ["ann@example.edu", "bob@example.edu", "cy@example.edu"]
    assert all(map(is_whole, submissions.values()))  # a group's work counts for each of them
    assert submissions["ann@example.edu"].student == Student("Ann Lee", "ann@example.edu", "3001")


@pytest.mark.parametrize("packed", [False, True])
def test_a_student_alone_in_a_class_names_no_other_by_metadata(
    checkout: Checkout, packed: bool
) -> None:
    files = {
        name.replace("assignment_7_export", "mallory"): text for name, text in gradescope().items()
    } | {f"mallory/{name}": text for name, text in GOOD.items()}
    path = exported(checkout, "mallory", files, packed)
    submissions = by_id(taken(checkout, path))
    assert list(submissions) == ["mallory"]
    assert is_whole(submissions["mallory"])


def test_a_gradescope_export_says_when_it_was_handed_in(checkout: Checkout) -> None:
    _, report = checkout.grade(put(checkout, "export", gradescope()))
    times = {item["id"]: item["handed_in"] for item in report["submissions"]}
    assert times == {
        "ann@example.edu": "2026-02-03T10:00:00+00:00",
        "bob@example.edu": "",
        "cy@example.edu": "",
    }


def test_gradescope_metadata_that_is_none_is_named_with_its_line(checkout: Checkout) -> None:
    files = gradescope()
    files["assignment_7_export/submission_metadata.yml"] = "a: 1\n b: [\n"
    with pytest.raises(InputError, match=r"submission_metadata.yml:2: not the metadata"):
        taken(checkout, put(checkout, "export", files))


@pytest.mark.parametrize("packed", [False, True])
def test_a_canvas_export_is_told_apart_by_the_students_number(
    checkout: Checkout, packed: bool
) -> None:
    files: dict[str, str | bytes] = {
        "leeann_100_9001_work.zip": zip_bytes(dict.fromkeys(GOOD, "old")),
        "leeann_100_9005_work-1.zip": zip_bytes(GOOD),
        "doejane_LATE_101_9002_01_first.cu": SOLUTION,
        "doejane_LATE_101_9003_02_second-2.cu": SOLUTION,
        "poeed_102_9004_essay.pdf": "pdf",
    }
    path = exported(checkout, "submissions", files, packed)
    submissions = by_id(taken(checkout, path, LAB))
    assert list(submissions) == ["doejane_101", "leeann_100", "poeed_102"]
    assert is_whole(submissions["doejane_101"])
    ann = submissions["leeann_100"]
    assert is_whole(ann)
    assert ann.student == Student(name="leeann", lms_id="100")
    (lab,) = ann.labs
    assert getattr(ann.read(lab, lab.rungs[0]), "data", None) == SOLUTION.encode()  # the newer one
    assert submissions["poeed_102"].problem == "essay.pdf is neither an archive nor a rung file"


def test_an_archive_of_another_kind_is_its_students_problem(checkout: Checkout) -> None:
    path = put(checkout, "class", {"ann.zip": zip_bytes(GOOD), "hal.tar.zst": "x", "ida.RAR": "x"})
    roster = checkout.write("class.csv", "login\nann\nhal\nida\nzoe\n")
    submissions = by_id(taken(checkout, path, LAB, roster=roster))
    assert list(submissions) == ["ann", "hal", "ida", "zoe"]
    assert "is of a kind that is not read" in submissions["hal"].problem
    assert submissions["ida"].problem.startswith("ida.RAR is of a kind that is not read")
    assert [each for each, found in submissions.items() if found.is_missing] == ["zoe"]


def write_second_lab(checkout: Checkout, first: str, second: str) -> None:
    text = (checkout.root / "labs" / LAB / "lab.toml").read_text()
    for old, new in ((LAB, "02-more"), ("01_first", first), ("02_second", second)):
        text = text.replace(old, new)
    checkout.write("labs/02-more/lab.toml", text.replace("demo", "more"))


def loose_class(checkout: Checkout, name: str, files: Mapping[str, str]) -> Path:
    """The same loose files in a folder, in a wrongly named one, in an archive, and as uploads."""
    made: dict[str, str | bytes] = {"ann_100_9001_work.zip": zip_bytes(files)}
    made |= {f"bob_101_900{5 + n}_{each}": text for n, (each, text) in enumerate(files.items())}
    if name == "folders":
        made = {f"ann/{each}": text for each, text in files.items()}
        made |= {f"bob/labs/my work/{each}": text for each, text in files.items()}
    return put(checkout, name, made)


@pytest.mark.parametrize("name", ["canvas", "folders"])
def test_rung_files_without_a_lab_folder_are_sorted_by_their_names(
    checkout: Checkout, name: str
) -> None:
    write_second_lab(checkout, "03_third", "04_fourth")
    more = dict.fromkeys(("03_third.cu", "04_fourth.cu"), SOLUTION)
    path = loose_class(checkout, name, {**FLAT, **more})
    found = by_id(taken(checkout, path)).values()
    assert len(found) == 2
    for submission in found:
        assert [lab.id for lab in submission.labs] == [LAB, "02-more"]
        for lab in submission.labs:
            assert all(isinstance(submission.read(lab, rung), Source) for rung in lab.rungs)


@pytest.mark.parametrize("name", ["canvas", "folders"])
def test_rung_files_that_may_be_of_two_labs_ask_for_the_lab(checkout: Checkout, name: str) -> None:
    write_second_lab(checkout, "01_first", "02_second")
    path = loose_class(checkout, name, FLAT)
    for submission in by_id(taken(checkout, path, LAB)).values():
        assert is_whole(submission)
    checkout.write(f"{path.relative_to(checkout.root)}/zoe.zip", zip_bytes(GOOD))
    problems = [each.problem for each in by_id(taken(checkout, path)).values() if each.problem]
    assert len(problems) == 2
    assert problems[0].endswith("grade one lab alone, with --lab")


@pytest.mark.parametrize("packed", [False, True])
def test_a_moodle_export_has_names_in_its_folders(checkout: Checkout, packed: bool) -> None:
    files: dict[str, str | bytes] = {
        "Ann Lee_51_assignsubmission_file_/work.zip": zip_bytes(GOOD),
        "José Núñez_52_assignsubmission_file_/work.rar": "Rar!",
        "Bob_53_assignsubmission_onlinetext_/onlinetext.html": "<p>see my web site",
        **{f"Cy Dee_54_assignsubmission_file/{name}": text for name, text in GOOD.items()},
        "Eve_55_assignsubmission_file_work.zip": zip_bytes(GOOD),
    }
    path = exported(checkout, "moodle", files, packed)
    submissions = by_id(taken(checkout, path))
    assert list(submissions) == ["Ann Lee_51", "Bob_53", "Cy Dee_54", "Eve_55", "José Núñez_52"]
    for whole in ("Ann Lee_51", "Cy Dee_54", "Eve_55"):
        assert is_whole(submissions[whole])
    assert submissions["Ann Lee_51"].student == Student(name="Ann Lee", participant="51")
    assert "work.rar is of a kind that is not read" in submissions["José Núñez_52"].problem
    said = "there is no lab folder, such as 01-demo, and no rung file in it, only onlinetext.html"
    assert submissions["Bob_53"].problem == said


def test_clones_of_github_classroom_end_in_logins(checkout: Checkout) -> None:
    for login in ("ann-lee", "bob"):
        put(checkout, f"clones/lab-one-{login}", {**GOOD, ".git/HEAD": "ref: x"})
    submissions = by_id(taken(checkout, checkout.root / "clones"))
    assert list(submissions) == ["lab-one-ann-lee", "lab-one-bob"]
    assert [item.student.login for item in submissions.values()] == ["ann-lee", "bob"]


def test_folders_are_not_of_canvas_whatever_their_names(checkout: Checkout) -> None:
    for login in ("lee", "zed"):
        put(checkout, f"class/cs_101_1_hw-{login}", GOOD)
    submissions = by_id(taken(checkout, checkout.root / "class"))
    assert list(submissions) == ["cs_101_1_hw-lee", "cs_101_1_hw-zed"]


def test_folders_and_archives_may_be_mixed(checkout: Checkout) -> None:
    put(checkout, "class/ann", GOOD)
    put(checkout, "class/bob/my lab", GOOD)
    put(checkout, "class/cy", {"lab.zip": zip_bytes(GOOD)})
    put(checkout, "class", {"dee.zip": zip_bytes(GOOD), "notes.txt": "hello"})
    submissions = by_id(taken(checkout, checkout.root / "class"))
    assert list(submissions) == ["ann", "bob", "cy", "dee"]
    assert all(map(is_whole, submissions.values()))


def test_an_archive_may_hold_one_submission_or_a_class(checkout: Checkout) -> None:
    one = checkout.write("ann.zip", zip_bytes({f"x/y/{name}": text for name, text in GOOD.items()}))
    assert [item.id for item in taken(checkout, one).submissions] == ["ann"]
    files = {f"class/{who}/{name}": text for who in ("ann", "bob") for name, text in GOOD.items()}
    many = checkout.write("many.zip", zip_bytes(files))
    assert [item.id for item in taken(checkout, many).submissions] == ["ann", "bob"]


def test_one_flat_submission_is_taken_where_the_lab_is_known(checkout: Checkout) -> None:
    (submission,) = taken(checkout, put(checkout, "ann", FLAT), LAB).submissions
    assert (submission.id, is_whole(submission)) == ("ann", True)


def test_one_broken_archive_is_a_zero_where_the_lab_is_known_and_else_refused(
    checkout: Checkout,
) -> None:
    broken = checkout.write("ann.zip", b"PK broken")
    (submission,) = taken(checkout, broken, LAB).submissions
    assert "ann.zip is damaged" in submission.problem
    with pytest.raises(InputError, match=r"ann\.zip is damaged"):
        taken(checkout, broken)


def test_nobody_can_reach_into_a_neighbours_folder(checkout: Checkout) -> None:
    put(checkout, "class/bob", GOOD)
    (checkout.root / "class/ann" / LAB).mkdir(parents=True)
    for rung in RUNGS:
        (checkout.root / "class/ann" / LAB / rung).symlink_to(f"../../bob/{LAB}/{rung}")
    (checkout.root / "class/cy").mkdir()
    (checkout.root / "class/cy/lab.zip").symlink_to(checkout.write("dee.zip", zip_bytes(GOOD)))
    submissions = by_id(taken(checkout, checkout.root / "class"))
    assert not is_whole(submissions["ann"])
    assert submissions["cy"].problem == "lab.zip is a link that leaves the submission"


def test_an_archive_that_is_a_loop_of_links_is_a_problem_of_its_student_alone(
    checkout: Checkout,
) -> None:
    put(checkout, "class/bob", GOOD)
    (checkout.root / "class/ann").mkdir()
    (checkout.root / "class/ann/a.zip").symlink_to("a.zip")
    submissions = by_id(taken(checkout, checkout.root / "class"))
    assert is_whole(submissions["bob"])
    assert submissions["ann"].problem == "a.zip is a link that leads nowhere"


def test_a_class_may_be_called_like_a_lab_and_a_lab_folder_is_no_class(checkout: Checkout) -> None:
    put(checkout, f"sorted/{LAB}/ann", GOOD)
    (submission,) = taken(checkout, checkout.root / "sorted" / LAB, LAB).submissions
    assert (submission.id, is_whole(submission)) == ("ann", True)
    put(checkout, "bob", GOOD)
    with pytest.raises(InputError, match=f"is a lab folder; grade its parent, with --lab {LAB}"):
        taken(checkout, checkout.root / "bob" / LAB)


def test_links_in_a_circle_are_no_folders(checkout: Checkout) -> None:
    put(checkout, "class/ann", GOOD)
    for folder in ("class", "class/ann"):
        (checkout.root / folder / "circle").symlink_to("circle")
    assert is_whole(by_id(taken(checkout, checkout.root / "class"))["ann"])


@pytest.mark.parametrize("name", ["grade.json", "x" * 250, "ann\n::error::forged"])
def test_ids_are_names_that_a_folder_can_have(checkout: Checkout, name: str) -> None:
    put(checkout, f"class/{name}", GOOD)
    (submission,) = taken(checkout, checkout.root / "class").submissions
    assert submission.id != "grade.json"
    assert len(submission.id) < 200


CANVAS = {
    "leeann_100_9001_work.zip": zip_bytes(GOOD),
    "poeed_102_9004_work.zip": zip_bytes(GOOD),
}


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_named_as_moodle_would_stays_its_owners_in_canvas(
    checkout: Checkout, packed: bool
) -> None:
    theirs = "malmal_103_9009_Ann Lee_100_assignsubmission_file_work.zip"
    files: dict[str, str | bytes] = {**CANVAS, theirs: zip_bytes(GOOD)}
    path = exported(checkout, "class", files, packed)
    submissions = by_id(taken(checkout, path))
    assert list(submissions) == ["leeann_100", "malmal_103", "poeed_102"]
    assert submissions["malmal_103"].student == Student(name="malmal", lms_id="103")
    assert not any(item.dispute for item in submissions.values())


def test_such_a_file_alone_is_its_owners_too(checkout: Checkout) -> None:
    theirs = "malmal_103_9009_Ann Lee_100_assignsubmission_file_work.zip"
    path = put(checkout, "class", {theirs: zip_bytes(GOOD)})
    assert list(by_id(taken(checkout, path))) == ["malmal_103"]


def test_a_file_that_is_named_as_canvas_would_stays_its_owners_in_moodle(
    checkout: Checkout,
) -> None:
    files: dict[str, str | bytes] = {
        "Ann Lee_51_assignsubmission_file_work.zip": zip_bytes(GOOD),
        "Mal_52_assignsubmission_file_leeann_51_9_work.zip": zip_bytes(GOOD),
    }
    assert list(by_id(taken(checkout, put(checkout, "class", files)))) == ["Ann Lee_51", "Mal_52"]


def test_a_display_name_that_holds_another_student_is_not_believed(checkout: Checkout) -> None:
    theirs = "Ann Lee_51_assignsubmission_file_x_52_assignsubmission_file_"
    files: dict[str, str | bytes] = {
        "Ann Lee_51_assignsubmission_file_/work.zip": zip_bytes(GOOD),
        f"{theirs}/work.zip": zip_bytes(GOOD),
    }
    submissions = by_id(taken(checkout, put(checkout, "class", files)))
    assert sorted(item.student.participant for item in submissions.values()) == ["51", "52"]


def test_a_file_name_that_fits_two_students_of_moodle_is_neither_ones(checkout: Checkout) -> None:
    theirs = "Ann Lee_51_assignsubmission_file_x_52_assignsubmission_file_work.zip"
    files: dict[str, str | bytes] = {
        "Ann Lee_51_assignsubmission_file_work.zip": zip_bytes(GOOD),
        theirs: zip_bytes(GOOD),
    }
    submissions = by_id(taken(checkout, put(checkout, "class", files)))
    assert not submissions["Ann Lee_51"].dispute
    other = submissions[theirs.removesuffix(".zip")]
    assert other.student == Student()
    assert "its name fits two students" in other.dispute


def test_a_student_who_is_named_twice_is_in_no_export(checkout: Checkout) -> None:
    files = {**CANVAS, "x_100_9010_work.zip": zip_bytes(dict.fromkeys(GOOD, "other"))}
    ran, report = checkout.grade(put(checkout, "class", files))
    disputes = {item["id"]: item["dispute"] for item in report["submissions"]}
    assert disputes["poeed_102"] == ""
    assert "x_100 names the same student" in disputes["leeann_100"]
    assert "leeann_100 names the same student" in disputes["x_100"]
    assert "whose work it is is not clear (2):" in ran.out
    exported = checkout.lab("export", checkout.work / "out.json", "--format", "csv")
    assert (exported.status, exported.out.count("\n")) == (1, 2)
    assert "poeed_102" in exported.out
    assert "left out, as it is not clear whose they are: leeann_100 (x_100 names" in exported.err


def test_late_is_kept(checkout: Checkout) -> None:
    files = {**CANVAS, "zed_LATE_104_9011_work.zip": zip_bytes(GOOD)}
    _, report = checkout.grade(put(checkout, "class", files))
    assert [item["late"] for item in report["submissions"]] == [False, False, True]


def test_no_id_is_a_file_of_the_results_folder_or_looks_like_another(checkout: Checkout) -> None:
    names = ["Confirmed.json", "comments.toml", "report", "\u00e9", "e\u0301"]
    for name in names:
        checkout.write(f"class/{name}.zip", zip_bytes(GOOD))
    ids = set(by_id(taken(checkout, checkout.root / "class")))
    assert ids == {"Confirmed.json_", "comments.toml_", "report_", "\u00e9-2", "e\u0301"}


def test_a_fault_of_ours_is_said_in_its_own_words(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout.write("class/ann.zip", zip_bytes(GOOD))

    def fail(*_: object) -> None:
        raise FaultError("cannot write to the spool: No space left on device")

    monkeypatch.setattr("lockstep_grader.intake.gather.Gatherer.from_archive", fail)
    with pytest.raises(FaultError, match=r"^cannot read the submissions: cannot write"):
        taken(checkout, checkout.root / "class")


def test_several_labs_may_be_named(checkout: Checkout) -> None:
    for lab in ("02-more", "03-most"):
        toml = LAB_TOML.replace(LAB, lab)
        checkout.write(f"labs/{lab}/lab.toml", toml)
        checkout.write(f"labs/{lab}/demo.cuh", "")
    files = {name.replace(LAB, lab): "" for name in GOOD for lab in (LAB, "02-more", "03-most")}
    found = taken(checkout, checkout.write("ann.zip", zip_bytes(files)), LAB, "03-most")
    assert [lab.id for lab in found.submissions[0].labs] == [LAB, "03-most"]


def test_metadata_that_grows_as_it_is_read_names_nobody(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    lines += ["submission_1:", "  :submitters:", "  - :name: *a8", "    :sid: 7"]
    file = tmp_path / "submission_metadata.yml"
    file.write_text("\n".join(lines))
    (who,) = gradescope_submissions(file)["submission_1"].students
    assert who == Student(lms_id="7")


def test_a_pipe_is_no_archive(checkout: Checkout) -> None:
    os.mkfifo(checkout.root / "class.zip")
    with pytest.raises(InputError, match="is not a folder, nor an archive"):
        taken(checkout, checkout.root / "class.zip")
