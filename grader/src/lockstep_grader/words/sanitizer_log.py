# SPDX-License-Identifier: MIT
"""Reads what compute-sanitizer writes: its blocks of text become findings.

A block of an unknown kind is never dropped. If it names a place in a kernel it is a fault of the
kernel, a launch_error in the tool's own words; if not, the tool itself is in trouble: FaultError.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.model.text import one_line

_PREFIX = "========="
_BANNER = "COMPUTE-SANITIZER"
_PLACE = re.compile(r"(?:^|\s)in (?P<file>\S+?):(?P<line>\d+)(?=$|\s|:)")
_KNOWN = re.compile(r"Invalid __|Uninitialized |Barrier error")
_ACCESS = re.compile(r"(?P<access>Write|Read|Atomic) access at ", re.IGNORECASE)
_HAZARDS = re.compile(r"\[(\d+) hazards?\]")
_API_ERROR = re.compile(
    r'Program hit (\w+) \(error \d+\) due to "([^"]*)" on CUDA API call to (\w+)'
)
_ADDRESS = re.compile(r"\b0x[0-9a-f]+", re.IGNORECASE)
_PROBLEM = re.compile(r"(?:Access|Address) \D*0x[0-9a-f]+ is (misaligned|out of bounds)")
_DISTANCE = re.compile(
    r"is ([\d,]+) bytes (after|before) the nearest allocation"
    r"(?: at 0x[0-9a-f]+)?( of size \d+ bytes)?"
)
# Too far from all device memory for a wrong index: the host's memory, or not a pointer.
_FOREIGN_BYTES = 1 << 36
# Notes and summaries that are not errors themselves.
_REMARKS = re.compile(
    r"(ERROR|LEAK|RACECHECK|HAZARD) SUMMARY|Maximum number of hazards"
    r"|Warning: (?!.*(?:Race|hazard))|Info:"
)
# What follows from an error that has a block of its own, or from the judge's ending the worker.
_CONSEQUENCES = re.compile(
    r"Target application returned an error|process didn't terminate successfully"
    r"|Process (?:was )?killed|The application may have hit an error"
)
# After these, every call to the device fails.
_STOPPING = frozenset(
    {
        FindingKind.OUT_OF_BOUNDS,
        FindingKind.HOST_POINTER,
        FindingKind.MISALIGNED,
        FindingKind.BARRIER_DIVERGENCE,
        FindingKind.LAUNCH_ERROR,
    }
)
# Of the calls that open the shared buffers only the innermost has a frame: each ends in the next.
_KEPT = re.compile(r"\bworker::scratch_memory\b|\bshared_device_memory::")
_VERBS = {"write": "writes", "read": "reads", "atomic": "changes"}


@dataclass(frozen=True, slots=True)
class Report:
    """What one tool said about one run. `has_run`: the tool got as far as to start."""

    findings: tuple[Finding, ...]
    has_run: bool


@dataclass(frozen=True, slots=True)
class _Place:
    file: str
    line: int


def read_log(text: str, file_name: str) -> Report:
    """The findings in a log about the rung `file_name`, each place once.

    Raises FaultError for an error that is the tool's own, or that this reader cannot place.
    """
    unique: dict[tuple[str, str, int], Finding] = {}
    places: set[tuple[str, int]] = set()
    for section in _sections(text):
        found = [(_finding(block, file_name), block) for block in section]
        stopped = any(
            item and item.kind in _STOPPING and not _is_api(block) for item, block in found
        )
        for finding, block in found:
            # A kernel that was stopped makes every later API call fail: no second mistake. The last
            # block may have been cut off when the worker was ended.
            if finding is None or (stopped and _is_api(block)):
                continue
            if _is_cut(block) and (finding.file, finding.line) in places:
                continue
            places.add((finding.file, finding.line))
            unique.setdefault((finding.kind, finding.file, finding.line), finding)
    return Report(tuple(unique.values()), _BANNER in text)


def _sections(text: str) -> Iterator[list[list[str]]]:
    """Each worker process's blocks; a block is a heading and the indented lines below it."""
    section: list[list[str]] = []
    for raw in text.splitlines():
        if not raw.startswith(_PREFIX):
            continue
        line = raw.removeprefix(_PREFIX).rstrip()
        if line.strip() == _BANNER:
            yield section
            section = []
        elif line.startswith("     ") and section:
            section[-1].append(line.strip())
        elif line.strip():
            section.append([line.strip()])
    yield section


