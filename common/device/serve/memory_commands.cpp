// SPDX-License-Identifier: MIT
// Allocations: of programs, of graphs, and of a lab's Scratch.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "memory/book.h"
#include "report/words.h"
#include "serve/cuda_errors.h"
#include "serve/device.h"

namespace serve {
namespace {

using MemoryKind = memory::Allocation::Kind;

constexpr std::size_t kMaxScratchAllocations = 100'000;
constexpr std::size_t kMaxGraphAllocations = 100'000;

MemoryKind kind_of(Memory memory) {
  switch (memory) {
    case Memory::kManaged:
      return MemoryKind::kManaged;
    case Memory::kPinned:
      return MemoryKind::kPinnedHost;
    default:
      return MemoryKind::kDevice;
  }
}

const memory::Allocation* live_at(std::uint64_t address) {
  const memory::Allocation* const found = memory::find(address);
  return found != nullptr && found->live && found->contains(address) ? found : nullptr;
}

const char* name_of(FreeCall call) {
  switch (call) {
    case FreeCall::kFreeHost:
      return "cudaFreeHost";
    case FreeCall::kFreeArray:
      return "cudaFreeArray";
    default:
      return "cudaFree";
  }
}

bool release(std::uint64_t address, FreeCall call, const memory::HostPlace& at) {
  switch (call) {
    case FreeCall::kFreeHost:
      return memory::release(address, MemoryKind::kPinnedHost, at);
    case FreeCall::kFreeArray:
      return memory::release(address, MemoryKind::kDevice, at);
    default:
      return memory::release(address, MemoryKind::kDevice, at) ||
             memory::release(address, MemoryKind::kManaged, at);
  }
}

}  // namespace

int Device::handle(const Allocate& command, Allocate::Result& result, Call& call) {
  if (command.size_bytes == 0) return kSuccess;
  const bool is_ordered = command.stream != kNoStream;
  if (is_ordered) {
    if (const int error = check_stream(command.stream); error != kSuccess) return error;
  }
  const memory::HostPlace at = host_place(command.at);
  if (is_ordered) {
    begin_work(command.stream, command.at).kind = report::CopyKind::kAllocation;
  }
  const bool fits = command.size_bytes <= memory::kDeviceMemoryBytes &&
                    (is_callers_turn_ || ++num_allocations_ != posed_.failing_allocation);
  if (fits) result.address = memory::allocate(command.size_bytes, kind_of(command.memory), at);
  if (is_ordered) streams().end_work();
  if (result.address != 0) {
    stream_ordered_.erase(result.address);
    if (is_ordered) stream_ordered_.insert(result.address);
    if (command.memory == Memory::kDevice) {
      if (!is_ordered) host_calls(command.at);
      note_allocated(
          command.at, command.size_bytes,
          is_ordered ? streams().current_clock() : streams().record_event(check::kHostStream));
    }
    if (command.memory == Memory::kPinned) {
      if (is_callers_turn_) {
        callers_.insert(result.address);
      } else {
        note_pinned(command.at, command.size_bytes);
      }
    }
    return kSuccess;
  }
  const std::string what = std::string("cudaMalloc") +
                           (command.memory == Memory::kManaged  ? "Managed"
                            : command.memory == Memory::kPinned ? "Host"
                                                                : "") +
                           " of " + report::bytes(command.size_bytes);
  if (failed_allocation_.line == 0) {
    failed_allocation_ = at;
    failed_allocation_text_ = what;
    watchers_.checker().note_failed_allocation(at);
  }
  return call.explain(kMemoryAllocation, what);
}

int Device::handle(const Free& command, Nothing&, Call& call) {
  if (command.call == FreeCall::kFreeAsync) {
    if (const int error = check_stream(command.stream); error != kSuccess) return error;
  } else {
    if (waiting_ != nullptr) return kNotReady;
    if (command.call != FreeCall::kFreeOfPool) host_waits_for_all();
  }
  if (command.address == 0) return kSuccess;
  const memory::HostPlace at = host_place(command.at);
  const bool is_ordered = command.call == FreeCall::kFreeAsync;
  const memory::Allocation* const found = live_at(command.address);
  const auto freed_bytes = [&](MemoryKind kind) {
    const bool counts = found != nullptr && found->kind == kind && !callers_.contains(found->base);
    return counts ? found->size_bytes : 0;
  };
  const std::uint64_t device_bytes = freed_bytes(MemoryKind::kDevice);
  const std::uint64_t pinned_bytes = freed_bytes(MemoryKind::kPinnedHost);
  begin_work(is_ordered ? command.stream : check::kHostStream, command.at).kind =
      report::CopyKind::kFree;
  const bool is_fine = release(command.address, command.call, at);
  streams().end_work();
  if (!is_ordered) streams().host_waits_for(check::kHostStream);
  if (is_fine) {
    if (device_bytes != 0) note_freed(device_bytes);
    pinned_bytes_ -= std::min(pinned_bytes_, pinned_bytes);
    return kSuccess;
  }
  return call.explain(kInvalidValue, describe_bad_free(command.address, name_of(command.call)));
}

int Device::handle(const Find& command, Find::Result& result, Call&) {
  if (const memory::Allocation* const found = live_at(command.address)) {
    result.base = found->base;
    result.size_bytes = found->size_bytes;
    result.kind = static_cast<std::uint32_t>(found->kind);
  }
  return kSuccess;
}

int Device::handle(const AskMemory&, AskMemory::Result& result, Call&) {
  result.total_bytes = memory::kDeviceMemoryBytes;
  result.free_bytes = memory::kDeviceMemoryBytes - memory::used_bytes();
  return kSuccess;
}

int Device::handle(const Reset&, Nothing&, Call&) {
  finish_waiting(", and the host waits for this kernel to reset the device");
  host_waits_for_all();
  std::vector<std::pair<std::uint64_t, MemoryKind>> programs;
  for (const memory::Allocation* const allocation : memory::live_allocations()) {
    const MemoryKind kind = allocation->kind;
    const bool is_programs = kind == MemoryKind::kDevice || kind == MemoryKind::kManaged ||
                             kind == MemoryKind::kDeviceHeap;
    if (is_programs && !managed_variables_.contains(allocation->base)) {
      programs.emplace_back(allocation->base, kind);
    }
  }
  for (const auto& [base, kind] : programs) memory::release(base, kind, {});
  images_.clear();
  made_.clear();
  for (const auto& module : modules_) fill_variables(*module);
  sticky_ = kSuccess;
  return kSuccess;
}

int Device::handle(const TakeScratch& command, TakeScratch::Result& result, Call&) {
  release_scratch();
  if (command.size_bytes == 0) return kSuccess;
  if (command.size_bytes != scratch_bytes_) return kInvalidValue;
  scratch_room_ = result.address = memory::scratch_room(command.size_bytes);
  return kSuccess;
}

int Device::handle(const DeclareScratch& command, Nothing&, Call& call) {
  if (command.size_bytes == 0) return kSuccess;
  const std::uint64_t offset = command.address - scratch_room_;
  if (scratch_room_ == 0 || offset >= scratch_bytes_ ||
      command.size_bytes > scratch_bytes_ - offset || scratch_.size() == kMaxScratchAllocations) {
    return kInvalidValue;
  }
  scratch_.push_back(command.address);
  memory::declare(command.address, command.size_bytes, std::string(call.text()), false,
                  MemoryKind::kScratch);
  return kSuccess;
}

int Device::handle(const EndScratch&, Nothing&, Call&) {
  release_scratch();
  return kSuccess;
}

void Device::release_scratch() {
  for (const std::uint64_t base : scratch_) memory::retire_scratch(base);
  scratch_.clear();
  scratch_room_ = 0;
}

// An address is taken by an allocation that ends at once: its room is not used again before
// programs could have noticed.
int Device::handle(const TakeGraphMemory& command, TakeGraphMemory::Result& result, Call&) {
  const memory::HostPlace at = host_place(command.at);
  if (command.is_new != 0) {
    if (command.size_bytes == 0 || command.size_bytes > memory::kDeviceMemoryBytes ||
        graph_memory_.size() == kMaxGraphAllocations) {
      return kMemoryAllocation;
    }
    result.address = memory::allocate(command.size_bytes, MemoryKind::kDevice, at);
    if (result.address == 0) return kMemoryAllocation;
    graph_memory_.insert(result.address);
    memory::retire(result.address);
    return kSuccess;
  }
  const memory::Allocation* const found = memory::find(command.address);
  const bool is_free = graph_memory_.contains(command.address) && found != nullptr &&
                       found->base == command.address && !found->live &&
                       found->size_bytes >= command.size_bytes && command.size_bytes != 0;
  if (!is_free) return kInvalidValue;
  memory::declare(command.address, command.size_bytes, "a graph's allocation", false,
                  MemoryKind::kDevice);
  return kSuccess;
}

int Device::handle(const FreeGraphMemory& command, Nothing&, Call&) {
  const memory::Allocation* const found = live_at(command.address);
  const bool is_taken =
      found != nullptr && found->base == command.address && graph_memory_.contains(command.address);
  if (!is_taken) return kInvalidValue;
  memory::retire(command.address);
  return kSuccess;
}

}  // namespace serve
