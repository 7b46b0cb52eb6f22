// SPDX-License-Identifier: MIT
// The last accesses to a word of memory.
#pragma once

#include <cstdint>

#include "check/stamp.h"
#include "program/address.h"

namespace simt::device {

// One word of four bytes: its last write and two reads by different threads since. Two are enough:
// the next writer is another thread than one of them. Code addresses fit in 32 bits as offsets
// into the program.
struct WordHistory {
  Stamp write;
  Stamp reads[2];
  std::uint32_t write_pc;
  std::uint32_t read_pcs[2];
  std::uint32_t is_written;  // all of its bytes, as the device's flags say; 0: ask those
};

struct EarlierAccess {
  Stamp stamp;
  std::uint32_t code_offset;  // of its return address in the program
  bool writes;

  // The call that made the access, as a return address.
  const void* pc() const { return unpack_pc(code_offset); }
};

}  // namespace simt::device
