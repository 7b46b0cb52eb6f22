// SPDX-License-Identifier: MIT
// Atomic read-modify-writes: atom and red.
#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "run/access.h"
#include "run/half.h"

namespace run {
namespace {

using code::File;
using code::Instruction;
using code::Op;

// One lane's: `old` is what memory holds; b and c are operands, as bits.
using Update = std::uint64_t (*)(std::uint64_t old, std::uint64_t b, std::uint64_t c);

template <class T>
T as(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
Update update_of(std::string_view operation) {
  if (operation == "add") {
    return [](std::uint64_t old, std::uint64_t b, std::uint64_t) {
      return bits_of<T>(static_cast<T>(as<T>(old) + as<T>(b)));
    };
  }
  if (operation == "min") {
    return [](std::uint64_t old, std::uint64_t b, std::uint64_t) {
      return bits_of<T>(std::min(as<T>(old), as<T>(b)));
    };
  }
  if (operation == "max") {
    return [](std::uint64_t old, std::uint64_t b, std::uint64_t) {
      return bits_of<T>(std::max(as<T>(old), as<T>(b)));
    };
  }
  if (operation == "inc") {
    return [](std::uint64_t old, std::uint64_t b, std::uint64_t) {
      return bits_of<T>(as<T>(old) >= as<T>(b) ? T{0} : static_cast<T>(as<T>(old) + 1));
    };
  }
  if (operation == "dec") {
    return [](std::uint64_t old, std::uint64_t b, std::uint64_t) {
      return bits_of<T>(as<T>(old) == 0 || as<T>(old) > as<T>(b) ? as<T>(b)
                                                                 : static_cast<T>(as<T>(old) - 1));
    };
  }
  return nullptr;
}

template <class Half, bool is_pair>
std::uint64_t add_halves(std::uint64_t old, std::uint64_t b, std::uint64_t) {
  std::uint64_t sum = Half::add(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b));
  if (is_pair) {
    sum |= std::uint64_t{Half::add(static_cast<std::uint16_t>(old >> 16),
                                   static_cast<std::uint16_t>(b >> 16))}
           << 16;
  }
  return sum;
}

Update find_update(std::string_view operation, ptx::Type type) {
  using enum ptx::Type;
  if (operation == "exch") return [](std::uint64_t, std::uint64_t b, std::uint64_t) { return b; };
  if (operation == "cas") {
    return [](std::uint64_t old, std::uint64_t b, std::uint64_t c) { return old == b ? c : old; };
  }
  if (operation == "and")
    return [](std::uint64_t old, std::uint64_t b, std::uint64_t) { return old & b; };
  if (operation == "or")
    return [](std::uint64_t old, std::uint64_t b, std::uint64_t) { return old | b; };
  if (operation == "xor")
    return [](std::uint64_t old, std::uint64_t b, std::uint64_t) { return old ^ b; };
  switch (type) {
    case kU32:
    case kB32:
      return update_of<std::uint32_t>(operation);
    case kS32:
      return update_of<std::int32_t>(operation);
    case kU64:
    case kB64:
      return update_of<std::uint64_t>(operation);
    case kS64:
      return update_of<std::int64_t>(operation);
    case kF32:
      return update_of<float>(operation);
    case kF64:
      return update_of<double>(operation);
    case kF16:
      return operation == "add" ? add_halves<Half, false> : nullptr;
    case kF16x2:
      return operation == "add" ? add_halves<Half, true> : nullptr;
    case kBF16:
      return operation == "add" ? add_halves<BFloat, false> : nullptr;
    case kBF16x2:
      return operation == "add" ? add_halves<BFloat, true> : nullptr;
    default:
      return nullptr;
  }
}

struct AtomicForm : MemoryForm {
  Update update = nullptr;
  bool is_wide_row = false;  // rows of 8 bytes per lane
  bool returns = true;
  std::array<code::Slot, 8> results = {};
  std::array<code::Slot, 8> operands = {};
  code::Slot other;  // c
};

std::uint64_t read_row(Warp& warp, const code::Slot& slot, int lane) {
  if (slot.file == File::k64) return warp.row64<std::uint64_t>(slot.offset)[lane];
  return warp.row32<std::uint32_t>(slot.offset)[lane];
}
void write_row(Warp& warp, const code::Slot& slot, int lane, std::uint64_t bits) {
  if (slot.file == File::k64) warp.row64<std::uint64_t>(slot.offset)[lane] = bits;
  if (slot.file == File::k32) {
    warp.row32<std::uint32_t>(slot.offset)[lane] = static_cast<std::uint32_t>(bits);
  }
}

// Lanes update one after another, in the order of the schedule. Returns whether memory has changed.
bool update_all(Warp& warp, const AtomicForm& form, std::byte* origin, const Access& access) {
  const std::size_t size = access.element_bytes;
  bool has_changed = false;
  const std::uint64_t mask = size == 8 ? UINT64_MAX : (std::uint64_t{1} << 8 * size) - 1;
  for (std::uint32_t rest = access.lanes; rest != 0;) {
    const int lane = warp.engine->running->schedule.lanes.first(rest);
    rest &= ~(1U << lane);
    for (std::size_t e = 0; e < access.num_elements; ++e) {
      std::byte* const at = origin + access.address[static_cast<std::size_t>(lane)] + e * size;
      std::uint64_t old = 0;
      std::memcpy(&old, at, size);
      const std::uint64_t b = read_row(warp, form.operands[e], lane) & mask;
      const std::uint64_t c = form.other.exists() ? read_row(warp, form.other, lane) & mask : 0;
      const std::uint64_t now = form.update(old, b, c) & mask;
      std::memcpy(at, &now, size);
      has_changed = has_changed || now != old;
      if (form.returns) write_row(warp, form.results[e], lane, old);
    }
  }
  return has_changed;
}

// Of 16 bytes: exchange, or compare and swap.
bool update_128(Warp& warp, const AtomicForm& form, std::byte* origin, const Access& access) {
  bool has_changed = false;
  for_each_lane(access.lanes, [&](int lane) {
    std::byte* const at = origin + access.address[static_cast<std::size_t>(lane)];
    const auto words = [&](const code::Slot& slot) {
      auto* const low = warp.row64<std::uint64_t>(slot.offset) + lane;
      return std::array<std::uint64_t, 2>{low[0], low[kWarpSize]};
    };
    std::array<std::uint64_t, 2> old;
    std::memcpy(old.data(), at, 16);
    const bool is_swap = form.other.exists();
    const auto b = words(form.operands[0]);
    if (!is_swap || old == b) {
      const auto now = is_swap ? words(form.other) : b;
      has_changed = has_changed || now != old;
      std::memcpy(at, now.data(), 16);
    }
    if (form.returns && form.results[0].exists()) {
      auto* const low = warp.row64<std::uint64_t>(form.results[0].offset) + lane;
      low[0] = old[0];
      low[kWarpSize] = old[1];
    }
  });
  return has_changed;
}

const Op* atomic(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const AtomicForm*>(op->details);
  Access& access = warp.engine->access;
  static_cast<AccessForm&>(access) = form.prototype;
  access.owner = nullptr;
  access.unwritten = {};
  access.partly_written = 0;
  access.lanes = lanes;
  find_addresses(access, warp, op->a, form.has_32_bit_addresses, op->immediate);
  bool has_changed = false;
  std::uint64_t first = 0;
  const auto generic = access.address;
  bool is_first = true;
  for (std::uint32_t rest = lanes; rest != 0; is_first = false) {
    if (form.is_generic) {
      rest = take_space(access, warp, rest, generic);
    } else {
      access.lanes = rest;
      if (form.is_cluster) {
        const std::uint64_t window =
            generic[static_cast<std::size_t>(std::countr_zero(rest))] / memory::kSharedWindowBytes;
        if (window != 0)
          access.owner = cluster_block(warp, *access.instruction, std::countr_zero(rest),
                                       static_cast<std::uint32_t>(window - 1));
        for (std::uint64_t& address : access.address) address %= memory::kSharedWindowBytes;
      }
      rest = 0;
    }
    classify(access);
    if (is_first && yields_before(warp, op, access)) return nullptr;
    first = access.address[static_cast<std::size_t>(std::countr_zero(access.lanes))];
    const std::uint32_t wanted = access.lanes;
    std::byte* const origin = admit(access, warp);
    if (access.lanes != 0) {
      has_changed |= access.element_bytes == 16 ? update_128(warp, form, origin, access)
                                                : update_all(warp, form, origin, access);
      for (Monitor* const monitor : warp.engine->monitors) monitor->wrote(warp, access);
    }
    if (form.returns && access.lanes != wanted) {
      for_each_lane(wanted & ~access.lanes,
                    [&](int lane) { write_row(warp, form.results[0], lane, 0); });
    }
  }
  if (has_changed) {
    ++warp.engine->changes;
  } else if (polls(warp, first)) {
    let_others_run(warp, op + 1, true);
    return nullptr;
  }
  return op + 1;
}

void add_slots(std::array<code::Slot, 8>& slots, const code::Operand& operand) {
  if (operand.elements.empty()) slots[0] = operand.slot;
  for (std::size_t i = 0; i < operand.elements.size() && i < slots.size(); ++i) {
    slots[i] = operand.elements[i].slot;
  }
}

}  // namespace

code::Handler atomic_handler(Op& op, const Instruction& instruction, code::Function& function) {
  const std::string_view opcode = instruction.words.front();
  if (opcode != "atom" && opcode != "red") return nullptr;
  if (instruction.has("async")) return nullptr;
  const bool returns = opcode == "atom";
  const std::size_t at = returns ? 1 : 0;
  auto form = std::make_shared<AtomicForm>();
  static_cast<MemoryForm&>(*form) =
      memory_form(instruction, instruction.operands.at(at), function.is_kernel);
  form->prototype.instruction = &instruction;
  form->prototype.reads = form->prototype.writes = form->prototype.is_atomic = true;
  form->prototype.bypasses_cache = false;
  form->returns = returns;
  if (returns) add_slots(form->results, instruction.operands.at(0));
  add_slots(form->operands, instruction.operands.at(at + 1));
  if (instruction.has("cas")) form->other = instruction.operands.at(at + 2).slot;
  constexpr std::array<std::string_view, 10> kOperations = {"exch", "cas", "add", "inc", "dec",
                                                            "min",  "max", "and", "or",  "xor"};
  const auto operation = std::ranges::find_if(
      kOperations, [&](std::string_view word) { return instruction.has(word); });
  ptx::Type type = ptx::Type::kNone;
  for (const std::string_view word : instruction.words) {
    if (const ptx::Type named = ptx::type_named(word); named != ptx::Type::kNone) type = named;
  }
  form->update = operation == kOperations.end() ? nullptr : find_update(*operation, type);
  if (form->update == nullptr) throw std::runtime_error("an atomic operation that is not known");
  op.a = instruction.operands.at(at).slot.offset;
  op.immediate = instruction.operands.at(at).offset;
  op.details = form.get();
  function.details.push_back(std::move(form));
  return atomic;
}

}  // namespace run
