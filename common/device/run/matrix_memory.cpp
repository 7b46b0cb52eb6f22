// SPDX-License-Identifier: MIT
// Matrices between memory and the registers of a whole warp: ldmatrix and stmatrix, wmma.load and
// wmma.store. Lanes exchange rows here: the lane that names an address is not the one that gets
// what is there, but findings and counters go by the lane that names it.
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "run/access.h"
#include "run/arithmetic/fragment.h"

namespace run {
namespace {

using code::Instruction;
using code::Op;

constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};
constexpr std::uint32_t kRowBytes = 16;  // of an 8x8 matrix; rows begin at multiples of it

struct MatrixForm : MemoryForm {
  int num_registers = 0;  // in `rows`
  bool is_load = false;
  bool is_transposed = false;  // ldmatrix, stmatrix

  // wmma. Elements of a lane are numbered through its registers.
  char use = 'a';  // b; c and d are 'c'
  int m = 0, n = 0, k = 0;
  int element_bytes = 0;
  int num_elements = 0;  // of a lane
  int num_adjacent = 1;  // of them: side by side in memory
  bool by_column = false;
  code::Slot stride;  // in elements; none: `usual_stride`
  std::uint32_t usual_stride = 0;

  std::size_t register_bytes() const { return rows[0].file == code::File::k64 ? 8 : 4; }
};

void begin(Access& access, const MatrixForm& form, std::uint32_t element_bytes,
           std::uint32_t num_elements) {
  access = Access{};
  access.instruction = form.prototype.instruction;
  access.space = form.prototype.space;
  access.reads = form.is_load;
  access.writes = !form.is_load;
  access.element_bytes = static_cast<std::uint8_t>(element_bytes);
  access.num_elements = static_cast<std::uint8_t>(num_elements);
  access.size_bytes = element_bytes * num_elements;
}

// Calls move(origin) for each space that the addresses lead to, with access.lanes in that space.
// `may_yield`: no part of the instruction has been executed yet. False: it will be again, later.
template <class Move>
bool for_each_space(Warp& warp, const Op* op, const MatrixForm& form, Access& access,
                    bool may_yield, Move move) {
  const auto addresses = access.address;
  for (std::uint32_t rest = access.lanes; rest != 0; may_yield = false) {
    access.lanes = rest;
    rest = form.is_generic ? take_space(access, warp, rest, addresses) : 0;
    classify(access);
    if (may_yield && yields_before(warp, op, access)) return false;
    access.unwritten = {};
    access.partly_written = 0;
    std::byte* const origin = admit(access, warp);
    if (access.lanes == 0) continue;
    move(origin);
    if (form.is_load) continue;
    for (Monitor* const monitor : warp.engine->monitors) monitor->wrote(warp, access);
  }
  return true;
}

// ---- ldmatrix, stmatrix

using Matrices = std::array<std::array<std::array<std::uint16_t, 8>, 8>, 4>;  // rows of columns

// Lane 4 * g + t holds columns 2 * t and 2 * t + 1 of row g; transposed, those rows of column g.
template <class Visit>
void for_each_pair(const MatrixForm& form, Matrices& matrices, Visit visit) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(form.num_registers); ++i) {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const std::size_t g = lane / 4, first = lane % 4 * 2;
      if (form.is_transposed) {
        visit(i, lane, matrices[i][first][g], matrices[i][first + 1][g]);
      } else {
        visit(i, lane, matrices[i][g][first], matrices[i][g][first + 1]);
      }
    }
  }
}

// What the rows' lanes found unwritten, by the lanes that get it.
void note_unwritten_rows(Warp& warp, const MatrixForm& form, const Access& access) {
  std::uint32_t any = 0;
  for (const std::uint32_t lanes : access.unwritten) any |= lanes;
  if (any == 0) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(form.num_registers); ++i) {
    auto read = std::make_shared<Access>(access);
    read->element_bytes = 4;
    read->num_elements = 1;
    read->size_bytes = 4;
    std::uint32_t whole = 0, part = 0;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const auto is_unwritten = [&](std::size_t row, std::size_t word) {
        if ((access.unwritten[word] >> (8 * i + row) & 1) == 0) return false;
        read->address[lane] = access.address[8 * i + row] + 4 * word;
        return true;
      };
      const std::size_t g = lane / 4, t = lane % 4;
      const bool first =
          is_unwritten(form.is_transposed ? 2 * t : g, form.is_transposed ? g / 2 : t);
      const bool second = form.is_transposed ? is_unwritten(2 * t + 1, g / 2) : first;
      (first && second ? whole : part) |= static_cast<std::uint32_t>(first || second) << lane;
    }
    mark_unwritten(warp, form.rows[i], whole, false, 0, read);
    mark_unwritten(warp, form.rows[i], part, true, 0, read);
  }
}

