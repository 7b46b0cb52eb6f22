# SPDX-License-Identifier: MIT
"""The students' copy: its files, what is cut out of them, and no piece of a solution.

The copy leaves out the text between a line with `release:cut` and one with `release:end`, in a
comment of any language. In Markdown, lines between `<!-- release:only` and `-->` are for the copy
alone: a comment in the repository, text in the copy.

A piece of a solution is a run of tokens that is too long to match by chance. It occurs in a
solution, but not in anything that students of its lab are given: its starters, the contracts, the
headers of the released labs. A starter may build on the solutions of its own lab and of earlier
ones.
"""

import posixpath
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path, PurePosixPath

from lockstep_grader.author.packages.build import pipelines, sealed_keys
from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Lab

_END = {"cut": "release:end", "only": "-->"}
_LAB = re.compile(r"\b(?P<lab>\d\d-\w[\w-]*)(?P<rung>/\d\d[a-z]?_\w+)?")
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")


def without_cuts(path: str, text: str) -> str:
    """`text` without its cut blocks, and with the blocks that are for the copy alone.

    Raises InputError for a block that does not end.
    """
    kept: list[str] = []
    open_at, inside = 0, ""
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if not inside and ("release:cut" in line or "release:only" in line):
            open_at, inside = number, "cut" if "release:cut" in line else "only"
        elif inside and _END[inside] in line:
            inside = ""
        elif inside != "cut":
            kept.append(line)
    if inside:
        raise InputError(f"{path}:{open_at}: a release:{inside} block that does not end")
    return "".join(kept)


def only_lab_folders(text: str, labs: Set[str]) -> str:
    """The editors' compile_flags.txt without the folder of any other lab."""
    kept = []
    for flag in text.splitlines(keepends=True):
        _, is_lab, lab = flag.strip().partition("/labs/")
        if not is_lab or lab in labs:
            kept.append(flag)
    return "".join(kept)


def fit_examples(text: str, left: Set[str], chosen: Sequence[Lab]) -> str:
    """Instructions whose examples are of a lab that the copy brings, not of one that is `left`."""
    example = chosen[0]
    # One whose counters are shown, which `predict` and `profile` need.
    rung = next((each for each in example.rungs if each.budget), example.rungs[0])

    def fitted(found: re.Match[str]) -> str:
        if found["lab"] not in left:
            return found[0]
        return f"{example.id}/{rung.id}" if found["rung"] else example.id

    return _LAB.sub(fitted, text)


def fit_links(path: str, text: str, kept: Set[str]) -> str:
    """Markdown whose links to what is not in the copy are plain words."""

    def fitted(link: re.Match[str]) -> str:
        target = link["target"].partition("#")[0]
        if not target or "://" in target or target.startswith("mailto:"):
            return link[0]
        there = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        is_kept = there in kept or any(name.startswith(f"{there}/") for name in kept)
        return link[0] if is_kept else link["text"]

    return _LINK.sub(fitted, text)


# Shorter runs match by chance: a loop over rows and columns takes 16 to 20 tokens.
PIECE_TOKENS = 24

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/) | "(?:\\.|[^"\\\n])*" | \w+ | [^\s\w]""", re.DOTALL | re.X
)
_SOURCES = (".cu", ".cuh", ".h", ".cpp", ".cc", ".inc", ".in")
_TEXTS = (".md", ".py", ".txt", ".toml", ".j2", ".html", ".svg", ".json", ".cmake")


def find_leaks(root: Path, labs: Sequence[Lab], files: Mapping[str, bytes]) -> list[str]:
    """A sentence with the first piece of a solution in each of `files` that holds one."""
    secret = _secrets(root, labs, files)
    rank = {lab.id: index for index, lab in enumerate(labs)}
    starters = {
        f"labs/{lab.id}/{rung.file_name}": rank[lab.id] for lab in labs for rung in lab.rungs
    }
    found = []
    for path, data in files.items():
        known = starters.get(path, -1)
        for at, piece in enumerate(_pieces(path, data)):
            lab_id, solution = secret.get(piece, ("", ""))
            if solution and rank[lab_id] > known:
                words = " ".join(_tokens(path, data)[at : at + PIECE_TOKENS])
                found.append(f"{path} holds a piece of {solution}: {words}")
                break
    return found


