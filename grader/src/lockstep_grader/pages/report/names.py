# SPDX-License-Identifier: MIT
"""File names of pages, and names for a leaderboard that lead back to a student only with a key.

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

from lockstep_grader.model.errors import FaultError, system_error_line

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
