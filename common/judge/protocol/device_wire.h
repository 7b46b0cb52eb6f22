// SPDX-License-Identifier: MIT
// The messages between the judge and the device process, framed as those to the worker: see wire.h.
// Each request has a reply; the device process greets, too. It interprets what the worker and the
// kernels ask for, so the judge bounds every read.
//
//   hello   DeviceHello   -> DevicePlaces   first: map the arena
//   begin   Batch, without calls            -> empty: the worker may use the regions from here on
//   end     BatchEnd      -> Report         all that was begun has ended. The device process takes
//                                           nothing from the worker until the next begin: the judge
//                                           reads and fills the buffers in between.
//
// Before the first begin the worker is heard, too: a rung's initialisers may allocate.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/report.h"

namespace wire {

enum class DeviceKind : std::uint32_t { kHello = 1, kBegin = 2, kEnd = 3 };

struct DeviceHello {
  std::uint64_t arena_bytes = 0;
  double batch_seconds = 0;  // as in Hello: kernels end earlier, with a finding
};

struct DevicePlaces {
  std::uint64_t arena_address = 0;  // as kernels and the worker see it
};

struct BatchEnd {
  std::uint32_t threw = 0;          // a call of the batch ended by an exception
  std::uint32_t has_no_worker = 0;  // it has died: what it asked for last may be incomplete
};

// The exit status of a device process whose worker wrote nonsense to the ring.
inline constexpr int kRingBrokenStatus = 125;

std::string encode(const DeviceHello&);
std::string encode(const DevicePlaces&);
std::string encode(const BatchEnd&);
std::string encode(const Report&);
DeviceHello decode_device_hello(std::string_view);
DevicePlaces decode_device_places(std::string_view);
BatchEnd decode_batch_end(std::string_view);
Report decode_report(std::string_view);

}  // namespace wire
