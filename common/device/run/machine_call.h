// SPDX-License-Identifier: MIT
// A call that the machine answers: its arguments and its result, in the caller's local memory.
#pragma once

#include <cstdint>
#include <vector>

#include "run/engine.h"

namespace run {

struct MachineCall {
  std::vector<std::uint32_t> arguments;
  std::uint32_t result = 0;
  bool has_result = false;
  union {
    double (*unary)(double);
    double (*binary)(double, double);
    float (*unary_f)(float);
    float (*binary_f)(float, float);
  };
  MachineCall() : unary(nullptr) {}
};

inline const MachineCall& call_of(const code::Op* op) {
  return *static_cast<const MachineCall*>(op->details);
}

template <class T>
T argument(Warp& warp, const MachineCall& call, std::size_t i, int lane) {
  T value{};
  if (i >= call.arguments.size()) return value;
  read_local(warp, warp.part->frames.back().local_base + call.arguments[i], lane, &value,
             sizeof value);
  return value;
}

template <class T>
void give(Warp& warp, const MachineCall& call, int lane, T value) {
  if (!call.has_result) return;
  write_local(warp, warp.part->frames.back().local_base + call.result, lane, &value, sizeof value);
}

}  // namespace run
