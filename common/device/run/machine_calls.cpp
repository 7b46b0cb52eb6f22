// SPDX-License-Identifier: MIT
// Functions that kernels call and that no PTX defines: mathematics, printf, the heap, assert, and
// what clang's -fsanitize calls. common/cuda/toolkit/lockstep/machine_calls.h declares them.
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "memory/book.h"
#include "run/engine.h"
#include "run/generic_memory.h"
#include "run/machine_call.h"
#include "run/print.h"
#include "run/skip_ahead.h"
#include "run/special_functions.h"

namespace run {
namespace {

using code::Instruction;
using code::Op;

const Op* unary(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(
      lanes, [&](int l) { give(warp, call, l, call.unary(argument<double>(warp, call, 0, l))); });
  return op + 1;
}
const Op* unary_f(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(
      lanes, [&](int l) { give(warp, call, l, call.unary_f(argument<float>(warp, call, 0, l))); });
  return op + 1;
}
const Op* binary(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int l) {
    give(warp, call, l,
         call.binary(argument<double>(warp, call, 0, l), argument<double>(warp, call, 1, l)));
  });
  return op + 1;
}
const Op* binary_f(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int l) {
    give(warp, call, l,
         call.binary_f(argument<float>(warp, call, 0, l), argument<float>(warp, call, 1, l)));
  });
  return op + 1;
}
template <class T>
const Op* norm(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int l) {
    double sum = 0;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const double x = argument<T>(warp, call, i, l);
      sum += x * x;
    }
    give(warp, call, l, static_cast<T>(std::sqrt(sum)));
  });
  return op + 1;
}
template <class T>
const Op* load_exponent(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int l) {
    give(warp, call, l, std::ldexp(argument<T>(warp, call, 0, l), argument<int>(warp, call, 1, l)));
  });
  return op + 1;
}
template <class T, bool second_kind>
const Op* bessel(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int l) {
    const int n = argument<int>(warp, call, 0, l);
    const double x = argument<T>(warp, call, 1, l);
    give(warp, call, l, static_cast<T>(second_kind ? ::yn(n, x) : ::jn(n, x)));
  });
  return op + 1;
}

const Op* print_text(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int lane) {
    const auto format = read_text(warp, lane, argument<std::uint64_t>(warp, call, 0, lane));
    int count = 0;
    warp.engine->print(
        formatted(warp, lane, format, argument<std::uint64_t>(warp, call, 1, lane), count));
    give(warp, call, lane, count);
  });
  return op + 1;
}

const Op* allocate(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  const auto line = warp.engine->line_of(instruction_of(warp, op));
  for_each_lane(lanes, [&](int lane) {
    const auto size = argument<std::uint64_t>(warp, call, 0, lane);
    const std::uint64_t got = size == 0
                                  ? 0
                                  : memory::allocate(size, memory::Allocation::Kind::kDeviceHeap,
                                                     {std::string(line.file), line.line});
    give(warp, call, lane, got);
  });
  ++warp.engine->changes;
  return op + 1;
}

const Op* release(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  const Instruction& instruction = instruction_of(warp, op);
  const auto line = warp.engine->line_of(instruction);
  for_each_lane(lanes, [&](int lane) {
    const auto address = argument<std::uint64_t>(warp, call, 0, lane);
    if (address == 0) return;
    if (memory::release(address, memory::Allocation::Kind::kDeviceHeap,
                        {std::string(line.file), line.line})) {
      return;
    }
    const memory::Allocation* const found = memory::find(address);
    const bool was_freed = found != nullptr && found->base == address && !found->live;
    end_kernel(warp, instruction, report::Kind::kCrash,
               thread_name(warp, lane) + " frees " + report::hex(address) +
                   (was_freed ? ", which has been freed already"
                              : ", which malloc or new in a kernel did not give it"),
               cudaErrorLaunchFailure);
  });
  ++warp.engine->changes;
  return op + 1;
}

