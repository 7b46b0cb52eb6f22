// SPDX-License-Identifier: MIT
// Messages about wrong accesses to memory. `thread`: the name of the thread that makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "program/access.h"
#include "program/shared_variables.h"
#include "simt/memory.h"

namespace simt::device {

// The access leaves `nearest`, the allocation next to it (null: there is none), or that is freed.
std::string out_of_bounds_text(const std::string& thread, const Access& access,
                               const Allocation* nearest);

// The access lies past [low, low + size_bytes), the block's dynamic shared memory, or in part.
std::string past_dynamic_text(const std::string& thread, const Access& access, std::uintptr_t low,
                              std::size_t size_bytes);

// The access begins in or after the variable, which ends at `end`, and ends in room of none.
std::string past_variable_text(const std::string& thread, const Access& access,
                               const SharedVariable& variable, std::uintptr_t end);

// The access lies before the block's static shared memory.
std::string before_shared_text(const std::string& thread, const Access& access);

// The access goes to what another thread has on its stack.
std::string other_stack_text(const std::string& thread, const Access& access);

// The access reads `what` ("d_in", "shared memory (tile)"), of which `unwritten_bytes` were never
// written.
std::string uninitialized_text(const std::string& thread, const Access& access,
                               const std::string& what, std::size_t unwritten_bytes);

// A copy that a thread of the block began, and that has not arrived.
struct CopyUnderWay {
  int thread;
  const void* pc;  // of the call that began it
  bool is_committed;
  std::size_t
      num_left;  // batches that the thread's last wait left under way, this copy's among them
};

// The access reads shared memory `what` that such a copy is to fill.
std::string unfilled_text(const std::string& thread, const Access& access, const std::string& what,
                          const CopyUnderWay& copy);

// The host makes the access, to device memory; `allocation`: which, null if none is near.
std::string host_access_text(const Access& access, const Allocation* allocation);

// A kernel's access to the host's memory.
std::string host_pointer_text(const std::string& thread, const Access& access);

// A library's algorithm for the device gets a pointer to the host's memory.
std::string host_memory_for_device_text(const std::string& algorithm, std::uintptr_t address);

// A library's algorithm for the host gets a pointer to memory that only the device can use.
std::string device_memory_for_host_text(const std::string& algorithm, const Allocation& allocation);

// It calls a virtual function of an object of the class, which the host made.
std::string host_object_text(const std::string& thread, const std::string& class_name);

// It writes to a __constant__ variable.
std::string constant_text(const std::string& thread, const Access& access);

// The address is not a multiple of the access's size.
std::string misaligned_text(const std::string& thread, const Access& access,
                            const std::string& place);

struct TypedAccess {
  const char* verb;       // "reads"
  std::string type;       // "float4"
  std::size_t alignment;  // that the type asks for
};
std::string misaligned_type_text(const std::string& thread, const TypedAccess& access,
                                 std::uintptr_t address, const std::string& place);

// What to do about a misaligned shared variable that begins at `address`.
std::string alignas_text(const SharedVariable& variable, std::uintptr_t address,
                         std::size_t alignment);

// An asynchronous copy of size_bytes (at once) "from" or "to" the address.
std::string misaligned_copy_text(const std::string& thread, const char* direction,
                                 std::uintptr_t address, std::size_t size_bytes);

// A copy of a size that the hardware cannot copy.
std::string impossible_copy_text(const std::string& thread, std::size_t size_bytes,
                                 std::size_t zero_bytes);

// array_type: as the compiler spells it, "float [32]".
std::string index_text(const std::string& thread, std::int64_t index,
                       const std::string& array_type);

}  // namespace simt::device
