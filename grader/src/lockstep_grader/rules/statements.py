# SPDX-License-Identifier: MIT
"""Proves that the emulator sees each memory access of a rung: g++ lists its statements for us.

`-fsanitize=thread` announces what an assignment reads and writes. It announces neither an operand
of a call that is in memory, nor the parts of a pointer to a member function, nor a store to what is
declared const, such as std::cout by a rung of its own, nor an item of an array that is const or the
function's. A rung could read its input through these without a count, or write where no check
looks. So the pass that announces also lists its statements (see listing.py), as in

    __tsan_read4D.1722 (_5);
    [/tmp/rung.cu:12:7] _1 = *_5;
    [/tmp/rung.cu:12:9] .UBSAN_BOUNDS (0B, _1, 31);
    [/tmp/rung.cu:12:9] _2 = itemsD.2349[_1];

A statement that goes through a pointer must directly follow its announcements. The index of a
variable's item must have been compared with a bound (bounds.py). The variable must be the rung's:
the length of another program's is not known here.
"""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.rules.bounds import Bounds
from lockstep_grader.rules.elf import read_object
from lockstep_grader.rules.listing import Block, Statement, functions_of

_ANNOUNCEMENT = re.compile(r"__tsan_(?:(?:unaligned_|volatile_)*(?P<kind>read|write)|vptr_)")
# What may come between an announcement and its access: the address of a further operand.
_ADDRESS = re.compile(r"[\w.]+ = (?:&.*|[\w.]+(?:\(D\))? \+ \d+);")
# Of a variable: it begins, without a value, or it ends.
_NO_ACCESS = re.compile(r" = \.DEFERRED_INIT | =(?:\{v\})? \{CLOBBER")

_IN_PARENTHESES = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
# `MEM[(int *)_5 + 8B]` and `MEM <long int> [(char * {ref-all})_5]`: for us `[*_5 + 8B]`.
_MEMORY = re.compile(rf"\b(?:TARGET_)?MEM(?: <.*?>)? ?\[{_IN_PARENTHESES}")
# The type of a conversion, or of the object whose virtual function is called.
_TYPE = re.compile(rf"(?<= = )(?!\(\*){_IN_PARENTHESES} |(?<=OBJ_TYPE_REF){_IN_PARENTHESES}")
_POINTED_TO = re.compile(r"(?<![\w)\]] )(?<![\w)\]])\*(?=[\w(.])|[\w.$#]+(?:\(D\))?->")
_TAKES_ADDRESS = re.compile(r"&[(\[]*$")
_CALL = re.compile(r"(?!(?:if|switch|return) )\S.* \((?P<operands>.*)\);")
_ITEM = re.compile(r"(?P<id>D\.\d+)[.\[]")  # of the variable `itemsD.2349[3]`
# Of the variable that `itemsD.2349[3]`, `[*&itemsD.2349 + 8B]` or `BIT_FIELD_REF <...>` is part of.
_BASE = re.compile(r"(?:[A-Z_]+ <)?(?:\[\*&)?[\w.$#]*?(?P<id>D\.\d+)")
# What a function returns in memory of its caller's, whose statement we examine there.
_RETURNED = re.compile(r"^\[?\*_\d+\(D\)\]? = (?=.* \()")
# Before a name that a declaration gives by asm("...").
_LABEL = re.compile(r"\*(?=[\w.$]+D\.\d+\b)")
_METHOD_PART = re.compile(r"\.__(?:pfn|delta)D\.\d+;")  # of a pointer to a member function
_VARIABLE = re.compile(r"(?P<name>[\w.$#]*?)(?P<id>D\.\d+)")
_NO_INDEX = re.compile(r"-?\d{0,7}|\*&[\w.$#]+?(?: \+ -?\d{1,6}B?)?")
_IN_BRACKETS = re.compile(r"\[([^\[\]]*)\]")