def _secrets(
    root: Path, labs: Sequence[Lab], files: Mapping[str, bytes]
) -> dict[int, tuple[str, str]]:
    """Each piece with the earliest lab that has it in a solution, and the solution's path."""
    brought = {f"common/cuda/{header}" for lab in labs for header in lab.headers}
    contracts = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for lab in labs
        for path in sorted((root / "labs" / lab.id).glob("*.cuh"))
    }
    headers = {path: data for path, data in files.items() if path in brought}
    given = _all_pieces({**contracts, **headers})
    secret: dict[int, tuple[str, str]] = {}
    for lab in labs:
        folder = root / "labs" / lab.id
        starters = {rung.id: folder / rung.file_name for rung in lab.rungs}
        own = _all_pieces({f"{name}.cu": file.read_bytes() for name, file in starters.items()})
        for file in _solutions(root, lab):
            name = file.relative_to(root).as_posix()
            for piece in _pieces(name, file.read_bytes()):
                if piece not in given and piece not in own:
                    secret.setdefault(piece, (lab.id, name))
    return secret


def _all_pieces(files: Mapping[str, bytes]) -> set[int]:
    return {piece for path, data in files.items() for piece in _pieces(path, data)}


def _solutions(root: Path, lab: Lab) -> Iterator[Path]:
    folder = root / "solutions" / lab.id
    yield from (folder / rung.file_name for rung in lab.rungs)
    if (folder / "README.md").is_file():
        yield folder / "README.md"


def _pieces(path: str, data: bytes) -> Iterator[int]:
    """A hash of each run of PIECE_TOKENS tokens, in order."""
    tokens = _tokens(path, data)
    runs = zip(*(tokens[start:] for start in range(PIECE_TOKENS)), strict=False)
    yield from map(hash, runs)


def _tokens(path: str, data: bytes) -> list[str]:
    """Words and signs; of C++ without its comments, of a picture or an archive none."""
    if not path.endswith((*_SOURCES, *_TEXTS)):
        return []
    found = _TOKEN.finditer(data.decode("utf-8", "replace"))
    is_source = path.endswith(_SOURCES)
    return [match[0] for match in found if not (is_source and match["comment"])]


# What a copy needs to work by itself; all other files are left out.
_TOP = (
    ".clang-format",
    ".clang-tidy",
    ".clangd",
    ".devcontainer/Dockerfile",
    ".devcontainer/devcontainer.json",
    ".dockerignore",
    ".editorconfig",
    ".gitignore",
    ".vscode/extensions.json",
    ".vscode/extensions/lockstep/adapter",
    ".vscode/extensions/lockstep/package.json",
    ".vscode/launch.json",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    "CMakeLists.txt",
    "CMakePresets.json",
    "LICENSE",
    "README.md",
    "lab",
    "grader/bootstrap.py",
    "grader/pyproject.toml",
    "docs/README.md",
    "docs/students.md",
    "docs/memory-model.md",
    "docs/model.md",
    "docs/checkers.md",
    "docs/counters.md",
    "docs/editors.md",
    "docs/debugging.md",
    "docs/emulator.md",
    "docs/glossary.md",
    "docs/profiling.md",
    "docs/time.md",
    "docs/notebooks/lockstep.ipynb",
    "docs/figures/banks.svg",
    "docs/figures/roofline.svg",
)
_TREES = ("common", "docs/litmus", "grader/src")
_NOTEBOOK, _DOCKERFILE = "docs/notebooks/lockstep.ipynb", ".devcontainer/Dockerfile"
_INSTRUCTIONS = frozenset({"README.md", "docs/students.md", "docs/editors.md", "docs/profiling.md"})
_REQUIREMENTS = re.compile(r"grader/requirements[\w-]*\.txt")
# Whole programs, benchmarks and solutions: they solve tasks of the labs.
_LEFT_OUT = (
    "common/device/bench",
    "common/device/tests/corpus",
    "common/device/tests/programs",
    "grader/src/lockstep_grader/author/templates",
)
_HEADERS = "common/cuda/lab"