const Op* move_matrices(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const MatrixForm*>(op->details);
  require_all_lanes(warp, *form.prototype.instruction, lanes);
  Access& access = warp.engine->access;
  begin(access, form, 4, kRowBytes / 4);
  access.lanes = form.num_registers == 4 ? kAllLanes : (1U << 8 * form.num_registers) - 1;
  find_addresses(access, warp, op->a, form.has_32_bit_addresses, op->immediate);
  Matrices matrices = {};
  if (!form.is_load) {
    for_each_pair(form, matrices,
                  [&](std::size_t i, std::size_t lane, std::uint16_t& low, std::uint16_t& high) {
                    const std::uint32_t word = warp.row32<std::uint32_t>(form.rows[i].offset)[lane];
                    low = static_cast<std::uint16_t>(word);
                    high = static_cast<std::uint16_t>(word >> 16);
                  });
  }
  const bool is_done =
      for_each_space(warp, op, form, access, !form.is_load, [&](std::byte* origin) {
        if (access.space != Space::kShared) {
          end_kernel(warp, *access.instruction, report::Kind::kOutOfBounds,
                     thread_name(warp, std::countr_zero(access.lanes)) +
                         (form.is_load ? " reads" : " writes") +
                         " a row of a matrix outside of shared memory",
                     cudaErrorIllegalAddress);
        }
        for_each_lane(access.lanes, [&](int lane) {
          const auto l = static_cast<std::size_t>(lane);
          void* const row = matrices[l / 8][l % 8].data();
          std::byte* const at = origin + access.address[l];
          form.is_load ? std::memcpy(row, at, kRowBytes) : std::memcpy(at, row, kRowBytes);
        });
        if (form.is_load) note_unwritten_rows(warp, form, access);
      });
  if (!is_done) return nullptr;
  if (form.is_load) {
    for_each_pair(form, matrices,
                  [&](std::size_t i, std::size_t lane, std::uint16_t low, std::uint16_t high) {
                    if (!form.rows[i].exists()) return;
                    warp.row32<std::uint32_t>(form.rows[i].offset)[lane] =
                        low | static_cast<std::uint32_t>(high) << 16;
                  });
  }
  return op + 1;
}

// ---- wmma.load, wmma.store

std::uint64_t place_of(const MatrixForm& form, int lane, int element, std::uint64_t stride) {
  namespace fragment = arithmetic;
  const int per_register = static_cast<int>(form.register_bytes()) / form.element_bytes;
  const int reg = element / per_register, part = element % per_register;
  const fragment::Place place =
      form.use == 'a'   ? fragment::place_in_a(form.m, per_register, lane, reg, part)
      : form.use == 'b' ? fragment::place_in_b(form.k, per_register, lane, reg, part)
                        : fragment::place_in_c(form.m, lane, element);
  const auto row = static_cast<std::uint64_t>(place.row);
  const auto column = static_cast<std::uint64_t>(place.column);
  return (form.by_column ? column * stride + row : row * stride + column) *
         static_cast<std::uint64_t>(form.element_bytes);
}

// Rows, or columns, begin at multiples of 16 bytes.
void require_alignment(Warp& warp, const MatrixForm& form, std::uint64_t address,
                       std::uint64_t stride) {
  const auto size = static_cast<std::uint64_t>(form.element_bytes);
  const bool is_address = address % kRowBytes != 0;
  if (!is_address && stride * size % kRowBytes == 0) return;
  char place[24];
  std::snprintf(place, sizeof place, "0x%llx", static_cast<unsigned long long>(address));
  end_kernel(warp, *form.prototype.instruction, report::Kind::kMisaligned,
             thread_name(warp, 0) + (form.is_load ? " loads" : " stores") + " a matrix " +
                 (is_address ? "at address " + std::string(place)
                             : "whose rows or columns are " + std::to_string(stride * size) +
                                   " bytes apart") +
                 ", which must be a multiple of 16 bytes",
             cudaErrorMisalignedAddress);
}

