// SPDX-License-Identifier: MIT
#include "run/findings.h"

#include <functional>
#include <utility>

namespace run {
namespace {

using code::Instruction;

// Null: the operation is of another function.
const Instruction* find(const code::Function& function, const code::Op* op) {
  const std::less<> is_before;
  const code::Op* const begin = function.ops.data();
  if (is_before(op, begin) || !is_before(op, begin + function.ops.size())) return nullptr;
  return &function.instructions[static_cast<std::size_t>(op - begin)];
}

bool is_of(const code::Function& function, const Instruction& instruction) {
  const std::less<> is_before;
  const Instruction* const begin = function.instructions.data();
  return !is_before(&instruction, begin) &&
         is_before(&instruction, begin + function.instructions.size());
}

report::Place place_of_launch(const Launch& launch) {
  return {launch.host_file.substr(launch.host_file.rfind('/') + 1), launch.host_line};
}

}  // namespace

report::Place place_in(const code::Program& program, const Instruction& instruction) {
  const code::Program::Line line = program.line_near(instruction);
  return {std::string(line.file), line.line, line.is_labs};
}

report::Place place_of(const Launch& launch, const Part* part, const Instruction& instruction) {
  report::Place place = place_in(*launch.program, instruction);
  if (part != nullptr && !part->frames.empty() &&
      is_of(*part->frames.back().function, instruction)) {
    for (std::size_t i = part->frames.size() - 1; i > 0; --i) {
      if (place.is_known() && !place.is_labs) break;
      const Instruction* const call = find(*part->frames[i - 1].function, part->frames[i].call);
      if (call == nullptr) break;
      const report::Place caller = place_in(*launch.program, *call);
      if (!place.is_known() || (caller.is_known() && !caller.is_labs)) place = caller;
    }
  }
  return place.is_known() ? place : place_of_launch(launch);
}

report::Finding finding_at(report::Kind kind, const Launch& launch, const report::Place& place,
                           std::string message) {
  const report::Place caller = place_of_launch(launch);
  const bool is_called = place.is_labs && caller.is_known();
  const report::Place& named = is_called || !place.is_known() ? caller : place;
  if (is_called) {
    message += "; this happens in " + launch.kernel->readable + " (" +
               report::full_line_name(place) + "), which is called here";
  }
  return {kind, named.file, named.line, launch.kernel->readable, std::move(message)};
}

}  // namespace run
