// SPDX-License-Identifier: MIT
#include "run/access.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace run {
namespace {

constexpr std::uint64_t kWindow = memory::kSharedWindowBytes;

Order order_of(const code::Instruction& instruction) {
  if (instruction.has("volatile") || instruction.has("mmio")) return Order::kVolatile;
  if (instruction.has("acq_rel")) return Order::kAcqRel;
  if (instruction.has("acquire")) return Order::kAcquire;
  if (instruction.has("release")) return Order::kRelease;
  if (instruction.has("relaxed")) return Order::kRelaxed;
  return Order::kWeak;
}

Scope scope_of(const code::Instruction& instruction) {
  if (instruction.has("cta")) return Scope::kBlock;
  if (instruction.has("cluster")) return Scope::kCluster;
  if (instruction.has("sys")) return Scope::kSystem;
  return Scope::kDevice;
}

Block* owner_of(Warp& warp, const code::Instruction& instruction, int lane, std::uint64_t window) {
  if (window == 0) return warp.block;
  return cluster_block(warp, instruction, lane, static_cast<std::uint32_t>(window - 1));
}

}  // namespace

MemoryForm memory_form(const code::Instruction& instruction, const code::Operand& address,
                       bool is_kernel) {
  MemoryForm form;
  AccessForm& access = form.prototype;
  access.order = order_of(instruction);
  access.scope = scope_of(instruction);
  form.is_generic = true;
  ptx::Type type = ptx::Type::kNone;
  for (const std::string_view word : instruction.words) {
    const bool is_first = word.data() == instruction.words.front().data();
    if (is_first) continue;
    if (const ptx::Type named = ptx::type_named(word); named != ptx::Type::kNone) type = named;
    const auto in = [&](Space space) {
      access.space = space;
      form.is_generic = false;
    };
    if (word == "global") in(Space::kGlobal);
    if (word == "const") in(Space::kConst);
    if (word == "local") in(Space::kLocal);
    if (word.starts_with("param")) in(Space::kParam);
    if (word.starts_with("shared")) in(Space::kShared);
    if (word == "shared::cluster") form.is_cluster = true;
    if (word == "cg" || word == "cv" || word == "wt") access.bypasses_cache = true;
    if (word == "v2") access.num_elements = 2;
    if (word == "v4") access.num_elements = 4;
    if (word == "v8") access.num_elements = 8;
  }
  if (type == ptx::Type::kNone) throw std::runtime_error("a memory instruction without a type");
  access.element_bytes = static_cast<std::uint8_t>(ptx::size_of(type));
  access.size_bytes = std::uint32_t{access.element_bytes} * access.num_elements;
  form.is_variable = address.symbol == "%SP" || address.symbol == "%SPL";
  form.has_32_bit_addresses = address.slot.file == code::File::k32;
  form.is_launch_parameter = is_kernel && access.space == Space::kParam && !form.is_generic;
  return form;
}

namespace {

// Of all lanes: fills access.address with what `address_of` gives for each, and classifies.
template <class AddressOf>
[[gnu::always_inline]] inline void fill_and_classify(Access& access, AddressOf address_of) {
  std::uint64_t* const address = access.address.data();
  const std::uint64_t base = address_of(0);
  const std::uint64_t step = address_of(1) - base;
  std::uint64_t stray = 0;
  std::uint64_t expected = base;
  for (int i = 0; i < kWarpSize; ++i, expected += step) {
    address[i] = address_of(i);
    stray |= address[i] ^ expected;
  }
  access.base = base;
  access.pattern = stray != 0                  ? Pattern::kOther
                   : step == 0                 ? Pattern::kUniform
                   : step == access.size_bytes ? Pattern::kContiguous
                                               : Pattern::kOther;
}

}  // namespace

void classify(Access& access) {
  const std::uint64_t* const address = access.address.data();
  if (access.lanes == ~std::uint32_t{0}) {
    return fill_and_classify(access, [=](int i) { return address[i]; });
  }
  const int first = std::countr_zero(access.lanes);
  const std::uint64_t base = address[first];
  const std::uint64_t size = access.size_bytes;  // at most 128
  const std::uint64_t origin = base - static_cast<std::uint64_t>(first) * size;
  std::uint64_t differ = 0;
  std::uint64_t stray = 0;
  for (std::uint32_t i = 0; i < kWarpSize; ++i) {
    const std::uint64_t taken = -static_cast<std::uint64_t>((access.lanes >> i) & 1);
    differ |= taken & (address[i] ^ base);
    stray |= taken & (address[i] ^ (origin + i * access.size_bytes));
  }
  access.pattern = differ == 0  ? Pattern::kUniform  // also of a single lane
                   : stray == 0 ? Pattern::kContiguous
                                : Pattern::kOther;
  access.base = access.pattern == Pattern::kContiguous ? origin : base;
}

