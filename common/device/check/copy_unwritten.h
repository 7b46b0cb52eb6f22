// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "check/byte_flags.h"
#include "memory/book.h"

namespace check {

// The host copies [address, address + size_bytes) of the device's memory to itself: reports a part
// that was never written.
void check_copy_to_host(const ByteFlags& written, std::uint64_t address, std::uint64_t size_bytes,
                        const memory::HostPlace& at);

}  // namespace check