const Op* move_fragment(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& form = *static_cast<const MatrixForm*>(op->details);
  require_all_lanes(warp, *form.prototype.instruction, lanes);
  const std::size_t register_bytes = form.register_bytes();
  const auto element_bytes = static_cast<std::uint32_t>(form.element_bytes);
  const auto size = element_bytes * static_cast<std::uint32_t>(form.num_adjacent);
  const bool is_whole = size >= register_bytes;
  // The registers of each lane, as they would lie in memory.
  std::array<std::array<std::byte, 64>, kWarpSize> registers = {};
  const auto copy_registers = [&](auto copy) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(form.num_registers); ++r) {
      if (!form.rows[r].exists()) continue;
      std::byte* const row = (register_bytes == 8 ? warp.r64 : warp.r32) + form.rows[r].offset;
      const std::size_t at =
          r * register_bytes % (static_cast<std::size_t>(form.num_elements) * element_bytes);
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        copy(&registers[lane][at], row + lane * register_bytes);
      }
    }
  };
  if (!form.is_load) {
    copy_registers(
        [&](std::byte* to, const std::byte* from) { std::memcpy(to, from, register_bytes); });
  }
  Access& access = warp.engine->access;
  access.lanes = lanes;
  find_addresses(access, warp, op->a, form.has_32_bit_addresses, op->immediate);
  const auto base = access.address;
  std::array<std::uint64_t, kWarpSize> stride;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    stride[lane] = form.stride.exists() ? warp.row32<std::uint32_t>(form.stride.offset)[lane]
                                        : form.usual_stride;
  }
  require_alignment(warp, form, base[0], stride[0]);
  for (int element = 0; element < form.num_elements; element += form.num_adjacent) {
    begin(access, form, is_whole ? static_cast<std::uint32_t>(register_bytes) : size,
          is_whole ? size / static_cast<std::uint32_t>(register_bytes) : 1);
    access.lanes = lanes;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const auto l = static_cast<std::size_t>(lane);
      access.address[l] = base[l] + place_of(form, lane, element, stride[l]);
    }
    const std::size_t at = static_cast<std::size_t>(element) * element_bytes;
    const bool may_yield = !form.is_load && element == 0;
    const bool is_done = for_each_space(warp, op, form, access, may_yield, [&](std::byte* origin) {
      for_each_lane(access.lanes, [&](int lane) {
        const auto l = static_cast<std::size_t>(lane);
        std::byte* const there = origin + access.address[l];
        std::byte* const here = &registers[l][at];
        form.is_load ? std::memcpy(here, there, size) : std::memcpy(there, here, size);
      });
      if (!form.is_load) return;
      for (std::size_t e = 0; e < access.num_elements; ++e) {
        if (access.unwritten[e] == 0) continue;
        const code::Slot row = form.rows[at / register_bytes + e];
        mark_unwritten(warp, row, access.unwritten[e], !is_whole, e,
                       std::make_shared<const Access>(access));
      }
    });
    if (!is_done) return nullptr;
  }
  if (form.is_load) {
    copy_registers(
        [&](const std::byte* from, std::byte* to) { std::memcpy(to, from, register_bytes); });
  }
  return op + 1;
}

// ---- spellings

void set_rows(MatrixForm& form, const code::Operand& registers, code::File file) {
  const auto add = [&](const code::Slot& slot) {
    if (slot.exists() && slot.file != file) {
      throw std::runtime_error("its registers have another size");
    }
    form.rows[static_cast<std::size_t>(form.num_registers++)] = slot;
  };
  if (registers.elements.size() > form.rows.size()) throw std::runtime_error("too many registers");
  if (registers.elements.empty()) add(registers.slot);
  for (const code::Operand& element : registers.elements) add(element.slot);
}

void read_matrices(MatrixForm& form, const Instruction& instruction) {
  if (!instruction.has("m8n8") || !instruction.has("b16")) {
    throw std::runtime_error("only matrices m8n8 of b16 are offered");
  }
  form.is_transposed = instruction.has("trans");
  const int count = instruction.has("x4") ? 4 : (instruction.has("x2") ? 2 : 1);
  if (form.num_registers != count) throw std::runtime_error("it has another number of registers");
}

struct WmmaType {
  std::string_view name;
  int bytes;
  bool is_factor, is_sum;
};
constexpr std::array<WmmaType, 8> kTypes = {{{"f16", 2, true, true},
                                             {"bf16", 2, true, false},
                                             {"tf32", 4, true, false},
                                             {"f64", 8, true, true},
                                             {"u8", 1, true, false},
                                             {"s8", 1, true, false},
                                             {"f32", 4, false, true},
                                             {"s32", 4, false, true}}};

