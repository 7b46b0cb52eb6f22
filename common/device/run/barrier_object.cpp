// SPDX-License-Identifier: MIT
#include "run/barrier_object.h"

#include <cstring>
#include <stdexcept>

namespace run {
namespace {

using code::File;
using code::Instruction;
using code::Op;

// The contents of an object, which PTX leaves to the implementation.
struct Object {
  std::uint32_t pending = 0;   // arrivals until the phase is complete; 20 bits
  std::uint32_t expected = 0;  // of a phase; 20 bits
  std::int32_t bytes = 0;      // that bulk copies still owe; 23 bits
  bool phase = false;

  static Object load(const std::byte* at) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return unpack(bits);
  }
  static Object unpack(std::uint64_t bits) {
    Object object;
    object.pending = static_cast<std::uint32_t>(bits & 0xFFFFF);
    object.expected = static_cast<std::uint32_t>(bits >> 20 & 0xFFFFF);
    object.bytes = static_cast<std::int32_t>(bits >> 40 & 0x7FFFFF) - (1 << 22);
    object.phase = bits >> 63 != 0;
    return object;
  }
  std::uint64_t pack() const {
    return std::uint64_t{pending & 0xFFFFF} | std::uint64_t{expected & 0xFFFFF} << 20 |
           static_cast<std::uint64_t>((bytes + (1 << 22)) & 0x7FFFFF) << 40 |
           std::uint64_t{phase} << 63;
  }
  void store(std::byte* at) const {
    const std::uint64_t bits = pack();
    std::memcpy(at, &bits, sizeof bits);
  }
};

void settle(Warp& warp, const Instruction& instruction, Object& object, const std::byte* at) {
  ++warp.engine->changes;
  if (object.pending != 0 || object.bytes != 0) return;
  object.phase = !object.phase;
  object.pending = object.expected;
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->phase_completes(*warp.block, instruction, object.expected, at);
  }
}

enum class What : std::uint8_t {
  kInit,
  kInvalidate,
  kArrive,
  kDrop,
  kExpect,
  kComplete,
  kTest,
  kTestParity,
  kPending,
};

struct ObjectForm {
  What what = What::kInit;
  MemoryForm memory;
  code::Slot result;
  code::Slot value;  // count, bytes, state or parity
  bool expects_bytes = false;
  bool no_complete = false;
  Scope scope = Scope::kBlock;
};

std::uint64_t value_of(Warp& warp, const code::Slot& slot, int lane, std::uint64_t otherwise) {
  if (slot.file == File::k64) return warp.row64<std::uint64_t>(slot.offset)[lane];
  if (slot.file == File::k32) return warp.row32<std::uint32_t>(slot.offset)[lane];
  return otherwise;
}

// At most 2^20 - 1, says the manual.
std::int32_t bytes_of(Warp& warp, const code::Slot& slot, int lane) {
  return static_cast<std::int32_t>(value_of(warp, slot, lane, 0) & 0xFFFFF);
}

void act(Warp& warp, const ObjectForm& form, std::byte* at, int lane, std::uint32_t& truths) {
  const Instruction& instruction = *form.memory.prototype.instruction;
  Object object = Object::load(at);
  const std::uint64_t before = object.pack();
  const auto give = [&](std::uint64_t bits) {
    if (form.result.file == File::k64) warp.row64<std::uint64_t>(form.result.offset)[lane] = bits;
    if (form.result.file == File::k32) {
      warp.row32<std::uint32_t>(form.result.offset)[lane] = static_cast<std::uint32_t>(bits);
    }
  };
  switch (form.what) {
    case What::kInit:
      object = {};
      object.expected = object.pending =
          static_cast<std::uint32_t>(value_of(warp, form.value, lane, 1));
      object.store(at);
      break;
    case What::kInvalidate:
      break;
    case What::kArrive:
    case What::kDrop: {
      std::uint32_t count = 1;
      if (form.expects_bytes) {
        object.bytes += bytes_of(warp, form.value, lane);
      } else {
        count = static_cast<std::uint32_t>(value_of(warp, form.value, lane, 1));
      }
      if (form.what == What::kDrop) object.expected -= count;
      object.pending -= count;
      settle(warp, instruction, object, at);
      object.store(at);
      give(before);
      break;
    }
    case What::kExpect:
      object.bytes += bytes_of(warp, form.value, lane);
      object.store(at);
      break;
    case What::kComplete:
      object.bytes -= bytes_of(warp, form.value, lane);
      settle(warp, instruction, object, at);
      object.store(at);
      break;
    case What::kTest:
      if (Object::unpack(value_of(warp, form.value, lane, 0)).phase != object.phase) {
        truths |= 1U << lane;
      }
      break;
    case What::kTestParity:
      if ((value_of(warp, form.value, lane, 0) & 1) != std::uint64_t{object.phase}) {
        truths |= 1U << lane;
      }
      break;
    case What::kPending:
      break;
  }
}

const Op* pending_count(Warp& warp, const Op* op, std::uint32_t lanes) {
  const std::uint64_t* const states = warp.row64<std::uint64_t>(op->a);
  std::uint32_t* const counts = warp.row32<std::uint32_t>(op->d);
  for_each_lane(lanes, [&](int lane) { counts[lane] = Object::unpack(states[lane]).pending; });
  return op + 1;
}

