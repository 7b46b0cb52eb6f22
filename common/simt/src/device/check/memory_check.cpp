// SPDX-License-Identifier: MIT
#include "check/memory_check.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

#include "check/block_checks.h"
#include "check/copy_race.h"
#include "check/device_shadow.h"
#include "check/host_race.h"
#include "check/memory_findings.h"
#include "check/own_memory.h"
#include "check/race_shadow.h"
#include "check/races.h"
#include "check/virtual_tables.h"
#include "check/way.h"
#include "program/address.h"
#include "program/device_variables.h"
#include "program/library_code.h"
#include "program/shared_variables.h"
#include "program/source_line.h"
#include "run/closed_device.h"
#include "run/confined.h"
#include "run/device_lock.h"
#include "run/fiber.h"
#include "run/launch.h"
#include "run/part.h"
#include "run/running.h"
#include "run/stream_order.h"
#include "run/untraced.h"
#include "simt/checks.h"
#include "simt/counters.h"
#include "simt/limits.h"
#include "simt/memory.h"
#include "simt/page.h"
#include "simt/sealed.h"

namespace simt::device {

constinit Checks checks_made = Checks::kAll;
constinit bool checks_were_chosen = false;

namespace {

// find_allocation with a cache of its last answer, valid as long as the book does not change.
const Allocation* find(std::uintptr_t address) {
  static const Allocation* last = nullptr;
  static std::uint64_t version = 0;
  const void* const p = reinterpret_cast<const void*>(address);
  if (version == allocation_version() && last != nullptr && last->live && last->contains(p)) {
    return last;
  }
  version = allocation_version();
  last = find_allocation(p);
  return last;
}

bool is_usable(const Allocation* allocation, const Access& access) {
  const void* const p = reinterpret_cast<const void*>(access.address);
  return allocation != nullptr && allocation->live && allocation->contains(p, access.size_bytes);
}

// Whether a byte without a recorded write holds something else than fresh memory does. g++ reports
// no store when a call returns a struct straight into memory: contents tell.
bool was_written_unseen(std::uintptr_t address) {
  const auto poison = std::bit_cast<std::array<std::byte, sizeof(kPoisonWord)>>(kPoisonWord);
  return *reinterpret_cast<const std::byte*>(address) != poison[address % poison.size()];
}

// How many bytes the access reads that were never written. An access with at least one written byte
// passes: programs copy structs with their padding, and vectors with unused elements. An atomic is
// one of a number, which has neither.
std::size_t unwritten_bytes(const Access& access, const ByteFlags& written, bool held_poison) {
  if (!access.reads) return 0;
  if (!access.is_atomic && !written.none(access.address, access.size_bytes)) return 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < access.size_bytes; ++i) {
    if (written.all(access.address + i, 1)) continue;
    if (held_poison && was_written_unseen(access.address + i)) return 0;
    ++count;
  }
  return count;
}

// Some byte of it was never written, or is not allocated. Returns false if it is not allocated:
// nothing is recorded about such memory.
bool check_unwritten(const Access& access) {
  const Untraced untraced;
  const Allocation* const allocation = find(access.address);
  if (!is_usable(allocation, access)) {
    report_out_of_bounds(access, allocation);
    return false;
  }
  poison_on_first_use(reinterpret_cast<const void*>(access.address), access.size_bytes);
  const bool held_poison = allocation->kind != Allocation::Kind::kExternal;
  if (const std::size_t count = unwritten_bytes(access, device_flags, held_poison)) {
    report_uninitialized(access, allocation->name, count);
  }
  if (access.writes) device_flags.set(access.address, access.size_bytes);
  return true;
}

void check_device_memory(const Access& access) {
  if (access.is_atomic || access.is_volatile) require_whole_launch();
  const bool is_written = device_flags.all(access.address, access.size_bytes);
  if (!is_written && !check_unwritten(access)) return;
  if (checks_made != Checks::kAll) return;
  if (copies_may_run) check_concurrent_copies(access);
  check_device_race(access);
}

// The same for shared memory. `variable`: which one the access begins in or after; null in dynamic
// shared memory, where all bytes are alike.
bool check_unwritten_shared(const Access& access, SharedRegion& region) {
  const Untraced untraced;
  const SharedVariable* variable = nullptr;
  const bool is_static = &region == &running.checks->shared.static_region;
  if (access.address + access.size_bytes > region.low + region.size_bytes) {
    if (is_static) end_outside_shared_memory(access);
    report_past_shared_memory(access);
    return false;
  }
  if (is_static) {
    const std::size_t offset = access.address - region.low;
    variable = find_shared_variable(offset);
    if (variable == nullptr && !shared_variables().empty()) end_outside_shared_memory(access);
    if (variable == nullptr) return true;  // no symbol table, so any byte may be a guard
    if (offset + access.size_bytes > variable->end()) {
      report_past_shared_variable(access, *variable);
      return false;
    }
  }
  if (const std::size_t count = unwritten_bytes(access, region.written, true)) {
    report_uninitialized_shared(access, variable, count);
  }
  if (access.writes) region.written.set(access.address, access.size_bytes);
  return true;
}

void check_shared_memory(const Access& access, SharedRegion& region) {
  const bool is_written = region.written.all(access.address, access.size_bytes);
  if ((is_written || check_unwritten_shared(access, region)) && checks_made == Checks::kAll) {
    check_shared_race(region.history.data(), region.low / 4 * 4, access);
  }
}

bool is_mapped(std::uintptr_t address) {
  unsigned char resident = 0;
  void* const page = reinterpret_cast<void*>(address / page_bytes() * page_bytes());
  return mincore(page, 1, &resident) == 0;
}

// In the stacks of all threads, but not in the running thread's own.
void check_other_stack(const Access& access) {
  const Fiber& own = *running.fiber;
  const std::uintptr_t frame = number(__builtin_frame_address(0));
  const bool has_left_its_own = frame - own.stack_low >= own.stack_bytes;
  const bool hits_guard = access.address - (own.stack_low - kGuardBytes) < kGuardBytes;
  if (has_left_its_own || hits_guard) return;  // it will trap
  return access.writes ? end_other_stack(access) : report_other_stack(access);
}

// Whether a launch hands its thread what the program wrote in the line of the launch: the
// arguments, or variables of the host by which that line names the kernel, as in
// kernels[i]<<<...>>>(...). A kernel in the same line could read anything so, and therefore only a
// few words may be read.
bool is_handed_over(const Access& access) {
  Launch& launch = *running.launch;
  if (access.writes) return false;
  if (launch.holds_argument(access.address, access.size_bytes)) return true;
  return is_of_launch(access.pc) && launch.reads_few_words(access.address, access.size_bytes);
}

// A kernel may use the program's device variables, and write those that are not constant.
void check_owner(const Access& access) {
  const Owner owner = owner_of_variable(access.address);
  if (owner == Owner::kHost && !is_handed_over(access)) end_host_pointer(access);
  if (owner == Owner::kConstant && access.writes) report_constant_written(access);
}

// Neither device memory nor shared memory nor the thread's stack.
void check_elsewhere(const Access& access) {
  const Untraced untraced;
  if (access.is_atomic || access.is_volatile) require_whole_launch();
  constexpr std::uintptr_t kFirstPages = 64 << 10;
  const std::uintptr_t past_dynamic = access.address - running.dynamic_shared.low;
  if (past_dynamic < kMaxSharedBytesPerBlock) return report_past_shared_memory(access);
  const std::uintptr_t begin = number(&__executable_start);
  if (access.address - begin < number(&_end) - begin) {  // __device__ variables, tables
    Access inside = access;
    inside.size_bytes = std::min(access.size_bytes, number(&_end) - access.address);
    if (access.writes && is_guarded(access.address)) check_guarded_store(inside);
    check_owner(inside);
    if (access.reads) check_virtual_call(access);
    if (checks_made == Checks::kAll) check_global_race(inside);
    return;
  }
  if (access.address < kFirstPages) return;  // a null pointer; the access will trap
  if (is_fiber_stack(access.address)) return check_other_stack(access);
  // Registered memory of the host, whose heap may begin close to the shared variables.
  if (is_usable(find(access.address), access)) return require_whole_launch();
  if (is_handed_over(access)) return;
  const AddressRange& shared = running.static_shared;
  if (access.address - (shared.low - kMaxSharedBytesPerBlock) <
      shared.size_bytes + 2 * kMaxSharedBytesPerBlock) {
    end_outside_shared_memory(access);
  }
  if (is_mapped(access.address)) end_host_pointer(access);
}

// An access of Thrust's, which is the device's work: in the order of the default stream, and to any
// memory of the device.
void note_thrusts_access(const Access& access) {
  if (!internal::work_beside_host().empty()) internal::host_waits_for(nullptr);
  const void* const place = reinterpret_cast<const void*>(access.address);
  poison_on_first_use(place, access.size_bytes);
  if (access.writes) device_flags.set(access.address, access.size_bytes);
}

// An access of the host to the device's range: only managed and pinned memory is allowed.
void check_host_access(const Access& access) {
  const internal::DeviceLock lock(internal::DeviceLock::Memory::kUntouched);
  const Untraced untraced;
  if (is_sealed(access.address)) end_sealed_access(access);
  const Allocation* const allocation = find(access.address);
  if (runs_for_thrust(access.pc)) {
    if (is_usable(allocation, access)) return note_thrusts_access(access);
    return report_thrusts_access(access, allocation);
  }
  if (is_usable(allocation, access) && allocation->host_accessible()) {
    internal::note_hosts_use(access.address, access.size_bytes);
    if (checks_made == Checks::kAll) check_host_race(access);
    return;
  }
  internal::open_device();  // for the rest of the call, which has failed
  report_host_access(access, allocation);
}

}  // namespace

