// SPDX-License-Identifier: MIT
// Branches, calls, returns, ends.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "run/engine.h"

namespace run {
namespace {

using code::Instruction;
using code::Op;
using code::Operand;

const Op* enter_block(Warp& warp, const Op* op, std::uint32_t /*lanes*/) {
  const Join* const join = warp.part->join;
  if (join != nullptr && join->at == op && arrive_at_join(warp, op) == nullptr) return nullptr;
  Engine& engine = *warp.engine;
  if (!engine.entering.empty()) {
    const code::Function& function = *warp.part->frames.back().function;
    const code::Block& block = function.blocks[static_cast<std::size_t>(op->immediate)];
    for (Monitor* const monitor : engine.entering) monitor->enters_block(warp, block, warp.lanes);
  }
  if (++engine.steps >= engine.next_alarm) return alarm(warp, op);
  return op + 1;
}

// Which of the two sides of a branch goes on first. In the natural order the one that comes first
// in the code: lanes that stay in a loop, and the code behind the branch.
bool takes_first(const Warp& warp, const Op* op, const Op* target) {
  const Schedule& schedule = warp.engine->running->schedule;
  if (schedule.interruptions == 0) return target <= op;
  return ((schedule.interruptions + warp.engine->steps) * 0x9E3779B97F4A7C15 >> 63) != 0;
}

const Op* branch(Warp& warp, const Op* op, std::uint32_t lanes) {
  if (lanes == warp.lanes) return op->target;
  const std::uint32_t others = warp.lanes & ~lanes;
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->diverges(warp, instruction_of(warp, op), lanes, others);
  }
  if (takes_first(warp, op, op->target)) {
    split(warp, op, others, op + 1);
    return op->target;
  }
  split(warp, op, lanes, op->target);
  return op + 1;
}

const Op* indexed_branch(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& targets = *static_cast<const std::vector<const Op*>*>(op->details);
  const std::uint32_t* const index = warp.row32<std::uint32_t>(op->a);
  const Op* first = nullptr;
  bool has_parted = false;
  if (lanes != warp.lanes) first = op + 1;
  for (std::uint32_t rest = lanes; rest != 0;) {
    const std::uint32_t wanted = index[std::countr_zero(rest)];
    std::uint32_t same = 0;
    for_each_lane(rest, [&](int lane) { same |= index[lane] == wanted ? 1U << lane : 0; });
    rest &= ~same;
    const Op* const target = targets[std::min<std::size_t>(wanted, targets.size() - 1)];
    if (first == nullptr) {
      first = target;
    } else if (target != first) {
      if (!has_parted) {  // once, however many ways there are
        for (Monitor* const monitor : warp.engine->monitors) {
          monitor->diverges(warp, instruction_of(warp, op), same, warp.lanes & ~same);
        }
        has_parted = true;
      }
      split(warp, op, same, target);
    }
  }
  return first;
}

const Op* exit_lanes(Warp& warp, const Op* op, std::uint32_t lanes) {
  end_lanes(warp, lanes & warp.lanes);
  return warp.part == nullptr ? nullptr : op + 1;
}

void copy_result(Warp& warp, const Frame& frame, std::uint32_t lanes);

const Op* return_from(Warp& warp, const Op* op, std::uint32_t lanes) {
  lanes &= warp.lanes;
  if (warp.part->frames.size() == 1) return exit_lanes(warp, op, lanes);
  const Frame frame = warp.part->frames.back();
  copy_result(warp, frame, lanes);
  if (lanes != warp.lanes) {
    Part& leaving = split(warp, op, lanes, frame.return_to);
    leaving.frames.pop_back();
    return op + 1;
  }
  warp.part->frames.pop_back();
  load_frame(warp);
  return frame.return_to;
}

const Op* trap(Warp& warp, const Op* op, std::uint32_t lanes) {
  end_kernel(warp, instruction_of(warp, op), report::Kind::kCrash,
             thread_name(warp, std::countr_zero(lanes & warp.lanes)) + " executed __trap()",
             cudaErrorLaunchFailure);
}

// A call: where arguments and results are in the caller's local memory.
struct Call {
  const code::Function* callee = nullptr;  // null: by the number in row a
  const code::Program* program = nullptr;
  std::uint32_t number = 0;  // row of it
  std::vector<std::uint32_t> arguments;
  std::vector<std::uint32_t> results;
};

void copy_local(Warp& warp, std::uint64_t to, std::uint64_t from, std::size_t size_bytes,
                std::uint32_t lanes) {
  std::vector<std::byte> bytes(size_bytes);
  for_each_lane(lanes, [&](int lane) {
    read_local(warp, from, lane, bytes.data(), size_bytes);
    write_local(warp, to, lane, bytes.data(), size_bytes);
  });
}

std::size_t size_of(const ptx::Variable& variable) {
  return std::max(variable.size_bytes, ptx::size_of(variable.type));
}

void copy_result(Warp& warp, const Frame& frame, std::uint32_t lanes) {
  const auto& call = *static_cast<const Call*>(frame.call->details);
  const Frame& caller = warp.part->frames[warp.part->frames.size() - 2];
  for (std::size_t i = 0; i < call.results.size() && i < frame.function->returns.size(); ++i) {
    copy_local(warp, caller.local_base + call.results[i],
               frame.local_base + frame.function->return_offsets[i],
               size_of(frame.function->returns[i]), lanes);
  }
}

const Op* enter(Warp& warp, const Op* op, const Call& call, const code::Function& callee) {
  const std::uint32_t caller_base = warp.part->frames.back().local_base;
  push_frame(warp, callee, op, op + 1);
  const std::uint32_t base = warp.part->frames.back().local_base;
  for (std::size_t i = 0; i < call.arguments.size() && i < callee.parameters.size(); ++i) {
    copy_local(warp, base + callee.parameter_offsets[i], caller_base + call.arguments[i],
               size_of(callee.parameters[i]), warp.lanes);
  }
  return callee.ops.data();
}

const Op* call_function(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto& call = *static_cast<const Call*>(op->details);
  if (lanes != warp.lanes) split(warp, op, warp.lanes & ~lanes, op + 1);
  if (call.callee != nullptr) return enter(warp, op, call, *call.callee);
  const std::uint64_t* const numbers = warp.row64<std::uint64_t>(call.number);
  const std::uint64_t address = numbers[std::countr_zero(warp.lanes)];
  std::uint32_t others = 0;
  for_each_lane(warp.lanes, [&](int lane) { others |= numbers[lane] != address ? 1U << lane : 0; });
  const code::Function* const callee = call.program->function_at(address);
  if (callee == nullptr) {
    end_kernel(
        warp, instruction_of(warp, op), report::Kind::kHostPointer,
        thread_name(warp, std::countr_zero(warp.lanes)) +
            " calls a function through a pointer that is no function of the device: a "
            "kernel cannot call functions or virtual functions whose addresses the host took",
        cudaErrorIllegalAddress);
  }
  if (others != 0) split(warp, op, others, op);  // they call theirs later
  return enter(warp, op, call, *callee);
}

std::vector<std::uint32_t> offsets_of(const Operand& list) {
  std::vector<std::uint32_t> offsets;
  for (const Operand& element : list.elements) {
    if (!element.is_address) {
      throw std::runtime_error("a call passes a register, not a .param variable");
    }
    offsets.push_back(static_cast<std::uint32_t>(element.offset));
  }
  return offsets;
}

}  // namespace

