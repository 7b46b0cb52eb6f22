// SPDX-License-Identifier: MIT
// Messages about wrong accesses to memory. `thread`: the name of the thread that makes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/words.h"

namespace report {

// What one thread does to memory.
struct Touch {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  bool writes = false;
  bool is_update = false;  // an atomic read-modify-write
  Place place;
};

// An allocation.
struct Room {
  std::string name;  // "d_in", "allocation 3"
  std::uint64_t base = 0;
  std::uint64_t size_bytes = 0;
  bool is_live = true;
  Place made_at;
  Place freed_at;
};

// "d_in", "allocation 3, allocated in line 12 of scan.cu"
std::string short_name_of(const Room& room);

// A shared variable of a block, or a local one of a function, at its offset.
struct SharedRoom {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t end() const { return offset + size_bytes; }
};

// The touch leaves `nearest`, the allocation next to it (null: there is none), or that is freed.
std::string out_of_bounds_text(const std::string& thread, const Touch& touch, const Room* nearest);
// Its index in `room` would be negative as an int, and is an unsigned number of 32 bits.
std::string negative_unsigned_text(const std::string& thread, const Touch& touch, const Room& room,
                                   std::int64_t index);

// failed_allocation: where an allocation failed in this call, if one did.
std::string null_pointer_text(const std::string& thread, const Place& failed_allocation);

// In shared memory the addresses are offsets. The touch lies past the block's dynamic shared
// memory, which ends at `end`, or in part.
std::string past_dynamic_text(const std::string& thread, const Touch& touch, std::uint64_t end,
                              std::uint64_t dynamic_bytes);
// It begins in or after the variable, and ends in bytes that belong to no variable.
std::string past_variable_text(const std::string& thread, const Touch& touch,
                               const SharedRoom& variable);
std::string before_shared_text(const std::string& thread, const Touch& touch);
// It goes to shared memory, and the block has none.
std::string no_shared_text(const std::string& thread, const Touch& touch);

// The touch goes to a local variable of another thread.
std::string other_local_text(const std::string& thread, const Touch& touch);
// The touch lies before or past a local variable of the thread, or in part.
std::string past_local_variable_text(const std::string& thread, const Touch& touch,
                                     const SharedRoom& variable);

// It reads `what` ("d_in", "shared memory (tile)"), which begins at `base` and of which
// unwritten_bytes were never written.
std::string uninitialized_text(const std::string& thread, const Touch& touch,
                               const std::string& what, std::uint64_t base,
                               std::uint64_t unwritten_bytes);
// Its name, and the line that made it.
std::string allocation_text(const Room& room);
// What to do about it where `what` is global memory.
std::string fill_before_text();
// A copy or fill of the first bytes of an allocation ended before the touch, in that file.
struct Fill {
  std::uint64_t size_bytes = 0;
  Place at;
};
std::string short_fill_text(const Fill& fill, std::string_view file);
// A copy to the host, of an allocation's bytes.
std::string copy_unwritten_text(std::uint64_t offset, std::uint64_t size_bytes,
                                const std::string& name);

// A copy that a thread of the block began, and that has not arrived.
struct CopyUnderWay {
  std::uint32_t thread = 0;  // in the block
  Place begun_at;
  bool is_committed = false;
  std::uint32_t num_left = 0;  // batches that the thread's last wait left, this copy's among them
};
// The touch reads shared memory `what` that such a copy is to fill.
std::string unfilled_text(const std::string& thread, const Touch& touch, const std::string& what,
                          const CopyUnderWay& copy);

// A kernel uses the host's memory.
std::string host_pointer_text(const std::string& thread, const Touch& touch);
// The host uses device memory; `allocation`: which, or null.
std::string host_access_text(const Touch& touch, const Room* allocation);

std::string constant_text(const std::string& thread, const Touch& touch);

// The address is not a multiple of the access's size. `place`: "byte 8 of d_in".
std::string misaligned_text(const std::string& thread, const Touch& touch,
                            const std::string& place);
// What to do about it where the shared variable itself begins at such an offset; else empty.
std::string alignas_text(const SharedRoom& variable, std::uint64_t alignment);
// The same of an asynchronous copy, which copies size_bytes at once.
std::string misaligned_copy_text(const std::string& thread, const Touch& touch,
                                 const std::string& place, std::uint64_t size_bytes);

}  // namespace report