def _finding(block: Sequence[str], file_name: str) -> Finding | None:
    """What the block reports; None for a remark."""
    heading = block[0]
    if _REMARKS.search(heading) or _CONSEQUENCES.search(heading):
        return None
    if "Race reported" in heading or "hazard detected" in heading:
        return _race(block, file_name)
    if match := _API_ERROR.search(heading):
        return _api_error(match, block, file_name)
    if heading.startswith("Leaked "):
        return _leak(block, file_name)
    if _is_copy_of_unwritten_bytes(block):
        return None
    place = _place(block, file_name)
    in_kernel = place is not None or any(line.startswith("by thread") for line in block)
    if not in_kernel and not _KNOWN.match(heading):
        raise FaultError(
            f"compute-sanitizer said what this grader cannot read: {one_line(heading)[:200]}; "
            "--no-sanitizer leaves it out"
        )
    kind = _memory_kind(block)
    return _placed(kind, one_line(_details(block)), place, file_name)


def _is_api(block: Sequence[str]) -> bool:
    return _API_ERROR.search(block[0]) is not None


def _is_copy_of_unwritten_bytes(block: Sequence[str]) -> bool:
    """initcheck's report of a cudaMemcpy. It is no mistake: a struct's padding is never written."""
    return block[0].startswith("Host API memory access error") and any(
        line.startswith("Uninitialized access") for line in block
    )


def _is_cut(block: Sequence[str]) -> bool:
    """Whether the block ends before it says what is wrong with the address."""
    return block[0].startswith("Invalid") and not any(
        line.startswith(("Access", "Address")) for line in block
    )


def _memory_kind(block: Sequence[str]) -> FindingKind:
    heading, whole = block[0], " ".join(block)
    if heading.startswith("Barrier error") or "barrier" in heading.lower():
        return FindingKind.BARRIER_DIVERGENCE
    if heading.lower().startswith("uninitialized"):
        return FindingKind.UNINITIALIZED_READ
    if "is misaligned" in whole:
        return FindingKind.MISALIGNED
    distance = _DISTANCE.search(whole)
    if distance and int(distance[1].replace(",", "")) > _FOREIGN_BYTES:
        return FindingKind.HOST_POINTER
    return FindingKind.OUT_OF_BOUNDS if heading.startswith("Invalid") else FindingKind.LAUNCH_ERROR


def _details(block: Sequence[str]) -> str:
    """Heading, thread and what is wrong with the address; neither frames nor raw addresses."""
    whole = " ".join(block)
    told = [block[0].rstrip("."), *(line for line in block[1:] if line.startswith("by thread"))]
    text = " ".join(told)
    if problem := _PROBLEM.search(whole):
        text += f": the address is {problem[1]}"
        if distance := _DISTANCE.search(whole):
            text += f", {distance[1]} bytes {distance[2]} the nearest allocation{distance[3]}"
    return text


def _race(block: Sequence[str], file_name: str) -> Finding:
    first, *others = (line for line in block if _ACCESS.search(line))
    here = _place([first], file_name)
    hazards = sum(int(count) for line in block for count in _HAZARDS.findall(line))
    against = {f"{_where(line, file_name)} {_verb(line)}": None for line in others}
    said = (
        f"{_where(first, file_name)} {_verb(first)} shared memory that {' and '.join(against)}, "
        "and nothing orders the two: a __syncthreads() or, within a warp, a __syncwarp() is missing"
    )
    if hazards:
        said += f" ({hazards} hazards)"
    return _placed(FindingKind.RACE, said, here, file_name)


def _verb(line: str) -> str:
    match = _ACCESS.search(line)
    return _VERBS[match["access"].lower()] if match else "touches"


def _where(line: str, file_name: str) -> str:
    place = _place([line], file_name)
    if place is None:
        return "one access"
    return f"line {place.line}" if place.file == file_name else f"{place.file}:{place.line}"


def _api_error(match: re.Match[str], block: Sequence[str], file_name: str) -> Finding:
    error, reason, function = match.groups()
    is_memory = error == "cudaErrorMemoryAllocation"
    kind = FindingKind.OUT_OF_MEMORY if is_memory else FindingKind.LAUNCH_ERROR
    place = _place(block, file_name)
    return _placed(kind, f"{function} failed with {error}: {reason}", place, file_name)


def _leak(block: Sequence[str], file_name: str) -> Finding | None:
    """None for what the worker itself keeps for later calls."""
    if any(_KEPT.search(line) for line in block):
        return None
    size = _ADDRESS.sub("", block[0]).replace(" at", "")
    said = f"{one_line(size)} of device memory: allocated in each call, and never freed"
    return _placed(FindingKind.LEAK, said, _place(block, file_name), file_name)


def _place(lines: Sequence[str], file_name: str) -> _Place | None:
    """The innermost place in the student's own file, else the innermost anywhere."""
    places = [
        _Place(match["file"].rpartition("/")[2], int(match["line"]))
        for line in lines
        for match in _PLACE.finditer(line)
    ]
    own = [place for place in places if place.file == file_name]
    return next(iter(own or places), None)


def _placed(kind: FindingKind, said: str, place: _Place | None, file_name: str) -> Finding:
    message = f"compute-sanitizer: {said}"
    if place is None or place.file != file_name:
        return Finding(kind, message, file_name)
    return Finding(kind, message, place.file, place.line)
