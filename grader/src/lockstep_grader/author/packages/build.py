# SPDX-License-Identifier: MIT
"""The package of each platform: what grades one lab on the cpu backend, and the platform's files.

It has no solution and no mutant. The judge computes expected results itself, so it needs none. Only
speed ratios on a GPU would need them.
"""

import json
import os
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from lockstep_grader.machine.files import Files, Packed, tarred, text, under, zipped
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Lab, tidy
from lockstep_grader.model.quiz import Sheet
from lockstep_grader.quiz.file import read_quiz
from lockstep_grader.quiz.key import read_key
from lockstep_grader.quiz.predict import read_sheets
from lockstep_grader.quiz.score import SEALED, sealed_json
from lockstep_grader.results.export.words import number
from lockstep_grader.toolchain.system import BUILD_REQUIREMENTS


def render(template: str, /, **values: object) -> str:
    return _templates().get_template(f"{template}.j2").render(number=number, **values)


@cache
def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(("html.j2",), default=False),
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


IMAGE = "debian:13"  # of the container that grades
# `./lab` would install these too, but one step is quicker.
_PACKAGES = ("ca-certificates", "ccache", "python3", "python3-venv")


def pipelines(labs: Sequence[str]) -> Files:
    """The workflow and the pipeline that grade the labs with these ids, a job for each."""
    packages = " ".join([*_PACKAGES, *(need.package for need in BUILD_REQUIREMENTS)])
    values = {"image": IMAGE, "labs": labs, "packages": packages}
    return {
        ".github/workflows/grade.yml": text(render("student.github.yml", **values)),
        ".gitlab-ci.yml": text(render("student.gitlab-ci.yml", **values)),
    }


TIME_LIMIT_SECONDS = 600  # Gradescope's default, PrairieLearn's most; Autolab's as we ask for it


class Platform(StrEnum):
    GRADESCOPE = "gradescope"
    GITHUB = "github"
    AUTOLAB = "autolab"
    PRAIRIELEARN = "prairielearn"


_FILES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "grader/bootstrap.py", "lab")
_TREES = ("common", "grader/src/lockstep_grader")
_REQUIREMENTS = (
    "grader/requirements.txt",
    "grader/requirements-clang.txt",
    "grader/requirements-nvcc.txt",
)
# Our own tests and benchmarks, which contain kernels that students must write.
_LEFT_OUT = ("tests", "bench", "selftest", "__pycache__")
# Not needed to grade one lab.
_NEW_LABS = "grader/src/lockstep_grader/author/templates"
_HEADERS = "common/cuda/"
_INCLUDE = re.compile(rb'^\s*#\s*include\s+["<](lab/[a-z0-9_]+\.cuh)[">]', re.MULTILINE)


def bundle(workspace: Workspace, lab: Lab) -> Files:
    """The files by their path in the repository. Raises FaultError when one is missing."""
    root = workspace.root
    paths = {root / name for name in (*_FILES, *_REQUIREMENTS)}
    for tree in (*_TREES, f"labs/{lab.id}"):
        paths.update(_files_under(root / tree))
    paths.difference_update(_files_under(root / _NEW_LABS))
    if missing := [path for path in sorted(paths) if not path.is_file()]:
        raise FaultError(f"{missing[0]} is missing: is this a whole checkout?")
    files = {
        path.relative_to(root).as_posix(): Packed(path.read_bytes(), os.access(path, os.X_OK))
        for path in paths
    }
    sealed = {path: Packed(data) for path, data in sealed_keys(workspace, [lab]).items()}
    return {**_without_other_headers(files, lab), **sealed}


def sealed_keys(workspace: Workspace, chosen: Iterable[Lab]) -> dict[str, bytes]:
    """The keys of the labs' quizzes, in a form that holds no readable answer."""
    found = {}
    for lab in chosen:
        if quiz := read_quiz(workspace, lab):
            key = read_key(workspace, quiz).all_cases()
            found[f"labs/{lab.id}/{SEALED}"] = sealed_json(quiz, key)
    return found


