// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>

#include "memory/book.h"
#include "run/machine_call.h"

namespace run {
namespace {

using code::Op;
using memory::Allocation;

// A kernel's address is a number; see code/load.cpp. Null: it is none.
const code::Function* kernel_at(const code::Program& program, std::uint64_t address) {
  const code::Function* const function = program.function_at(address);
  return function != nullptr && function->is_kernel ? function : nullptr;
}

// Frees the buffer.
std::vector<std::byte> take_parameters(std::uint64_t address, const memory::HostPlace& at) {
  const Allocation* const buffer = memory::find(address);
  if (buffer == nullptr || !buffer->live || buffer->base != address) return {};
  const auto* const bytes = reinterpret_cast<const std::byte*>(address);
  std::vector<std::byte> parameters(bytes, bytes + buffer->size_bytes);
  return memory::release(address, Allocation::Kind::kDeviceHeap, at) ? parameters
                                                                     : std::vector<std::byte>{};
}

}  // namespace

const Op* get_parameter_buffer(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  const auto line = warp.engine->line_of(instruction_of(warp, op));
  for_each_lane(lanes, [&](int lane) {
    const auto size = std::max<std::uint64_t>(argument<std::uint64_t>(warp, call, 1, lane), 1);
    give(
        warp, call, lane,
        memory::allocate(size, Allocation::Kind::kDeviceHeap, {std::string(line.file), line.line}));
  });
  return op + 1;
}

const Op* launch_from_kernel(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  Engine& engine = *warp.engine;
  const auto line = engine.line_of(instruction_of(warp, op));
  for_each_lane(lanes, [&](int lane) {
    NestedLaunch nested;
    nested.at = {std::string(line.file), line.line};
    nested.kernel = kernel_at(engine.program, argument<std::uint64_t>(warp, call, 0, lane));
    nested.parameters = take_parameters(argument<std::uint64_t>(warp, call, 1, lane), nested.at);
    nested.grid = argument<Dim>(warp, call, 2, lane);
    nested.block = argument<Dim>(warp, call, 3, lane);
    nested.dynamic_shared_bytes = argument<std::uint32_t>(warp, call, 4, lane);
    nested.stream = argument<std::uint64_t>(warp, call, 5, lane);
    const int error = engine.launcher(std::move(nested));
    if (error != 0) engine.nested_error = error;
    give(warp, call, lane, error);
  });
  ++engine.changes;
  return op + 1;
}

const Op* last_error(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int lane) {
    give(warp, call, lane, warp.engine->nested_error);
    if (argument<int>(warp, call, 0, lane) != 0) warp.engine->nested_error = 0;
  });
  return op + 1;
}

}  // namespace run
