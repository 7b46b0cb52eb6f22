# SPDX-License-Identifier: MIT
"""Which of several findings is the cause: the order in which they are shown."""

from collections.abc import Iterable

from lockstep_grader.model.grades import Finding, FindingKind

# A kind later in this list is often the consequence of an earlier one.
# A missing bounds check lets two threads meet at one address, which is a race; a missing barrier is
# a race, then a read of what no thread has written yet, and then a wrong result.
_CAUSES_FIRST = (
    (FindingKind.COMPILE_ERROR, FindingKind.FORBIDDEN, FindingKind.TODO),
    (FindingKind.LAUNCH_ERROR, FindingKind.OUT_OF_MEMORY),
    (FindingKind.HOST_POINTER,),
    (FindingKind.OUT_OF_BOUNDS, FindingKind.MISALIGNED),
    (FindingKind.BARRIER_DIVERGENCE,),
    (FindingKind.RACE,),
    (FindingKind.DEADLOCK, FindingKind.TIMEOUT, FindingKind.CRASH),
    (FindingKind.UNINITIALIZED_READ,),
    (FindingKind.INPUT_MODIFIED,),
    (FindingKind.WRONG_RESULT, FindingKind.OUTPUT_UNWRITTEN),
    (FindingKind.LEAK,),
    (FindingKind.BUDGET, FindingKind.SLOW),
)
_RANKS = {kind: rank for rank, kinds in enumerate(_CAUSES_FIRST) for kind in kinds}

# These stand before an uninitialized read in the list. But an index, pointer or state that no
# thread has written leads to them, too: then the read was found first.
_AFTER_GARBAGE = frozenset(
    {
        FindingKind.HOST_POINTER,
        FindingKind.OUT_OF_BOUNDS,
        FindingKind.MISALIGNED,
        FindingKind.DEADLOCK,
        FindingKind.TIMEOUT,
        FindingKind.CRASH,
    }
)


def may_follow(cause: FindingKind, kind: FindingKind) -> bool:
    """Whether a finding of this kind tends to be a consequence of one of the kind `cause`."""
    if cause is FindingKind.UNINITIALIZED_READ and kind in _AFTER_GARBAGE:
        return True
    return _RANKS[kind] > _RANKS[cause]


def causes_first(findings: Iterable[Finding]) -> list[Finding]:
    """Causes before consequences, for findings in the order in which they were made."""
    ordered: list[tuple[int, Finding]] = []
    garbage = FindingKind.UNINITIALIZED_READ
    was_read = False
    for finding in findings:
        was_read = was_read or finding.kind is garbage
        after_read = was_read and finding.kind in _AFTER_GARBAGE
        ordered.append((_RANKS[garbage if after_read else finding.kind], finding))
    return [finding for _, finding in sorted(ordered, key=lambda each: each[0])]
