// SPDX-License-Identifier: MIT
// Frames: rows of registers and local memory of a function that runs.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "run/engine.h"

namespace run {
namespace {

// Most that CUDA gives a thread, and what a window has room for.
constexpr std::size_t kMaxLocalBytes = memory::kLocalWindowBytes;

template <class T>
void grow(std::vector<T>& rows, std::size_t size) {
  if (rows.size() < size) rows.resize(size);
}

std::uint64_t constant_value(const Warp& warp, const code::Constant& constant,
                             std::uint32_t local_base) {
  const code::Function& kernel = *warp.block->launch->kernel;
  switch (constant.kind) {
    case code::Constant::Kind::kValue:
      return constant.bits;
    case code::Constant::Kind::kLocal:
      return constant.bits + local_base;
    case code::Constant::Kind::kDynamic:
      return constant.bits + kernel.dynamic_shared_offset;
    case code::Constant::Kind::kShared: {
      const auto found =
          std::ranges::find(kernel.shared, constant.symbol, &code::SharedVariable::symbol);
      return constant.bits + (found == kernel.shared.end() ? 0 : found->offset);
    }
  }
  return 0;
}

// Other lanes may be in another function, whose registers have the same places.
template <class T>
void fill_row(const Warp& warp, T* row, T value) {
  if (warp.only == ~std::uint32_t{0}) {
    std::fill_n(row, kWarpSize, value);
  } else {
    for_each_lane(warp.only, [&](int lane) { row[lane] = value; });
  }
}

void fill(Warp& warp, code::Slot slot, std::uint64_t bits) {
  switch (slot.file) {
    case code::File::k32:
      fill_row(warp, warp.row32<std::uint32_t>(slot.offset), static_cast<std::uint32_t>(bits));
      break;
    case code::File::k64:
      fill_row(warp, warp.row64<std::uint64_t>(slot.offset), bits);
      break;
    case code::File::kPredicate: {
      std::uint32_t& row = warp.predicate(slot.offset);
      row = (row & ~warp.only) | (bits != 0 ? warp.only : 0);
      break;
    }
    case code::File::kNone:
      break;
  }
}

// A special register that is the same for all lanes.
std::uint64_t special_value(const Warp& warp, std::string_view name) {
  const Block& block = *warp.block;
  const Launch& launch = *block.launch;
  const auto component = [&](const Dim& dim) {
    return name.back() == 'x' ? dim.x : name.back() == 'y' ? dim.y : dim.z;
  };
  if (name.starts_with("%ntid")) return component(launch.block);
  if (name.starts_with("%ctaid")) return component(block.index);
  if (name.starts_with("%nctaid")) return component(launch.grid);
  if (name == "%warpid") return warp.id;
  if (name == "%nwarpid") return (block.num_threads + kWarpSize - 1) / kWarpSize;
  if (name == "%smid") return block.linear % launch.num_multiprocessors;
  if (name == "%nsmid") return launch.num_multiprocessors;
  if (name == "%gridid") return launch.number;
  if (name == "WARP_SZ") return kWarpSize;
  if (name == "%dynamic_smem_size") return launch.dynamic_shared_bytes;
  if (name == "%total_smem_size" || name == "%aggr_smem_size") {
    return launch.kernel->shared_bytes + launch.dynamic_shared_bytes;
  }
  const Dim& cluster = launch.cluster;
  const Dim rank = {block.index.x % cluster.x, block.index.y % cluster.y,
                    block.index.z % cluster.z};
  if (name.starts_with("%cluster_ctaid")) return component(rank);
  if (name.starts_with("%cluster_nctaid")) return component(cluster);
  if (name == "%cluster_ctarank") return rank.x + cluster.x * (rank.y + cluster.y * rank.z);
  if (name == "%cluster_nctarank") return cluster.count();
  if (name.starts_with("%clusterid")) {
    return component(
        {block.index.x / cluster.x, block.index.y / cluster.y, block.index.z / cluster.z});
  }
  if (name.starts_with("%nclusterid")) {
    return component(
        {launch.grid.x / cluster.x, launch.grid.y / cluster.y, launch.grid.z / cluster.z});
  }
  if (name == "%is_explicit_cluster") return cluster.count() > 1 ? 1 : 0;
  return 0;
}

bool fill_by_lane(Warp& warp, const code::SpecialRow& special) {
  const std::string_view name = special.name;
  std::uint32_t* const row = special.slot.file == code::File::k32
                                 ? warp.row32<std::uint32_t>(special.slot.offset)
                                 : nullptr;
  const auto each = [&](auto value) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((warp.only >> lane & 1) != 0) row[lane] = value(lane);
    }
    return true;
  };
  if (row == nullptr) return false;
  const Dim& shape = warp.block->launch->block;
  const std::uint32_t first = warp.id * kWarpSize;
  if (name == "%tid.x") return each([&](std::uint32_t l) { return (first + l) % shape.x; });
  if (name == "%tid.y")
    return each([&](std::uint32_t l) { return (first + l) / shape.x % shape.y; });
  if (name == "%tid.z")
    return each([&](std::uint32_t l) { return (first + l) / shape.x / shape.y; });
  if (name == "%laneid") return each([](std::uint32_t l) { return l; });
  if (name == "%lanemask_eq") return each([](std::uint32_t l) { return 1U << l; });
  if (name == "%lanemask_lt") return each([](std::uint32_t l) { return (1U << l) - 1; });
  if (name == "%lanemask_le") return each([](std::uint32_t l) { return (2U << l) - 1; });
  if (name == "%lanemask_gt") return each([](std::uint32_t l) { return ~((2U << l) - 1); });
  if (name == "%lanemask_ge") return each([](std::uint32_t l) { return ~((1U << l) - 1); });
  return false;
}

}  // namespace