const Op* assert_fail(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  const int lane = std::countr_zero(lanes);
  end_kernel(warp, instruction_of(warp, op), report::Kind::kCrash,
             thread_name(warp, lane) + ": assertion `" +
                 read_text(warp, lane, argument<std::uint64_t>(warp, call, 0, lane)) + "` failed",
             cudaErrorAssert);
}

const Op* grid_sync(Warp& warp, const Op* op, std::uint32_t lanes) {
  if (!warp.block->launch->is_cooperative) {
    end_kernel(warp, instruction_of(warp, op), report::Kind::kLaunchError,
               report::not_cooperative_text(thread_name(warp, std::countr_zero(lanes))),
               cudaErrorLaunchFailure);
  }
  return wait_for_grid(warp, op, lanes);
}

const Op* is_cooperative(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int lane) {
    give(warp, call, lane, std::uint32_t{warp.block->launch->is_cooperative});
  });
  return op + 1;
}

// A random state's numbers, which random.h hands over in the thread's own array.
template <class Numbers>
void skip_numbers(Warp& warp, int lane, std::uint64_t address, std::uint64_t steps, int stride,
                  Numbers (*skip)(const Numbers&, std::uint64_t, int)) {
  Numbers numbers;
  const std::uint64_t local = address - local_window(warp, lane);
  if (!read_generic(warp, lane, address, &numbers, sizeof numbers) ||
      local >= memory::kLocalWindowBytes || stride < 0 || stride > kMaxLog2Stride) {
    return;
  }
  numbers = skip(numbers, steps, stride);
  write_local(warp, local, lane, &numbers, sizeof numbers);
}

const Op* skip_in_xorwow(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int lane) {
    skip_numbers(warp, lane, argument<std::uint64_t>(warp, call, 0, lane),
                 argument<std::uint64_t>(warp, call, 1, lane), argument<int>(warp, call, 2, lane),
                 skip_xorwow);
  });
  return op + 1;
}

const Op* skip_in_mrg(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int lane) {
    const auto steps = argument<std::uint64_t>(warp, call, 2, lane);
    const int stride = argument<int>(warp, call, 3, lane);
    skip_numbers(warp, lane, argument<std::uint64_t>(warp, call, 0, lane), steps, stride,
                 skip_first_mrg);
    skip_numbers(warp, lane, argument<std::uint64_t>(warp, call, 1, lane), steps, stride,
                 skip_second_mrg);
  });
  return op + 1;
}

struct Numeric {
  code::Handler handler;
  void (*set)(MachineCall&);
};

