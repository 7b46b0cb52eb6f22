// SPDX-License-Identifier: MIT
// wgmma: products of four warps whose factors lie in shared memory.
//
// Each warp computes its 16 rows of the 64 when it comes to the instruction, which is an order that
// the hardware may have. The hardware reads the factors and writes the registers at any time until
// the warp has waited. So the monitors learn of the factors a second time then, and until then no
// other instruction may use the registers. A wait ends when all four warps have come to it.
// Source: PTX ISA 8.7, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "run/access.h"
#include "run/arithmetic/fragment.h"
#include "run/arithmetic/handlers.h"
#include "run/warpgroup_layout.h"

namespace run {
namespace {

using arithmetic::Element;
using arithmetic::kWarpgroupRowBytes;
using code::File;
using code::Instruction;
using code::Op;

constexpr std::uint32_t kRowsPerWarp = 16;

struct ProductForm {
  arithmetic::WarpgroupProduct product;
  const Instruction* instruction = nullptr;
  std::array<code::Slot, 4> a_registers;  // if A is not in memory
  code::Slot a, b;                        // descriptors
  code::Slot accumulates;                 // predicate
  bool always_accumulates = false;        // an immediate instead of it
  bool a_is_transposed = false, b_is_transposed = false;
  bool has_a_in_memory() const { return a.exists(); }
};

Factor factor_a(const Warp& warp, const ProductForm& form, std::uint64_t descriptor) {
  return {Layout(descriptor), warp.id % kWarpsPerGroup * kRowsPerWarp, kRowsPerWarp,
          form.a_is_transposed};
}
Factor factor_b(const ProductForm& form, std::uint64_t descriptor) {
  return {Layout(descriptor), 0, static_cast<std::uint32_t>(form.product.n), form.b_is_transposed};
}

// Bytes that lie side by side in shared memory.
struct Run {
  std::uint32_t begin = 0, size_bytes = 0;
};

// What a warp reads of a factor, in runs within lines of 128 bytes: the longest first.
std::vector<Run> runs_of(const Factor& factor) {
  constexpr std::uint32_t kLineBytes = 128;
  std::vector<std::uint32_t> chunks(factor.num_chunks());
  for (std::uint32_t i = 0; i < chunks.size(); ++i) chunks[i] = factor.place(i);
  std::ranges::sort(chunks);
  std::vector<Run> runs;
  for (const std::uint32_t chunk : chunks) {
    const bool goes_on = !runs.empty() && runs.back().begin + runs.back().size_bytes == chunk &&
                         chunk % kLineBytes != 0;
    if (goes_on) {
      runs.back().size_bytes += kChunkBytes;
    } else {
      runs.push_back({chunk, kChunkBytes});
    }
  }
  std::ranges::stable_sort(runs, std::ranges::greater(), &Run::size_bytes);
  return runs;
}

// Calls visit(access) for up to 32 runs of one size, a lane for each.
template <class Visit>
void for_each_access(Warp& warp, const Instruction& instruction, const Factor& factor,
                     Visit visit) {
  Access& access = warp.engine->access;
  const std::vector<Run> runs = runs_of(factor);
  for (std::size_t begin = 0; begin < runs.size();) {
    access = Access{};
    access.instruction = &instruction;
    access.space = Space::kShared;
    access.owner = warp.block;
    access.reads = access.is_async = access.is_async_proxy = true;
    access.size_bytes = runs[begin].size_bytes;
    access.element_bytes = static_cast<std::uint8_t>(access.size_bytes);
    std::size_t lane = 0;
    while (lane < kWarpSize && begin < runs.size() && runs[begin].size_bytes == access.size_bytes) {
      access.lanes |= 1U << lane;
      access.address[lane++] = runs[begin++].begin;
    }
    classify(access);
    visit(access);
  }
}

// Zeros where shared memory ends.
void read(Warp& warp, const Instruction& instruction, const Factor& factor, std::byte* rows) {
  for_each_access(warp, instruction, factor, [&](Access& access) {
    const std::uint32_t lanes = access.lanes;
    admit(access, warp);
    access.lanes = lanes;  // async_read_ends() gets all of them, too
    for (Monitor* const monitor : warp.engine->monitors) monitor->async_read_begins(warp, access);
  });
  for (std::uint32_t i = 0; i < factor.num_chunks(); ++i) {
    const std::uint32_t place = factor.place(i);
    if (place + kChunkBytes > warp.block->shared_bytes) continue;
    factor.keep(i, warp.block->shared + place, rows);
  }
}

void note_read(Warp& warp, const Instruction& instruction, const Factor& factor) {
  for_each_access(warp, instruction, factor, [&](const Access& access) {
    for (Monitor* const monitor : warp.engine->monitors) monitor->async_read_ends(warp, access);
  });
}

void read_registers(Warp& warp, const ProductForm& form, std::byte* rows) {
  const int size = kWarpgroupRowBytes / form.product.k;
  for (int reg = 0; reg < 4; ++reg) {
    const auto* const words =
        warp.row32<std::uint32_t>(form.a_registers[static_cast<std::size_t>(reg)].offset);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const arithmetic::Place place = arithmetic::place_in_a(kRowsPerWarp, 4 / size, lane, reg, 0);
      std::memcpy(rows + place.row * kWarpgroupRowBytes + place.column * size, words + lane, 4);
    }
  }
}

// ---- mistakes that end the kernel

void require_group(Warp& warp, const Instruction& instruction) {
  const std::uint32_t first = warp.id / kWarpsPerGroup * kWarpsPerGroup;
  if ((first + kWarpsPerGroup) * kWarpSize <= warp.block->num_threads) return;
  end_kernel(warp, instruction, report::Kind::kLaunchError,
             thread_name(warp, 0) + " comes to wgmma in a block of " +
                 std::to_string(warp.block->num_threads) +
                 " threads; its warpgroup must be whole: 128 threads, the first of them a multiple "
                 "of 128",
             cudaErrorLaunchFailure);
}

std::uint64_t descriptor_of(Warp& warp, const Instruction& instruction, code::Slot slot,
                            const char* name) {
  const auto* const values = warp.row64<std::uint64_t>(slot.offset);
  for (int lane = 1; lane < kWarpSize; ++lane) {
    if (values[lane] == values[0]) continue;
    end_kernel(warp, instruction, report::Kind::kLaunchError,
               thread_name(warp, lane) + " gives wgmma another descriptor of " + name +
                   " than thread " + std::to_string(warp.thread_id(0)) +
                   "; all threads of a warpgroup must give the same",
               cudaErrorLaunchFailure);
  }
  return values[0];
}

void require_alignment(Warp& warp, const Instruction& instruction, const Layout& layout,
                       const char* name) {
  if (layout.phase(layout.start) == 0) return;
  const std::string rows = std::to_string(layout.row_bytes);
  end_kernel(warp, instruction, report::Kind::kMisaligned,
             thread_name(warp, 0) + " gives wgmma a descriptor of " + name + " at byte " +
                 std::to_string(layout.start) + " of shared memory, with a swizzle of " + rows +
                 " bytes. Its tile must begin at a multiple of " +
                 std::to_string(8 * layout.row_bytes) + " bytes (alignas(" +
                 std::to_string(8 * layout.row_bytes) +
                 ")), or the descriptor's base offset must name the row of the pattern",
             cudaErrorMisalignedAddress);
}

// ---- instructions

void note_in_flight(Warp& warp, const arithmetic::WarpgroupProduct& product,
                    const Instruction& instruction) {
  AsyncProducts& own = warp.products;
  const std::uint32_t base = warp.part->frames.back().base32;
  const int per_lane = product.n / (product.d == ptx::Type::kF16 ? 4 : 2);
  for (int i = 0; i < per_lane; ++i) {
    const std::size_t row = (base + product.d_rows[i]) / code::kRowBytes32;
    if (own.registers.size() <= row) own.registers.resize(row + 1);
    own.registers[row] = {&instruction, own.num_groups, ~0U};
  }
}

const Op* multiply(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const ProductForm*>(op->details);
  const Instruction& instruction = *form.instruction;
  require_all_lanes(warp, instruction, lanes);
  require_group(warp, instruction);
  AsyncProducts& own = warp.products;
  if (!own.is_fenced) {
    report_at(warp, instruction, report::Kind::kRace,
              thread_name(warp, 0) +
                  " comes to its first wgmma without wgmma.fence: the product may read registers "
                  "before they are written. Call wgmma.fence before the first product, and again "
                  "after other instructions have used its registers");
    own.is_fenced = true;
  }
  AsyncProduct product{op, own.num_groups, 0, descriptor_of(warp, instruction, form.b, "B")};
  require_alignment(warp, instruction, Layout(product.b), "B");
  std::array<std::byte, kRowsPerWarp* kWarpgroupRowBytes> a = {};
  std::array<std::byte, arithmetic::kMostWarpgroupN* kWarpgroupRowBytes> b = {};
  if (form.has_a_in_memory()) {
    product.a = descriptor_of(warp, instruction, form.a, "A");
    require_alignment(warp, instruction, Layout(product.a), "A");
    read(warp, instruction, factor_a(warp, form, product.a), a.data());
  } else {
    read_registers(warp, form, a.data());
  }
  read(warp, instruction, factor_b(form, product.b), b.data());
  const std::uint64_t multiply_adds = std::uint64_t{kRowsPerWarp} *
                                      static_cast<std::uint64_t>(form.product.n) *
                                      static_cast<std::uint64_t>(form.product.k);
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->multiplies(warp, instruction, multiply_adds);
  }
  bool accumulates = form.always_accumulates;
  if (form.accumulates.exists()) {
    accumulates =
        ((warp.predicate(form.accumulates.offset) & 1) != 0) != form.accumulates.is_negated;
  }
  arithmetic::multiply_warpgroup(warp, form.product, a.data(), b.data(), accumulates, lanes);
  own.open.push_back(product);
  for (const std::uint64_t part : {std::uint64_t{instruction.id}, product.a, product.b}) {
    constexpr std::uint64_t kFnvPrime = 0x100000001b3;
    own.history = (own.history ^ part) * kFnvPrime;
  }
  note_in_flight(warp, form.product, instruction);
  return op + 1;
}

