// SPDX-License-Identifier: MIT
// Loads and stores.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "report/memory_text.h"
#include "run/access.h"

namespace run {
namespace {

using code::File;
using code::Instruction;
using code::Op;

// Elements between memory of type M and rows of type R: 4 bytes per lane, or 8. A narrower element
// is extended by its sign or with zeros; a wider register gives its low part.
template <class M, class R>
void load_elements(Warp& warp, const MemoryForm& form, std::byte* origin, const Access& access,
                   std::uint32_t lanes) {
  const std::byte* const base = origin + access.base;
  for (std::size_t e = 0; e < access.num_elements; ++e) {
    if (!form.rows[e].exists()) continue;
    R* const row =
        reinterpret_cast<R*>((sizeof(R) == 4 ? warp.r32 : warp.r64) + form.rows[e].offset);
    const bool is_whole = (lanes | (warp.only & ~warp.lanes)) == ~std::uint32_t{0};
    if (access.pattern == Pattern::kUniform) {
      M value;
      std::memcpy(&value, base + e * sizeof(M), sizeof value);
      const R wide = static_cast<R>(value);
      if (is_whole) {
        std::fill_n(row, kWarpSize, wide);
      } else {
        for (int i = 0; i < kWarpSize; ++i) row[i] = (lanes >> i & 1) != 0 ? wide : row[i];
      }
    } else if (access.pattern == Pattern::kContiguous && lanes == ~std::uint32_t{0}) {
      const std::size_t stride = access.num_elements;
      if (sizeof(M) == sizeof(R) && stride == 1) {
        std::memcpy(row, base, kWarpSize * sizeof(R));
        continue;
      }
      for (std::size_t i = 0; i < kWarpSize; ++i) {
        M value;
        std::memcpy(&value, base + (i * stride + e) * sizeof(M), sizeof value);
        row[i] = static_cast<R>(value);
      }
    } else if (lanes == ~std::uint32_t{0}) {
      for (std::size_t i = 0; i < kWarpSize; ++i) {
        M value;
        std::memcpy(&value, origin + access.address[i] + e * sizeof(M), sizeof value);
        row[i] = static_cast<R>(value);
      }
    } else {
      for_each_lane(lanes, [&](int lane) {
        M value;
        std::memcpy(&value, origin + access.address[static_cast<std::size_t>(lane)] + e * sizeof(M),
                    sizeof value);
        row[lane] = static_cast<R>(value);
      });
    }
  }
}

template <class M, class R>
void store_elements(Warp& warp, const MemoryForm& form, std::byte* origin, const Access& access,
                    std::uint32_t lanes) {
  std::byte* const base = origin + access.base;
  for (std::size_t e = 0; e < access.num_elements; ++e) {
    const R* const row =
        reinterpret_cast<const R*>((sizeof(R) == 4 ? warp.r32 : warp.r64) + form.rows[e].offset);
    if (access.pattern == Pattern::kContiguous && lanes == ~std::uint32_t{0}) {
      const std::size_t stride = access.num_elements;
      if (sizeof(M) == sizeof(R) && stride == 1) {
        std::memcpy(base, row, kWarpSize * sizeof(R));
        continue;
      }
      for (std::size_t i = 0; i < kWarpSize; ++i) {
        const M value = static_cast<M>(row[i]);
        std::memcpy(base + (i * stride + e) * sizeof(M), &value, sizeof value);
      }
    } else {
      for_each_lane(lanes, [&](int lane) {
        const M value = static_cast<M>(row[lane]);
        std::memcpy(origin + access.address[static_cast<std::size_t>(lane)] + e * sizeof(M), &value,
                    sizeof value);
      });
    }
  }
}

template <class M, class R>
void load_local(Warp& warp, const MemoryForm& form, const Access& access, std::uint32_t lanes) {
  for (std::size_t e = 0; e < access.num_elements; ++e) {
    if (!form.rows[e].exists()) continue;
    R* const row =
        reinterpret_cast<R*>((sizeof(R) == 4 ? warp.r32 : warp.r64) + form.rows[e].offset);
    if (sizeof(M) == 4 && access.pattern == Pattern::kUniform && access.base % 4 == 0) {
      const std::uint32_t* const words = &local_word(warp, access.base + 4 * e, 0);
      for (int i = 0; i < kWarpSize; ++i) {
        const R value = static_cast<R>(static_cast<M>(words[i]));
        row[i] = (lanes >> i & 1) != 0 ? value : row[i];
      }
      continue;
    }
    for_each_lane(lanes, [&](int lane) {
      M value;
      read_local(warp, access.address[static_cast<std::size_t>(lane)] + e * sizeof(M), lane, &value,
                 sizeof value);
      row[lane] = static_cast<R>(value);
    });
  }
}

template <class M, class R>
void store_local(Warp& warp, const MemoryForm& form, const Access& access, std::uint32_t lanes) {
  for (std::size_t e = 0; e < access.num_elements; ++e) {
    const R* const row =
        reinterpret_cast<const R*>((sizeof(R) == 4 ? warp.r32 : warp.r64) + form.rows[e].offset);
    if (sizeof(M) == 4 && access.pattern == Pattern::kUniform && access.base % 4 == 0) {
      std::uint32_t* const words = &local_word(warp, access.base + 4 * e, 0);
      for (int i = 0; i < kWarpSize; ++i) {
        const auto value = static_cast<std::uint32_t>(row[i]);
        words[i] = (lanes >> i & 1) != 0 ? value : words[i];
      }
      continue;
    }
    for_each_lane(lanes, [&](int lane) {
      const M value = static_cast<M>(row[lane]);
      write_local(warp, access.address[static_cast<std::size_t>(lane)] + e * sizeof(M), lane,
                  &value, sizeof value);
    });
  }
}

// An element of 16 bytes is two rows.
template <bool is_load>
void move_128(Warp& warp, const MemoryForm& form, std::byte* origin, const Access& access,
              std::uint32_t lanes) {
  for (std::size_t e = 0; e < access.num_elements; ++e) {
    auto* const low = warp.row64<std::uint64_t>(form.rows[e].offset);
    auto* const high = low + kWarpSize;
    for_each_lane(lanes, [&](int lane) {
      std::byte* const at = origin + access.address[static_cast<std::size_t>(lane)] + 16 * e;
      if (is_load) {
        std::memcpy(low + lane, at, 8);
        std::memcpy(high + lane, at + 8, 8);
      } else {
        std::memcpy(at, low + lane, 8);
        std::memcpy(at + 8, high + lane, 8);
      }
    });
  }
}

template <class M>
void choose(MemoryForm& form, bool is_load, bool is_wide) {
  if (is_load) {
    form.move = is_wide ? load_elements<M, std::uint64_t> : load_elements<M, std::uint32_t>;
    form.move_local = is_wide ? load_local<M, std::uint64_t> : load_local<M, std::uint32_t>;
  } else {
    form.move = is_wide ? store_elements<M, std::uint64_t> : store_elements<M, std::uint32_t>;
    form.move_local = is_wide ? store_local<M, std::uint64_t> : store_local<M, std::uint32_t>;
  }
}

void choose_move(MemoryForm& form, bool is_load, ptx::Type type, bool is_wide) {
  const bool is_signed =
      type == ptx::Type::kS8 || type == ptx::Type::kS16 || type == ptx::Type::kS32;
  switch (form.prototype.element_bytes) {
    case 1:
      return is_signed ? choose<std::int8_t>(form, is_load, is_wide)
                       : choose<std::uint8_t>(form, is_load, is_wide);
    case 2:
      return is_signed ? choose<std::int16_t>(form, is_load, is_wide)
                       : choose<std::uint16_t>(form, is_load, is_wide);
    case 4:
      return is_signed && is_wide ? choose<std::int32_t>(form, is_load, is_wide)
                                  : choose<std::uint32_t>(form, is_load, is_wide);
    case 8:
      return choose<std::uint64_t>(form, is_load, is_wide);
    case 16:
      form.move = is_load ? move_128<true> : move_128<false>;
      return;
    default:
      throw std::runtime_error("a memory instruction of elements of an unknown size");
  }
}

// Lanes that a monitor has taken out read zeros.
void clear_rows(Warp& warp, const MemoryForm& form, std::uint32_t lanes) {
  for (std::size_t e = 0; e < form.prototype.num_elements; ++e) {
    for_each_lane(lanes, [&](int lane) {
      if (form.rows[e].file == File::k32) warp.row32<std::uint32_t>(form.rows[e].offset)[lane] = 0;
      if (form.rows[e].file == File::k64) warp.row64<std::uint64_t>(form.rows[e].offset)[lane] = 0;
    });
  }
}

[[gnu::noinline]] void note_unwritten(Warp& warp, const MemoryForm& form, const Access& access) {
  const auto read = std::make_shared<const Access>(access);
  for (std::size_t e = 0; e < access.num_elements; ++e) {
    const std::uint32_t lanes = access.unwritten[e];
    if (lanes == 0 || !form.rows[e].exists()) continue;
    mark_unwritten(warp, form.rows[e], lanes & ~access.partly_written, false, e, read);
    mark_unwritten(warp, form.rows[e], lanes & access.partly_written, true, e, read);
  }
}

void check_local(Warp& warp, const Access& access) {
  const std::uint64_t size = warp.local.size() / kWarpSize * 4;
  for_each_lane(access.lanes, [&](int lane) {
    const std::uint64_t at = access.address[static_cast<std::size_t>(lane)];
    if (at < size && access.size_bytes <= size - at) return;
    end_kernel(warp, *access.instruction, report::Kind::kOutOfBounds,
               thread_name(warp, lane) + (access.writes ? " writes " : " reads ") +
                   std::to_string(access.size_bytes) + " bytes outside of its local variables",
               cudaErrorIllegalAddress);
  });
}

// The variable whose guard the bytes touch; of two, the nearer one. Null: there is none.
const code::LocalVariable* guard_at(const code::Function& function, std::uint64_t begin,
                                    std::uint64_t end) {
  const auto& locals = function.locals;
  const auto next = std::ranges::upper_bound(locals, begin, {}, &code::LocalVariable::offset);
  const code::LocalVariable* found = nullptr;
  if (next != locals.begin() && end > std::prev(next)->end() &&
      begin < std::prev(next)->end() + code::kGuardBytes) {
    found = &*std::prev(next);
  }
  if (next != locals.end() && next->offset - begin <= code::kGuardBytes &&
      (found == nullptr || begin > found->end() + (next->offset - begin))) {
    found = &*next;
  }
  return found;
}

// A pointer to a local variable, of this function or of one that called it, that leads past it.
[[gnu::noinline]] void check_guards(Warp& warp, const Access& access) {
  const std::vector<Frame>& frames = warp.part->frames;
  for_each_lane(access.lanes, [&](int lane) {
    const std::uint64_t at = access.address[static_cast<std::size_t>(lane)];
    const auto above = std::ranges::upper_bound(frames, at, {}, &Frame::local_base);
    if (above == frames.begin()) return;
    const Frame& frame = *std::prev(above);
    const std::uint64_t begin = at - frame.local_base;
    const code::LocalVariable* const variable =
        guard_at(*frame.function, begin, begin + access.size_bytes);
    if (variable == nullptr) return;
    report::Touch touch;
    touch.address = begin;
    touch.size_bytes = access.size_bytes;
    touch.writes = access.writes;
    end_kernel(
        warp, *access.instruction, report::Kind::kOutOfBounds,
        report::past_local_variable_text(thread_name(warp, lane), touch,
                                         {variable->name, variable->offset, variable->size_bytes}),
        cudaErrorIllegalAddress);
  });
}

// One space of the instruction; false: it will be executed again later.
template <bool is_load>
[[gnu::always_inline]] inline bool transfer(Warp& warp, const Op* op, const MemoryForm& form,
                                            Access& access) {
  const std::uint32_t wanted = access.lanes;
  if (access.space == Space::kLocal && access.owner == nullptr) {
    check_local(warp, access);
    if (!form.is_variable) check_guards(warp, access);
    for (Monitor* const monitor : warp.engine->at_locals) monitor->touches_local(warp, access);
    form.move_local(warp, form, access, access.lanes);
    return true;
  }
  const bool is_plain_load =
      is_load && access.order == Order::kWeak && !access.bypasses_cache;  // it never yields
  if (!is_plain_load && yields_before(warp, op, access)) return false;
  if (is_load) {
    access.unwritten = {};
    access.partly_written = 0;
  } else {
    for (std::size_t e = 0; e < access.num_elements; ++e) {
      const bool is_wide = form.rows[e].file == File::k64;
      access.values[e] = (is_wide ? warp.r64 : warp.r32) + form.rows[e].offset;
      access.value_stride = is_wide ? 8 : 4;
    }
  }
  std::byte* const origin = admit(access, warp);
  if (access.lanes != 0) {
    form.move(warp, form, origin, access, access.lanes);
    if constexpr (is_load) {
      const auto end = access.unwritten.begin() + access.num_elements;
      const bool all_written = std::all_of(access.unwritten.begin(), end,
                                           [](std::uint32_t unwritten) { return unwritten == 0; });
      if (!all_written) note_unwritten(warp, form, access);
    } else {
      for (Monitor* const monitor : warp.engine->monitors) monitor->wrote(warp, access);
    }
  }
  if (is_load && access.lanes != wanted) clear_rows(warp, form, wanted & ~access.lanes);
  return true;
}

Access& begin(Warp& warp, const Op* op, const MemoryForm& form, std::uint32_t lanes) {
  Access& access = warp.engine->access;
  static_cast<AccessForm&>(access) = form.prototype;
  access.owner = nullptr;
  access.lanes = lanes;
  find_addresses(access, warp, op->a, form.has_32_bit_addresses, op->immediate);
  return access;
}

// Most accesses: to a space that the instruction names.
template <bool is_load>
const Op* load_or_store_directly(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const MemoryForm*>(op->details);
  return transfer<is_load>(warp, op, form, begin(warp, op, form, lanes)) ? op + 1 : nullptr;
}

template <bool is_load>
const Op* load_or_store(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const MemoryForm*>(op->details);
  Access& access = begin(warp, op, form, lanes);
  if (!form.is_generic) {
    if (access.space == Space::kParam) {
      if (!form.is_launch_parameter) access.space = Space::kLocal;
      if (access.space == Space::kLocal) {
        check_local(warp, access);
        form.move_local(warp, form, access, lanes);
        return op + 1;
      }
      const std::size_t size = warp.block->launch->parameters.size();
      const std::uint64_t room = size < access.size_bytes ? 0 : size - access.size_bytes + 1;
      if (const std::uint32_t outside = lanes & ~lanes_within(access, 0, room)) {
        end_kernel(warp, *form.prototype.instruction, report::Kind::kOutOfBounds,
                   thread_name(warp, std::countr_zero(outside)) + " reads " +
                       std::to_string(access.size_bytes) +
                       " bytes outside of the kernel's parameters",
                   cudaErrorIllegalAddress);
      }
      form.move(warp, form, warp.block->launch->parameters.data(), access, lanes);
      return op + 1;
    }
    if (form.is_cluster) {
      const std::uint64_t window =
          access.address[static_cast<std::size_t>(std::countr_zero(lanes))] /
          memory::kSharedWindowBytes;
      if (window != 0)
        access.owner = cluster_block(warp, *access.instruction, std::countr_zero(lanes),
                                     static_cast<std::uint32_t>(window - 1));
      for (std::uint64_t& address : access.address) address %= memory::kSharedWindowBytes;
      classify(access);
    }
    return transfer<is_load>(warp, op, form, access) ? op + 1 : nullptr;
  }
  if (lanes_within(access, memory::kDeviceBase, memory::kDeviceRangeBytes) == ~std::uint32_t{0}) {
    access.space = Space::kGlobal;
    return transfer<is_load>(warp, op, form, access) ? op + 1 : nullptr;
  }
  const auto generic = access.address;
  for (std::uint32_t rest = lanes; rest != 0;) {
    rest = take_space(access, warp, rest, generic);
    classify(access);
    if (!transfer<is_load>(warp, op, form, access)) return nullptr;
  }
  return op + 1;
}

void add_rows(MemoryForm& form, const code::Operand& operand) {
  if (operand.elements.empty()) {
    form.rows[0] = operand.slot;
    return;
  }
  for (std::size_t i = 0; i < operand.elements.size() && i < form.rows.size(); ++i) {
    form.rows[i] = operand.elements[i].slot;
  }
}

}  // namespace

code::Handler memory_handler(Op& op, const Instruction& instruction, code::Function& function) {
  const std::string_view opcode = instruction.words.front();
  if (opcode == "prefetch" || opcode == "prefetchu" || opcode == "applypriority" ||
      opcode == "discard" || opcode == "createpolicy") {
    return no_operation;
  }
  const bool is_load = opcode == "ld" || opcode == "ldu";
  if (!is_load && opcode != "st") return nullptr;
  const code::Operand& address = instruction.operands.at(is_load ? 1 : 0);
  const code::Operand& value = instruction.operands.at(is_load ? 0 : 1);
  bool is_kernel = function.is_kernel;
  if (is_kernel && instruction.words.at(1).starts_with("param") &&
      !address.symbol.starts_with('%')) {
    is_kernel = false;  // unless it is one of the kernel's own parameters
    for (const ptx::Variable& parameter : function.parameters) {
      if (parameter.name == address.symbol) is_kernel = true;
    }
  }
  auto form = std::make_shared<MemoryForm>(memory_form(instruction, address, is_kernel));
  if (form->is_launch_parameter && !is_load) {
    throw std::runtime_error("a kernel's parameters are read only");
  }
  form->prototype.reads = is_load;
  form->prototype.writes = !is_load;
  form->prototype.instruction = &instruction;
  add_rows(*form, value);
  op.a = address.slot.offset;
  op.immediate = address.offset;
  bool is_wide = false;
  for (const code::Slot& row : form->rows) is_wide = is_wide || row.file == File::k64;
  ptx::Type type = ptx::Type::kNone;
  for (const std::string_view word : instruction.words) {
    if (const ptx::Type named = ptx::type_named(word); named != ptx::Type::kNone) type = named;
  }
  choose_move(*form, is_load, type, is_wide);
  const bool is_direct =
      !form->is_generic && !form->is_cluster && form->prototype.space != Space::kParam;
  op.details = form.get();
  function.details.push_back(std::move(form));
  if (is_direct) return is_load ? load_or_store_directly<true> : load_or_store_directly<false>;
  return is_load ? load_or_store<true> : load_or_store<false>;
}

}  // namespace run
