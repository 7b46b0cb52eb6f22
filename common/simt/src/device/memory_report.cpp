// SPDX-License-Identifier: MIT
#include "memory_report.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "async_copy.h"
#include "describe.h"
#include "fault.h"
#include "grid.h"
#include "running.h"
#include "simt/error.h"
#include "simt/finding.h"
#include "simt/limits.h"
#include "source_line.h"

namespace simt::device {
namespace {

std::set<std::pair<const void*, int>> g_reported;
std::map<std::pair<const void*, const void*>, int> g_races;  // how often

bool is_known(const Access& access, int mistake) {
  return !g_reported.emplace(access.pc, mistake).second;
}

std::string bytes(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

// "thread 3 of block 0 reads 4 bytes"
std::string what_it_does(const Access& access) {
  return running_thread_name() + (access.writes ? " writes " : " reads ") +
         bytes(access.size_bytes);
}

std::string hex(std::uintptr_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

// "d_in (400 bytes)", "allocation 3 (400 bytes, allocated in line 12 of scan.cu)"
std::string name_of(const Allocation& allocation) {
  const std::string line = program_line_name(allocation.made_by);
  return allocation.name + " (" + bytes(allocation.size_bytes) +
         (line.empty() ? "" : ", allocated in " + line) + ")";
}

// "which has been freed in line 14 of scan.cu"
std::string freed(const Allocation& allocation) {
  const std::string line = program_line_name(allocation.freed_by);
  return "which has been freed" + (line.empty() ? "" : " in " + line);
}

void report_at(const Access& access, const char* kind, std::string message) {
  const Untraced untraced;
  const SourceLine& where = source_line(access.pc);
  report({kind, where.file, where.line, running.grid->site().kernel, std::move(message)});
}

std::string place_of(const Access& access, const Allocation* nearest) {
  if (nearest == nullptr) return " at " + hex(access.address) + ", where nothing is allocated";
  const auto base = reinterpret_cast<std::uintptr_t>(nearest->base);
  const std::uintptr_t end = base + nearest->size_bytes;
  const bool inside = access.address >= base && access.address < end;
  if (inside && !nearest->live) {
    return " of " + name_of(*nearest) + ", " + freed(*nearest) + ": no kernel may use it any more";
  }
  std::string text;
  if (inside) {
    text = ", of which the last " + bytes(access.address + access.size_bytes - end) + " lie past";
  } else if (access.address >= end) {
    const std::size_t past = access.address - end;
    text = past == 0 ? " right past" : ", " + bytes(past) + " past";
  } else {
    return ", " + bytes(base - access.address) + " before the start of " + name_of(*nearest) +
           ": the index is negative or the pointer wrong";
  }
  return text + " the end of " + name_of(*nearest) + (nearest->live ? "" : ", " + freed(*nearest));
}

std::string place_past(const Access& access, const SharedVariable& variable) {
  const std::size_t end = running.block->shared_shadow.static_region.low + variable.end();
  const std::string owner =
      "the end of shared " + variable.name + " (" + bytes(variable.size_bytes) + ")";
  if (access.address < end) {
    return ", of which the last " + bytes(access.address + access.size_bytes - end) + " lie past " +
           owner;
  }
  const std::size_t past = access.address - end;
  return (past == 0 ? " right past " : ", " + bytes(past) + " past ") + owner;
}

}  // namespace

void report_out_of_bounds(const Access& access, const Allocation* nearest) {
  const Untraced untraced;
  if (is_known(access, 0)) return;
  report_at(access, "out_of_bounds", what_it_does(access) + place_of(access, nearest));
}

void report_past_shared_memory(const Access& access) {
  const Untraced untraced;
  const SharedRegion& region = running.block->shared_shadow.dynamic_region;
  const std::uintptr_t end = region.low + region.size_bytes;
  const std::uintptr_t access_end = access.address + access.size_bytes;
  std::string message =
      what_it_does(access) +
      (access.address < end ? ", of which the last " + bytes(access_end - end) + " lie past"
                            : ", " + bytes(access.address - end) + " past") +
      " the end of the block's dynamic shared memory (" + bytes(region.size_bytes) +
      ", the launch's third argument)";
  if (access_end > region.low + kMaxSharedBytesPerBlock) {  // what follows is the emulator's own
    end_kernel({cudaErrorIllegalAddress, "out_of_bounds", std::move(message), access.pc});
  }
  if (!is_known(access, 0)) report_at(access, "out_of_bounds", std::move(message));
}

void report_past_shared_variable(const Access& access, const SharedVariable& variable) {
  const Untraced untraced;
  if (is_known(access, 0)) return;
  report_at(access, "out_of_bounds", what_it_does(access) + place_past(access, variable));
}

void report_other_stack(const Access& access) {
  const Untraced untraced;
  if (is_known(access, 0)) return;
  report_at(access, "out_of_bounds",
            what_it_does(access) +
                " of another thread's local variable: a thread's local memory is its own, and in "
                "any other thread such a pointer leads elsewhere; share values through shared or "
                "global memory, or by a shuffle");
}

void report_uninitialized(const Access& access, const std::string& where) {
  const Untraced untraced;
  if (is_known(access, 1)) return;
  report_at(access, "uninitialized_read",
            running_thread_name() + " reads " + bytes(access.size_bytes) + " of " + where +
                " that nobody has written yet");
}

void report_uninitialized_shared(const Access& access, const SharedVariable* variable) {
  const Untraced untraced;
  if (is_known(access, 1)) return;
  const std::string what = running_thread_name() + " reads " + bytes(access.size_bytes) +
                           " of shared memory" +
                           (variable == nullptr ? "" : " (" + variable->name + ")");
  const std::string copy = copy_under_way(*running.block, access);
  if (copy.empty()) {
    report_at(access, "uninitialized_read", what + " that nobody has written yet");
  } else {
    report_at(access, "race",
              what + " that " + copy +
                  ": that thread must wait for its copies (__pipeline_wait_prior, consumer_wait) "
                  "before a barrier");
  }
}

void report_host_access(const Access& access, const Allocation* allocation) {
  set_sticky_error(cudaErrorIllegalAddress);
  if (is_known(access, 2)) return;
  SourcePlace where = {source_line(access.pc).file, source_line(access.pc).line};
  if (where.line == 0) where = program_place(capture_call_stack());  // std::copy, not inlined
  const bool is_inside =
      allocation != nullptr && allocation->contains(reinterpret_cast<const void*>(access.address));
  report({"host_pointer", where.file, where.line, "",
          std::string("the host ") + (access.writes ? "writes " : "reads ") +
              bytes(access.size_bytes) + " of " +
              (is_inside ? allocation->name : std::string("the device's memory")) +
              " itself: on a GPU that is a segmentation fault; copy it with cudaMemcpy"});
}

void end_outside_shared_memory(const Access& access) {
  const Untraced untraced;
  const SharedRegion& region = running.block->shared_shadow.static_region;
  const SharedVariable* const last = find_shared_variable(region.size_bytes);
  const bool is_past = access.address >= region.low && last != nullptr;
  end_kernel({cudaErrorIllegalAddress, "out_of_bounds",
              what_it_does(access) + (is_past ? place_past(access, *last)
                                              : " before the start of the block's shared memory"),
              access.pc});
}

void end_misaligned(const Access& access) {
  const Untraced untraced;
  const std::string size = std::to_string(access.size_bytes);
  end_kernel({cudaErrorMisalignedAddress, "misaligned",
              what_it_does(access) + " at once at " + hex(access.address) + ", which is " +
                  bytes(access.address % access.size_bytes) + " past a multiple of " + size +
                  ": an access of " + size + " bytes needs an address that is a multiple of " +
                  size,
              access.pc});
}

void end_misaligned_type(const TypedAccess& access, std::uintptr_t address, const void* pc) {
  const Untraced untraced;
  const std::string alignment = std::to_string(access.alignment);
  const bool vowel = std::string_view("aeiou").find(access.type[0]) != std::string_view::npos;
  const std::string object = (vowel ? "an " : "a ") + access.type;
  end_kernel({cudaErrorMisalignedAddress, "misaligned",
              running_thread_name() + " " + access.verb + " " + object + " at " + hex(address) +
                  ", which is " + bytes(address % access.alignment) + " past a multiple of " +
                  alignment + ": " + object + " needs an address that is a multiple of " +
                  alignment,
              pc});
}

void end_misaligned_copy(const char* direction, std::uintptr_t address, std::size_t size_bytes,
                         const void* pc) {
  const Untraced untraced;
  const std::string size = std::to_string(size_bytes);
  end_kernel({cudaErrorMisalignedAddress, "misaligned",
              running_thread_name() + " copies " + bytes(size_bytes) + " asynchronously " +
                  direction + " " + hex(address) + ", which is " + bytes(address % size_bytes) +
                  " past a multiple of " + size + ": a copy of " + size +
                  " bytes needs addresses that are multiples of " + size,
              pc});
}

void end_impossible_copy(std::size_t size_bytes, std::size_t zero_bytes, const void* pc) {
  const Untraced untraced;
  std::string message = running_thread_name() + " copies " + bytes(size_bytes) + " asynchronously";
  if (zero_bytes > size_bytes) message += ", of which it sets " + bytes(zero_bytes) + " to zero";
  end_kernel({cudaErrorAssert, "crash",
              message + ": __pipeline_memcpy_async copies 4, 8 or 16 bytes at a time", pc});
}

void end_index_out_of_range(std::int64_t index, const std::string& array_type, const void* pc) {
  const Untraced untraced;
  const std::size_t bracket = array_type.find('[');
  std::string message = running_thread_name() + " uses index " + std::to_string(index) +
                        " of an array of type " + array_type;
  if (bracket != std::string::npos) {
    const unsigned long long length = std::strtoull(&array_type[bracket + 1], nullptr, 10);
    message += ", whose last element is number " + std::to_string(length - 1);
  }
  end_kernel({cudaErrorIllegalAddress, "out_of_bounds", std::move(message), pc});
}

void end_host_pointer(const Access& access) {
  const Untraced untraced;
  end_kernel({cudaErrorIllegalAddress, "host_pointer",
              what_it_does(access) + " at " + hex(access.address) +
                  ", which is memory of the host: a kernel can use only device memory, as "
                  "cudaMalloc gives it",
              access.pc});
}

bool is_new_race_at(const Access& access, const void* earlier) {
  constexpr int kMaxTries = 64;  // two writes may have written the same value the first time
  return ++g_races[{access.pc, earlier}] <= kMaxTries;
}

void reset_memory_reports() {
  running.doubtful = 0;
  g_reported.clear();
  g_races.clear();
}

}  // namespace simt::device