// The lanes have seen that the phases of their objects are complete.
void acquire(Warp& warp, std::uint32_t lanes, Scope scope, const std::byte* origin) {
  const Access& access = warp.engine->access;
  while (lanes != 0) {  // mostly once: all look at one object
    const std::uint64_t offset = access.address[static_cast<std::size_t>(std::countr_zero(lanes))];
    std::uint32_t same = 0;
    for_each_lane(lanes, [&](int lane) {
      if (access.address[static_cast<std::size_t>(lane)] == offset) same |= 1U << lane;
    });
    for (Monitor* const monitor : warp.engine->monitors) {
      monitor->acquires(warp, same, scope, origin + offset);
    }
    lanes &= ~same;
  }
}

const Op* use_object(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const ObjectForm*>(op->details);
  Access& access = warp.engine->access;
  access = Access{};
  access.instruction = form.memory.prototype.instruction;
  access.space = Space::kShared;
  access.is_barrier = true;
  access.element_bytes = 8;
  access.size_bytes = 8;
  access.lanes = lanes;
  access.reads = form.what != What::kInit;
  const bool tests = form.what == What::kTest || form.what == What::kTestParity;
  access.writes = !tests;
  access.is_atomic = form.what != What::kInit && !tests;
  access.order = form.what == What::kInit ? Order::kWeak : Order::kRelaxed;
  access.scope = Scope::kBlock;
  find_addresses(access, warp, op->a, form.memory.has_32_bit_addresses, op->immediate);
  if (access.address[static_cast<std::size_t>(std::countr_zero(lanes))] >= memory::kSharedBase) {
    for (std::uint64_t& address : access.address) address -= memory::kSharedBase;
  }
  const std::uint64_t window = access.address[static_cast<std::size_t>(std::countr_zero(lanes))] /
                               memory::kSharedWindowBytes;
  if (window != 0) {
    access.owner = cluster_block(warp, *access.instruction, std::countr_zero(lanes),
                                 static_cast<std::uint32_t>(window - 1));
    for (std::uint64_t& address : access.address) address %= memory::kSharedWindowBytes;
  }
  classify(access);
  const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(lanes))];
  std::byte* const origin = admit(access, warp);
  // What a thread did before it arrives is before what those do that see the phase complete.
  if (!tests && form.what != What::kInit) {
    for (Monitor* const monitor : warp.engine->monitors) {
      monitor->releases(warp, lanes, form.scope, nullptr);
    }
  }
  std::uint32_t truths = 0;
  for_each_lane(access.lanes, [&](int lane) {
    act(warp, form, origin + access.address[static_cast<std::size_t>(lane)], lane, truths);
  });
  if (!tests) return op + 1;
  std::uint32_t& predicate = warp.predicate(form.result.offset);
  predicate = (predicate & ~lanes) | truths;
  acquire(warp, truths, form.scope, origin);
  if (truths != lanes && polls(warp, address)) {
    let_others_run(warp, op + 1, true);
    return nullptr;
  }
  return op + 1;
}

}  // namespace

void arrive_at(Warp& warp, const Instruction& instruction, std::byte* at, std::uint32_t count) {
  Object object = Object::load(at);
  object.pending -= count;
  settle(warp, instruction, object, at);
  object.store(at);
}

void complete_bytes(Warp& warp, const Instruction& instruction, int lane, const SharedPlace& place,
                    std::uint32_t size_bytes) {
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->releases(warp, 1U << lane, Scope::kCluster, nullptr);
  }
  Access& access = warp.engine->access;
  access = Access{};
  access.instruction = &instruction;
  access.space = Space::kShared;
  access.owner = place.block;
  access.writes = true;
  access.size_bytes = 8;
  access.address[static_cast<std::size_t>(lane)] = place.offset;
  std::byte* const at = admit_unwatched(access, warp, lane);
  Object object = Object::load(at);
  object.bytes -= static_cast<std::int32_t>(size_bytes & 0xFFFFF);
  settle(warp, instruction, object, at);
  object.store(at);
}

ObjectPhase phase_of(const std::byte* at) {
  const Object object = Object::load(at);
  return {object.phase ? 1U : 0U, object.expected - object.pending, object.expected, object.bytes};
}

code::Handler barrier_object_handler(Op& op, const Instruction& instruction,
                                     code::Function& function) {
  if (instruction.words.front() != "mbarrier") return nullptr;
  const auto& operands = instruction.operands;
  if (instruction.has("pending_count")) {
    op.d = operands.at(0).slot.offset;
    op.a = operands.at(1).slot.offset;
    return pending_count;
  }
  auto form = std::make_shared<ObjectForm>();
  form->what = instruction.has("init")                                       ? What::kInit
               : instruction.has("inval")                                    ? What::kInvalidate
               : instruction.has("arrive_drop")                              ? What::kDrop
               : instruction.has("arrive")                                   ? What::kArrive
               : instruction.has("complete_tx")                              ? What::kComplete
               : instruction.has("parity")                                   ? What::kTestParity
               : instruction.has("test_wait") || instruction.has("try_wait") ? What::kTest
                                                                             : What::kExpect;
  form->expects_bytes =
      instruction.has("expect_tx") && (form->what == What::kArrive || form->what == What::kDrop);
  const bool is_cluster = instruction.has("cluster");
  form->scope = is_cluster ? Scope::kCluster : Scope::kBlock;
  form->memory.prototype.instruction = &instruction;
  const std::size_t at = instruction.has_destination ? 1 : 0;
  if (instruction.has_destination) form->result = operands.at(0).slot;
  op.a = operands.at(at).slot.offset;
  op.immediate = operands.at(at).offset;
  form->memory.has_32_bit_addresses = operands.at(at).slot.file == File::k32;
  if (operands.size() > at + 1) form->value = operands.at(at + 1).slot;
  op.details = form.get();
  function.details.push_back(std::move(form));
  return use_object;
}

}  // namespace run