const Op* fence_registers(Warp& warp, const Op* op, std::uint32_t lanes) {
  require_all_lanes(warp, instruction_of(warp, op), lanes);
  warp.products.is_fenced = true;
  return op + 1;
}

const Op* commit(Warp& warp, const Op* op, std::uint32_t lanes) {
  require_all_lanes(warp, instruction_of(warp, op), lanes);
  ++warp.products.num_groups;
  return op + 1;
}

// The warp's products but those of its last groups are complete.
void complete(Warp& warp, std::uint32_t num_left) {
  AsyncProducts& own = warp.products;
  const auto is_due = [&](std::uint32_t group) { return group + num_left < own.num_groups; };
  for (const AsyncProduct& product : own.open) {
    if (!is_due(product.group)) continue;
    const auto& form = *static_cast<const ProductForm*>(product.op->details);
    if (form.has_a_in_memory()) {
      note_read(warp, *form.instruction, factor_a(warp, form, product.a));
    }
    note_read(warp, *form.instruction, factor_b(form, product.b));
  }
  std::erase_if(own.open, [&](const AsyncProduct& product) { return is_due(product.group); });
  if (own.open.empty()) {
    own.registers.clear();
    own.local.clear();
    return;
  }
  for (InFlight& one : own.registers) {
    if (is_due(one.group)) one = {};
  }
  std::erase_if(own.local, [&](const auto& word) { return is_due(word.second.group); });
}

