# SPDX-License-Identifier: MIT
"""A rung that was judged a second time under another mechanism, compared with the first time."""

from collections.abc import Iterator

from lockstep_grader.model.grades import Backend, Confirmation, Part, RungResult
from lockstep_grader.model.text import one_line

_DIFFERENCE_CHARS = 300
_SOUNDNESS = (Part.CORRECTNESS, Part.CLEANLINESS)


def compare(
    lab: str, first: RungResult, second: RungResult, backends: tuple[Backend, Backend]
) -> Confirmation:
    """Both results as they are without regard to other rungs.

    Whether a rung is right and clean must be the same on each backend. Efficiency is another
    question on each: counters on one, time on the other.
    """
    here, there = backends
    seed, fault = second.judgement.seed, second.judgement.fault
    if second.score is None:
        return Confirmation(lab, first.id, there, seed, None, _short(fault))
    said = "; ".join(_differences(first, second, is_same_backend=here is there))
    if said and second.findings:
        finding = second.findings[0]
        said += f" ({finding.said})"
    return Confirmation(lab, first.id, there, seed, not said, _short(said))


def _differences(first: RungResult, second: RungResult, *, is_same_backend: bool) -> Iterator[str]:
    for part in (*_SOUNDNESS, *((Part.EFFICIENCY,) if is_same_backend else ())):
        before, after = first.parts[part], second.parts[part]
        # Part of an efficiency depends on the inputs; whether it is the full mark does not.
        is_full = (before.score == before.max_score, after.score == after.max_score)
        same = is_full[0] == is_full[1] if part is Part.EFFICIENCY else before == after
        if not same:
            yield f"{part} {before.score:g}, then {after.score:g} of {after.max_score:g}"


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _DIFFERENCE_CHARS else f"{line[: _DIFFERENCE_CHARS - 3]}..."
