// SPDX-License-Identifier: MIT
// Bulk copies of boxes of a tensor, by a tensor map: cp.async.bulk.tensor.
//
// As other bulk copies they are done at once, which is an order that the device may have. The
// checks see them row by row of the box: first the reads of up to 128 bytes, then the writes.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "run/access.h"
#include "run/barrier_object.h"
#include "run/bulk_groups.h"
#include "run/generic_memory.h"
#include "run/tensor_map.h"

namespace run {
namespace {

using code::File;
using code::Instruction;
using code::Op;

constexpr std::uint32_t kPieceBytes = 32;  // of global memory, at most
constexpr std::uint32_t kLineBytes = 128;  // of shared memory
constexpr std::uint64_t kDestinationAlignment = 128;

struct TensorCopyForm {
  const Instruction* instruction = nullptr;
  bool is_load = false;
  std::uint32_t rank = 0;
  code::Operand map, shared, barrier;  // addresses; barrier: of a load
  std::array<code::Slot, kMaxTensorRank> coordinates;
};

std::uint64_t address_of(Warp& warp, const code::Operand& operand, int lane) {
  const std::uint64_t base = operand.slot.file == File::k32
                                 ? warp.row32<std::uint32_t>(operand.slot.offset)[lane]
                                 : warp.row64<std::uint64_t>(operand.slot.offset)[lane];
  return base + static_cast<std::uint64_t>(operand.offset);
}

[[noreturn]] void end_here(Warp& warp, const TensorCopyForm& form, int lane, report::Kind kind,
                           const std::string& what, int error) {
  end_kernel(warp, *form.instruction, kind, thread_name(warp, lane) + " " + what, error);
}

TensorMap map_of(Warp& warp, const TensorCopyForm& form, int lane) {
  const std::uint64_t address = address_of(warp, form.map, lane);
  const auto refuse = [&](const std::string& what) {
    end_here(warp, form, lane, report::Kind::kLaunchError, what, cudaErrorIllegalAddress);
  };
  if (address - memory::kLocalBase < memory::kSharedBase - memory::kLocalBase) {
    refuse(
        "copies by a tensor map in local memory; declare the kernel's parameter as const "
        "__grid_constant__ CUtensorMap, so that its address is not that of a copy");
  }
  if (address % 64 != 0) refuse("copies by a tensor map that is not at a multiple of 64 bytes");
  TensorMap map = {};
  if (!read_generic(warp, lane, address, &map, sizeof map) || !map.is_whole()) {
    refuse("copies by a tensor map that cuTensorMapEncodeTiled has not made");
  }
  if (map.rank != form.rank) {
    refuse("copies in " + std::to_string(form.rank) + " dimensions by a tensor map of " +
           std::to_string(map.rank));
  }
  return map;
}

// One of the box's pieces on one side, by one lane.
struct Side {
  Access& access;
  Warp& warp;
  const Instruction& instruction;
  int lane;
  Space space;
  Block* block = nullptr;  // kShared: whose memory
  bool writes = false;
  bool continues = false;

