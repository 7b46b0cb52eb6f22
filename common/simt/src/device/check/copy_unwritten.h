// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "check/byte_flags.h"

namespace simt::device {

// The host copies [p, p + size_bytes) of the device's memory to itself: reports a part that was
// never written. `written` has a flag for each byte that was.
void check_copy_to_host(const ByteFlags& written, const void* p, std::size_t size_bytes);

}  // namespace simt::device
