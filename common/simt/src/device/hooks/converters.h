// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace simt::device {

// Whether this is one of the functions that turn numbers into text or back. The C++ library's
// templates for that call them by address.
bool is_converter(std::uintptr_t function);

// What may stand between a format's % and the letter of the conversion.
inline constexpr const char* kBeforeConversion = " #+-0'I123456789$*.hlLqjzt";

// Ends a worker whose rung's format has %n, by which printf writes to memory unseen.
void check_format(const char* format, const void* pc);

}  // namespace simt::device