def _files_under(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith(".") or part in _LEFT_OUT for part in parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            yield path


def _without_other_headers(files: dict[str, Packed], lab: Lab) -> Files:
    """Leaves out headers of common/cuda that only other labs include: one may solve this lab."""
    given = {path: file for path, file in files.items() if path.startswith(f"{_HEADERS}lab/")}
    kept = {path: file for path, file in files.items() if path not in given}
    wanted = _included(kept.values()) | set(lab.headers)
    while wanted:
        path = f"{_HEADERS}{wanted.pop()}"
        if path in given:
            kept[path] = given.pop(path)
            wanted |= _included([kept[path]])
    return kept


def _included(files: Iterable[Packed]) -> set[str]:
    return {name.decode() for file in files for name in _INCLUDE.findall(file.data)}


_HANDOUT_SUFFIXES = (".cuh", ".md", ".svg", ".png")


@dataclass(frozen=True, slots=True)
class Kind:
    suffix: str  # of the package's file
    next_step: str
    make: Callable[["Order", Files], bytes]


@dataclass(frozen=True, slots=True)
class Order:
    """What a package is made for."""

    lab: Lab
    image: str
    # What each sheet of questions that the lab has adds with all answers right.
    sheets: Mapping[Sheet, float]

    @property
    def counted(self) -> Mapping[Sheet, float]:
        return {sheet: worth for sheet, worth in self.sheets.items() if worth}

    @property
    def sheet_options(self) -> str:
        """The options of the command that grades."""
        return "".join(f" --{sheet} {number(worth)}" for sheet, worth in self.counted.items())

    @property
    def max_score(self) -> float:
        return tidy(self.lab.max_score + sum(self.sheets.values()))

    @property
    def file_names(self) -> list[str]:
        return [*(rung.file_name for rung in self.lab.rungs), *(each.file for each in self.sheets)]


def build_package(
    workspace: Workspace,
    platform: Platform,
    lab: Lab,
    image: str = "",
    points: Mapping[Sheet, float] | None = None,
) -> bytes:
    """The package's bytes: the same checkout gives the same. Raises InputError or FaultError."""
    worth = {sheet: most for sheet, most in (points or {}).items() if most}
    sheets = {each.sheet: worth.pop(each.sheet, 0.0) for each in read_sheets(workspace, lab)}
    for sheet in worth:
        raise InputError(f"--{sheet}: {lab.id} has no {sheet}")
    order = Order(lab, image or f"lockstep-{lab.id}", sheets)
    if order.counted and platform is Platform.GITHUB:
        option = order.sheet_options.split()[0]
        raise InputError(f"{option}: a package for GitHub records no points; it shows the words")
    return KINDS[platform].make(order, bundle(workspace, lab))


def assessment_name(lab: Lab) -> str:
    """Autolab's name for the lab; it becomes a Ruby module, whose name must begin with a letter."""
    return "".join(char for char in lab.slug.lower() if char.isalnum())


def _gradescope(order: Order, files: Files) -> bytes:
    lab = order.lab
    # https://gradescope-autograders.readthedocs.io/en/latest/specs/ : both at the zip's root.
    lockstep = '"$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"/lockstep'
    own = {
        "setup.sh": _prepare(Platform.GRADESCOPE, lab, lockstep),
        "run_autograder": text(render("run_autograder", order=order), executable=True),
    }
    return zipped({**own, **under("lockstep", files)})


def _github(order: Order, files: Files) -> bytes:
    """A template repository: each student's copy of it grades what is pushed."""
    lab = order.lab
    own = {
        "README.md": text(render("README.github.md", lab=lab)),
        ".gitignore": text("/.venv/\n/.lockstep/\n/build/\n/results/\n__pycache__/\n"),
    }
    return zipped({**files, **own, **pipelines([lab.id])})


def _autolab(order: Order, files: Files) -> bytes:
    # https://docs.autolabproject.com/lab/ : an assessment that can be imported from a tarball.
    lab, image = order.lab, order.image
    name, lockstep = assessment_name(lab), f"/opt/lockstep/{lab.id}"
    problems = [
        {
            "name": f"{lab.id}/{rung.id}",
            "title": rung.title,
            "points": number(rung.points.total),
        }
        for rung in lab.rungs
    ]
    for sheet, worth in order.counted.items():
        title = sheet.capitalize()
        problems.append({"name": f"{lab.id}/{sheet}", "title": title, "points": number(worth)})
    settings = {"problems": problems, "time_limit": TIME_LIMIT_SECONDS, "image": image}
    own = {
        f"{name}.rb": text(render("assessment.rb", name=name)),
        f"{name}.yml": text(render("assessment.yml", lab=lab, name=name, **settings)),
        "README.md": text(render("README.autolab.md", lab=lab, image=image)),
        "autograde-Makefile": text(render("autograde-Makefile", order=order)),
        "autograde.tar": Packed(tarred(under("lockstep", files))),
        "handout.zip": _handout(lab, files),
        **_image(Platform.AUTOLAB, lab, files, image, lockstep),
    }
    return tarred(under(name, own))


def _prairielearn(order: Order, files: Files) -> bytes:
    # https://prairielearn.readthedocs.io/en/latest/externalGrading/
    lab, image = order.lab, order.image
    lockstep, question = f"/opt/lockstep/{lab.id}", f"lockstep-{lab.id}"
    info = {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"lockstep/{lab.id}")),
        "title": lab.title,
        "topic": "Parallel algorithms",
        "tags": ["CUDA"],
        "type": "v3",
        "singleVariant": True,
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": image,
            "entrypoint": "/grade/tests/run.sh",
            "timeout": TIME_LIMIT_SECONDS,
            "enableNetworking": False,
        },
    }
    folder = {
        "info.json": text(json.dumps(info, indent=2) + "\n"),
        "question.html": text(render("question.html", order=order)),
        f"clientFilesQuestion/{lab.id}.zip": _handout(lab, files),
        "tests/run.sh": text(render("run.sh", order=order, lockstep=lockstep), executable=True),
    }
    readme = render("README.prairielearn.md", order=order, question=question)
    own = {"README.md": text(readme), **under(f"questions/{question}", folder)}
    return zipped({**own, **_image(Platform.PRAIRIELEARN, lab, files, image, lockstep)})