  // Where the bytes are; null: a check has refused them.
  std::byte* admit_piece(std::uint64_t address, std::uint32_t size_bytes) {
    access = Access{};
    access.instruction = &instruction;
    access.space = space;
    access.owner = block;
    access.reads = !writes;
    access.writes = writes;
    access.is_async = access.is_async_proxy = true;
    access.continues = std::exchange(continues, true);
    access.element_bytes = static_cast<std::uint8_t>(size_bytes);
    access.size_bytes = size_bytes;
    access.lanes = 1U << lane;
    access.address[static_cast<std::size_t>(lane)] = address;
    classify(access);
    std::byte* const origin = admit(access, warp);
    return access.lanes == 0 ? nullptr : origin + access.address[static_cast<std::size_t>(lane)];
  }
};

// A line of a row of the box: up to 128 bytes, as they are in global memory.
struct Line {
  std::array<std::byte, kLineBytes> bytes;
  std::uint64_t global = 0;  // of byte 0, even where that is outside of the tensor
  std::uint32_t size_bytes = 0;
  std::uint32_t begin = 0, end = 0;  // bytes inside of the tensor
};

// Calls move(at, size) for the pieces inside of the tensor: sectors, or elements.
template <class Move>
void for_each_global_piece(const Line& line, std::uint32_t element_bytes, Move move) {
  for (std::uint32_t at = line.begin; at < line.end;) {
    const bool is_whole = (line.global + at) % kPieceBytes == 0 && line.end - at >= kPieceBytes;
    const std::uint32_t size = is_whole ? kPieceBytes : element_bytes;
    move(at, size);
    at += size;
  }
}

// Calls move(from, to) for the chunks of a line that the swizzle moves; both count from its first
// byte, which is at `offset` of shared memory. The line stays in its place as a whole.
template <class Move>
void for_each_chunk(const Line& line, std::uint64_t offset, std::uint32_t swizzle_bytes,
                    Move move) {
  for (std::uint32_t at = 0; at < line.size_bytes; at += kSwizzledChunkBytes) {
    move(at, static_cast<std::uint32_t>(swizzled(offset + at, swizzle_bytes) - offset));
  }
}

class BoxCopy {
 public:
  BoxCopy(Warp& warp, const TensorCopyForm& form, int lane)
      : warp_(warp),
        form_(form),
        map_(map_of(warp, form, lane)),
        global_{warp.engine->access, warp, *form.instruction, lane, Space::kGlobal},
        shared_{warp.engine->access, warp, *form.instruction, lane, Space::kShared} {
    const SharedPlace place =
        shared_place(warp, *form.instruction, lane, address_of(warp, form.shared, lane));
    shared_.block = place.block;
    offset_ = place.offset;
    (form.is_load ? shared_ : global_).writes = true;
    for (std::uint32_t i = 0; i < form.rank; ++i) {
      first_[i] = warp.row32<std::int32_t>(form.coordinates[i].offset)[lane];
    }
    if (offset_ % kDestinationAlignment != 0) {
      end_here(warp, form, lane, report::Kind::kMisaligned,
               "copies a box of a tensor " + std::string(form.is_load ? "to" : "from") + " byte " +
                   std::to_string(offset_) +
                   " of shared memory, which must be a multiple of 128 (alignas(128)), and of " +
                   "eight rows for a swizzle",
               cudaErrorMisalignedAddress);
    }
  }

  // Returns the bytes of the box.
  std::uint32_t run() {
    std::array<std::uint32_t, kMaxTensorRank> at = {};
    const std::uint32_t row_bytes = std::uint32_t{map_.box[0]} * map_.element_bytes;
    std::uint32_t done = 0;
    for (bool is_left = true; is_left;) {
      for (std::uint32_t from = 0; from < row_bytes; from += kLineBytes) {
        copy_line(at, from, std::min(kLineBytes, row_bytes - from), offset_ + done);
        done += std::min(kLineBytes, row_bytes - from);
      }
      is_left = false;
      for (std::uint32_t i = 1; i < map_.rank && !is_left; ++i) {
        is_left = ++at[i] < map_.box[i];
        if (!is_left) at[i] = 0;
      }
    }
    return done;
  }

 private:
  void copy_line(const std::array<std::uint32_t, kMaxTensorRank>& at, std::uint32_t from,
                 std::uint32_t size_bytes, std::uint64_t offset) {
    Line line;
    line.bytes = {};
    line.size_bytes = size_bytes;
    line.global = map_.base;
    bool is_inside = true;
    for (std::uint32_t i = 1; i < map_.rank; ++i) {
      const std::int64_t index = std::int64_t{first_[i]} + at[i];
      is_inside = is_inside && index >= 0 && index < static_cast<std::int64_t>(map_.size[i]);
      line.global += static_cast<std::uint64_t>(index) * map_.stride[i];
    }
    const std::int64_t begin = std::int64_t{first_[0]} * map_.element_bytes + from;
    line.global += static_cast<std::uint64_t>(begin);
    const auto row_bytes = static_cast<std::int64_t>(map_.size[0] * map_.element_bytes);
    const auto within = [&](std::int64_t byte) {
      return static_cast<std::uint32_t>(std::clamp<std::int64_t>(byte, 0, size_bytes));
    };
    line.begin = within(-begin);
    line.end = is_inside ? within(row_bytes - begin) : 0;
    form_.is_load ? load(line, offset) : store(line, offset);
  }

