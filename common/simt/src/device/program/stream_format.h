// SPDX-License-Identifier: MIT
// What manipulators such as std::setprecision() set. Their code is inlined, so it stores as the
// program's own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt::device {

// Whether all these bytes are of the precision, the width, the flags or the fill character of one
// of std::cout, cerr, clog, wcout, wcerr and wclog: plain numbers, by which nothing else can be
// reached.
bool is_stream_format(std::uintptr_t address, std::size_t size_bytes);

}  // namespace simt::device
