# SPDX-License-Identifier: MIT
"""Proves that the emulator sees each memory access of a rung: g++ lists its statements for us.

`-fsanitize=thread` announces what an assignment reads and writes. It announces neither an operand
of a call that is in memory, nor the parts of a pointer to a member function, nor a store to what is
declared const, such as std::cout by a rung of its own. A rung could read its input through these
without a count, or write where no check looks. So the pass that announces also lists its
statements (`-fdump-tree-tsan-lineno-uid`), as in

    __builtin___tsan_read4D.1722 (_5);
    [/tmp/rung.cu:12:7] _1 = *_5;

A statement that goes through a pointer must directly follow its announcements.
"""

import re
from collections.abc import Iterator, Set
from pathlib import Path

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, FindingKind

_FUNCTION = ";; Function "
_FIRST_BLOCK = "\n  <bb "
_STATIC = re.compile(r"^  static .*", re.MULTILINE)
_PLACE = re.compile(r"\[(?P<file>[/<][^\n]*?):(?P<line>\d+):\d+(?: discrim \d+)?\] |\[0:0\] ")
_ANNOUNCEMENT = re.compile(
    r"__builtin___tsan_(?:(?:unaligned_|volatile_)*(?P<kind>read|write)|vptr_)"
)
# What may come between an announcement and its access: the address of a further operand.
_ADDRESS = re.compile(r"[\w.]+ = (?:&.*|[\w.]+(?:\(D\))? \+ \d+);")
# Of a variable: it begins, without a value, or it ends.
_NO_ACCESS = re.compile(r" = \.DEFERRED_INIT | =(?:\{v\})? \{CLOBBER")

# Of the rung's own choice, so it may look like anything: taken out first.
_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_IN_PARENTHESES = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
# `MEM[(int *)_5 + 8B]` and `MEM <long int> [(char * {ref-all})_5]`: for us `[*_5 + 8B]`.
_MEMORY = re.compile(rf"\b(?:TARGET_)?MEM(?: <.*?>)? ?\[{_IN_PARENTHESES}")
# The type of a conversion, or of the object whose virtual function is called.
_TYPE = re.compile(rf"(?<= = )(?!\(\*){_IN_PARENTHESES} |(?<=OBJ_TYPE_REF){_IN_PARENTHESES}")
_POINTED_TO = re.compile(r"(?<![\w)\]] )(?<![\w)\]])\*(?=[\w(.])|[\w.$]+(?:\(D\))?->")
_TAKES_ADDRESS = re.compile(r"&[(\[]*$")
_CALL = re.compile(r"(?!(?:if|switch|return) )\S.* \((?P<operands>.*)\);")
_ITEM = re.compile(r"(?P<id>D\.\d+)[.\[]")  # of the variable `itemsD.2349[3]`
_ID = re.compile(r"D\.\d+")
# Of the variable that `itemsD.2349[3]`, `[*&itemsD.2349 + 8B]` or `BIT_FIELD_REF <...>` is part of.
_BASE = re.compile(r"(?:[A-Z_]+ <)?(?:\[\*&)?[\w.$]*?(?P<id>D\.\d+)")
# What a function returns in memory of its caller's, whose statement we examine there.
_RETURNED = re.compile(r"^\*_\d+\(D\) = (?=.* \()")
_METHOD_PART = re.compile(r"\.__(?:pfn|delta)D\.\d+;")  # of a pointer to a member function


def check_statements(file: Path, source: Source) -> Finding | None:
    """The first access of the listing `file` that g++ does not announce. Raises FaultError."""
    try:
        listing = file.read_text("utf-8", "replace")
    except OSError as error:
        raise FaultError(f"cannot read the compiled rung's statements: {error}") from error
    for place, message in _unannounced(listing):
        file_name, at = (place["file"], place["line"]) if place else (None, None)
        name, line = Path(file_name or "").name, int(at or 0)
        if name != source.file_name:
            message, line = f"{message} ({name}:{line})", 0
        return Finding(FindingKind.FORBIDDEN, message, source.file_name, line)
    return None


def _unannounced(listing: str) -> Iterator[tuple[re.Match[str] | None, str]]:
    """The place of each access without an announcement, and what is wrong with it."""
    for function in _TEXT.sub('""', listing).split(_FUNCTION)[1:]:
        head, _, body = function.partition(_FIRST_BLOCK)
        own = frozenset(_ID.findall(_STATIC.sub("", head)))
        announced, announces_store = 0, False
        for line in body.split("\n"):
            statement = _PLACE.sub("", line).strip()
            if announcement := _ANNOUNCEMENT.match(statement):
                announced += 1
                announces_store |= announcement["kind"] != "read"
            elif not _ADDRESS.fullmatch(statement):
                if problem := _problem(statement, own, announced, announces_store):
                    yield _PLACE.search(line), problem
                announced, announces_store = 0, False


def _problem(statement: str, own: Set[str], announced: int, announces_store: bool) -> str:
    """What is wrong with the statement of a function whose variables are `own`."""
    if _NO_ACCESS.search(statement):
        return ""
    plain = _RETURNED.sub("", _TYPE.sub("", _MEMORY.sub("[*", statement)))
    result, _, right = plain.rpartition(" = ")
    call = _CALL.match(right)
    if call and _is_outside(result, own):
        return (
            "stores a function's result where no check sees it: put the result into a local "
            "variable first, and assign that"
        )
    if call and any(_is_outside(operand, own) for operand in call["operands"].split(", ")):
        return (
            "passes a value straight from memory, where no check sees it: copy it to a local "
            "variable first, and pass that"
        )
    if not call and not announces_store and _is_of_outside_variable(result, own):
        return (
            "stores to a variable that is declared const, where no check sees it: do without that"
        )
    is_part = bool(_METHOD_PART.search(plain)) and _is_outside(plain, own)
    if is_part or len(_pointed_to(plain)) > announced:
        return (
            "reads a pointer to a member function where no check sees it: copy it to a local "
            "variable first, and use that"
        )
    return ""


def _is_outside(operand: str, own: Set[str]) -> bool:
    """Whether it is memory other than the function's variables; a whole variable never is.

    (The name of a function looks like that of a whole variable.)
    """
    if operand.startswith("&"):
        return False
    items = _ITEM.search(operand)
    return bool(_pointed_to(operand)) or (items is not None and items["id"] not in own)


def _is_of_outside_variable(result: str, own: Set[str]) -> bool:
    """Whether it is, or is in, a variable other than the function's."""
    base = _BASE.match(result)
    return base is not None and base["id"] not in own


def _pointed_to(plain: str) -> list[re.Match[str]]:
    """The operands behind pointers, without those of which only the address is taken."""
    if "*" not in plain and "->" not in plain:
        return []
    found = _POINTED_TO.finditer(plain)
    return [match for match in found if not _TAKES_ADDRESS.search(plain[: match.start()])]
