// SPDX-License-Identifier: MIT
// Messages about what ends a thread: undefined behaviour that the compiler's sanitizer finds,
// traps, assertions. `thread`: the name of the thread.
#pragma once

#include <cstdint>
#include <string>

#include "report/words.h"

namespace report {

// array_type: as the compiler spells it, "float [32]" or "float[32]".
std::string index_text(const std::string& thread, std::int64_t index,
                       const std::string& array_type);

// Signed arithmetic whose result does not fit. `type`: "int"; `operation`: "+", "-", "*", "-x".
std::string overflow_text(const std::string& thread, const std::string& left,
                          const std::string& operation, const std::string& right,
                          const std::string& type);
std::string negation_text(const std::string& thread, const std::string& value,
                          const std::string& type);

// A shift by a negative distance or by too much. `type`: of what is shifted, with its bits.
std::string shift_text(const std::string& thread, std::int64_t distance, const std::string& type,
                       std::uint32_t type_bits);

std::string division_by_zero_text(const std::string& thread);
// The quotient of the least number and -1.
std::string division_overflow_text(const std::string& thread, const std::string& type);

// What the compiler's checks of pointers call an access.
enum class PointerUse { kLoad, kStore, kReference, kMember, kCall };
std::string null_use_text(const std::string& thread, PointerUse use, const std::string& type);
std::string misaligned_use_text(const std::string& thread, PointerUse use, const std::string& type,
                                std::uint64_t address, std::uint64_t alignment);

// Of a conversion from floating point, or a value that a type cannot have: bool 2, enum 7.
std::string bad_value_text(const std::string& thread, const std::string& value,
                           const std::string& type);
// The end of a function without `return`, or __builtin_unreachable().
std::string unreachable_text(const std::string& thread);
std::string missing_return_text(const std::string& thread);

std::string trap_text(const std::string& thread);
std::string assertion_text(const std::string& thread, const std::string& assertion);
// `freed_at`: of the earlier free, where there was one.
std::string bad_device_free_text(const std::string& thread, bool is_freed, const Place& freed_at);
// Recursion, or local arrays that are too large for the thread's local memory.
std::string stack_text(const std::string& thread, std::uint64_t stack_bytes);
std::string unknown_instruction_text(const std::string& thread, const std::string& instruction);

}  // namespace report
