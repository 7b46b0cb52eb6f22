# SPDX-License-Identifier: MIT
"""The students that a file leaves out, and the line that names them."""

from collections.abc import Sequence
from typing import NamedTuple

_NAMED = 5  # of those with the same reason


class LeftOut(NamedTuple):
    id: str
    why: str


def said(left_out: Sequence[LeftOut]) -> str:
    """All of them on one line, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for each in left_out:
        by_reason.setdefault(each.why, []).append(each.id)
    return "; ".join(f"{_some(ids)} ({why})" for why, ids in by_reason.items())


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return f"{', '.join(ids[:_NAMED])}{more}"
