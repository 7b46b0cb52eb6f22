// SPDX-License-Identifier: MIT
// Findings about accesses to memory, in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "memory_check.h"
#include "shared_variables.h"
#include "simt/memory.h"

namespace simt::device {

// Each returns at once if the access's place in the code has been reported for the same mistake
// during this launch.

// The access leaves `nearest`, the allocation next to it (null: there is none), or that is freed.
void report_out_of_bounds(const Access& access, const Allocation* nearest);

// The access lies past the end of the block's dynamic shared memory, or in part. Ends the kernel if
// it leaves the room for the largest, too.
void report_past_shared_memory(const Access& access);

// The access begins in or after the variable and ends in room that belongs to none.
void report_past_shared_variable(const Access& access, const SharedVariable& variable);

// The access goes to what another thread has on its stack.
void report_other_stack(const Access& access);

// Nothing has been written yet where it reads. `where`: an allocation's name.
void report_uninitialized(const Access& access, const std::string& where);

// The same in shared memory; a race if a copy has begun to write there (see AsyncCopy). `variable`:
// which one it reads, null in dynamic shared memory.
void report_uninitialized_shared(const Access& access, const SharedVariable* variable);

// The host makes the access, to device memory; `allocation`: which, null if none is near.
void report_host_access(const Access& access, const Allocation* allocation);

// These end the kernel.

// The access lies close before or past the block's static shared memory, where the host has its
// own.
[[noreturn]] void end_outside_shared_memory(const Access& access);

[[noreturn]] void end_misaligned(const Access& access);
struct TypedAccess {
  const char* verb;       // "reads"
  std::string type;       // "float4"
  std::size_t alignment;  // that the type asks for
};
[[noreturn]] void end_misaligned_type(const TypedAccess& access, std::uintptr_t address,
                                      const void* pc);
// The access goes through the reference that running.doubtful tells of.
[[noreturn]] void end_misaligned_reference(const Access& access);
// An asynchronous copy of so many bytes (at once) "from" or "to" the address.
[[noreturn]] void end_misaligned_copy(const char* direction, std::uintptr_t address,
                                      std::size_t size_bytes, const void* pc);
// One of a size that there is not.
[[noreturn]] void end_impossible_copy(std::size_t size_bytes, std::size_t zero_bytes,
                                      const void* pc);
// array_type: as the compiler spells it, "float [32]". The kernel ends because past a local array
// lies the stack on which it runs.
[[noreturn]] void end_index_out_of_range(std::int64_t index, const std::string& array_type,
                                         const void* pc);
[[noreturn]] void end_host_pointer(const Access& access);

// Whether races between the access and one that returned to `earlier` are still of interest.
bool is_new_race_at(const Access& access, const void* earlier);

// Forgets what has been reported; for a new launch.
void reset_memory_reports();

}  // namespace simt::device
