# SPDX-License-Identifier: MIT
"""The words of pages: states and causes, their file names, and pseudonyms for a leaderboard.

A pseudonym is drawn by a keyed hash of the submission's id. The key is made once and lies in the
results folder: with it a student keeps one name all term; without it trying out ids is useless.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path

from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import FaultError, system_error_line
from lockstep_grader.model.grades import Finding, FindingKind, Outcome, Part, RungResult


class State(StrEnum):
    """How a rung stands, for people: finer than its outcome."""

    FULL = "full marks"
    PART = "some points"
    WRONG = "no points"
    UNWRITTEN = "not written"
    HELD = "held back"  # a rung that it requires is not right
    UNGRADED = "not graded"

    @property
    def style(self) -> str:
        """A name for style sheets."""
        return self.name.lower()

    @property
    def symbol(self) -> str:
        """So that colour is never the only difference."""
        return _SYMBOLS[self]


NOTHING = "\u2013"  # what stands where there is no number
_SYMBOLS = {
    State.FULL: "✓",
    State.PART: "◐",
    State.WRONG: "✗",
    State.UNWRITTEN: "○",
    State.HELD: "‖",
    State.UNGRADED: "?",
}
_KINDS = {
    FindingKind.COMPILE_ERROR: "does not compile",
    FindingKind.TODO: "not written yet",
    FindingKind.OUT_OF_BOUNDS: "out of bounds",
    FindingKind.UNINITIALIZED_READ: "uninitialised read",
    FindingKind.RACE: "race",
    FindingKind.BUDGET: "over budget",
    FindingKind.SLOW: "too slow",
    FindingKind.BARRIER_DIVERGENCE: "barrier not reached by all",
}


def kind_words(kind: FindingKind) -> str:
    return _KINDS.get(kind, kind.value.replace("_", " "))


def cause_words(finding: Finding) -> str:
    return "not handed in" if finding.is_of_missing_file else kind_words(finding.kind)


def is_unwritten(result: RungResult) -> bool:
    """Whether the rung is as it was handed out, or not there at all."""
    return any(
        finding.kind is FindingKind.TODO or finding.is_of_missing_file
        for finding in result.findings
    )


def is_right(result: RungResult) -> bool:
    """Whether its results are correct, whatever they cost."""
    part = result.parts[Part.CORRECTNESS]
    return part.score is not None and part.score == part.max_score


def state_of(result: RungResult) -> State:
    if result.score is None:
        return State.UNGRADED
    if result.score > 0:
        return State.FULL if result.score == result.max_score else State.PART
    if is_unwritten(result):
        return State.UNWRITTEN
    return State.HELD if result.outcome is Outcome.SKIPPED else State.WRONG


def points(score: float | None) -> str:
    """Points as people write them; a dash for what was not graded."""
    return NOTHING if score is None else f"{score:g}"


def percent(score: float | None, max_score: float) -> str:
    if score is None or not max_score:
        return NOTHING
    return f"{100 * score / max_score:.0f} %"


_MAX_WORDS = 40  # characters of the readable part


def page_name(*identifiers: str) -> str:
    """A file name for the page of `identifiers`; others have another name."""
    joined = " ".join(identifiers)
    plain = unicodedata.normalize("NFKD", joined).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_MAX_WORDS].strip("-")
    digest = hashlib.sha256(json.dumps(identifiers).encode()).hexdigest()[:16]
    return f"{words}-{digest}.html" if words else f"{digest}.html"


KEY_FILE = "pseudonyms.key"
_KEY_BYTES = 32
_COLOURS = """
amber azure beige bronze coral cobalt copper cream crimson cyan ebony emerald golden green indigo
ivory jade khaki lilac lime maroon mauve mint navy ochre olive opal orange pearl plum purple ruby
russet sable saffron scarlet sepia silver teal topaz umber violet
"""
_ANIMALS = """
badger beaver bison bittern crane curlew dipper dolphin dormouse eider elk falcon finch gecko gannet
grouse hare hedgehog heron ibex jackdaw kestrel kite lapwing linnet lynx magpie marten merlin newt
nuthatch osprey otter owl plover puffin quail raven robin seal shrike siskin stoat swift tern thrush
viper vole walrus warbler weasel whale wren
"""


def pseudonyms(identifiers: Iterable[str], folder: Path) -> Mapping[str, str]:
    """A pseudonym for each identifier, no two the same."""
    key = _key(folder)
    named: dict[str, str] = {}
    for identifier in sorted(identifiers):
        turn = 0
        while (name := _name(key, identifier, turn)) in named.values():
            turn += 1
        named[identifier] = name
    return named


def _name(key: bytes, identifier: str, turn: int) -> str:
    text = f"{turn} {identifier}".encode("utf-8", "surrogatepass")
    number = int.from_bytes(hmac.new(key, text, hashlib.sha256).digest()[:8], "big")
    colours, animals = _COLOURS.split(), _ANIMALS.split()
    number, colour = divmod(number, len(colours))
    number, animal = divmod(number, len(animals))
    return f"{colours[colour]} {animals[animal]} {number % 90 + 10}"


def _key(folder: Path) -> bytes:
    """The folder's key, made at first use, readable by its owner alone."""
    file = folder / KEY_FILE
    try:
        try:
            key = file.read_bytes()
        except FileNotFoundError:
            key = secrets.token_bytes(_KEY_BYTES)
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.write(key)
    except OSError as error:
        raise FaultError(f"pseudonyms need a key: {system_error_line(error)}") from error
    if len(key) != _KEY_BYTES:
        raise FaultError(f"{file} is damaged; delete it, and everyone gets a new pseudonym")
    return key