bool is_of_launch(const void* pc) {
  const Untraced untraced;
  const SourceLine& where = source_line(pc);
  const LaunchSite& site = running.launch->site;
  const std::string_view path(site.file);
  if (where.line == 0) return !lies_in_folder(pc, "/cccl/");
  return where.line == site.line && where.file == path.substr(path.rfind('/') + 1);
}

void check_access(const Access& access) {
  if (checks_made == Checks::kNone) return;
  if (running.launch == nullptr) return check_host_access(access);
  if (race_is_unsettled) settle_race();
  // Types that promise it have sizes that are powers of two; a division would cost more than the
  // rest of the check.
  const bool is_misaligned = (access.address & (access.size_bytes - 1)) != 0;
  if (access.is_aligned_by_type && is_misaligned) end_misaligned(access);
  if (is_device_address(reinterpret_cast<const void*>(access.address))) {
    return check_device_memory(access);
  }
  SharedShadow& shadow = running.checks->shared;
  if (shadow.static_region.contains(access.address)) {
    return check_shared_memory(access, shadow.static_region);
  }
  if (shadow.dynamic_region.contains(access.address)) {
    return check_shared_memory(access, shadow.dynamic_region);
  }
  check_elsewhere(access);
}

}  // namespace simt::device

void simt::set_checks(Checks checks) {
  device::checks_made = checks;
  device::checks_were_chosen = true;
}