def release_files(
    workspace: Workspace, labs: Sequence[Lab], chosen: Sequence[Lab]
) -> dict[str, bytes]:
    """The files of the copy that brings the labs `chosen`, by path.

    Raises InputError when a starter is not one, or a file that the copy needs is missing.
    """
    paths = list(_paths(workspace.root, labs, chosen))
    files = {path: _read(workspace.root / path) for path in paths}
    for lab in chosen:
        require_starters(files, lab)
    kept = frozenset(files)
    left = {lab.id for lab in labs} - {lab.id for lab in chosen}
    made = {path: file.data for path, file in pipelines([lab.id for lab in chosen]).items()}
    made |= sealed_keys(workspace, chosen)
    return made | {path: _rewritten(path, data, kept, left, chosen) for path, data in files.items()}


def headers_kept_back(labs: Iterable[Lab], chosen: Iterable[Lab]) -> frozenset[str]:
    """The headers of common/cuda that come only with labs that are not `chosen`."""
    brought = {header for lab in chosen for header in lab.headers}
    return frozenset(header for lab in labs for header in lab.headers) - brought


def _paths(root: Path, labs: Sequence[Lab], chosen: Sequence[Lab]) -> Iterator[str]:
    kept_back = {f"common/cuda/{name}" for name in headers_kept_back(labs, chosen)}
    trees = (*_TREES, *(f"labs/{lab.id}" for lab in chosen))
    known = _known_files(root)
    for lab in chosen:
        if f"labs/{lab.id}/lab.toml" not in known:
            raise InputError(f"labs/{lab.id} is not under version control: commit it first")
    for path in known:
        in_tree = path.startswith(tuple(f"{tree}/" for tree in trees))
        left_out = path.startswith(_LEFT_OUT) or path in kept_back or _draws(path)
        if path in _TOP or _REQUIREMENTS.fullmatch(path) or (in_tree and not left_out):
            yield path
    if missing := [path for path in _TOP if path not in known]:
        raise InputError(f"{missing[0]} is missing: is this the whole repository?")


def _draws(path: str) -> bool:
    """Whether it is a script of ours that made a figure or data of a handout."""
    return path.startswith("labs/") and path.endswith(".py")


def _known_files(root: Path) -> list[str]:
    """The files under version control, so that no stray note leaks; without git, all files."""
    if not (root / ".git").exists():
        found = (path for path in root.rglob("*") if path.is_file())
        names = sorted(path.relative_to(root).as_posix() for path in found)
        return [name for name in names if "__pycache__" not in PurePosixPath(name).parts]
    listed = _git(root, "ls-files", "-z").decode().split("\0")
    return sorted(name for name in listed if (root / name).is_file())


def _read(file: Path) -> bytes:
    if file.is_symlink():
        raise InputError(f"{file} is a link; a copy has files alone")
    return file.read_bytes()


def require_committed(root: Path, labs: Sequence[Lab]) -> None:
    """Checks that each rung file is as committed, without a student's work. Raises InputError."""
    if not (root / ".git").exists():
        return
    for lab in labs:
        for rung in lab.rungs:
            path = f"labs/{lab.id}/{rung.file_name}"
            if _git(root, "show", f"HEAD:{path}") != (root / path).read_bytes():
                raise InputError(f"{path} differs from the last commit: commit it, or put it back")


def require_starters(files: Mapping[str, bytes], lab: Lab) -> None:
    """Checks that each rung file still calls todo(). Raises InputError."""
    for rung in lab.rungs:
        path = f"labs/{lab.id}/{rung.file_name}"
        if path not in files:
            raise InputError(f"{path} is missing")
        if not Source(rung.file_name, files[path]).calls_todo:
            raise InputError(f"{path} calls todo() nowhere: is it solved? put the starter back")


def _git(root: Path, *arguments: str) -> bytes:
    try:
        argv = ["git", "-C", str(root), *arguments]
        return subprocess.run(argv, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise FaultError(f"git {arguments[0]} failed in {root}: {error}") from error


def _rewritten(
    path: str, data: bytes, kept: frozenset[str], left: Set[str], chosen: Sequence[Lab]
) -> bytes:
    name = PurePosixPath(path).name
    if name == "compile_flags.txt":
        return only_lab_folders(data.decode(), {lab.id for lab in chosen}).encode()
    if name == "CMakeLists.txt":
        return without_cuts(path, data.decode()).encode()
    if path in (_NOTEBOOK, _DOCKERFILE):
        return fit_examples(data.decode(), left, chosen).encode()
    if not name.endswith(".md"):
        return data
    text = without_cuts(path, data.decode())
    if path in _INSTRUCTIONS:
        text = fit_examples(text, left, chosen)
    return fit_links(path, text, kept).encode()