#define RUN_UNARY(name)                                                                            \
  {#name, {unary, [](MachineCall& c) { c.unary = [](double x) { return special::name(x); }; }}}, { \
#name "f", {                                                                                   \
      unary_f, [](MachineCall& c) { c.unary_f = [](float x) { return special::name##f(x); }; }     \
    }                                                                                              \
  }
#define RUN_BINARY(name)                                                                         \
  {#name,                                                                                        \
   {binary,                                                                                      \
    [](MachineCall& c) { c.binary = [](double x, double y) { return special::name(x, y); }; }}}, \
  {                                                                                              \
#name "f", {                                                                                 \
      binary_f, [](MachineCall& c) {                                                             \
        c.binary_f = [](float x, float y) { return special::name##f(x, y); };                    \
      }                                                                                          \
    }                                                                                            \
  }

const std::unordered_map<std::string_view, Numeric>& numerics() {
  static const std::unordered_map<std::string_view, Numeric> table = {
      RUN_UNARY(sin),       RUN_UNARY(cos),        RUN_UNARY(tan),        RUN_UNARY(asin),
      RUN_UNARY(acos),      RUN_UNARY(atan),       RUN_UNARY(sinh),       RUN_UNARY(cosh),
      RUN_UNARY(tanh),      RUN_UNARY(asinh),      RUN_UNARY(acosh),      RUN_UNARY(atanh),
      RUN_UNARY(exp),       RUN_UNARY(exp2),       RUN_UNARY(exp10),      RUN_UNARY(expm1),
      RUN_UNARY(log),       RUN_UNARY(log2),       RUN_UNARY(log10),      RUN_UNARY(log1p),
      RUN_UNARY(logb),      RUN_UNARY(cbrt),       RUN_UNARY(rcbrt),      RUN_UNARY(erf),
      RUN_UNARY(erfc),      RUN_UNARY(erfcx),      RUN_UNARY(erfinv),     RUN_UNARY(erfcinv),
      RUN_UNARY(normcdf),   RUN_UNARY(normcdfinv), RUN_UNARY(lgamma),     RUN_UNARY(tgamma),
      RUN_UNARY(sinpi),     RUN_UNARY(cospi),      RUN_UNARY(tanpi),      RUN_UNARY(j0),
      RUN_UNARY(j1),        RUN_UNARY(y0),         RUN_UNARY(y1),         RUN_BINARY(pow),
      RUN_BINARY(atan2),    RUN_BINARY(fmod),      RUN_BINARY(remainder), RUN_BINARY(hypot),
      RUN_BINARY(nextafter)};
  return table;
}

const std::unordered_map<std::string_view, code::Handler>& others() {
  static const std::unordered_map<std::string_view, code::Handler> table = {
      {"vprintf", print_text},
      {"malloc", allocate},
      {"__nv_aligned_device_malloc", allocate},  // all begin at a multiple of 256 bytes
      {"free", release},
      {"__assertfail", assert_fail},
      {"__lockstep_grid_sync", grid_sync},
      {"cudaGetParameterBuffer", get_parameter_buffer},
      {"cudaLaunchDevice", launch_from_kernel},
      {"__lockstep_last_error", last_error},
      {"__lockstep_tile_sync", tile_sync},
      {"__lockstep_tile_put", tile_put},
      {"__lockstep_tile_get", tile_get},
      {"__lockstep_is_cooperative", is_cooperative},
      {"__lockstep_skip_xorwow", skip_in_xorwow},
      {"__lockstep_skip_mrg", skip_in_mrg},
      {"norm3d", norm<double>},
      {"norm4d", norm<double>},
      {"norm3df", norm<float>},
      {"norm4df", norm<float>},
      {"ldexp", load_exponent<double>},
      {"ldexpf", load_exponent<float>},
      {"jn", bessel<double, false>},
      {"jnf", bessel<float, false>},
      {"yn", bessel<double, true>},
      {"ynf", bessel<float, true>},
      {"__cxa_pure_virtual", no_operation}};
  return table;
}

}  // namespace

code::Handler machine_call(std::string_view name, Op& op, const Instruction& instruction,
                           code::Function& function) {
  auto call = std::make_shared<MachineCall>();
  bool has_callee = false;
  for (const code::Operand& operand : instruction.operands) {
    if (!operand.symbol.empty()) {
      has_callee = true;
      continue;
    }
    for (const code::Operand& element : operand.elements) {
      if (!element.is_address) throw std::runtime_error("a call passes a register");
      if (has_callee) {
        call->arguments.push_back(static_cast<std::uint32_t>(element.offset));
      } else {
        call->result = static_cast<std::uint32_t>(element.offset);
        call->has_result = true;
      }
    }
  }
  code::Handler handler = nullptr;
  if (const auto found = numerics().find(name); found != numerics().end()) {
    handler = found->second.handler;
    found->second.set(*call);
  } else if (const auto other = others().find(name); other != others().end()) {
    handler = other->second;
  } else if (name.starts_with("__ubsan_handle_")) {
    handler = sanitizer_handler(name);
  }
  if (handler == nullptr) return nullptr;
  op.details = call.get();
  function.details.push_back(std::move(call));
  return handler;
}

std::uint64_t call_argument(Warp& warp, const Op* op, std::size_t i, int lane) {
  return argument<std::uint64_t>(warp, call_of(op), i, lane);
}

}  // namespace run
