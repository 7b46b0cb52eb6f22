// SPDX-License-Identifier: MIT
// Copies and fills. What lies in the host's own memory travels through the ring.
#include <algorithm>
#include <cstring>
#include <string>

#include "memory/book.h"
#include "report/words.h"
#include "serve/box.h"
#include "serve/cuda_errors.h"
#include "serve/device.h"
#include "serve/ring.h"

namespace serve {
namespace {

using MemoryKind = memory::Allocation::Kind;

// cudaMemcpyKind
constexpr std::uint32_t kHostToHost = 0;
constexpr std::uint32_t kHostToDevice = 1;
constexpr std::uint32_t kDeviceToHost = 2;
constexpr std::uint32_t kDefault = 4;

enum class Side { kHost, kDevice, kEither };

// A device with unified addresses ignores the kind of a copy between host addresses.
bool takes_any_side(std::uint32_t direction) {
  return direction == kDefault || direction == kHostToHost;
}
Side source_side(std::uint32_t direction) {
  if (takes_any_side(direction)) return Side::kEither;
  return direction == kHostToDevice ? Side::kHost : Side::kDevice;
}
Side destination_side(std::uint32_t direction) {
  if (takes_any_side(direction)) return Side::kEither;
  return direction == kDeviceToHost ? Side::kHost : Side::kDevice;
}

// One end of a copy: the allocation it lies in, or null for ordinary memory of the host.
struct CopyEnd {
  bool is_valid = false;
  const memory::Allocation* allocation = nullptr;
};

CopyEnd examine(std::uint64_t address, std::uint64_t size_bytes, bool is_hosts, Side wanted) {
  if (is_hosts) return {address != 0 && wanted != Side::kDevice, nullptr};
  const memory::Allocation* const found = memory::find(address);
  if (found == nullptr || !found->live || !found->contains(address)) return {false, nullptr};
  if (found->kind == MemoryKind::kDeviceHeap) return {false, found};  // for kernels only
  const bool side_fits = wanted != Side::kHost || found->is_hosts_too();
  return {side_fits && found->contains(address, size_bytes), found};
}

// Why `end` is none: completes "a copy of 400 bytes".
std::string refusal(const CopyEnd& end, std::uint64_t address, std::uint64_t size_bytes,
                    bool is_hosts, const char* to_or_from) {
  const std::string copy = "a copy of " + report::bytes(size_bytes) + " " + to_or_from;
  if (address == 0) return copy + " a null pointer";
  if (is_hosts) {
    return copy + " memory of the host, although its cudaMemcpyKind names device memory";
  }
  if (end.allocation == nullptr) return copy + " device memory that is not allocated";
  if (end.allocation->kind == MemoryKind::kDeviceHeap) {
    return copy + " memory that a kernel has allocated, by malloc or new: only kernels may use it";
  }
  const std::uint64_t offset = address - end.allocation->base;
  if (offset + size_bytes > end.allocation->size_bytes) {
    return copy + " an allocation with " + report::bytes(end.allocation->size_bytes - offset) +
           " left";
  }
  return copy + " device memory, although its cudaMemcpyKind names memory of the host";
}

bool is_devices(const CopyEnd& end) {
  return end.allocation != nullptr && end.allocation->kind != MemoryKind::kPinnedHost;
}

// What the checks and counters get to know: each row, as if copied by itself.
void tell(Watchers& watchers, const Copy& command, const CopyEnd& to, const CopyEnd& from) {
  memory::Observer* const observer = memory::observer();
  const memory::HostPlace at = host_place(command.at);
  watchers.timer().begin_copy("cudaMemcpy");
  const auto tell_row = [&](std::uint64_t to_row, std::uint64_t from_row) {
    const std::uint64_t width = command.extent.width;
    if (observer != nullptr) {
      if (to.allocation != nullptr && from.allocation != nullptr) {
        observer->on_copy(to_row, from_row, width);
      } else if (to.allocation != nullptr) {
        observer->on_write(to_row, width);
      } else if (from.allocation != nullptr) {
        observer->on_read(from_row, width);
      }
    }
    const std::uint64_t to_device = is_devices(to) ? to_row : 0;
    const std::uint64_t from_device = is_devices(from) ? from_row : 0;
    if (watchers.is_counting()) watchers.counter().copy(at, to_device, from_device, width);
    watchers.timer().copy_row(to_device, from_device, width);
  };
  const auto row = [](const Box& box, std::uint64_t y, std::uint64_t z) {
    return box.base + (z * box.slice_rows + y) * box.pitch;
  };
  for (std::uint64_t z = 0; z < command.extent.depth; ++z) {
    for (std::uint64_t y = 0; y < command.extent.height; ++y) {
      tell_row(row(command.to, y, z), row(command.from, y, z));
    }
  }
}

void copy_inside(const Copy& command) {
  for (std::uint64_t z = 0; z < command.extent.depth; ++z) {
    for (std::uint64_t y = 0; y < command.extent.height; ++y) {
      const std::uint64_t to = (z * command.to.slice_rows + y) * command.to.pitch;
      const std::uint64_t from = (z * command.from.slice_rows + y) * command.from.pitch;
      std::memmove(reinterpret_cast<void*>(command.to.base + to),
                   reinterpret_cast<const void*>(command.from.base + from), command.extent.width);
    }
  }
}

}  // namespace

int Device::handle(const Copy& command, Nothing&, Call& call) {
  transfer_.reset();
  if ((command.waits & kWaitsBefore) != 0) {
    if (is_behind(kLegacyStream)) return kNotReady;
    host_waits_for(kLegacyStream);
  }
  if (const int error = check_stream(command.stream); error != kSuccess) return error;
  if (command.direction > kDefault) return kInvalidMemcpyDirection;
  const Extent& extent = command.extent;
  if (extent.width > command.to.pitch || extent.width > command.from.pitch) {
    return kInvalidPitchValue;
  }
  if (is_empty(extent)) {
    wait_as_asked(command.waits, kWaitsAfter, command.stream);
    return kSuccess;
  }
  const auto all = dense_bytes(extent);
  const auto to_bytes = reach(command.to, extent);
  const auto from_bytes = reach(command.from, extent);
  if (!all || !to_bytes || !from_bytes) return kInvalidValue;
  // Checks both ends completely first: a copy that fails has copied nothing.
  const CopyEnd to = examine(command.to.base, *to_bytes, command.to_host != 0,
                             destination_side(command.direction));
  const CopyEnd from = examine(command.from.base, *from_bytes, command.from_host != 0,
                               source_side(command.direction));
  if (!to.is_valid || !from.is_valid) {
    return call.explain(
        kInvalidValue,
        to.is_valid ? refusal(from, command.from.base, *from_bytes, command.from_host != 0, "from")
                    : refusal(to, command.to.base, *to_bytes, command.to_host != 0, "to"));
  }
  if (to.allocation == nullptr && from.allocation == nullptr) {  // the worker does it
    wait_as_asked(command.waits, kWaitsAfter, command.stream);
    return kSuccess;
  }
  host_calls(command.at);
  begin_work(command.stream, command.at);
  if (is_devices(to) != is_devices(from)) {
    const bool is_pageable = to.allocation == nullptr || from.allocation == nullptr;
    const bool is_in = is_devices(to);
    spend(is_in ? check::Engine::kCopyIn : check::Engine::kCopyOut,
          (is_in ? posed_.byte_in_ms : posed_.byte_out_ms) * static_cast<double>(*all) *
              (is_pageable ? wire::kPageableTimes : 1));
    // The host's thread carries the bytes through pinned memory of the driver's.
    if (is_pageable) {
      timeline_.host_waits(streams().current_clock());
      count_host(command.at, count::Counter::kPageableBytes, *all);
    }
  }
  if (from.allocation != nullptr) memory::poison_on_first_use(command.from.base, *from_bytes);
  tell(watchers_, command, to, from);
  streams().end_work();
  wait_as_asked(command.waits, kWaitsAfter, command.stream);
  if (to.allocation != nullptr && from.allocation != nullptr) {
    copy_inside(command);
    return kSuccess;
  }
  const bool to_host = to.allocation == nullptr;
  const Transfer transfer{to_host ? command.from : command.to, extent, *all, to_host};
  move(transfer, 0, call.data);
  if (*all > kDataBytes) transfer_ = transfer;
  return kSuccess;
}

int Device::handle(const CopyMore& command, Nothing&, Call& call) {
  if (!transfer_ || command.offset >= transfer_->size_bytes) return kInvalidValue;
  // What was found at the beginning may have ended since, if the worker mixes its commands.
  const auto bytes = reach(transfer_->box, transfer_->extent);
  const memory::Allocation* const found = memory::find(transfer_->box.base);
  if (found == nullptr || !found->live || !bytes || !found->contains(transfer_->box.base, *bytes)) {
    return kInvalidValue;
  }
  move(*transfer_, command.offset, call.data);
  return kSuccess;
}

void Device::move(const Transfer& transfer, std::uint64_t offset, std::span<std::byte> data) const {
  const std::uint64_t end = std::min(transfer.size_bytes, offset + data.size());
  for_rows(transfer.box, transfer.extent, offset, end,
           [&](std::uint64_t address, std::uint64_t dense, std::uint64_t size) {
             std::byte* const piece = data.data() + (dense - offset);
             auto* const place = reinterpret_cast<std::byte*>(address);
             if (transfer.to_host) {
               std::memcpy(piece, place, size);
             } else {
               std::memcpy(place, piece, size);
             }
           });
}

int Device::handle(const Fill& command, Nothing&, Call&) {
  if (const int error = check_stream(command.stream); error != kSuccess) return error;
  const Extent& extent = command.extent;
  if (extent.width > command.to.pitch) return kInvalidValue;
  if (!is_empty(extent)) {
    const auto bytes = reach(command.to, extent);
    if (!dense_bytes(extent) || !bytes ||
        !examine(command.to.base, *bytes, !memory::is_device(command.to.base), Side::kDevice)
             .is_valid) {
      return kInvalidValue;
    }
    host_calls(command.at);
    begin_work(command.stream, command.at);
    const auto all = *dense_bytes(extent);
    watchers_.timer().begin_copy("cudaMemset");
    for_rows(
        command.to, extent, 0, all, [&](std::uint64_t address, std::uint64_t, std::uint64_t size) {
          watchers_.timer().copy_row(address, 0, size);
          if (memory::observer() != nullptr) memory::observer()->on_write(address, size);
          auto* const at = reinterpret_cast<std::byte*>(address);
          if (command.element_bytes == 1) {
            std::memset(at, static_cast<int>(command.value), size);
            return;
          }
          for (std::uint64_t i = 0; i + command.element_bytes <= size; i += command.element_bytes) {
            std::memcpy(at + i, &command.value, command.element_bytes);  // the low bytes come first
          }
        });
    streams().end_work();
  }
  const bool waits = (command.waits & kWaitsIfHostCanReach) != 0 &&
                     host_can_reach(command.to.base) && !is_behind(kLegacyStream);
  if (waits) host_waits_for(kLegacyStream);
  return kSuccess;
}

}  // namespace serve