code::Handler control_handler(Op& op, const Instruction& instruction) {
  const std::string_view opcode = instruction.words.front();
  if (opcode == "%block") return enter_block;
  if (opcode == "bra") return branch;
  if (opcode == "brx") return indexed_branch;
  if (opcode == "ret") return return_from;
  if (opcode == "exit") return exit_lanes;
  if (opcode == "trap") return trap;
  static_cast<void>(op);
  return nullptr;
}

code::Handler call_handler(Op& op, const Instruction& instruction, code::Function& function,
                           const code::Program& program) {
  if (instruction.words.front() != "call") return nullptr;
  auto call = std::make_shared<Call>();
  call->program = &program;
  bool has_callee = false;
  for (const Operand& operand : instruction.operands) {
    const bool is_list = operand.symbol.empty() && !operand.slot.exists();
    if (!has_callee && is_list) {
      call->results = offsets_of(operand);
    } else if (!has_callee) {
      has_callee = true;
      call->number = operand.slot.offset;
      if (operand.slot.exists()) continue;
      call->callee = program.find(operand.symbol);
      if (call->callee == nullptr) {
        if (const code::Handler known = machine_call(operand.symbol, op, instruction, function)) {
          return known;
        }
        throw std::runtime_error(std::string(operand.symbol) +
                                 " is no __device__ function of the program or of CUDA");
      }
    } else if (is_list) {
      call->arguments = offsets_of(operand);
    }
  }
  op.details = call.get();
  function.details.push_back(std::move(call));
  return call_function;
}

}  // namespace run