void find_addresses(Access& access, const Warp& warp, std::uint32_t row, bool is_32_bit,
                    std::int64_t offset) {
  const auto add = static_cast<std::uint64_t>(offset);
  const auto fill = [&](auto address_of) {
    if (access.lanes == ~std::uint32_t{0}) return fill_and_classify(access, address_of);
    for (int i = 0; i < kWarpSize; ++i) access.address[static_cast<std::size_t>(i)] = address_of(i);
    classify(access);
  };
  if (is_32_bit) {  // offsets in shared memory are numbers of 32 bits, too
    const auto* const from = reinterpret_cast<const std::uint32_t*>(warp.r32 + row);
    fill([=](int i) { return std::uint64_t{static_cast<std::uint32_t>(from[i] + add)}; });
  } else {
    const auto* const from = reinterpret_cast<const std::uint64_t*>(warp.r64 + row);
    fill([=](int i) { return from[i] + add; });
  }
}

SharedPlace shared_place(Warp& warp, const code::Instruction& instruction, int lane,
                         std::uint64_t address) {
  if (address >= memory::kSharedBase) address -= memory::kSharedBase;
  if (address / kWindow > memory::kMaxClusterSize) return {warp.block, address};  // outside
  return {owner_of(warp, instruction, lane, address / kWindow), address % kWindow};
}

[[gnu::noinline]] std::uint32_t lanes_within(const Access& access, std::uint64_t low,
                                             std::uint64_t size) {
  std::uint32_t found = 0;
  for (int i = 0; i < kWarpSize; ++i) {
    found |= static_cast<std::uint32_t>(access.address[static_cast<std::size_t>(i)] - low < size)
             << i;
  }
  return found;
}

std::uint32_t take_space(Access& access, Warp& warp, std::uint32_t lanes,
                         const std::array<std::uint64_t, kWarpSize>& generic) {
  access.address = generic;
  access.owner = nullptr;
  const std::uint32_t global =
      lanes & lanes_within(access, memory::kDeviceBase, memory::kDeviceRangeBytes);
  if (global != 0) {
    access.space = Space::kGlobal;
    access.lanes = global;
    return lanes & ~global;
  }
  const std::uint64_t first = generic[static_cast<std::size_t>(std::countr_zero(lanes))];
  const std::uint64_t shared = first - memory::kSharedBase;
  if (shared < kWindow * (memory::kMaxClusterSize + 1)) {
    const std::uint64_t low = memory::kSharedBase + shared / kWindow * kWindow;
    access.space = Space::kShared;
    access.owner = owner_of(warp, *access.instruction, std::countr_zero(lanes), shared / kWindow);
    access.lanes = lanes & lanes_within(access, low, kWindow);
    for (std::uint64_t& address : access.address) address -= low;
    return lanes & ~access.lanes;
  }
  if (memory::kSharedBase - first <= kWindow) {  // a negative index into the block's own
    access.space = Space::kShared;
    access.lanes = lanes & lanes_within(access, memory::kSharedBase - kWindow, kWindow);
    for (std::uint64_t& address : access.address) address -= memory::kSharedBase;
    return lanes & ~access.lanes;
  }
  if (first - memory::kLocalBase < memory::kSharedBase - memory::kLocalBase) {
    access.space = Space::kLocal;
    access.lanes = 0;
    std::uint32_t strange = 0;
    for_each_lane(lanes, [&](int lane) {
      std::uint64_t& address = access.address[static_cast<std::size_t>(lane)];
      const std::uint64_t own = local_window(warp, lane);
      if (address - own < memory::kLocalWindowBytes) {
        address -= own;
        access.lanes |= 1U << lane;
      } else if (address - memory::kLocalBase < memory::kSharedBase - memory::kLocalBase) {
        strange |= 1U << lane;
      }
    });
    if (access.lanes == 0) {  // another thread's: whole and generic, for the monitors
      access.lanes = strange;
      access.owner = warp.block;
    }
    return lanes & ~access.lanes;
  }
  if (first - memory::kParamBase < memory::kLocalWindowBytes) {
    access.space = Space::kParam;
    access.lanes = lanes & lanes_within(access, memory::kParamBase, memory::kLocalWindowBytes);
    for (std::uint64_t& address : access.address) address -= memory::kParamBase;
    return lanes & ~access.lanes;
  }
  // Nowhere: the monitors say what such an address is.
  access.space = Space::kGlobal;
  access.lanes = lanes;
  return 0;
}