const Op* wait(Warp& warp, const Op* op, std::uint32_t lanes) {
  require_all_lanes(warp, instruction_of(warp, op), lanes);
  require_group(warp, instruction_of(warp, op));
  complete(warp, static_cast<std::uint32_t>(op->immediate));
  const std::uint32_t number = ++warp.products.num_waits;
  RunningBlock& block = block_of(warp);
  const auto begin = block.warps.begin() + warp.id / kWarpsPerGroup * kWarpsPerGroup;
  const auto end = begin + kWarpsPerGroup;
  const void* const group = begin->get();
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->releases(warp, lanes, Scope::kBlock, group);
  }
  warp.part->waiting = Waiting::kWarpgroup;
  warp.part->next = op;
  if (std::any_of(begin, end,
                  [&](const auto& other) { return other->products.num_waits < number; }))
    return nullptr;
  for (auto other = begin; other != end; ++other) {
    if ((*other)->products.history != (*begin)->products.history) {
      end_kernel(warp, instruction_of(warp, op), report::Kind::kLaunchError,
                 "the warps of thread " + std::to_string((*begin)->thread_id(0)) + " and thread " +
                     std::to_string((*other)->thread_id(0)) +
                     " of a block belong to one warpgroup, but came to this wait after different "
                     "products: all four warps must execute the same wgmma with the same "
                     "descriptors",
                 cudaErrorLaunchFailure);
    }
    for (Monitor* const monitor : warp.engine->monitors) {
      monitor->acquires(**other, (*other)->live, Scope::kBlock, group);
    }
    for (const auto& part : (*other)->parts) {
      if (part->waiting != Waiting::kWarpgroup) continue;
      part->waiting = Waiting::kNothing;
      ++part->next;
    }
  }
  ++warp.engine->changes;
  block.next_warp = 0;  // the warps run in order again
  return nullptr;
}

// ---- spellings

