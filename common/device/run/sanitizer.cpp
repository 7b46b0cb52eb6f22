// SPDX-License-Identifier: MIT
// What clang's -fsanitize calls in the code as written: the compiler compares, and tells us what it
// found and where. The records are those of LLVM's UndefinedBehaviorSanitizer.
#include <string>

#include "run/engine.h"
#include "run/findings.h"
#include "run/generic_memory.h"

namespace run {
namespace {

using code::Op;

// Its record has the line of an operator, that of the call may be the statement's.
report::Place place_at(const Warp& warp, const Op* op, int lane, std::uint64_t data) {
  const Launch& launch = *warp.block->launch;
  report::Place place = place_of(launch, launch.running, instruction_of(warp, op));
  const std::string file = read_text(warp, lane, read_generic<std::uint64_t>(warp, lane, data));
  if (place.file == file.substr(file.rfind('/') + 1)) {
    place.line = read_generic<std::uint32_t>(warp, lane, data + 8);
  }
  return place;
}

constexpr std::uint64_t kBehindLocation = 16;

struct TypeName {
  std::string name;  // "float [32]", without the quotes around it
  bool is_signed = false;
  int bits = 0;
};
TypeName type_at(const Warp& warp, int lane, std::uint64_t data, std::uint64_t offset) {
  const auto at = read_generic<std::uint64_t>(warp, lane, data + offset);
  const auto kind = read_generic<std::uint16_t>(warp, lane, at);
  const auto info = read_generic<std::uint16_t>(warp, lane, at + 2);
  TypeName type;
  type.name = read_text(warp, lane, at + 4);
  if (type.name.size() >= 2 && type.name.front() == '\'') {
    type.name = type.name.substr(1, type.name.find('\'', 1) - 1);
  }
  if (kind == 0) {
    type.is_signed = (info & 1) != 0;
    type.bits = 1 << (info >> 1);
  }
  return type;
}

std::string value_text(std::uint64_t bits, const TypeName& type) {
  if (type.bits > 0 && type.bits < 64) {
    bits &= (std::uint64_t{1} << type.bits) - 1;
    if (type.is_signed && (bits >> (type.bits - 1) & 1) != 0)
      bits |= ~std::uint64_t{0} << type.bits;
  }
  return type.is_signed ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits);
}

[[noreturn]] void end_at(const Warp& warp, const report::Place& place, report::Kind kind,
                         std::string message, int error) {
  throw Fault{finding_at(kind, *warp.block->launch, place, std::move(message)), error};
}

const Op* out_of_bounds(Warp& warp, const Op* op, std::uint32_t lanes) {
  const int lane = std::countr_zero(lanes);
  const std::uint64_t data = call_argument(warp, op, 0, lane);
  const TypeName array = type_at(warp, lane, data, kBehindLocation);
  const TypeName index = type_at(warp, lane, data, kBehindLocation + 8);
  end_at(warp, place_at(warp, op, lane, data), report::Kind::kOutOfBounds,
         thread_name(warp, lane) + " uses index " +
             value_text(call_argument(warp, op, 1, lane), index) + " of an array of type " +
             array.name,
         cudaErrorIllegalAddress);
}

template <char operation>
const Op* overflow(Warp& warp, const Op* op, std::uint32_t lanes) {
  const int lane = std::countr_zero(lanes);
  const std::uint64_t data = call_argument(warp, op, 0, lane);
  const TypeName type = type_at(warp, lane, data, kBehindLocation);
  const std::string left = value_text(call_argument(warp, op, 1, lane), type);
  const std::string right =
      operation == 'n' ? "" : value_text(call_argument(warp, op, 2, lane), type);
  if (operation == '/' && right == "0") {
    end_at(warp, place_at(warp, op, lane, data), report::Kind::kCrash,
           thread_name(warp, lane) + " divides " + left + " by zero", cudaErrorLaunchFailure);
  }
  const std::string what =
      operation == 'n' ? "-(" + left + ")" : left + " " + operation + " " + right;
  end_at(warp, place_at(warp, op, lane, data), report::Kind::kCrash,
         thread_name(warp, lane) + " computes " + what + ", which is too large for " + type.name +
             ": the result is undefined; compute with a wider type",
         cudaErrorLaunchFailure);
}

const Op* shift(Warp& warp, const Op* op, std::uint32_t lanes) {
  const int lane = std::countr_zero(lanes);
  const std::uint64_t data = call_argument(warp, op, 0, lane);
  const TypeName type = type_at(warp, lane, data, kBehindLocation);
  const TypeName amount = type_at(warp, lane, data, kBehindLocation + 8);
  end_at(warp, place_at(warp, op, lane, data), report::Kind::kCrash,
         thread_name(warp, lane) + " shifts a number of type " + type.name + " by " +
             value_text(call_argument(warp, op, 2, lane), amount) +
             " bits: the result is undefined",
         cudaErrorLaunchFailure);
}

const Op* type_mismatch(Warp& warp, const Op* op, std::uint32_t lanes) {
  const int lane = std::countr_zero(lanes);
  const std::uint64_t data = call_argument(warp, op, 0, lane);
  const std::uint64_t address = call_argument(warp, op, 1, lane);
  const TypeName type = type_at(warp, lane, data, kBehindLocation);
  const std::uint64_t alignment =
      std::uint64_t{1} << read_generic<std::uint8_t>(warp, lane, data + kBehindLocation + 8);
  const report::Place where = place_at(warp, op, lane, data);
  if (address == 0) {
    end_at(warp, where, report::Kind::kOutOfBounds,
           thread_name(warp, lane) + " uses a null pointer to " + type.name,
           cudaErrorIllegalAddress);
  }
  if (address % alignment == 0) return op + 1;
  end_at(warp, where, report::Kind::kMisaligned,
         thread_name(warp, lane) + " uses address " + report::hex(address) + " for a " + type.name +
             "; the address must be a multiple of " + std::to_string(alignment),
         cudaErrorMisalignedAddress);
}

const Op* unreachable(Warp& warp, const Op* op, std::uint32_t lanes) {
  const int lane = std::countr_zero(lanes);
  end_at(warp, place_at(warp, op, lane, call_argument(warp, op, 0, lane)), report::Kind::kCrash,
         thread_name(warp, lane) + " reaches the end of a function that must return a value",
         cudaErrorLaunchFailure);
}

}  // namespace

code::Handler sanitizer_handler(std::string_view name) {
  name.remove_prefix(std::string_view("__ubsan_handle_").size());
  if (name.ends_with("_abort")) name.remove_suffix(6);
  if (name == "out_of_bounds") return out_of_bounds;
  if (name == "add_overflow") return overflow<'+'>;
  if (name == "sub_overflow") return overflow<'-'>;
  if (name == "mul_overflow") return overflow<'*'>;
  if (name == "divrem_overflow") return overflow<'/'>;
  if (name == "negate_overflow") return overflow<'n'>;
  if (name == "shift_out_of_bounds") return shift;
  if (name == "type_mismatch_v1") return type_mismatch;
  if (name == "missing_return" || name == "builtin_unreachable") return unreachable;
  return nullptr;
}

}  // namespace run