  void load(Line& line, std::uint64_t offset) {
    for_each_global_piece(line, map_.element_bytes, [&](std::uint32_t at, std::uint32_t size) {
      const std::byte* const piece = global_.admit_piece(line.global + at, size);
      if (piece != nullptr) std::memcpy(line.bytes.data() + at, piece, size);
    });
    std::byte* const to = shared_.admit_piece(offset, line.size_bytes);
    if (to == nullptr) return;
    for_each_chunk(line, offset, map_.swizzle_bytes, [&](std::uint32_t at, std::uint32_t place) {
      std::memcpy(to + place, line.bytes.data() + at, kSwizzledChunkBytes);
    });
    if (shared_.block != warp_.block) return;
    for (Monitor* const monitor : warp_.engine->monitors) {
      monitor->copy_arrives(warp_, shared_.access);
    }
  }

  void store(Line& line, std::uint64_t offset) {
    const std::byte* const from = shared_.admit_piece(offset, line.size_bytes);
    if (from == nullptr) return;
    for_each_chunk(line, offset, map_.swizzle_bytes, [&](std::uint32_t at, std::uint32_t place) {
      std::memcpy(line.bytes.data() + at, from + place, kSwizzledChunkBytes);
    });
    for_each_global_piece(line, map_.element_bytes, [&](std::uint32_t at, std::uint32_t size) {
      std::byte* const piece = global_.admit_piece(line.global + at, size);
      if (piece != nullptr) std::memcpy(piece, line.bytes.data() + at, size);
    });
  }

  Warp& warp_;
  const TensorCopyForm& form_;
  const TensorMap map_;
  Side global_, shared_;
  std::uint64_t offset_ = 0;
  std::array<std::int32_t, kMaxTensorRank> first_ = {};
};

const Op* copy_boxes(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const TensorCopyForm*>(op->details);
  for_each_lane(lanes, [&](int lane) {
    const std::uint32_t size_bytes = BoxCopy(warp, form, lane).run();
    ++warp.engine->changes;
    if (!form.is_load) {
      begin_bulk_read(
          warp, *form.instruction, lane,
          shared_place(warp, *form.instruction, lane, address_of(warp, form.shared, lane)).offset,
          size_bytes);
      return;
    }
    complete_bytes(
        warp, *form.instruction, lane,
        shared_place(warp, *form.instruction, lane, address_of(warp, form.barrier, lane)),
        size_bytes);
  });
  return op + 1;
}

}  // namespace

code::Handler tensor_copy_handler(Op& op, const Instruction& instruction,
                                  code::Function& function) {
  for (const std::string_view word : {"im2col", "im2col::w", "im2col_no_offs", "tile::gather4",
                                      "tile::scatter4", "multicast::cluster"}) {
    if (instruction.has(word)) throw std::runtime_error(std::string(word) + " needs a GPU");
  }
  auto form = std::make_shared<TensorCopyForm>();
  form->instruction = &instruction;
  form->is_load = instruction.has("mbarrier::complete_tx::bytes");
  if (!form->is_load && !instruction.has("bulk_group")) {
    throw std::runtime_error("a form of bulk copy that is not known");
  }
  const auto& operands = instruction.operands;
  const code::Operand& tensor = operands.at(form->is_load ? 1 : 0);
  form->map = tensor;
  form->shared = operands.at(form->is_load ? 0 : 1);
  if (form->is_load) form->barrier = operands.at(2);
  const auto is_dimension = [](std::string_view word) {
    return word.size() == 2 && word[0] >= '1' && word[0] <= '5' && word[1] == 'd';
  };
  for (const std::string_view word : instruction.words) {
    if (is_dimension(word)) form->rank = static_cast<std::uint32_t>(word[0] - '0');
  }
  const auto require = [](const code::Slot& slot, bool may_be_64) {
    if (slot.file != File::k32 && !(may_be_64 && slot.file == File::k64)) {
      throw std::runtime_error("an operand of another kind");
    }
    return slot;
  };
  require(form->map.slot, true);
  require(form->shared.slot, true);
  if (form->is_load) require(form->barrier.slot, true);
  if (tensor.elements.size() != 1) throw std::runtime_error("it has no coordinates");
  const auto& coordinates = tensor.elements.front().elements;
  if (coordinates.size() != form->rank || form->rank > kMaxTensorRank) {
    throw std::runtime_error("another number of coordinates");
  }
  std::ranges::transform(coordinates, form->coordinates.begin(),
                         [&](const code::Operand& index) { return require(index.slot, false); });
  op.details = form.get();
  function.details.push_back(std::move(form));
  return copy_boxes;
}

}  // namespace run