def _image(platform: Platform, lab: Lab, files: Files, image: str, lockstep: str) -> Files:
    names = {"image": image, "base": IMAGE, "lockstep": lockstep}
    dockerfile = render("Dockerfile", platform=platform, lab=lab, **names)
    own = {"Dockerfile": text(dockerfile), "prepare.sh": _prepare(platform, lab, lockstep)}
    if platform is Platform.AUTOLAB:
        own["autodriver"] = text(render("autodriver"), executable=True)
    return under("image", {**own, **under("lockstep", files)})


def _prepare(platform: Platform, lab: Lab, lockstep: str) -> Packed:
    packages = " ".join(sorted(need.package for need in BUILD_REQUIREMENTS))
    script = render("prepare.sh", platform=platform, lab=lab, lockstep=lockstep, packages=packages)
    return text(script, executable=True)


def _handout(lab: Lab, files: Files) -> Packed:
    """The lab's folder as a student needs it: starters, contract, handout with its figures."""
    starters = {f"labs/{lab.id}/{rung.file_name}" for rung in lab.rungs}
    chosen = {
        path.removeprefix("labs/"): file
        for path, file in files.items()
        if path in starters
        or (path.startswith(f"labs/{lab.id}/") and path.endswith(_HANDOUT_SUFFIXES))
    }
    return Packed(zipped(chosen))


KINDS: Mapping[Platform, Kind] = {
    Platform.GRADESCOPE: Kind(".zip", "upload it under Configure Autograder", _gradescope),
    Platform.GITHUB: Kind(".zip", "unpack, and push as a template repository", _github),
    Platform.AUTOLAB: Kind(".tar", "Install Assessment, import from tarball", _autolab),
    Platform.PRAIRIELEARN: Kind(".zip", "unpack; its README has three steps", _prairielearn),
}