void push_frame(Warp& warp, const code::Function& function, const code::Op* call,
                const code::Op* return_to) {
  Frame frame;
  frame.function = &function;
  frame.call = call;
  frame.return_to = return_to;
  if (!warp.part->frames.empty()) {
    const Frame& below = warp.part->frames.back();
    frame.base32 = below.base32 + below.function->bytes32;
    frame.base64 = below.base64 + below.function->bytes64;
    frame.base_predicate = below.base_predicate + below.function->bytes_predicate;
    frame.local_base = below.local_base + below.function->local_bytes;
  }
  if (frame.local_base + function.local_bytes > kMaxLocalBytes) {
    end_kernel(warp, instruction_of(warp, call), report::Kind::kCrash,
               thread_name(warp, std::countr_zero(warp.lanes)) +
                   " has used up its stack: does this recursion ever end?",
               cudaErrorIllegalAddress);
  }
  // Inline PTX may name a register of another size than its instruction takes. A row that is looked
  // for in the wrong file is some other row then, or one behind all of them, and never memory of
  // our own.
  const std::size_t reach =
      std::max({function.bytes32, function.bytes64, function.bytes_predicate}) +
      2 * code::kRowBytes64;
  grow(warp.file32, frame.base32 + reach);
  grow(warp.file64, frame.base64 + reach);
  grow(warp.file_predicate, frame.base_predicate + reach);
  grow(warp.local, (frame.local_base + function.local_bytes + 3) / 4 * kWarpSize);
  warp.part->frames.push_back(frame);
  load_frame(warp);
  for (const code::Constant& constant : function.constants) {
    fill(warp, constant.slot, constant_value(warp, constant, frame.local_base));
  }
  fill_specials(warp, function);
}

void fill_specials(Warp& warp, const code::Function& function) {
  for (const code::SpecialRow& special : function.specials) {
    if (!fill_by_lane(warp, special)) fill(warp, special.slot, special_value(warp, special.name));
  }
}

void read_local(const Warp& warp, std::uint64_t offset, int lane, void* to,
                std::size_t size_bytes) {
  auto* bytes = static_cast<std::byte*>(to);
  for (std::size_t i = 0; i < size_bytes;) {
    const std::uint64_t at = offset + i;
    const std::size_t piece = std::min<std::size_t>(4 - at % 4, size_bytes - i);
    const std::uint32_t& word = warp.local[at / 4 * kWarpSize + static_cast<std::size_t>(lane)];
    std::memcpy(bytes + i, reinterpret_cast<const std::byte*>(&word) + at % 4, piece);
    i += piece;
  }
}

void write_local(Warp& warp, std::uint64_t offset, int lane, const void* from,
                 std::size_t size_bytes) {
  const auto* bytes = static_cast<const std::byte*>(from);
  for (std::size_t i = 0; i < size_bytes;) {
    const std::uint64_t at = offset + i;
    const std::size_t piece = std::min<std::size_t>(4 - at % 4, size_bytes - i);
    std::uint32_t& word = local_word(warp, at, lane);
    std::memcpy(reinterpret_cast<std::byte*>(&word) + at % 4, bytes + i, piece);
    i += piece;
  }
}

}  // namespace run
