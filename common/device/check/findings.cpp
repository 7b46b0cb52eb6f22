// SPDX-License-Identifier: MIT
#include "check/findings.h"

#include <string_view>

namespace check {
namespace {

std::string without_folders(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

report::Index index_of(const run::Dim& dim) { return {dim.x, dim.y, dim.z}; }

}  // namespace

report::ThreadId thread_id(const run::Block& block, std::uint32_t thread) {
  const report::Index block_dim = index_of(block.launch->block);
  return {report::index_of(thread, block_dim), index_of(block.index), block_dim,
          index_of(block.launch->grid)};
}

std::string thread_name(const run::Block& block, std::uint32_t thread) {
  return report::thread_name(thread_id(block, thread));
}

report::Place place_of(const memory::HostPlace& at) { return {without_folders(at.file), at.line}; }

report::Room room_of(const memory::Allocation& allocation) {
  return {allocation.name,
          allocation.base,
          allocation.size_bytes,
          allocation.live,
          place_of(allocation.made_at),
          place_of(allocation.freed_at)};
}

const code::Instruction& Instructions::find(const code::Program& program, std::uint32_t id) {
  std::vector<const code::Instruction*>& table = by_program_[&program];
  if (table.empty()) {
    table.resize(program.num_instructions);
    for (const auto& function : program.functions) {
      for (const code::Instruction& instruction : function->instructions) {
        table.at(instruction.id) = &instruction;
      }
    }
  }
  return *table.at(id);
}

report::Finding finding_at(report::Kind kind, const run::Launch& launch,
                           const code::Instruction& instruction, std::string message) {
  return run::finding_at(kind, launch, place_of(launch, launch.running, instruction),
                         std::move(message));
}

void report_at(report::Kind kind, const run::Launch& launch, const code::Instruction& instruction,
               std::string message) {
  report::report(finding_at(kind, launch, instruction, std::move(message)));
}

void end_kernel(report::Kind kind, const run::Launch& launch, const code::Instruction& instruction,
                std::string message, int error) {
  throw run::Fault{finding_at(kind, launch, instruction, std::move(message)), error};
}

}  // namespace check
