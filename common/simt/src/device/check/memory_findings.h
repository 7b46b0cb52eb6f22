// SPDX-License-Identifier: MIT
// Findings about a kernel's accesses to memory.
#pragma once

#include <cstddef>
#include <string>

#include "program/access.h"
#include "program/shared_variables.h"
#include "simt/memory.h"

namespace simt::device {

// Each returns at once if the access's place in the code has been reported for the same mistake
// during this launch.

// The access leaves `nearest`, the allocation next to it (null: there is none), or that is freed.
void report_out_of_bounds(const Access& access, const Allocation* nearest);

// The access lies past the end of the block's dynamic shared memory, or in part. Ends the kernel if
// it leaves the room for the largest, too.
void report_past_shared_memory(const Access& access);

// "byte 8 of d_in", "byte 4 of shared tile"; elsewhere the address itself.
std::string place_name(std::uintptr_t address);

// What to do if the address is in a shared variable whose own address lacks the alignment; or
// nothing.
std::string shared_alignment_advice(std::uintptr_t address, std::size_t alignment);

// The access begins in or after the variable and ends in room that belongs to none.
void report_past_shared_variable(const Access& access, const SharedVariable& variable);

// The access goes to what another thread, or the emulator, has on a stack. A store ends the kernel.
void report_other_stack(const Access& access);
[[noreturn]] void end_other_stack(const Access& access);

// So many of the bytes that it reads were never written. `where`: an allocation's name.
void report_uninitialized(const Access& access, const std::string& where,
                          std::size_t unwritten_bytes);

// The same in shared memory; a race if a copy has begun to write there (see AsyncCopies).
// `variable`: which one it reads, null in dynamic shared memory.
void report_uninitialized_shared(const Access& access, const SharedVariable* variable,
                                 std::size_t unwritten_bytes);

// The access writes a __constant__ variable.
void report_constant_written(const Access& access);

// The host makes the access, to device memory; `allocation`: which, null if none is near.
// The host's code accesses the emulator's own records: ends the program.
[[noreturn]] void end_sealed_access(const Access& access);
void report_host_access(const Access& access, const Allocation* allocation);

// The same for an access of Thrust's, which the device would make.
void report_thrusts_access(const Access& access, const Allocation* nearest);

// These end the kernel.

// The access lies close before or past the block's static shared memory, where the host has its
// own.
[[noreturn]] void end_outside_shared_memory(const Access& access);

[[noreturn]] void end_misaligned(const Access& access);
[[noreturn]] void end_host_pointer(const Access& access);
// The access is part of a virtual call of an object of the class, which the host made.
[[noreturn]] void end_host_object(const Access& access, const std::string& class_name);

// Ends the program: past the host's array lies memory that nothing checks.
[[noreturn]] void end_host_index(std::string message, const void* pc);

// Forgets what has been reported; for a new launch.
void reset_memory_findings();

}  // namespace simt::device