struct Spelled {
  std::string_view word;
  Element element;
  int depth;
};
constexpr std::array<Spelled, 5> kElements = {{{"bf16", Element::kBF16, 16},
                                               {"f16", Element::kF16, 16},
                                               {"tf32", Element::kTF32, 8},
                                               {"e4m3", Element::kE4M3, 32},
                                               {"e5m2", Element::kE5M2, 32}}};

const Spelled& element_named(std::string_view word) {
  for (const Spelled& spelled : kElements) {
    if (spelled.word == word) return spelled;
  }
  throw std::runtime_error("a type of factors that is not offered");
}

std::shared_ptr<ProductForm> product_form(const Instruction& instruction) {
  auto form = std::make_shared<ProductForm>();
  form->instruction = &instruction;
  const auto& words = instruction.words;
  const auto& operands = instruction.operands;
  if (instruction.has("sp")) throw std::runtime_error("sparse products are not offered");
  int m = 0, n = 0, k = 0;
  if (words.size() != 8 || words[2] != "sync" || words[3] != "aligned" ||
      std::sscanf(std::string(words[4]).c_str(), "m%dn%dk%d", &m, &n, &k) != 3) {
    throw std::runtime_error("a form that is not offered");
  }
  const Spelled& a = element_named(words[6]);
  const Spelled& b = element_named(words[7]);
  arithmetic::WarpgroupProduct& product = form->product;
  product.n = n;
  product.k = k;
  product.a = a.element;
  product.b = b.element;
  product.d = ptx::type_named(words[5]);
  const bool is_8_bit = a.depth == 32;
  if (a.element != b.element && !(is_8_bit && b.depth == 32)) {
    throw std::runtime_error("factors of different types");
  }
  if (m != 64 || k != a.depth || n < 8 || n > arithmetic::kMostWarpgroupN || n % 8 != 0) {
    throw std::runtime_error("a shape that does not exist");
  }
  const bool may_be_half = a.element == Element::kF16 || is_8_bit;
  if (product.d != ptx::Type::kF32 && !(product.d == ptx::Type::kF16 && may_be_half)) {
    throw std::runtime_error("a type of sums that does not go with the factors");
  }
  const auto& sums = operands.at(0).elements;
  if (sums.size() != static_cast<std::size_t>(product.d == ptx::Type::kF16 ? n / 4 : n / 2)) {
    throw std::runtime_error("another number of registers for the sums");
  }
  const auto require = [](const code::Slot& slot, File file) {
    if (slot.file != file) throw std::runtime_error("an operand of another kind");
    return slot;
  };
  for (std::size_t i = 0; i < sums.size(); ++i) {
    product.d_rows[i] = require(sums[i].slot, File::k32).offset;
  }
  const auto& first = operands.at(1).elements;
  if (first.empty()) {
    form->a = require(operands.at(1).slot, File::k64);
  } else if (first.size() == 4) {
    for (std::size_t i = 0; i < 4; ++i) form->a_registers[i] = require(first[i].slot, File::k32);
  } else {
    throw std::runtime_error("another number of registers for A");
  }
  form->b = require(operands.at(2).slot, File::k64);
  if (operands.at(3).is_immediate) {
    form->always_accumulates = operands.at(3).bits != 0;
  } else {
    form->accumulates = require(operands.at(3).slot, File::kPredicate);
  }
  const auto immediate = [&](std::size_t i) {
    if (!operands.at(i).is_immediate) throw std::runtime_error("an operand must be a constant");
    return static_cast<std::int32_t>(operands.at(i).bits);
  };
  product.negates = (immediate(4) < 0) != (immediate(5) < 0);
  std::size_t next = 6;
  if (a.depth == 16) {
    if (form->has_a_in_memory()) form->a_is_transposed = immediate(next++) != 0;
    form->b_is_transposed = immediate(next++) != 0;
  }
  if (next != operands.size()) throw std::runtime_error("another number of operands");
  return form;
}

}  // namespace

code::Handler warpgroup_handler(Op& op, const Instruction& instruction, code::Function& function) {
  if (instruction.words.front() != "wgmma") return nullptr;
  function.needs_whole_warps = true;
  if (instruction.has("fence")) return fence_registers;
  if (instruction.has("commit_group")) return commit;
  if (instruction.has("wait_group")) {
    op.immediate = static_cast<std::int64_t>(instruction.operands.at(0).bits);
    return wait;
  }
  auto form = product_form(instruction);
  op.details = form.get();
  function.details.push_back(std::move(form));
  return multiply;
}

}  // namespace run
