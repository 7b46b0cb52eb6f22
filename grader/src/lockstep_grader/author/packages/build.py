# SPDX-License-Identifier: MIT
"""The package of each platform: the bundle, and the platform's own few files."""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lockstep_grader.author.packages.bundle import TIME_LIMIT_SECONDS, Platform, bundle
from lockstep_grader.author.packages.pipelines import IMAGE, pipelines, render
from lockstep_grader.machine.archive import Files, Packed, tarred, text, under, zipped
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Lab, tidy
from lockstep_grader.model.quiz import ANSWERS
from lockstep_grader.quiz.file import read_quiz
from lockstep_grader.results.export.words import QUIZ, number
from lockstep_grader.toolchain.system import BUILD_REQUIREMENTS

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
    quiz_points: float  # what the quiz adds with all answers right
    has_quiz: bool

    @property
    def quiz_option(self) -> str:
        """For the command that grades."""
        return f" --quiz {number(self.quiz_points)}" if self.quiz_points else ""

    @property
    def max_score(self) -> float:
        return tidy(self.lab.max_score + self.quiz_points)


def build_package(
    workspace: Workspace, platform: Platform, lab: Lab, image: str = "", quiz_points: float = 0.0
) -> bytes:
    """The package's bytes: the same checkout gives the same. Raises InputError or FaultError."""
    has_quiz = read_quiz(workspace, lab) is not None
    if quiz_points and not has_quiz:
        raise InputError(f"--quiz: {lab.id} has no quiz")
    if quiz_points and platform is Platform.GITHUB:
        raise InputError(
            "--quiz: a package for GitHub records no points; it shows the quiz's words"
        )
    order = Order(lab, image or f"lockstep-{lab.id}", quiz_points, has_quiz)
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
    if order.quiz_points:
        worth = number(order.quiz_points)
        problems.append({"name": f"{lab.id}/{QUIZ}", "title": "Quiz", "points": worth})
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
        "question.html": text(render("question.html", order=order, answers=ANSWERS)),
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
