// SPDX-License-Identifier: MIT
// Copies that go on while the thread does: cp.async and bulk copies.
#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "run/access.h"
#include "run/barrier_object.h"
#include "run/bulk_groups.h"

namespace run {
namespace {

using code::Instruction;
using code::Op;

struct CopyForm {
  MemoryForm to, from;
  std::uint32_t to_row = 0, from_row = 0;
  std::int64_t to_offset = 0, from_offset = 0;
  std::uint32_t size_bytes = 0;
  code::Slot source_bytes;  // how many of them come from memory, the rest are zeros
  code::Slot size;          // of a bulk copy, in a row
  code::Slot ignores;       // predicate: all are zeros
  std::uint32_t barrier_row = 0;
  std::int64_t barrier_offset = 0;
  bool has_barrier = false;
  bool is_in_group = false;  // a bulk copy that its thread waits for by groups
};

void set_form(MemoryForm& form, const code::Operand& operand, Space space,
              const Instruction& instruction) {
  form.prototype.instruction = &instruction;
  form.prototype.space = space;
  form.has_32_bit_addresses = operand.slot.file == code::File::k32;
}

// One side of a copy; `access` gets addresses in its space.
void begin(Access& access, Warp& warp, const MemoryForm& form, std::uint32_t row,
           std::int64_t offset, std::uint32_t size_bytes, std::uint32_t lanes, bool writes) {
  access = Access{};
  access.instruction = form.prototype.instruction;
  access.space = form.prototype.space;
  access.reads = !writes;
  access.writes = writes;
  access.is_async = true;
  access.element_bytes = static_cast<std::uint8_t>(size_bytes);
  access.size_bytes = size_bytes;
  access.lanes = lanes;
  find_addresses(access, warp, row, form.has_32_bit_addresses, offset);
  if (access.space == Space::kShared && !form.has_32_bit_addresses) {
    // Generic addresses are allowed where they lead to shared memory.
    for (std::uint64_t& address : access.address) {
      if (address >= memory::kSharedBase) address -= memory::kSharedBase;
    }
  }
  classify(access);
}

std::uint32_t bytes_from_memory(Warp& warp, const CopyForm& form, int lane) {
  if (form.ignores.exists() && (warp.predicate(form.ignores.offset) >> lane & 1) != 0) return 0;
  if (!form.source_bytes.exists()) return form.size_bytes;
  return std::min(form.size_bytes, warp.row32<std::uint32_t>(form.source_bytes.offset)[lane]);
}

void check_source_bytes(Warp& warp, const CopyForm& form, std::uint32_t lanes) {
  if (!form.source_bytes.exists()) return;
  const auto* const bytes = warp.row32<std::int32_t>(form.source_bytes.offset);
  const auto size = static_cast<std::int32_t>(form.size_bytes);
  for_each_lane(lanes, [&](int lane) {
    if (bytes[lane] >= 0 && bytes[lane] <= size) return;
    end_kernel(warp, *form.to.prototype.instruction, report::Kind::kOutOfBounds,
               thread_name(warp, lane) + " copies " + std::to_string(size) +
                   " bytes asynchronously, and " + std::to_string(bytes[lane]) +
                   " of them from memory, the rest zeros; that number must be from 0 to " +
                   std::to_string(size),
               cudaErrorIllegalAddress);
  });
}

const Op* copy_async(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const CopyForm*>(op->details);
  check_source_bytes(warp, form, lanes);
  std::array<AsyncCopy, kWarpSize> copies;
  std::uint32_t reading = 0;
  for_each_lane(lanes, [&](int lane) {
    AsyncCopy& copy = copies[static_cast<std::size_t>(lane)];
    copy.lane = static_cast<std::uint8_t>(lane);
    copy.size_bytes = static_cast<std::uint8_t>(form.size_bytes);
    copy.batch = warp.batches[static_cast<std::size_t>(lane)];
    copy.contents = {};
    copy.instruction = form.to.prototype.instruction;
    if (bytes_from_memory(warp, form, lane) != 0) reading |= 1U << lane;
  });
  Access& access = warp.engine->access;
  while (reading != 0) {  // mostly once: lanes that read fewer bytes are few
    const std::uint32_t bytes = bytes_from_memory(warp, form, std::countr_zero(reading));
    std::uint32_t equal = 0;
    for_each_lane(reading, [&](int lane) {
      if (bytes_from_memory(warp, form, lane) == bytes) equal |= 1U << lane;
    });
    begin(access, warp, form.from, form.from_row, form.from_offset, bytes, equal, false);
    const std::byte* const origin = admit(access, warp);
    for_each_lane(access.lanes, [&](int lane) {
      const auto i = static_cast<std::size_t>(lane);
      std::memcpy(copies[i].contents.data(), origin + access.address[i], bytes);
    });
    reading &= ~equal;
  }
  begin(access, warp, form.to, form.to_row, form.to_offset, form.size_bytes, lanes, true);
  std::byte* const origin = admit(access, warp);
  for (Monitor* const monitor : warp.engine->monitors) monitor->copy_begins(warp, access);
  for_each_lane(access.lanes, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    copies[i].offset = access.address[i];
    for (std::uint32_t at = 0; at + 4 <= form.size_bytes; at += 4) {
      std::memcpy(origin + access.address[i] + at, &memory::kPoisonWord, 4);
    }
    warp.copies.push_back(copies[i]);
  });
  return op + 1;
}

// The copies of the lanes for which `is_due` holds, oldest first.
template <class IsDue>
void arrive(Warp& warp, IsDue is_due) {
  Access access;
  const auto flush = [&] {
    if (access.lanes == 0) return;
    classify(access);
    for (Monitor* const monitor : warp.engine->monitors) monitor->copy_arrives(warp, access);
    access.lanes = 0;
  };
  for (const AsyncCopy& copy : warp.copies) {
    if (!is_due(copy)) continue;
    const std::uint32_t bit = 1U << copy.lane;
    if (access.lanes >= bit || access.instruction != copy.instruction) flush();
    access.instruction = copy.instruction;
    access.space = Space::kShared;
    access.owner = warp.block;
    access.writes = access.is_async = true;
    access.element_bytes = copy.size_bytes;
    access.size_bytes = copy.size_bytes;
    access.lanes |= bit;
    access.address[copy.lane] = copy.offset;
    std::memcpy(warp.block->shared + copy.offset, copy.contents.data(), copy.size_bytes);
    ++warp.engine->changes;
  }
  flush();
  std::erase_if(warp.copies, is_due);
}

const Op* commit(Warp& warp, const Op* op, std::uint32_t lanes) {
  for_each_lane(lanes, [&](int lane) { ++warp.batches[static_cast<std::size_t>(lane)]; });
  for (Monitor* const monitor : warp.engine->monitors) monitor->copies_committed(warp, lanes);
  return op + 1;
}

const Op* wait(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto num_left = static_cast<std::uint32_t>(op->immediate);
  arrive(warp, [&](const AsyncCopy& copy) {
    return (lanes >> copy.lane & 1) != 0 && copy.batch + num_left < warp.batches[copy.lane];
  });
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->copies_waited(warp, lanes, num_left);
  }
  return op + 1;
}