namespace {

[[noreturn]] void end_outside(Warp& warp, const Access& access, std::uint32_t lanes) {
  const int lane = std::countr_zero(lanes);
  end_kernel(
      warp, *access.instruction, report::Kind::kOutOfBounds,
      thread_name(warp, lane) + (access.writes ? " writes " : " reads ") +
          std::to_string(access.size_bytes) + " bytes outside of " +
          (access.space == Space::kShared ? "its block's shared memory" : "the device's memory"),
      cudaErrorIllegalAddress);
}

// Whether the lanes must come together to instructions that are ahead.
bool needs_whole_warps(const Part& part) {
  return std::ranges::any_of(part.frames,
                             [](const Frame& frame) { return frame.function->needs_whole_warps; });
}

// Races were found in the kernel. Lanes that advance together would hide those within a warp: every
// lane would have read before one writes.
void let_first_lane_go_ahead(Warp& warp, const code::Op* op, Access& access) {
  const std::uint32_t first = access.lanes & (~access.lanes + 1);
  if (warp.part->lanes == first) return;
  warp.has_lane_ahead = true;
  for (Join* join = warp.part->join; join != nullptr; join = join->outer) join->is_broken = true;
  break_joins(warp);
  split_off(warp, warp.part->lanes & ~first, op).has_yielded = access.lanes != first;
  access.lanes = first;
  classify(access);
}

// Gives lanes at one of the host's addresses the device's.
void translate(Access& access, const std::vector<HostVariable>& variables) {
  bool is_changed = false;
  for_each_lane(access.lanes, [&](int lane) {
    std::uint64_t& address = access.address[static_cast<std::size_t>(lane)];
    if (memory::is_device(address)) return;
    const auto found = std::ranges::find_if(
        variables, [&](const HostVariable& one) { return address - one.host < one.size_bytes; });
    if (found == variables.end()) return;
    address = found->device + (address - found->host);
    is_changed = true;
  });
  if (is_changed) classify(access);
}

}  // namespace

std::byte* admit(Access& access, Warp& warp) {
  Engine& engine = *warp.engine;
  ++engine.accesses;
  if (engine.host_variables != nullptr && access.space == Space::kGlobal) [[unlikely]] {
    translate(access, *engine.host_variables);
  }
  if (access.space == Space::kShared && access.owner == nullptr) access.owner = warp.block;
  access.remote =
      access.space == Space::kShared && access.owner != warp.block ? access.owner : nullptr;
  for (Monitor* const monitor : engine.monitors) monitor->access(warp, access);
  if (access.writes && !access.is_atomic) ++engine.changes;
  std::uint64_t low = 0;
  std::uint64_t size = 0;
  std::byte* origin = nullptr;
  switch (access.space) {
    case Space::kGlobal:
    case Space::kConst:
      low = memory::kDeviceBase;
      size = memory::kDeviceRangeBytes;
      break;
    case Space::kShared:
      size = access.owner->shared_bytes;
      origin = access.owner->shared;
      break;
    case Space::kParam:
      size = warp.block->launch->parameters.size();
      origin = warp.block->launch->parameters.data();
      break;
    case Space::kLocal:
      end_outside(warp, access, access.lanes);
  }
  if (access.lanes != 0) {
    const std::uint64_t room = size < access.size_bytes ? 0 : size - access.size_bytes + 1;
    bool is_inside = false;
    if (access.pattern == Pattern::kOther) {
      is_inside = (access.lanes & ~lanes_within(access, low, room)) == 0;
    } else {
      const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes));
      const auto last = static_cast<std::size_t>(31 - std::countl_zero(access.lanes));
      is_inside = access.address[first] - low < room && access.address[last] - low < room;
    }
    if (!is_inside) end_outside(warp, access, access.lanes & ~lanes_within(access, low, room));
  }
  return origin;
}

std::byte* admit_unwatched(const Access& access, Warp& warp, int lane) {
  const Block& owner = access.owner == nullptr ? *warp.block : *access.owner;
  const std::uint64_t at = access.address[static_cast<std::size_t>(lane)];
  if (at >= owner.shared_bytes || access.size_bytes > owner.shared_bytes - at) {
    end_outside(warp, access, 1U << lane);
  }
  return owner.shared + at;
}

bool yields_before(Warp& warp, const code::Op* op, Access& access) {
  Part& part = *warp.part;
  if (part.has_yielded) {
    part.has_yielded = false;
    const bool is_plain = access.writes && !access.is_atomic && access.order == Order::kWeak;
    if (is_plain && warp.engine->launch().loses_updates && !warp.has_lane_ahead &&
        !needs_whole_warps(part)) {
      let_first_lane_go_ahead(warp, op, access);
    }
    return false;
  }
  if (access.space != Space::kGlobal && access.space != Space::kShared) return false;
  const RunningLaunch& running = *warp.engine->running;
  const bool communicates = access.order != Order::kWeak || access.bypasses_cache;
  bool waits = false;
  bool is_idle = false;
  if (access.is_atomic) {
    waits = access.space == Space::kGlobal && running.schedule.holds_publications;
    if (waits) block_of(warp).holds_back = true;
  } else if (access.writes) {
    waits = communicates ? running.schedule.holds_publications : running.launch->loses_updates;
    if (waits) block_of(warp).holds_back = true;
  } else if (access.reads && !access.writes && communicates) {
    const std::vector<HostVariable>* const variables = warp.engine->host_variables;
    if (variables != nullptr && access.space == Space::kGlobal) translate(access, *variables);
    waits = is_idle =
        polls(warp, access.address[static_cast<std::size_t>(std::countr_zero(access.lanes))]);
  }
  if (!waits) return false;
  part.has_yielded = true;
  let_others_run(warp, op, is_idle);
  return true;
}

}  // namespace run
