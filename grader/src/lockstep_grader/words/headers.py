# SPDX-License-Identifier: MIT
"""Which header of C++ declares a name that a compiler does not know."""

import re

_NAMES = {
    "algorithm": "all_of any_of clamp copy copy_n count count_if equal fill fill_n find find_if "
    "for_each generate is_sorted lower_bound max max_element min min_element minmax mismatch "
    "nth_element partial_sort ranges remove_if replace reverse rotate shuffle sort stable_sort "
    "transform unique upper_bound",
    "array": "array",
    "atomic": "atomic",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_zero has_single_bit popcount",
    "cassert": "assert",
    "cfloat": "DBL_EPSILON DBL_MAX DBL_MIN FLT_EPSILON FLT_MAX FLT_MIN",
    "chrono": "chrono",
    "climits": "CHAR_BIT INT_MAX INT_MIN LLONG_MAX LONG_MAX UINT_MAX ULLONG_MAX",
    "cmath": "INFINITY M_PI NAN abs ceil cos exp fabs floor fmax fmin isfinite isinf isnan log "
    "log2 pow round sin sqrt",
    "complex": "complex",
    "cstdint": "INT32_MAX INT64_MAX SIZE_MAX UINT32_MAX UINT64_MAX int16_t int32_t int64_t int8_t "
    "uint16_t uint32_t uint64_t uint8_t uintptr_t",
    "cstdio": "fprintf printf puts snprintf stderr",
    "cstdlib": "EXIT_FAILURE EXIT_SUCCESS abort atoi exit free malloc rand srand",
    "cstring": "memcmp memcpy memset strcmp strlen",
    "deque": "deque",
    "exception": "exception",
    "functional": "bind divides function greater less minus multiplies plus",
    "iomanip": "setprecision setw",
    "iostream": "cerr cin cout endl",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "new": "bad_alloc",
    "numeric": "accumulate exclusive_scan gcd inclusive_scan inner_product iota lcm partial_sum "
    "reduce",
    "optional": "nullopt optional",
    "queue": "priority_queue queue",
    "random": "bernoulli_distribution default_random_engine minstd_rand mt19937 mt19937_64 "
    "normal_distribution random_device uniform_int_distribution uniform_real_distribution",
    "set": "multiset set",
    "span": "span",
    "sstream": "istringstream ostringstream stringstream",
    "stack": "stack",
    "stdexcept": "domain_error invalid_argument length_error logic_error out_of_range "
    "overflow_error range_error runtime_error",
    "string": "string to_string",
    "string_view": "string_view",
    "tuple": "get make_tuple tie tuple",
    "type_traits": "conditional_t enable_if_t is_same is_same_v",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "exchange forward make_pair move pair swap",
    "variant": "variant visit",
    "vector": "vector",
}
_OF_C = frozenset({"assert", "float", "limits", "math", "stdint", "stdio", "stdlib", "string"})
_HEADERS = {name: header for header, names in _NAMES.items() for name in names.split()}
_OF_THE_LIBRARY = re.compile(
    r"no (?:member|template|type)(?: named)? '(?P<clangs>\w+)' in namespace 'std'|"
    r"namespace \"std\" has no member \"(?P<nvccs>\w+)\"|"
    r"['\u2018](?P<gccs>\w+)['\u2019] is not a member of ['\u2018]std['\u2019]|"
    r"(?:undefined template|incomplete (?:\w+ )?type) ['\"](?:const )?std::(?P<declared>\w+)"
)


def advice_on_library(message: str) -> str:
    """The header to include for the library's name that `message` says is unknown."""
    match = _OF_THE_LIBRARY.search(message)
    header = _HEADERS.get(next(filter(None, match.groups()))) if match else ""
    return f"write {_include(header)}" if header else ""


def header_advice(name: str, code: str) -> str:
    """What to include for a name without `std::`, if that is what the line `code` means by it.

    Many a variable has such a name, `count` or `map`, and is only not declared.
    """
    header = _HEADERS.get(name)
    is_used = re.search(rf"\b{re.escape(name)}\s*[(<]", code)
    if not header or not (is_used or name.isupper() or name.endswith("_t")):
        return ""
    if header.startswith("c") and header[1:] in _OF_C:
        return f"write {_include(header)}"
    return f"write std::{name}, and {_include(header)}"


def _include(header: str) -> str:
    return f"#include <{header}> at the top of the file"