const Op* wait_all(Warp& warp, const Op* op, std::uint32_t lanes) {
  commit(warp, op, lanes);  // as the manual defines it
  arrive(warp, [&](const AsyncCopy& copy) { return (lanes >> copy.lane & 1) != 0; });
  for (Monitor* const monitor : warp.engine->monitors) monitor->copies_waited(warp, lanes, 0);
  return op + 1;
}

// cp.async.mbarrier.arrive: the barrier object is told when the copies have arrived, which is now.
const Op* arrive_at_object(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const CopyForm*>(op->details);
  wait_all(warp, op, lanes);
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->releases(warp, lanes, Scope::kBlock, nullptr);
  }
  if (form.size_bytes == 0) return op + 1;  // it counts one more arrival, and that arrives
  Access& access = warp.engine->access;
  begin(access, warp, form.to, form.to_row, form.to_offset, 8, lanes, true);
  for_each_lane(lanes, [&](int lane) {
    arrive_at(warp, *form.to.prototype.instruction, admit_unwatched(access, warp, lane), 1);
  });
  return op + 1;
}

// One lane's address in shared memory, which may be that of another block of the cluster.
void find_owner(Access& access, Warp& warp, int lane) {
  if (access.space != Space::kShared) return;
  const SharedPlace place =
      shared_place(warp, *access.instruction, lane, access.address[static_cast<std::size_t>(lane)]);
  access.owner = place.block;
  access.address[static_cast<std::size_t>(lane)] = access.base = place.offset;
}