void read_fragment(MatrixForm& form, const Instruction& instruction) {
  const std::string_view type_name = instruction.words.back();
  const WmmaType* type = nullptr;
  for (const WmmaType& known : kTypes) {
    if (known.name == type_name) type = &known;
  }
  for (const std::string_view word : instruction.words) {
    if (word == "a" || word == "b") form.use = word[0];
    if (word == "c" || word == "d") form.use = 'c';
    std::sscanf(std::string(word).c_str(), "m%dn%dk%d", &form.m, &form.n, &form.k);
  }
  form.by_column = instruction.has("col");
  const bool is_shape =
      (form.k == 16 && (form.m == 16 || form.m == 8 || form.m == 32) && form.m * form.n == 256) ||
      (form.m == 16 && form.n == 16 && form.k == 8) || (form.m == 8 && form.n == 8 && form.k == 4);
  if (!is_shape || type == nullptr || !(form.use == 'c' ? type->is_sum : type->is_factor)) {
    throw std::runtime_error("a fragment that is not offered");
  }
  form.element_bytes = type->bytes;
  const int rows = form.use == 'b' ? form.k : form.m;
  const int columns = form.use == 'a' ? form.k : form.n;
  form.num_elements = rows * columns / kWarpSize;
  form.usual_stride = static_cast<std::uint32_t>(form.by_column ? rows : columns);
  const int per_register = static_cast<int>(form.register_bytes()) / form.element_bytes;
  if (form.use == 'c') {
    form.num_adjacent = form.by_column ? 1 : 2;
  } else {
    form.num_adjacent = form.by_column == (form.use == 'b') ? per_register : 1;
  }
  // Factors of f16 have 8 registers in every shape: fragment.h.
  const bool is_half_factor = type_name == "f16" && form.use != 'c';
  const int num_registers = is_half_factor ? 8 : form.num_elements / per_register;
  if (form.num_registers != num_registers) {
    throw std::runtime_error("a fragment has another number of registers");
  }
}

}  // namespace

void require_all_lanes(Warp& warp, const Instruction& instruction, std::uint32_t lanes) {
  if (lanes == kAllLanes) return;
  const int num_missing = kWarpSize - std::popcount(lanes);
  end_kernel(
      warp, instruction, report::Kind::kBarrierDivergence,
      thread_name(warp, std::countr_zero(lanes)) + " comes to " +
          std::string(instruction.words.front()) + " without " + std::to_string(num_missing) +
          (num_missing == 1 ? " lane" : " lanes") +
          " of its warp; all 32 must execute it together, and lanes that a branch has separated "
          "are together again after __syncwarp() or __syncthreads()",
      cudaErrorLaunchFailure);
}

code::Handler matrix_handler(Op& op, const Instruction& instruction, code::Function& function) {
  const std::string_view opcode = instruction.words.front();
  const bool is_wmma = opcode == "wmma" && (instruction.has("load") || instruction.has("store"));
  if (opcode != "ldmatrix" && opcode != "stmatrix" && !is_wmma) return nullptr;
  function.needs_whole_warps = true;
  auto form = std::make_shared<MatrixForm>();
  form->is_load = opcode == "ldmatrix" || (is_wmma && instruction.has("load"));
  const std::size_t at = form->is_load ? 1 : 0;
  if (instruction.operands.size() < 2) throw std::runtime_error("it has too few operands");
  const code::Operand& address = instruction.operands.at(at);
  const bool is_f64 = is_wmma && instruction.words.back() == "f64";
  set_rows(*form, instruction.operands.at(1 - at), is_f64 ? code::File::k64 : code::File::k32);
  form->prototype.instruction = &instruction;
  form->is_generic = true;
  for (const std::string_view word : instruction.words) {
    if (word != "global" && !word.starts_with("shared")) continue;
    form->prototype.space = word == "global" ? Space::kGlobal : Space::kShared;
    form->is_generic = false;
  }
  form->has_32_bit_addresses = address.slot.file == code::File::k32;
  if (is_wmma) {
    read_fragment(*form, instruction);
    if (instruction.operands.size() > 2) {
      const code::Operand& stride = instruction.operands.at(2);
      if (stride.is_immediate) {
        form->usual_stride = static_cast<std::uint32_t>(stride.bits);
      } else {
        form->stride = stride.slot;
      }
    }
  } else {
    read_matrices(*form, instruction);
  }
  op.a = address.slot.offset;
  op.immediate = address.offset;
  op.details = form.get();
  function.details.push_back(std::move(form));
  return is_wmma ? move_fragment : move_matrices;
}

}  // namespace run