def check_statements(file: Path, made: Path, source: Source) -> Finding | None:
    """The first access of the listing `file` that no check sees; `made` is the rung's object.

    Raises FaultError.
    """
    try:
        listing = file.read_text("utf-8", "replace")
        defined = frozenset(
            symbol.name for symbol in read_object(made).symbols if symbol.is_defined
        )
        unseen = next(_unseen(listing, defined), None)
    except (OSError, ValueError) as error:
        raise FaultError(f"cannot read the compiled rung's statements: {error}") from error
    if unseen is None:
        return None
    statement, message = unseen
    name, line = Path(statement.file).name, statement.line
    if name != source.file_name:
        message, line = f"{message} ({name}:{line})", 0
    return Finding(FindingKind.FORBIDDEN, message, source.file_name, line)


@dataclass(frozen=True, slots=True)
class _Context:
    """What is known of a function where one of its statements is."""

    own: Set[str]  # IDs of the function's variables
    defined: Set[str]  # names of the rung's variables
    bounds: Bounds
    block: Block
    place: int  # the statement's number in the block
    announced: int  # accesses, directly before the statement
    announces_store: bool


def _unseen(listing: str, defined: Set[str]) -> Iterator[tuple[Statement, str]]:
    """Each access that no check sees, and what is wrong with it."""
    for function in functions_of(listing):
        bounds = Bounds(function.blocks)
        for block in function.blocks:
            announced, announces_store = 0, False
            for place, statement in enumerate(block.statements()):
                if announcement := _ANNOUNCEMENT.match(statement.text):
                    announced += 1
                    announces_store |= announcement["kind"] != "read"
                elif not _ADDRESS.fullmatch(statement.text):
                    context = _Context(
                        function.own, defined, bounds, block, place, announced, announces_store
                    )
                    if problem := _problem(statement.text, context):
                        yield statement, problem
                    announced, announces_store = 0, False


def _problem(statement: str, known: _Context) -> str:
    """What is wrong with the statement, if anything."""
    if _NO_ACCESS.search(statement):
        return ""
    plain = _RETURNED.sub("", _TYPE.sub("", _MEMORY.sub("[*", _LABEL.sub("", statement))))
    result, _, right = plain.rpartition(" = ")
    call = _CALL.match(right)
    operands = call["operands"].split(", ") if call else [right]
    if call and _is_outside(result, known.own):
        return (
            "stores a function's result where no check sees it: put the result into a local "
            "variable first, and assign that"
        )
    if call and any(_is_outside(operand, known.own) for operand in operands):
        return (
            "passes a value straight from memory, where no check sees it: copy it to a local "
            "variable first, and pass that"
        )
    if not call and not known.announces_store and _is_of_outside_variable(result, known.own):
        return (
            "stores to a variable that is declared const, where no check sees it: do without that"
        )
    is_part = bool(_METHOD_PART.search(plain)) and _is_outside(plain, known.own)
    if is_part or len(_pointed_to(plain)) > known.announced:
        return (
            "reads a pointer to a member function where no check sees it: copy it to a local "
            "variable first, and use that"
        )
    announces_load = known.announced > known.announces_store
    if (not known.announces_store and _is_unlimited(result, known, is_store=True)) or (
        not announces_load and any(_is_unlimited(operand, known) for operand in operands)
    ):
        return (
            "takes an item of an array of which no length is known, where no check sees it: "
            "declare the array with its length, and define it before its first use"
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


def _is_unlimited(operand: str, known: _Context, is_store: bool = False) -> bool:
    """Whether it is an item of a variable by an index that may lead out of the variable."""
    if "[" not in operand or operand.startswith("&") or _pointed_to(operand):
        return False
    indices = {text for text in _IN_BRACKETS.findall(operand) if not _NO_INDEX.fullmatch(text)}
    variable = _VARIABLE.search(operand)
    if not indices or variable is None:
        return False
    if variable["id"] not in known.own and variable["name"] not in known.defined:
        return True
    # g++ loads `sums[i] += x` first, and compares the index then.
    return not all(
        known.bounds.is_small_before(index, known.block, known.place)
        or (not is_store and known.bounds.is_compared_behind(index, known.block, known.place))
        for index in indices
    )


def _pointed_to(plain: str) -> list[re.Match[str]]:
    """The operands behind pointers, without those of which only the address is taken."""
    if "*" not in plain and "->" not in plain:
        return []
    found = _POINTED_TO.finditer(plain)
    return [match for match in found if not _TAKES_ADDRESS.search(plain[: match.start()])]