// Bulk copies are done at once, in pieces of 16 bytes of which the checks are told one by one. That
// is an order which the device may have.
const Op* copy_bulk(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const CopyForm*>(op->details);
  for_each_lane(lanes, [&](int lane) {
    const std::uint32_t one = 1U << lane;
    const auto i = static_cast<std::size_t>(lane);
    const std::uint32_t size = warp.row32<std::uint32_t>(form.size.offset)[lane];
    constexpr std::uint32_t kPiece = 16;
    if (size % kPiece != 0) {
      end_kernel(warp, *form.to.prototype.instruction, report::Kind::kMisaligned,
                 thread_name(warp, lane) + " copies " + std::to_string(size) +
                     " bytes in bulk: the size must be a multiple of 16",
                 cudaErrorMisalignedAddress);
    }
    Access& access = warp.engine->access;
    for (std::uint32_t at = 0; at < size; at += kPiece) {
      std::array<std::byte, kPiece> bytes;
      begin(access, warp, form.from, form.from_row, form.from_offset + at, kPiece, one, false);
      access.is_async_proxy = true;
      access.continues = at != 0;
      std::byte* origin = admit(access, warp);
      if (access.lanes == 0) continue;
      std::memcpy(bytes.data(), origin + access.address[i], kPiece);
      begin(access, warp, form.to, form.to_row, form.to_offset + at, kPiece, one, true);
      access.is_async_proxy = true;
      access.continues = at != 0;
      find_owner(access, warp, lane);
      origin = admit(access, warp);
      if (access.lanes == 0) continue;
      std::memcpy(origin + access.address[i], bytes.data(), kPiece);
      if (access.space == Space::kShared && access.owner == warp.block) {
        for (Monitor* const monitor : warp.engine->monitors) monitor->copy_arrives(warp, access);
      }
    }
    ++warp.engine->changes;
    if (form.from.prototype.space == Space::kShared && form.is_in_group) {
      begin(access, warp, form.from, form.from_row, form.from_offset, kPiece, one, false);
      begin_bulk_read(warp, *form.to.prototype.instruction, lane, access.address[i], size);
    }
    if (!form.has_barrier) return;
    begin(access, warp, form.to, form.barrier_row, form.barrier_offset, 8, one, true);
    complete_bytes(warp, *form.to.prototype.instruction, lane,
                   shared_place(warp, *access.instruction, lane, access.address[i]), size);
  });
  return op + 1;
}

Space space_named(std::string_view word) {
  return word.starts_with("shared") ? Space::kShared : Space::kGlobal;
}

code::Handler bulk_handler(Op& op, const Instruction& instruction, code::Function& function) {
  if (const auto handler = bulk_group_handler(op, instruction)) return handler;
  if (instruction.has("prefetch")) return no_operation;
  if (instruction.words.at(1) == "reduce") throw std::runtime_error("bulk reductions need a GPU");
  if (instruction.has("tensor")) return tensor_copy_handler(op, instruction, function);
  auto form = std::make_shared<CopyForm>();
  std::vector<Space> spaces;
  for (const std::string_view word : instruction.words) {
    if (word == "global" || word.starts_with("shared")) spaces.push_back(space_named(word));
  }
  const auto& operands = instruction.operands;
  if (spaces.size() != 2 || operands.size() < 3) {
    throw std::runtime_error("a form of bulk copy that is not known");
  }
  set_form(form->to, operands.at(0), spaces[0], instruction);
  set_form(form->from, operands.at(1), spaces[1], instruction);
  form->to_row = operands.at(0).slot.offset;
  form->to_offset = operands.at(0).offset;
  form->from_row = operands.at(1).slot.offset;
  form->from_offset = operands.at(1).offset;
  form->size = operands.at(2).slot;
  if (operands.size() > 3 && operands.at(3).is_address) {
    form->has_barrier = true;
    form->barrier_row = operands.at(3).slot.offset;
    form->barrier_offset = operands.at(3).offset;
  }
  form->is_in_group = instruction.has("bulk_group");
  op.details = form.get();
  function.details.push_back(std::move(form));
  return copy_bulk;
}

}  // namespace

code::Handler async_handler(Op& op, const Instruction& instruction, code::Function& function) {
  if (const auto handler = barrier_object_handler(op, instruction, function)) return handler;
  if (instruction.words.front() != "cp" || !instruction.has("async")) {
    return nullptr;
  }
  const auto& operands = instruction.operands;
  if (instruction.has("bulk")) return bulk_handler(op, instruction, function);
  if (instruction.has("commit_group")) return commit;
  if (instruction.has("wait_all")) return wait_all;
  if (instruction.has("wait_group")) {
    op.immediate = static_cast<std::int64_t>(operands.at(0).bits);
    return wait;
  }
  auto form = std::make_shared<CopyForm>();
  set_form(form->to, operands.at(0), Space::kShared, instruction);
  form->to_row = operands.at(0).slot.offset;
  form->to_offset = operands.at(0).offset;
  code::Handler handler = copy_async;
  if (instruction.has("mbarrier")) {
    form->size_bytes = instruction.has("noinc") ? 1 : 0;
    handler = arrive_at_object;
  } else {
    set_form(form->from, operands.at(1), Space::kGlobal, instruction);
    form->from_row = operands.at(1).slot.offset;
    form->from_offset = operands.at(1).offset;
    form->size_bytes = static_cast<std::uint32_t>(operands.at(2).bits);
    if (operands.size() > 3 && !instruction.has("L2::cache_hint")) {
      if (operands.at(3).slot.file == code::File::kPredicate) {
        form->ignores = operands.at(3).slot;
      } else {
        form->source_bytes = operands.at(3).slot;
      }
    }
    if (form->size_bytes != 4 && form->size_bytes != 8 && form->size_bytes != 16) {
      throw std::runtime_error("a copy of " + std::to_string(form->size_bytes) +
                               " bytes: the hardware copies 4, 8 or 16");
    }
  }
  op.details = form.get();
  function.details.push_back(std::move(form));
  return handler;
}

}  // namespace run
