// SPDX-License-Identifier: MIT
#include "check/memory_findings.h"

#include <unistd.h>

#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "check/block_checks.h"
#include "program/source_line.h"
#include "report/memory_text.h"
#include "report/report_at.h"
#include "report/words.h"
#include "run/launch.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"
#include "simt/error_state.h"
#include "simt/host_crash.h"
#include "simt/limits.h"
#include "simt/sealed.h"

namespace simt::device {
namespace {

enum class Mistake { kOutOfBounds, kUninitialized, kHost };

std::set<std::pair<const void*, Mistake>> g_reported;

bool is_known(const Access& access, Mistake mistake) {
  return !g_reported.emplace(access.pc, mistake).second;
}

void report_here(const Access& access, FindingKind kind, std::string message) {
  report_at(kind, access.pc, running.launch->site, std::move(message));
}

std::uintptr_t begin_of(const SharedVariable& variable) {
  return running.static_shared.low + variable.offset;
}

// The static shared variable that the address lies in, or the last one before it.
const SharedVariable* shared_variable_at(std::uintptr_t address) {
  const AddressRange& memory = running.static_shared;
  return memory.contains(address) ? find_shared_variable(address - memory.low) : nullptr;
}

// Of any thread of the block, to some byte that the access reads.
std::optional<CopyUnderWay> find_copy(const Access& access) {
  const auto& copies = running.checks->copies;
  for (std::size_t thread = 0; thread < copies.size(); ++thread) {
    if (const auto copy = copies[thread].find(access.address, access.size_bytes)) {
      return CopyUnderWay{static_cast<int>(thread), copy->pc, copy->is_committed, copy->num_left};
    }
  }
  return std::nullopt;
}

}  // namespace

void report_out_of_bounds(const Access& access, const Allocation* nearest) {
  const Untraced untraced;
  if (is_known(access, Mistake::kOutOfBounds)) return;
  report_here(access, FindingKind::kOutOfBounds,
              out_of_bounds_text(running_thread_name(), access, nearest));
}

void report_past_shared_memory(const Access& access) {
  const Untraced untraced;
  const AddressRange& memory = running.dynamic_shared;
  std::string message =
      past_dynamic_text(running_thread_name(), access, memory.low, memory.size_bytes);
  // The memory after the largest is the emulator's own.
  if (access.address + access.size_bytes > memory.low + kMaxSharedBytesPerBlock) {
    end_kernel({cudaErrorIllegalAddress, FindingKind::kOutOfBounds, std::move(message), access.pc});
  }
  if (is_known(access, Mistake::kOutOfBounds)) return;
  report_here(access, FindingKind::kOutOfBounds, std::move(message));
}

std::string place_name(std::uintptr_t address) {
  const auto byte_of = [](std::size_t offset, const std::string& name) {
    return "byte " + std::to_string(offset) + " of " + name;
  };
  if (const SharedVariable* const variable = shared_variable_at(address)) {
    return byte_of(address - begin_of(*variable), "shared " + variable->name);
  }
  const auto* const pointer = reinterpret_cast<const std::byte*>(address);
  const Allocation* const allocation = find_allocation(pointer);
  if (allocation != nullptr && allocation->contains(pointer)) {
    return byte_of(static_cast<std::size_t>(pointer - allocation->base), allocation->name);
  }
  return hex(address);
}

std::string shared_alignment_advice(std::uintptr_t address, std::size_t alignment) {
  const SharedVariable* const variable = shared_variable_at(address);
  if (variable == nullptr) return "";
  const std::uintptr_t begin = begin_of(*variable);
  return begin % alignment == 0 ? "" : alignas_text(*variable, begin, alignment);
}

void report_past_shared_variable(const Access& access, const SharedVariable& variable) {
  const Untraced untraced;
  if (is_known(access, Mistake::kOutOfBounds)) return;
  report_here(access, FindingKind::kOutOfBounds,
              past_variable_text(running_thread_name(), access, variable,
                                 running.static_shared.low + variable.end()));
}

void report_other_stack(const Access& access) {
  const Untraced untraced;
  if (is_known(access, Mistake::kOutOfBounds)) return;
  report_here(access, FindingKind::kOutOfBounds, other_stack_text(running_thread_name(), access));
}

void end_other_stack(const Access& access) {
  const Untraced untraced;
  end_kernel({cudaErrorIllegalAddress, FindingKind::kOutOfBounds,
              other_stack_text(running_thread_name(), access), access.pc});
}

void report_uninitialized(const Access& access, const std::string& where,
                          std::size_t unwritten_bytes) {
  const Untraced untraced;
  if (is_known(access, Mistake::kUninitialized)) return;
  report_here(access, FindingKind::kUninitializedRead,
              uninitialized_text(running_thread_name(), access, where, unwritten_bytes) +
                  "; fill it before: by a copy, by cudaMemsetAsync or in an earlier kernel");
}

void report_uninitialized_shared(const Access& access, const SharedVariable* variable,
                                 std::size_t unwritten_bytes) {
  const Untraced untraced;
  if (is_known(access, Mistake::kUninitialized)) return;
  const std::string what =
      std::string("shared memory") + (variable == nullptr ? "" : " (" + variable->name + ")");
  const std::string thread = running_thread_name();
  if (const std::optional<CopyUnderWay> copy = find_copy(access)) {
    report_here(access, FindingKind::kRace, unfilled_text(thread, access, what, *copy));
  } else {
    report_here(access, FindingKind::kUninitializedRead,
                uninitialized_text(thread, access, what, unwritten_bytes));
  }
}

void report_constant_written(const Access& access) {
  if (is_known(access, Mistake::kOutOfBounds)) return;
  report_here(access, FindingKind::kOutOfBounds, constant_text(running_thread_name(), access));
}

void end_sealed_access(const Access& access) {
  const SourcePlace where = place_in_host_code(access.pc);
  std::fprintf(stderr,
               "%s:%d: %s memory of the emulator or of a library, so the program was ended\n",
               where.file.c_str(), where.line, access.writes ? "writes" : "reads");
  _exit(kSealedStatus);
}

void report_host_access(const Access& access, const Allocation* allocation) {
  set_sticky_error(cudaErrorIllegalAddress);
  if (is_known(access, Mistake::kHost)) return;
  const SourcePlace where = place_in_host_code(access.pc);
  report({FindingKind::kHostPointer, where.file, where.line, "",
          host_access_text(access, allocation)});
}

void report_thrusts_access(const Access& access, const Allocation* nearest) {
  set_sticky_error(cudaErrorIllegalAddress);
  if (is_known(access, Mistake::kHost)) return;
  const SourcePlace where = place_in_host_code(access.pc);
  report({FindingKind::kOutOfBounds, where.file, where.line, "",
          out_of_bounds_text("Thrust", access, nearest)});
}

void end_outside_shared_memory(const Access& access) {
  const Untraced untraced;
  const AddressRange& memory = running.static_shared;
  const SharedVariable* const last = find_shared_variable(memory.size_bytes);
  const bool is_past = access.address >= memory.low && last != nullptr;
  const std::string thread = running_thread_name();
  end_kernel({cudaErrorIllegalAddress, FindingKind::kOutOfBounds,
              is_past ? past_variable_text(thread, access, *last, memory.low + last->end())
                      : before_shared_text(thread, access),
              access.pc});
}

void end_misaligned(const Access& access) {
  const Untraced untraced;
  end_kernel({cudaErrorMisalignedAddress, FindingKind::kMisaligned,
              misaligned_text(running_thread_name(), access, place_name(access.address)) +
                  shared_alignment_advice(access.address, access.size_bytes),
              access.pc});
}

void end_host_pointer(const Access& access) {
  const Untraced untraced;
  end_kernel({cudaErrorIllegalAddress, FindingKind::kHostPointer,
              host_pointer_text(running_thread_name(), access), access.pc});
}

void end_host_object(const Access& access, const std::string& class_name) {
  const Untraced untraced;
  end_kernel({cudaErrorIllegalAddress, FindingKind::kHostPointer,
              host_object_text(running_thread_name(), class_name), access.pc});
}

void end_host_index(std::string message, const void* pc) {
  const SourcePlace where = place_in_host_code(pc);
  end_host_code({FindingKind::kOutOfBounds, where.file, where.line, "", std::move(message)});
}

void reset_memory_findings() { g_reported.clear(); }

}  // namespace simt::device
