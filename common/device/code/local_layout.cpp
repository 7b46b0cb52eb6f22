// SPDX-License-Identifier: MIT
#include "code/local_layout.h"

#include <algorithm>
#include <optional>
#include <set>

namespace code {
namespace {

bool is_base(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::kRegister &&
         (operand.name == "%SP" || operand.name == "%SPL");
}
bool is_in_depot(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::kAddress &&
         (operand.name == "%SP" || operand.name == "%SPL");
}

// `add.u64 %rd1, %SP, 16`: without optimisation that is where a variable begins, and sums with an
// index are instructions of their own. Null: another instruction.
template <class Instruction>
auto* taken_place(Instruction& instruction) {
  auto& operands = instruction.operands;
  const bool takes = instruction.words.front() == "add" && operands.size() == 3 &&
                     is_base(operands[1]) && operands[2].kind == ptx::Operand::Kind::kInteger;
  return takes ? &operands[2].bits : nullptr;
}

// Where variables begin whose address is taken; nothing: the function uses its depot in other ways.
std::optional<std::set<std::uint64_t>> taken_places(const ptx::Function& source,
                                                    std::string_view depot) {
  std::set<std::uint64_t> places;
  for (const ptx::Instruction& instruction : source.instructions) {
    if (const std::uint64_t* const place = taken_place(instruction)) {
      places.insert(*place);
      continue;
    }
    const bool sets_base = !instruction.operands.empty() && is_base(instruction.operands.front());
    if (sets_base) continue;  // %SPL is the depot, %SP its generic address
    for (const ptx::Operand& operand : instruction.operands) {
      if (is_base(operand) || operand.name == depot) return std::nullopt;
    }
  }
  return places;
}

// Those to be guarded. What lies at the beginning of the depot may be the first part of the object
// behind a structured binding: clang does not describe that object, and there it describes the
// parts as it does variables. A gap between them would blame a right program.
std::vector<ptx::Local> to_guard(const ptx::Function& source, const std::set<std::uint64_t>& taken,
                                 std::size_t depot_bytes) {
  std::vector<ptx::Local> found;
  const std::vector<ptx::Local>& all = source.locals;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t end = i + 1 < all.size() ? all[i + 1].offset : depot_bytes;
    const bool is_known = all[i].size_bytes != 0 && !all[i].name.empty() && all[i].offset != 0;
    if (is_known && taken.contains(all[i].offset) && all[i].offset < end &&
        all[i].size_bytes <= end - all[i].offset) {
      found.push_back(all[i]);
    }
  }
  return found;
}

// An address inside of one would be none of those that taken_place() expects.
bool are_cut(const std::vector<ptx::Local>& variables, const std::set<std::uint64_t>& taken) {
  return std::ranges::any_of(variables, [&](const ptx::Local& variable) {
    const auto next = taken.upper_bound(variable.offset);
    return next != taken.end() && *next < variable.offset + variable.size_bytes;
  });
}

}  // namespace

std::uint32_t place_in_depot(const std::vector<DepotPiece>& pieces, std::uint32_t offset) {
  const auto after = std::ranges::upper_bound(pieces, offset, {}, &DepotPiece::from);
  return after == pieces.begin() ? offset
                                 : std::prev(after)->to + (offset - std::prev(after)->from);
}

void lay_out_locals(ptx::Function& source, Function& function) {
  const auto depot = std::ranges::find_if(source.variables, [](const ptx::Variable& variable) {
    return variable.name.starts_with("__local_depot");
  });
  if (source.locals.empty() || depot == source.variables.end()) return;
  const auto taken = taken_places(source, depot->name);
  if (!taken) return;
  const std::vector<ptx::Local> guarded = to_guard(source, *taken, depot->size_bytes);
  if (guarded.empty() || are_cut(guarded, *taken)) return;

  const auto alignment = static_cast<std::uint32_t>(std::max<std::size_t>(depot->align_bytes, 1));
  const std::uint32_t gap = (kGuardBytes + alignment - 1) / alignment * alignment;
  std::uint32_t shift = 0;
  std::vector<DepotPiece>& pieces = function.depot_pieces;
  const auto begin_piece = [&](std::uint32_t from) {
    if (!pieces.empty() && pieces.back().from == from) return;  // the gap behind its neighbour
    shift += gap;
    pieces.push_back({from, from + shift});
  };
  for (const ptx::Local& variable : guarded) {
    begin_piece(variable.offset);
    function.locals.push_back({variable.name, variable.offset + shift, variable.size_bytes});
    begin_piece(variable.offset + variable.size_bytes);
  }
  depot->size_bytes += shift;

  for (ptx::Instruction& instruction : source.instructions) {
    if (std::uint64_t* const place = taken_place(instruction)) {
      *place = place_in_depot(pieces, static_cast<std::uint32_t>(*place));
    }
    for (ptx::Operand& operand : instruction.operands) {
      if (!is_in_depot(operand)) continue;
      operand.offset = place_in_depot(pieces, static_cast<std::uint32_t>(operand.offset));
    }
  }
}

}  // namespace code
